// A step of the agent: one line, unfolding to what went in and what came out.
import { Ban, Check, ChevronRight, CircleDashed, CirclePause, CircleSlash, LoaderCircle, X } from "lucide-react";
import { type ReactNode, memo, useState } from "react";
import { VisibleText } from "../../../kit/CodeVisible";
import { diffCounts, diffLines } from "../../../kit/Diff";
import type { ToolRow, ToolState } from "../../../state/transcript-rows";
import { useNow } from "../useNow";
import { duration, stepWords } from "../words";
import { CLOSED } from "./Marks";
import { ToolBody } from "./ToolBody";
import styles from "./Rows.module.css";

const STATE_WORDS: Record<ToolState, string> = {
  missing: "not reported",
  waits: "waits",
  started: "running",
  succeeded: "done",
  failed: "failed",
  denied: "denied",
  interrupted: "cut off",
};

const GLYPHS: Record<ToolState, ReactNode> = {
  missing: <CircleDashed />,
  waits: <CirclePause />,
  started: <LoaderCircle />,
  succeeded: <Check />,
  failed: <X />,
  denied: <Ban />,
  interrupted: <CircleSlash />,
};

function Glyph({ state }: { state: ToolState }) {
  return <span className={styles.state} data-state={state} data-glyph aria-hidden="true">{GLYPHS[state]}</span>;
}

function Elapsed({ row }: { row: ToolRow }) {
  const now = useNow(row.state === "started");
  if (row.startedAt === null || row.state === "waits") return null;
  const took = (row.endedAt ?? now) - row.startedAt;
  if (row.endedAt !== null && took < 1_000) return null;
  return <span className={styles.time}>{duration(took)}</span>;
}

function Counts({ row }: { row: ToolRow }) {
  const { detail } = row;
  if (row.state === "failed" || row.state === "denied" || row.state === "interrupted") return null;
  if (detail?.kind === "edit") {
    const { added, removed } = diffCounts(diffLines(detail.old.text, detail.new.text));
    return (
      <span className={styles.counts}>
        {added > 0 && <span className={styles.added}>+{added}</span>} {removed > 0 && <span className={styles.removed}>−{removed}</span>}
      </span>
    );
  }
  if (detail?.kind === "write" && !detail.content.truncated) {
    return <span className={styles.counts}><span className={styles.added}>+{diffCounts(diffLines("", detail.content.text)).added}</span></span>;
  }
  return null;
}

/** What came of the question whether the step may run. A refusal is in the verb: only its reason is added. */
function Asked({ row }: { row: ToolRow }) {
  const { asked, grant } = row;
  if (grant !== null) return <span className={styles.mutedWord}>by your grant</span>;
  if (asked === null || row.state === "interrupted") return null;
  if (asked.closed === null) return row.state === "waits" ? <span className={styles.waitsWord}>for your answer</span> : null;
  const words = asked.answer ?? CLOSED[asked.closed.by];
  const reason = row.state === "denied" ? words.replace(/^denied( and stopped)?(: |$)/, "") : words;
  return reason === "" ? null : <span className={styles.askedWord}><VisibleText text={reason} /></span>;
}

export const ToolLine = memo(function ToolLine({ row }: { row: ToolRow }) {
  const [open, setOpen] = useState(false);
  const words = stepWords(row);
  return (
    <div className={styles.step} data-testid="row-tool" data-state={row.state}>
      <button type="button" className={styles.line} aria-expanded={open} onClick={() => setOpen(!open)}>
        <ChevronRight className={styles.chevron} aria-hidden="true" />
        <Glyph state={row.state} />
        <span className={styles.verb}>{words.verb}</span>
        <span className={styles.object} data-code={words.code || undefined}>{words.object}</span>
        <Counts row={row} />
        {row.unasked && <span className={styles.unasked}><span className={styles.ran}>ran </span>without asking</span>}
        <Asked row={row} />
        {row.state === "failed" && <span className={styles.failedWord}>failed</span>}
        {row.state === "interrupted" && <span className={styles.mutedWord}>cut off</span>}
        {row.state !== "denied" && row.state !== "waits" && <span className="visually-hidden">, {STATE_WORDS[row.state]}</span>}
        <Elapsed row={row} />
      </button>
      {open && <ToolBody row={row} />}
    </div>
  );
});
