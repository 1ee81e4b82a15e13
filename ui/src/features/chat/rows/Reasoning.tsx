// Reasoning: one line that unfolds.
import { ChevronRight } from "lucide-react";
import { useState } from "react";
import type { ReasoningRow } from "../../../state/transcript-rows";
import { duration } from "../words";
import styles from "./Rows.module.css";

/** Characters of reasoning drawn at once; its end counts. */
const MAX_REASONING_SHOWN = 40_000;

function lastLine(text: string): string {
  const lines = text.slice(-600).split("\n").filter((line) => line.trim() !== "");
  return (lines.at(-1) ?? "").replace(/[*_#`]/g, "").trim();
}

export function Reasoning({ row }: { row: ReasoningRow }) {
  const [open, setOpen] = useState(false);
  const [all, setAll] = useState(false);
  const cut = all ? 0 : Math.max(0, row.text.length - MAX_REASONING_SHOWN);
  const took = row.until - row.at;
  return (
    <div className={styles.step}>
      <button type="button" className={styles.line} aria-expanded={open} onClick={() => setOpen(!open)}>
        <ChevronRight className={styles.chevron} aria-hidden="true" />
        <span className={styles.verb}>{row.open ? "Thinking" : "Thought"}</span>
        <span className={styles.object}>{row.open ? lastLine(row.text) : ""}</span>
        {!row.open && took > 0 && <span className={styles.time}>{duration(took)}</span>}
      </button>
      {open && (
        <div className={styles.reasoning} dir="auto">
          {cut > 0 && <button type="button" className={styles.fold} onClick={() => setAll(true)}>Show the {cut.toLocaleString("en")} characters before</button>}
          {row.text.slice(cut)}
        </div>
      )}
    </div>
  );
}
