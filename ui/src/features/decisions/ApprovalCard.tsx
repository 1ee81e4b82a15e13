// A step that waits for a yes or a no.
import { type KeyboardEvent, type Ref, useEffect, useId, useRef, useState } from "react";
import { Button } from "../../kit/Button";
import { VisibleText } from "../../kit/CodeVisible";
import { useIme } from "../../kit/ime";
import type { ApprovalRequest } from "../../state/transcript-events";
import { headline, readStep } from "./arguments";
import { AnswerButton, CardFrame } from "./CardFrame";
import styles from "./Card.module.css";
import { ExactStep } from "./ExactStep";
import type { CardProps } from "./cards";
import { useAnswer } from "./useAnswer";
import { useSeenToEnd } from "./useSeenToEnd";

/** The whole input: at hand, or fetched because the event carries only its beginning. */
function useWholeInput({ decision, port }: CardProps, request: ApprovalRequest) {
  const [fetched, setFetched] = useState<string | null>(null);
  const [failed, setFailed] = useState<string | null>(null);
  const [attempt, setAttempt] = useState(0);
  const cut = request.input.truncated;
  useEffect(() => {
    if (!cut) return;
    let wanted = true;
    setFailed(null);
    port.payload(decision, "input").then(
      (text) => wanted && setFetched(text),
      (error: unknown) => wanted && setFailed(error instanceof Error ? error.message : String(error)),
    );
    return () => {
      wanted = false;
    };
    // The decision's id stands for its content: an ask never changes.
  }, [cut, decision.id, port, attempt]);
  return { input: cut ? fetched : request.input.text, failed, retry: () => setAttempt((n) => n + 1) };
}

export function ApprovalCard(props: CardProps & { request: ApprovalRequest; ref?: Ref<HTMLElement> }) {
  const { decision, port, request } = props;
  const { busy, failed, send } = useAnswer(decision, port, props.onAnswered);
  const whole = useWholeInput(props, request);
  const { end, seen } = useSeenToEnd(decision.id, whole.input !== null);
  const [reason, setReason] = useState(() => port.draft(decision).text);
  const [asking, setAsking] = useState(reason !== "");
  const [edited, setEdited] = useState<string | null>(null);
  const scopeId = useId();
  const open = decision.closed === null;
  const mayAllow = open && seen && !busy && edited === null;

  const told = () => {
    const text = reason.trim();
    if (text) port.rememberReason(text);
    return text === "" ? null : text;
  };
  const allow = () => mayAllow && send({ kind: "approval", answer: { decision: "allow" } });
  const remember = () => mayAllow && request.scope !== null && send({ kind: "approval", answer: { decision: "allow_for_session" } });
  const deny = () => open && !busy && send({ kind: "approval", answer: { decision: "deny", reason: told() } });
  const denyAndStop = () => open && !busy && send({ kind: "approval", answer: { decision: "deny_and_stop", reason: told() } });
  const edit = () => {
    if (!request.editable || whole.input === null || !mayAllow) return false;
    setEdited(editableText(request, whole.input));
    return "taken";
  };

  const onKey = (key: string) => {
    if (key === "a") return allow();
    if (key === "s") return remember();
    if (key === "d") return deny();
    if (key === "e") return edit();
    return false;
  };

  return (
    <CardFrame {...props} title={headline(request)} onKey={onKey} busy={busy} failed={failed}>
      <Asker request={request} />
      <div className={styles.body} tabIndex={-1}>
        {whole.input !== null ? (
          <ExactStep request={request} input={whole.input} end={end} />
        ) : whole.failed ? (
          <p className={styles.failed} role="alert">
            The whole step could not be read: {whole.failed}. It can be denied, not allowed. <Button size="sm" onClick={whole.retry}>Read again</Button>
          </p>
        ) : (
          <p className={styles.loading}>Reading all {Math.ceil(request.input.bytes / 1_024).toLocaleString("en")} kB of the step…</p>
        )}
      </div>
      {request.description && (
        <p className={styles.says}>
          <span className={styles.saysWord}>The agent says</span> <VisibleText text={request.description} />
        </p>
      )}
      {open && edited !== null && (
        <EditStep
          text={edited}
          onCancel={() => setEdited(null)}
          onAllow={(text) => send({ kind: "approval", answer: { decision: "allow_edited", input: toInput(request, whole.input ?? "", text) } })}
          json={!isCommand(request, whole.input ?? "")}
        />
      )}
      {open && edited === null && (
        <footer className={styles.answers}>
          {!seen && whole.input !== null && (
            <button type="button" className={styles.toEnd} onClick={() => end.current?.scrollIntoView({ block: "center" })}>
              Allow opens once the end was on screen. Go to the end
            </button>
          )}
          <div className={styles.buttons}>
            <AnswerButton tone="allow" keyName="A" testId="allow-once" disabled={!mayAllow} onClick={allow}>Allow once</AnswerButton>
            {request.scope && (
              <AnswerButton keyName="S" testId="allow-session" disabled={!mayAllow} onClick={remember} describedBy={scopeId}>Allow for session</AnswerButton>
            )}
            {request.editable && <AnswerButton keyName="E" testId="edit" disabled={!mayAllow} onClick={edit}>Edit, then allow</AnswerButton>}
            <span className={styles.gap} />
            <AnswerButton tone="deny" keyName="D" testId="deny" disabled={busy} onClick={deny}>Deny</AnswerButton>
            <AnswerButton tone="quiet" testId="deny-stop" disabled={busy} onClick={denyAndStop}>Deny and stop</AnswerButton>
          </div>
          <div className={styles.under}>
            <p className={styles.scope} id={scopeId}>
              {request.scope ? (
                <>For session: <strong><VisibleText text={request.scope.shown} /></strong> · this chat</>
              ) : (
                "This step cannot be remembered."
              )}
            </p>
            {!asking && <Button size="sm" tone="ghost" data-testid="deny-reason" onClick={() => setAsking(true)}>Deny with a reason…</Button>}
          </div>
          {asking && (
            <Reason
              value={reason}
              offered={port.reasons()}
              onChange={(text) => {
                setReason(text);
                port.saveDraft(decision, { ...port.draft(decision), text });
              }}
              onDeny={deny}
            />
          )}
        </footer>
      )}
    </CardFrame>
  );
}

function Asker({ request }: { request: ApprovalRequest }) {
  const facts = [];
  facts.push(["Tool", request.tool_name]);
  if (request.mcp_server) facts.push(["MCP server", request.mcp_server]);
  if (request.agent_id) facts.push(["Subagent", request.agent_id]);
  if (request.blocked_path) facts.push(["Because of", request.blocked_path]);
  return (
    <dl className={styles.asker}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd><VisibleText text={value ?? ""} /></dd>
        </div>
      ))}
    </dl>
  );
}

function Reason({ value, offered, onChange, onDeny }: { value: string; offered: readonly string[]; onChange: (text: string) => void; onDeny: () => void }) {
  const ime = useIme();
  const field = useRef<HTMLInputElement>(null);
  const id = useId();
  useEffect(() => {
    if (value === "") field.current?.focus();
    // Only when the field appears.
  }, []);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter" && !event.repeat && !ime.composing(event)) {
      event.preventDefault();
      onDeny();
    }
  };
  return (
    <div className={styles.reason}>
      <label htmlFor={id}>Reason, told to the agent</label>
      <input ref={field} id={id} data-testid="deny-reason-text" value={value} onChange={(event) => onChange(event.target.value)} onKeyDown={onKeyDown} autoComplete="off" {...ime.handlers} />
      {offered.length > 0 && (
        <div className={styles.offered} role="group" aria-label="Reasons given before">
          {offered.map((text) => (
            <button key={text} type="button" className={styles.chip} onClick={() => onChange(text)}>{text}</button>
          ))}
        </div>
      )}
    </div>
  );
}

function isCommand(request: ApprovalRequest, input: string): boolean {
  const step = readStep(request, input);
  return step.raw === null && step.body.kind === "command";
}

function editableText(request: ApprovalRequest, input: string): string {
  const step = readStep(request, input);
  return step.raw === null && step.body.kind === "command" ? step.body.command : input;
}

/** The edited arguments as JSON text: a command goes back to where it was, anything else is JSON already. */
function toInput(request: ApprovalRequest, input: string, text: string): string {
  if (!isCommand(request, input) || request.detail.kind !== "command") return text;
  const { command } = request.detail;
  const parsed = JSON.parse(input) as Record<string, unknown>;
  return JSON.stringify(Object.fromEntries(Object.entries(parsed).map(([name, value]) => [name, value === command ? text : value])));
}

function EditStep({ text, json, onCancel, onAllow }: { text: string; json: boolean; onCancel: () => void; onAllow: (text: string) => void }) {
  const [value, setValue] = useState(text);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const broken = json && !isJsonObject(value);
  return (
    <div className={styles.edit}>
      <textarea
        ref={field}
        aria-label={json ? "Arguments as JSON" : "Command"}
        rows={Math.min(12, value.split("\n").length + 1)}
        value={value}
        spellCheck={false}
        onChange={(event) => setValue(event.target.value)}
      />
      {broken && <p className={styles.failed}>This is no JSON object yet.</p>}
      <div className={styles.buttons}>
        <AnswerButton tone="allow" testId="allow-edited" disabled={broken || value.trim() === ""} onClick={() => onAllow(value)}>Allow what I wrote</AnswerButton>
        <AnswerButton tone="quiet" onClick={onCancel}>Back</AnswerButton>
      </div>
    </div>
  );
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return value !== null && typeof value === "object" && !Array.isArray(value);
  } catch {
    return false;
  }
}
