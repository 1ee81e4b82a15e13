import { ArrowUp, CircleAlert, GraduationCap } from "lucide-react";
import { useEffect, useRef, type ReactNode } from "react";
import type { Endpoint, HarnessCard, PermissionMode } from "../../host";
import { Button } from "../../kit/Button";
import { cx } from "../../kit/cx";
import { TextArea } from "../../kit/Field";
import { keyName } from "../../kit/Kbd";
import { Notice } from "../../kit/Notice";
import { Page, Skeleton } from "../../kit/Page";
import { Select } from "../../kit/Select";
import { Segments } from "../../kit/Switch";
import { type Extras, NEEDS_TEXT } from "../../prompt";
import type { FolderState } from "../../state/queries";
import { FolderField } from "./FolderField";
import { ModelField } from "./ModelField";
import { MODE_NAME, modeKey } from "../../state/modes";
import styles from "./NewChat.module.css";

export interface Draft {
  folder: string;
  harness: string;
  model: string;
  effort: string;
  mode: PermissionMode;
  endpoint: Endpoint;
  prompt: string;
}

export interface NewChatViewProps {
  draft: Draft;
  folder: FolderState;
  /** `null` until the host has answered. */
  harnesses: HarnessCard[] | null;
  sending: boolean;
  error: { title: string; text: string; details?: string | undefined } | null;
  /** What the folder would make the harness run. */
  trust?: ReactNode;
  /** Files and a schema that go with the prompt. */
  extras?: Pick<Extras, "strip" | "tools" | "holds" | "waits" | "onPaste">;
  onChange: (change: Partial<Draft>) => void;
  onSend: () => void;
  onPractice: () => void;
}

const ENDPOINTS: Array<{ value: Endpoint; label: string }> = [
  { value: "account", label: "Account" },
  { value: "practice", label: "Practice" },
  { value: "environment", label: "Environment" },
];

const ENDPOINT_HINT: Record<Endpoint, string> = {
  account: "The account that the harness is signed in with. Keys and addresses in the environment are left out.",
  practice: "The real harness on a built-in model with scripted answers. Nothing is paid, nothing leaves this computer.",
  environment: "Whatever keys and addresses Paddock was started with. They may pay by use.",
};

export function NewChatView(props: NewChatViewProps) {
  const { draft, folder, harnesses, extras, onChange, onSend, onPractice, sending, error } = props;
  const field = useRef<HTMLInputElement>(null);
  const harness = harnesses?.find(({ id }) => id === draft.harness);
  const blocked = blockedBy(props);
  const filled = draft.folder !== "";

  useEffect(() => {
    if (!filled) field.current?.focus({ preventScroll: true });
    // Only when the room is entered.
  }, []);

  return (
    <Page
      title="New chat"
      narrow
      actions={<Button tone="ghost" icon={<GraduationCap />} disabled={sending} onClick={onPractice}>Take the practice tour</Button>}
    >
      {error ? <Notice tone="error" live title={error.title} details={error.details}>{error.text}</Notice> : null}
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          if (!blocked && !sending) onSend();
        }}
      >
        <FolderField ref={field} value={draft.folder} state={folder} onChange={(value) => onChange({ folder: value })} />
        {props.trust}
        <div className={styles.prompt}>
          <TextArea
            label="First prompt"
            data-testid="composer"
            value={draft.prompt}
            minRows={3}
            placeholder="What should be done?"
            onChange={(value) => onChange({ prompt: value })}
            onPaste={(event) => (extras?.onPaste(event.clipboardData) ? event.preventDefault() : undefined)}
            onKey={(event) => {
              if (event.key !== "Enter" || event.shiftKey || event.altKey) return;
              event.preventDefault();
              if (!blocked && !sending) onSend();
            }}
          />
          {extras ? <div className={styles.promptTools}>{extras.tools}</div> : null}
          {extras?.strip}
        </div>
        {harnesses === null ? <Skeleton lines={3} label="Loading harnesses" /> : <Choices {...props} harness={harness} />}
        <div className={styles.send}>
          <p className={cx(styles.blocked, !blocked && styles.ready)} role="status">
            {blocked ? <><CircleAlert aria-hidden="true" />{blocked}</> : `Enter sends, ${keyName("Shift+Enter")} breaks the line`}
          </p>
          <Button type="submit" data-testid="send" tone="primary" size="lg" icon={<ArrowUp />} disabled={blocked !== null} busy={sending}>{sending ? "Starting" : "Send"}</Button>
        </div>
      </form>
    </Page>
  );
}

/** Why *Send* is off, in words; null when it is on. */
export function blockedBy({ draft, folder, harnesses, extras }: Pick<NewChatViewProps, "draft" | "folder" | "harnesses" | "extras">): string | null {
  if (harnesses === null) return "Waiting for the harnesses";
  const harness = harnesses.find(({ id }) => id === draft.harness);
  if (!harness) return "Choose a harness";
  if (harness.status !== null && harness.status !== "ready") return `${harness.name} cannot be run; see Harnesses`;
  if (draft.folder.trim() === "") return "Choose a folder";
  if (folder.trouble) return folder.trouble;
  if (!folder.answer) return "Checking the folder";
  if (!folder.answer.exact) return "Choose a folder that exists";
  if (draft.prompt.trim() === "") return extras?.holds ? NEEDS_TEXT : "Write a first prompt";
  if (extras?.waits) return extras.waits;
  return null;
}

function Choices({ draft, harnesses, harness, onChange }: NewChatViewProps & { harness: HarnessCard | undefined }) {
  const efforts = harness ? effortsOf(harness, draft.model) : [];
  return (
    <>
      <div className={styles.pair}>
        <Select label="Harness" value={draft.harness} options={(harnesses ?? []).map(({ id, name }) => ({ value: id, label: name }))} onChange={(value) => onChange({ harness: value, model: "", effort: "" })} />
        <Labelled label="Endpoint" hint={ENDPOINT_HINT[draft.endpoint]}>
          <Segments label="Endpoint" value={draft.endpoint} options={ENDPOINTS} onChange={(value) => onChange({ endpoint: value })} />
        </Labelled>
      </div>
      <div className={styles.pair}>
        <ModelField value={draft.model} models={harness?.models ?? []} trouble={harness?.models_error ?? null} onChange={(value) => onChange({ model: value, effort: "" })} />
        {efforts.length ? (
          <Labelled label="Effort">
            <Segments label="Effort" value={draft.effort} options={[{ value: "", label: "Default" }, ...efforts.map(({ id, label }) => ({ value: id, label }))]} onChange={(value) => onChange({ effort: value })} />
          </Labelled>
        ) : null}
      </div>
      {harness ? <Modes harness={harness} draft={draft} onChange={onChange} /> : null}
    </>
  );
}

function Labelled({ label, hint, children }: { label: string; hint?: string; children: ReactNode }) {
  return (
    <div className={styles.labelled}>
      <span className={styles.label} aria-hidden="true">{label}</span>
      <div>{children}</div>
      {hint ? <p className={styles.hint}>{hint}</p> : null}
    </div>
  );
}

function effortsOf({ models }: HarnessCard, chosen: string): HarnessCard["models"][number]["efforts"] {
  const model = chosen ? models.find(({ id }) => id === chosen) : models.find(({ is_default }) => is_default);
  return model?.efforts ?? [];
}

function Modes({ harness, draft, onChange }: { harness: HarnessCard; draft: Draft; onChange: NewChatViewProps["onChange"] }) {
  return (
    <fieldset className={styles.modes}>
      <legend className={styles.label}>Permissions</legend>
      <div className={styles.modeList}>
        {harness.modes.map((info) => {
          const key = modeKey(info.mode);
          const checked = key === modeKey(draft.mode);
          return (
            <label key={key} className={cx(styles.mode, checked && styles.chosen, info.mode.mode === "full_access" && styles.full)}>
              <input type="radio" name="mode" aria-label={MODE_NAME[info.mode.mode]} value={key} checked={checked} aria-describedby={`mode-${key}`} onChange={() => onChange({ mode: info.mode })} />
              <span className={styles.modeName}>
                {MODE_NAME[info.mode.mode]}
                <span className={styles.native}>{info.native}</span>
              </span>
              <span className={styles.modeText} id={`mode-${key}`}>
                <span><b>Unasked</b> {info.unasked}</span>
                <span><b>Asks</b> {info.asks}</span>
                <span><b>Refuses</b> {info.refused}</span>
              </span>
            </label>
          );
        })}
      </div>
    </fieldset>
  );
}
