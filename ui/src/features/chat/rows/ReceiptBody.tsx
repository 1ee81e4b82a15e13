// The unfolded receipt: what was done step by step, what was decided, and what it took.
import { type ReactNode, useState } from "react";
import { VisibleText } from "../../../kit/CodeVisible";
import { DiffView, diffCounts, parseUnified } from "../../../kit/Diff";
import type { Receipt, ReceiptDecision, ReceiptStep } from "../../../state/transcript-events";
import type { EndingRow } from "../../../state/transcript-rows";
import { startWords } from "../../../state/start";
import { amount, cost, duration, payerName } from "../words";
import { useRowActions } from "./context";
import { CLOSED } from "./Marks";
import { Whole } from "./Whole";
import styles from "./Receipt.module.css";
import rows from "./Rows.module.css";

/** Entries of a list shown before it is folded. */
const MAX_SHOWN = 8;

const VERBS: Record<ReceiptStep["what"], string> = {
  command: "Ran", write: "Wrote", edit: "Edited", read: "Read", search: "Searched", fetch: "Fetched", task: "Started", mcp: "Used", other: "Used",
};
const OUTCOMES: Record<ReceiptStep["outcome"], string | null> = { done: null, failed: "failed", denied: "denied", cut_off: "cut off" };
const ASKED: Record<ReceiptDecision["asked"], string> = { approval: "Approval", plan: "Plan", question: "Question" };

/** How a decision ended. What a grant answered names its scope. */
export function decisionWords({ answer, closed }: ReceiptDecision): string {
  if (closed === null) return "open when the turn ended";
  if (closed.by === "grant") return `allowed by your grant: ${answer ?? "its scope is not known"}`;
  return answer ?? CLOSED[closed.by];
}

interface Entry {
  seq: number;
  verb: string | null;
  text: string;
  notes: string[];
}

const stepEntry = (verb: boolean, mark: boolean) => (step: ReceiptStep): Entry => ({
  seq: step.seq,
  verb: verb ? VERBS[step.what] : null,
  text: step.text,
  notes: [OUTCOMES[step.outcome], mark && step.unasked ? "ran without asking" : null].filter((note) => note !== null),
});

/** A list of places in the chat, each a button that goes there. */
function Places({ name, entries, count }: { name: string; entries: readonly Entry[]; count: number }) {
  const actions = useRowActions();
  const [all, setAll] = useState(false);
  const [failed, setFailed] = useState<string | null>(null);
  if (count === 0) return null;
  const go = (seq: number) => {
    setFailed(null);
    actions.jump(seq).catch((error: unknown) => setFailed(error instanceof Error ? error.message : String(error)));
  };
  const shown = all ? entries : entries.slice(0, MAX_SHOWN);
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <ul className={styles.places}>
          {shown.map((entry, at) => (
            <li key={`${entry.seq}:${at}`}>
              <button type="button" className={styles.place} onClick={() => go(entry.seq)}>
                {entry.verb && <span className={styles.verb}>{entry.verb}</span>}
                <span className={styles.text}><VisibleText text={entry.text} /></span>
                {entry.notes.map((note) => <span key={note} className={styles.note}>{note}</span>)}
              </button>
            </li>
          ))}
        </ul>
        {entries.length > MAX_SHOWN && (
          <button type="button" className={rows.fold} onClick={() => setAll(!all)}>{all ? "Show less" : `Show all ${entries.length}`}</button>
        )}
        {count > entries.length && <p className={rows.hint}>{(count - entries.length).toLocaleString("en")} more are in the chat, not in this list.</p>}
        {failed && <p className={rows.problem} role="alert">{failed}</p>}
      </dd>
    </div>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return children === null ? null : <div><dt>{name}</dt><dd>{children}</dd></div>;
}

export function ReceiptBody({ row, receipt }: { row: EndingRow; receipt: Receipt }) {
  const { counts, payer } = receipt;
  const usage = row.usage ?? receipt.usage;
  const took = row.took ?? receipt.took_ms;
  const tokens = [
    usage?.input == null ? null : `${amount(usage.input)} in`,
    usage?.cache_read == null ? null : `${amount(usage.cache_read)} from the cache`,
    usage?.cache_creation == null ? null : `${amount(usage.cache_creation)} into the cache`,
    usage?.output == null ? null : `${amount(usage.output)} out`,
  ].filter((part) => part !== null);
  const decisions = receipt.decisions.map((decision) => ({ seq: decision.seq, verb: ASKED[decision.asked], text: decision.subject, notes: [decisionWords(decision)] }));
  return (
    <div className={rows.toolBody}>
      {!receipt.whole && <p className={rows.hint}>This turn is longer than what a receipt reads; it tells of its end.</p>}
      <dl className={rows.facts}>
        <Places name="Commands" entries={receipt.commands.map(stepEntry(false, true))} count={counts.commands} />
        <Places name="Files" entries={receipt.files.map(stepEntry(false, true))} count={counts.files} />
        <Places name="Hosts" entries={receipt.hosts.map(stepEntry(false, true))} count={counts.hosts} />
        <Places name="Decisions" entries={decisions} count={counts.decisions} />
        <Places name="Without asking" entries={receipt.unasked.map(stepEntry(true, false))} count={counts.unasked} />
        <Fact name="Denied steps">{counts.denied > 0 ? counts.denied : null}</Fact>
        <Fact name="Failed steps">{counts.failed > 0 ? counts.failed : null}</Fact>
        <Fact name="Start">{receipt.start ? startWords(receipt.start) : null}</Fact>
        <Fact name="Time">{took === null ? null : duration(took)}</Fact>
        <Fact name="Tokens">{tokens.length > 0 ? tokens.join(" · ") : null}</Fact>
        <Fact name="Model">{receipt.model}</Fact>
        <Fact name="Cost">{cost(usage?.cost_usd, payer)}</Fact>
        <Fact name="Paid by">{payerName(payer)}</Fact>
      </dl>
      {row.diff && (
        <Whole text={row.diff.payload.text} truncated={row.diff.payload.truncated ? { seq: row.diff.seq, part: "diff", bytes: row.diff.payload.bytes } : null}>
          {(text) => <ChangedFiles patch={text} />}
        </Whole>
      )}
    </div>
  );
}

function ChangedFiles({ patch }: { patch: string }) {
  const files = parseUnified(patch);
  if (!files) return <pre className={rows.sample}>{patch}</pre>;
  return (
    <div className={rows.changed}>
      {files.map((file) => {
        const { added, removed } = diffCounts(file.lines);
        return (
          <details key={file.path} className={rows.changedFile}>
            <summary>
              <span className={rows.changedPath}>{file.path}</span> <span className={rows.added}>+{added}</span> <span className={rows.removed}>−{removed}</span>
            </summary>
            <div className={rows.diff}><DiffView lines={file.lines} /></div>
          </details>
        );
      })}
    </div>
  );
}
