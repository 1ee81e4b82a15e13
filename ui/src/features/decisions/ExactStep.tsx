// The step exactly as it would run: command, content, difference, arguments, with nothing hidden and nothing cut.
import { type RefObject, useState } from "react";
import { CodeBlock } from "../../kit/Code";
import { VisibleText } from "../../kit/CodeVisible";
import { Diff, DiffView, diffCounts, diffLines } from "../../kit/Diff";
import type { ApprovalRequest } from "../../state/transcript-events";
import { type Step, readStep } from "./arguments";
import styles from "./Card.module.css";

/** Characters of one drawn piece of a long text; pieces out of sight cost no layout. */
const PIECE_CHARS = 8_000;

/** A long exact text in pieces that end at line ends. */
export function pieces(text: string): string[] {
  if (text.length <= PIECE_CHARS) return [text];
  const out: string[] = [];
  let at = 0;
  while (at < text.length) {
    let end = Math.min(text.length, at + PIECE_CHARS);
    const line = text.lastIndexOf("\n", end - 1);
    if (end < text.length && line > at) end = line + 1;
    // Never between the halves of one character.
    else if (end < text.length && /[\ud800-\udbff]/.test(text[end - 1] ?? "")) end -= 1;
    out.push(text.slice(at, end));
    at = end;
  }
  return out;
}

export function ExactText({ text }: { text: string }) {
  return (
    <>
      {pieces(text).map((piece, i) => (
        <span key={i} className={piece.endsWith("\n") ? styles.piece : undefined}>
          <VisibleText text={piece} />
        </span>
      ))}
    </>
  );
}

interface Props {
  request: ApprovalRequest;
  input: string;
  end: RefObject<HTMLDivElement | null>;
}

export function ExactStep({ request, input, end }: Props) {
  const [raw, setRaw] = useState(false);
  const step = readStep(request, input);
  return (
    <div className={styles.exact}>
      {raw ? <CodeBlock code={input} language="json" /> : <StepBody step={step} />}
      {!raw && <Rest step={step} />}
      <div ref={end} className={styles.end} data-end aria-hidden="true" />
      {step.raw === null && (
        <button type="button" className={styles.rawToggle} aria-pressed={raw} onClick={() => setRaw(!raw)}>
          {raw ? "Show as a step" : "Show the raw arguments"}
        </button>
      )}
    </div>
  );
}

function StepBody({ step }: { step: Step }) {
  const { body } = step;
  if (step.raw !== null) return <pre className={styles.command}><ExactText text={step.raw} /></pre>;
  if (body.kind === "command") {
    return (
      <>
        <pre className={styles.command} aria-label="Command">
          <ExactText text={body.command} />
        </pre>
        {body.background && <p className={styles.fact}>It keeps running after the step.</p>}
      </>
    );
  }
  if (body.kind === "write") {
    const lines = diffLines("", body.content);
    return (
      <>
        <FileLine path={body.path} added={diffCounts(lines).added} removed={0} note="whole content" />
        <div className={styles.changes}><DiffView lines={lines} exact /></div>
      </>
    );
  }
  if (body.kind === "edit") {
    const counts = diffCounts(diffLines(body.before, body.after));
    return (
      <>
        <FileLine path={body.path} {...counts} note={body.all ? "at every occurrence" : null} />
        <div className={styles.changes}><Diff before={body.before} after={body.after} exact /></div>
      </>
    );
  }
  return null;
}

function FileLine({ path, added, removed, note }: { path: string; added: number; removed: number; note: string | null }) {
  return (
    <p className={styles.file}>
      <span className={styles.path}><VisibleText text={path} /></span>
      {added > 0 && <span className={styles.added}>+{added.toLocaleString("en")}</span>}
      {removed > 0 && <span className={styles.removed}>−{removed.toLocaleString("en")}</span>}
      {note && <span className={styles.note}>{note}</span>}
    </p>
  );
}

function Rest({ step }: { step: Step }) {
  if (step.rest.length === 0) return null;
  return (
    <dl className={styles.rest}>
      {step.rest.map(({ name, text, long }) => (
        <div key={name} className={styles.argument} data-long={long || undefined}>
          <dt><VisibleText text={name} /></dt>
          <dd><ExactText text={text} /></dd>
        </div>
      ))}
    </dl>
  );
}
