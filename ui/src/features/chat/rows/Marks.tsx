// Quiet lines: answered decisions, notices, the agent's list of steps, what nobody knew.
import { Check, ChevronRight, Circle, CircleDot } from "lucide-react";
import { useState } from "react";
import { VisibleText } from "../../../kit/CodeVisible";
import type { ClosedBy } from "../../../state/transcript-events";
import type { DecisionRow, NoticeRow, PlanRow, UnknownRow } from "../../../state/transcript-rows";
import styles from "./Rows.module.css";

export const CLOSED: Record<ClosedBy["by"] | "restart", string> = {
  person: "answered",
  grant: "allowed by a grant",
  agent: "withdrawn by the agent",
  expired: "expired without an answer",
  turn_ended: "interrupted: the turn ended first",
  restart: "interrupted by a restart",
};

function subject(row: DecisionRow): string {
  if (row.approval) {
    const { detail, tool_name } = row.approval;
    if (detail.kind === "command") return detail.command.replace(/\s+/g, " ");
    if (detail.kind === "write" || detail.kind === "edit" || detail.kind === "read") return detail.path;
    return tool_name;
  }
  if (row.plan) return /\S.*/.exec(row.plan.plan.text)?.[0].replace(/^#+\s*/, "") ?? "";
  return row.question?.prompts[0]?.question ?? "question";
}

const KINDS = { approval: "Approval", plan: "Plan", question: "Question", async_question: "Question" } as const;

/** What was asked and what was answered, as two readable lines. */
function Asked({ row, answer }: { row: DecisionRow; answer: string }) {
  const prompts = row.question?.prompts ?? [];
  return (
    <div className={styles.asked}>
      {prompts.map((prompt) => (
        <p key={prompt.key} className={styles.askedText}><VisibleText text={prompt.question} /></p>
      ))}
      <p className={styles.askedAnswer}>
        <span className={styles.markWord}>You answered</span> <VisibleText text={answer} />
      </p>
    </div>
  );
}

/** How the host words an answered question. */
const ANSWERED = /^answered: /;

export function DecisionMark({ row }: { row: DecisionRow }) {
  if (row.question && row.answer !== null && ANSWERED.test(row.answer)) return <Asked row={row} answer={row.answer.replace(ANSWERED, "")} />;
  return (
    <p className={styles.mark} data-open={row.closed === null || undefined}>
      <span className={styles.markWord}>{KINDS[row.of]}</span>
      <span className={styles.markObject}><VisibleText text={subject(row)} /></span>
      <span className={styles.markState}>{row.closed === null ? "waits for you" : (row.answer ?? CLOSED[row.closed.by])}</span>
    </p>
  );
}

export function NoticeLine({ row }: { row: NoticeRow }) {
  return (
    <div className={styles.notice} data-tone={row.tone}>
      <span className={styles.noticeText}>
        {row.text}
        {row.detail && <span className={styles.noticeDetail}> · {row.detail}</span>}
      </span>
    </div>
  );
}

export function PlanList({ row }: { row: PlanRow }) {
  const done = row.entries.filter((entry) => entry.status === "completed").length;
  return (
    <section className={styles.planList} aria-label={`Steps, ${done} of ${row.entries.length} done`}>
      <p className={styles.planHead}>{done} of {row.entries.length} steps done</p>
      <ol>
        {row.entries.map((entry, i) => (
          <li key={i} className={styles.planEntry} data-status={entry.status}>
            {entry.status === "completed" ? <Check aria-label="done" /> : entry.status === "in_progress" ? <CircleDot aria-label="under way" /> : <Circle aria-label="open" />}
            <span>{entry.text}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}

export function UnknownLine({ row }: { row: UnknownRow }) {
  const [open, setOpen] = useState(false);
  return (
    <div className={styles.unknown}>
      <button type="button" className={styles.line} aria-expanded={open} onClick={() => setOpen(!open)}>
        <ChevronRight className={styles.chevron} aria-hidden="true" />
        <span className={styles.object}>
          {row.count === 1 ? "1 message of a kind that Paddock does not know" : `${row.count} messages of kinds that Paddock does not know`}
        </span>
      </button>
      {open && (
        <div className={styles.toolBody}>
          {row.samples.map((sample, i) => (
            <pre key={i} className={styles.sample}><VisibleText text={`${sample.kind}: ${sample.raw}`} /></pre>
          ))}
        </div>
      )}
    </div>
  );
}
