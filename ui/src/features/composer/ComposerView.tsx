// The text field under a chat, its queue, and what Enter does right now. Knows no host: everything comes as props.
import { ArrowUp, CornerDownLeft, FileText, ListPlus, X } from "lucide-react";
import { type ClipboardEvent, type KeyboardEvent, type ReactNode, type Ref, useEffect, useId, useImperativeHandle, useLayoutEffect, useRef, useState } from "react";
import { useIme } from "../../kit/ime";
import { Kbd } from "../../kit/Kbd";
import { type Extras, NEEDS_TEXT } from "../../prompt";
import styles from "./Composer.module.css";
import { type PastedText, draftToText, firstLine, sizeOf, textToDraft } from "./draft";
import { MAX_FIELD_CHARS, MAX_FIELD_ROWS } from "./limits";
import { QueueList, type QueuedPrompt } from "./QueueList";

export type SendWay = "send" | "queue" | "steer";

export interface ComposerHandle {
  focus: () => void;
  /** Puts text into the field, in place of an empty draft or after what is there. */
  insert: (text: string) => void;
}

export interface ComposerViewProps {
  /** A turn is under way: Enter queues. */
  running: boolean;
  /** Whether a running turn takes more input, and if not, why. */
  steer: { able: boolean; why: string | null };
  queue: readonly QueuedPrompt[];
  /** Why the queue does not go on by itself; null while it does. */
  paused: string | null;
  /** The saved draft; null while it is not known yet. */
  draft: string | null;
  /** What the field says while empty. */
  placeholder?: string;
  /** Why nothing can be sent; null when it can. */
  blocked?: string | null;
  /** What failed outside of sending. */
  trouble?: string | null;
  onDraft: (text: string) => void;
  onSend: (text: string, way: SendWay) => Promise<void>;
  onStop: () => void;
  onResume: () => void;
  onEditQueued: (id: string, text: string) => Promise<void>;
  onRemoveQueued: (id: string) => Promise<void>;
  /** Anything that stands beside the send button: model, mode. */
  tools?: ReactNode;
  /** Files and a schema that go with the next message. */
  extras?: Pick<Extras, "strip" | "holds" | "waits" | "onPaste">;
  ref?: Ref<ComposerHandle>;
}

/** Whether something above the chat would take Esc: a dialog, a menu, a list. */
function somethingIsOpen(): boolean {
  return document.querySelector('[role="dialog"], [role="alertdialog"], [role="menu"], [role="listbox"], [data-closes-on-esc]') !== null;
}

export function ComposerView(props: ComposerViewProps) {
  const { running, steer, queue, paused, draft, blocked = null, extras } = props;
  const [text, setText] = useState("");
  const [pastes, setPastes] = useState<readonly PastedText[]>([]);
  const [failed, setFailed] = useState<string | null>(null);
  const area = useRef<HTMLTextAreaElement>(null);
  const touched = useRef(false);
  const ime = useIme();
  const reasonId = useId();

  // The saved draft fills the field once, and never over something typed since.
  useEffect(() => {
    if (draft === null || touched.current) return;
    const restored = textToDraft(draft);
    setText(restored.text);
    setPastes(restored.pastes);
  }, [draft]);

  useImperativeHandle(props.ref, () => ({
    focus: () => area.current?.focus(),
    insert: (more) => change(text === "" ? more : `${text}\n${more}`),
  }));

  useLayoutEffect(() => grow(area.current), [text]);

  const whole = () => draftToText(text, pastes);
  const change = (next: string, nextPastes = pastes) => {
    touched.current = true;
    setText(next);
    setPastes(nextPastes);
    setFailed(null);
    props.onDraft(draftToText(next, nextPastes));
  };

  const empty = text.trim() === "" && pastes.length === 0;
  const holds = extras?.holds ?? false;
  const reason = blocked ?? extras?.waits ?? (empty && holds ? NEEDS_TEXT : null);
  const way: SendWay = running ? "queue" : "send";

  const send = async (chosen: SendWay) => {
    if (empty || reason !== null) return;
    const sent = whole();
    const before = { text, pastes };
    change("", []);
    try {
      await props.onSend(sent, chosen);
    } catch (error) {
      // Nothing typed is ever lost: it comes back in front of whatever was typed meanwhile.
      setText((now) => (now === "" ? before.text : `${before.text}\n${now}`));
      setPastes((now) => [...before.pastes, ...now]);
      props.onDraft(sent);
      setFailed(error instanceof Error ? error.message : String(error));
    }
  };

  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (ime.composing(event)) return;
    if (event.key !== "Enter" || event.shiftKey || event.altKey) return;
    event.preventDefault();
    if (event.repeat) return;
    const more = event.ctrlKey || event.metaKey;
    void send(more && running && steer.able ? "steer" : way);
  };

  const onPaste = (event: ClipboardEvent<HTMLTextAreaElement>) => {
    if (extras?.onPaste(event.clipboardData)) {
      event.preventDefault();
      return;
    }
    const pasted = event.clipboardData.getData("text/plain");
    if (pasted.length + text.length <= MAX_FIELD_CHARS) return;
    event.preventDefault();
    change(text, [...pastes, { id: `${Date.now()}-${pastes.length}`, text: pasted }]);
  };

  const stop = useRef(() => {});
  stop.current = () => {
    if (running && empty && !holds) props.onStop();
  };
  useEffect(() => {
    const onEsc = (event: globalThis.KeyboardEvent) => {
      if (event.key !== "Escape" || event.repeat || event.isComposing || event.defaultPrevented) return;
      if (somethingIsOpen() || ownsEsc(event.target, area.current)) return;
      stop.current();
    };
    window.addEventListener("keydown", onEsc);
    return () => window.removeEventListener("keydown", onEsc);
  }, []);

  const label = running ? "Queue" : "Send";
  const blankPlaceholder = running ? "Queue the next message…" : "Ask or instruct…";
  return (
    <section className={styles.composer} aria-label="Message">
      <QueueList queue={queue} paused={paused} onResume={props.onResume} onEdit={props.onEditQueued} onRemove={props.onRemoveQueued} />
      {failed && (
        <p className={styles.failed} role="alert">
          Not sent: {failed.replace(/\.$/, "")}. {holds ? "Your text and files are still here." : "Your text is still here."}
        </p>
      )}
      {props.trouble && <p className={styles.failed} role="alert">{props.trouble}</p>}
      <div className={styles.box}>
        {extras?.strip ? <div className={styles.extras}>{extras.strip}</div> : null}
        {pastes.length > 0 && (
          <ul className={styles.pastes} aria-label="Pasted text">
            {pastes.map((paste) => (
              <li key={paste.id} className={styles.paste}>
                <FileText aria-hidden="true" />
                <span className={styles.pasteName}>{firstLine(paste.text)}</span>
                <span className={styles.pasteSize}>{sizeOf(paste.text)}</span>
                <button
                  type="button"
                  className={styles.pasteRemove}
                  aria-label="Remove pasted text"
                  onClick={() => change(text, pastes.filter((p) => p !== paste))}
                >
                  <X aria-hidden="true" />
                </button>
              </li>
            ))}
          </ul>
        )}
        <textarea
          ref={area}
          className={styles.field}
          data-testid="composer"
          aria-label="Message"
          placeholder={props.placeholder ?? blankPlaceholder}
          rows={1}
          value={text}
          spellCheck
          onChange={(event) => change(event.target.value)}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
          {...ime.handlers}
        />
        <div className={styles.row}>
          <div className={styles.tools}>{props.tools}</div>
          <div className={styles.end}>
            {reason === null ? (
              <span className={styles.hint} aria-hidden="true">
                {running ? hintWhileRunning(steer, empty) : <><Kbd>Enter</Kbd> sends · <Kbd>Shift+Enter</Kbd> breaks</>}
              </span>
            ) : (
              <span id={reasonId} className={styles.reason} role="status">{reason}</span>
            )}
            {running && steer.able && !empty && reason === null && (
              <button type="button" className={styles.steer} onClick={() => void send("steer")} title="Hands this over to the running turn now">
                <CornerDownLeft aria-hidden="true" /> Steer
              </button>
            )}
            <button
              type="button"
              className={styles.send}
              data-testid="send"
              data-way={way}
              disabled={empty || reason !== null}
              aria-describedby={reason === null ? undefined : reasonId}
              title={reason ?? (running ? "Sent when this turn has ended well" : "Send")}
              onClick={() => void send(way)}
            >
              {running ? <ListPlus aria-hidden="true" /> : <ArrowUp aria-hidden="true" />} {label}
            </button>
          </div>
        </div>
      </div>
    </section>
  );
}

function hintWhileRunning(steer: ComposerViewProps["steer"], empty: boolean): ReactNode {
  if (empty) return <><Kbd>Esc</Kbd> stops</>;
  if (steer.able) return <><Kbd>Enter</Kbd> queues · <Kbd>Mod+Enter</Kbd> steers</>;
  return <><Kbd>Enter</Kbd> queues{steer.why ? ` · ${steer.why}` : ""}</>;
}

/** Esc inside another field or a decision belongs to that place. */
function ownsEsc(target: EventTarget | null, own: HTMLElement | null): boolean {
  if (!(target instanceof HTMLElement) || target === own) return false;
  return target.closest("[data-decision], input, textarea, select, [contenteditable='true']") !== null;
}

/** Fits the field to its text, up to a bound. WebKit has no `field-sizing`. */
function grow(area: HTMLTextAreaElement | null): void {
  if (!area) return;
  area.style.height = "auto";
  const line = Number.parseFloat(getComputedStyle(area).lineHeight) || 22;
  const most = line * MAX_FIELD_ROWS;
  area.style.height = `${Math.min(area.scrollHeight, most)}px`;
  area.style.overflowY = area.scrollHeight > most ? "auto" : "hidden";
}
