// How a turn ended: a receipt that unfolds, or what went wrong, what it means for the work, and the next step.
import { Check, ChevronRight, CircleSlash, TriangleAlert } from "lucide-react";
import { useContext, useState } from "react";
import { Button } from "../../../kit/Button";
import { CopyButton } from "../../../kit/CopyButton";
import { DiffView, diffCounts, parseUnified } from "../../../kit/Diff";
import type { DeliveryState, Failure } from "../../../state/transcript-events";
import type { EndingRow } from "../../../state/transcript-rows";
import { type Payer, amount, cost, duration, totalTokens } from "../words";
import { LastTurn, PayerContext, useRowActions } from "./context";
import { Whole } from "./Whole";
import styles from "./Rows.module.css";

const MEANS: Record<DeliveryState, string> = {
  not_sent: "Your message did not reach the agent. Nothing was done; sending again is safe.",
  possibly_sent: "Your message may have reached the agent. Look at the folder before you send it again.",
  accepted: "The agent had begun. What it did up to here is kept.",
};
/** What a restart in the middle means, by what had reached the agent. */
const RESTARTED: Record<DeliveryState, string> = {
  not_sent: "Your message had not been sent. Nothing was done; send it again when you like.",
  possibly_sent: "Your message was possibly sent: the agent may have begun. Look at the folder first, then go on or send it again.",
  accepted: "The agent had begun, and what it did by then is kept.",
};

const count = (n: number, one: string) => (n === 0 ? null : `${n} ${one}${n === 1 ? "" : "s"}`);

export function Ending({ row }: { row: EndingRow }) {
  const Shown = row.status === "failed" ? Failed : row.status === "interrupted" ? Interrupted : Receipt;
  return (
    <div data-testid="row-end" data-status={row.status}>
      <Shown row={row} />
    </div>
  );
}

function Receipt({ row }: { row: EndingRow }) {
  const [open, setOpen] = useState(false);
  const payer = useContext(PayerContext);
  const { facts, usage } = row;
  const tokens = totalTokens(usage);
  const parts = [
    row.took === null ? null : duration(row.took),
    count(facts.commands, "command"),
    count(facts.files.length, "file"),
    facts.unasked > 0 ? `${facts.unasked} unasked` : null,
    tokens === null ? null : `${amount(tokens)} tokens`,
    cost(usage?.cost_usd, payer),
  ].filter((part) => part !== null);
  return (
    <div className={styles.ending} data-status={row.status}>
      <button type="button" className={styles.line} aria-expanded={open} onClick={() => setOpen(!open)}>
        <ChevronRight className={styles.chevron} aria-hidden="true" />
        <span className={styles.state} data-state={row.status} aria-hidden="true">{row.status === "succeeded" ? <Check /> : row.status === "failed" ? <TriangleAlert /> : <CircleSlash />}</span>
        <span className={styles.verb}>{row.status === "succeeded" ? "Done" : row.status === "failed" ? "Failed" : row.restart ? "Interrupted by a restart" : "Stopped"}</span>
        <span className={styles.receipt}>{parts.join(" · ")}</span>
      </button>
      {open && <ReceiptBody row={row} payer={payer} />}
    </div>
  );
}

function ReceiptBody({ row, payer }: { row: EndingRow; payer: Payer }) {
  const { facts, usage } = row;
  const entries: Array<[string, string | null]> = [
    ["Files", facts.files.length > 0 ? facts.files.join("\n") : null],
    ["Hosts", facts.hosts.length > 0 ? facts.hosts.join(", ") : null],
    ["Commands", facts.commands > 0 ? String(facts.commands) : null],
    ["Decisions", facts.decisions > 0 ? String(facts.decisions) : null],
    ["Without asking", facts.unasked > 0 ? String(facts.unasked) : null],
    ["Denied steps", facts.denied > 0 ? String(facts.denied) : null],
    ["Failed steps", facts.failed > 0 ? String(facts.failed) : null],
    ["Model", row.model],
    ["Input", usage?.input == null ? null : `${amount(usage.input)} tokens`],
    ["From cache", usage?.cache_read == null ? null : `${amount(usage.cache_read)} tokens`],
    ["Output", usage?.output == null ? null : `${amount(usage.output)} tokens`],
    ["Cost", cost(usage?.cost_usd, payer)],
    ["Paid by", payer?.source === "practice" ? "nobody" : payer ? (payer.label ?? payer.source) : "unknown"],
  ];
  return (
    <div className={styles.toolBody}>
      <dl className={styles.facts}>
        {entries.filter(([, value]) => value !== null).map(([name, value]) => (
          <div key={name}><dt>{name}</dt><dd>{value}</dd></div>
        ))}
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
  if (!files) return <pre className={styles.sample}>{patch}</pre>;
  return (
    <div className={styles.changed}>
      {files.map((file) => {
        const { added, removed } = diffCounts(file.lines);
        return (
          <details key={file.path} className={styles.changedFile}>
            <summary>
              <span className={styles.changedPath}>{file.path}</span> <span className={styles.added}>+{added}</span> <span className={styles.removed}>−{removed}</span>
            </summary>
            <div className={styles.diff}><DiffView lines={file.lines} /></div>
          </details>
        );
      })}
    </div>
  );
}

function Again({ row }: { row: EndingRow }) {
  const actions = useRowActions();
  const last = useContext(LastTurn);
  const [busy, setBusy] = useState(false);
  const [failed, setFailed] = useState<string | null>(null);
  if (last === null || last !== row.turn) return null;
  const go = async (way: "continue" | "again") => {
    setBusy(true);
    setFailed(null);
    try {
      await actions.goOn(last, way);
    } catch (error) {
      setFailed(error instanceof Error ? error.message : String(error));
    }
    setBusy(false);
  };
  return (
    <div className={styles.again}>
      {row.delivery !== "not_sent" && <Button size="sm" busy={busy} onClick={() => void go("continue")}>Continue</Button>}
      <Button size="sm" busy={busy} onClick={() => void go("again")}>Send again</Button>
      {failed && <span className={styles.problem} role="alert">{failed}</span>}
    </div>
  );
}

function details(row: EndingRow, failure: Failure | null): string {
  return JSON.stringify({ turn: row.turn, status: row.status, at: new Date(row.at).toISOString(), delivery: row.delivery, failure }, null, 2);
}

function Failed({ row }: { row: EndingRow }) {
  const { failure } = row;
  return (
    <section className={styles.problemCard} aria-label="The turn failed">
      <TriangleAlert className={styles.problemIcon} aria-hidden="true" data-glyph />
      <div className={styles.problemBody}>
        <h2 className={styles.problemTitle}>{failure?.message || "The turn failed"}</h2>
        <p>{MEANS[row.delivery]}</p>
        {failure?.next_step && <p className={styles.next}>{failure.next_step}</p>}
        {failure?.retry_at != null && !/\d:\d\d/.test(failure.next_step) && <p>The limit ends at {new Date(failure.retry_at).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })}.</p>}
        <p className={styles.problemMeta}>
          {[failure?.kind, failure?.code, failure?.exit_code == null ? null : `exit code ${failure.exit_code}`].filter(Boolean).join(" · ")}{" "}
          <CopyButton text={() => details(row, failure)} label="Copy details" look="small" />
        </p>
        <Again row={row} />
      </div>
    </section>
  );
}

function Interrupted({ row }: { row: EndingRow }) {
  return (
    <div>
      <Receipt row={row} />
      <div className={styles.interrupted}>
        {row.restart && <p>{RESTARTED[row.delivery]} Nothing is sent again by itself.</p>}
        <Again row={row} />
      </div>
    </div>
  );
}
