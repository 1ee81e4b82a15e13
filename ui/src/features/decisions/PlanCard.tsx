// A plan: read it, approve it, or say what to change.
import { type KeyboardEvent, type Ref, useEffect, useRef, useState } from "react";
import { Button } from "../../kit/Button";
import { VisibleText } from "../../kit/CodeVisible";
import { useIme } from "../../kit/ime";
import { Markdown } from "../../kit/Markdown";
import { LinkGate } from "../../kit/MarkdownLink";
import type { PlanRequest } from "../../state/transcript-events";
import { AnswerButton, CardFrame } from "./CardFrame";
import styles from "./Card.module.css";
import type { CardProps } from "./cards";
import { useAnswer } from "./useAnswer";
import { useSeenToEnd } from "./useSeenToEnd";

export function PlanCard(props: CardProps & { request: PlanRequest; ref?: Ref<HTMLElement> }) {
  const { decision, port, request } = props;
  const { busy, failed, send } = useAnswer(decision, port, props.onAnswered);
  const [whole, setWhole] = useState(request.plan.truncated ? null : request.plan.text);
  const [unread, setUnread] = useState<string | null>(null);
  const [attempt, setAttempt] = useState(0);
  const [changes, setChanges] = useState(() => port.draft(decision).text);
  const [asking, setAsking] = useState(changes !== "");
  const { end, seen } = useSeenToEnd(decision.id, whole !== null);
  const open = decision.closed === null;

  useEffect(() => {
    if (!request.plan.truncated) return;
    let wanted = true;
    setUnread(null);
    port.payload(decision, "plan").then(
      (text) => wanted && setWhole(text),
      (error: unknown) => wanted && setUnread(error instanceof Error ? error.message : String(error)),
    );
    return () => {
      wanted = false;
    };
    // An ask never changes: its id stands for its content.
  }, [decision.id, port, attempt]);

  const approve = () => open && seen && !busy && send({ kind: "plan", answer: { decision: "approve" } });
  const ask = () => {
    if (changes.trim() === "") {
      setAsking(true);
      return false;
    }
    return open && !busy && send({ kind: "plan", answer: { decision: "ask_for_changes", feedback: changes.trim() } });
  };
  const onKey = (key: string): boolean | "taken" => {
    if (key === "a") return approve();
    if (key === "c") {
      setAsking(true);
      return "taken";
    }
    return false;
  };

  return (
    <CardFrame {...props} title="A plan to approve" onKey={onKey} busy={busy} failed={failed}>
      {request.path && <p className={styles.fact}>Kept in <span className={styles.path}><VisibleText text={request.path} /></span></p>}
      <div className={styles.body} tabIndex={-1}>
        {whole === null ? (
          unread ? (
            <p className={styles.failed} role="alert">
              The plan could not be read: {unread}. <Button size="sm" onClick={() => setAttempt((n) => n + 1)}>Read again</Button>
            </p>
          ) : (
            <p className={styles.loading}>Reading the whole plan…</p>
          )
        ) : whole.trim() === "" ? (
          <p className={styles.loading}>The harness keeps the text of its plan to itself.</p>
        ) : (
          <LinkGate open={port.openLink}>
            <Markdown text={whole} />
          </LinkGate>
        )}
        <div ref={end} className={styles.end} data-end aria-hidden="true" />
      </div>
      {open && (
        <footer className={styles.answers}>
          {asking && <Changes value={changes} onChange={(text) => {
            setChanges(text);
            port.saveDraft(decision, { ...port.draft(decision), text });
          }} onSend={ask} />}
          <div className={styles.buttons}>
            <AnswerButton tone="allow" keyName="A" testId="approve" disabled={!seen || busy} onClick={approve}>Approve</AnswerButton>
            <AnswerButton keyName="C" testId="ask-changes" disabled={busy || (asking && changes.trim() === "")} onClick={ask}>
              {asking ? "Send the changes" : "Ask for changes"}
            </AnswerButton>
          </div>
          {!seen && whole !== null && (
            <p className={styles.scope}>
              <button type="button" className={styles.toEnd} onClick={() => end.current?.scrollIntoView({ block: "center" })}>
                Approve opens once the end was on screen. Go to the end
              </button>
            </p>
          )}
        </footer>
      )}
    </CardFrame>
  );
}

function Changes({ value, onChange, onSend }: { value: string; onChange: (text: string) => void; onSend: () => void }) {
  const field = useRef<HTMLTextAreaElement>(null);
  const ime = useIme();
  useEffect(() => field.current?.focus(), []);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.shiftKey || event.repeat || ime.composing(event)) return;
    event.preventDefault();
    onSend();
  };
  return (
    <textarea
      ref={field}
      className={styles.free}
      aria-label="What to change"
      placeholder="What should be different?"
      rows={2}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      onKeyDown={onKeyDown}
      {...ime.handlers}
    />
  );
}
