// What the person wrote.
import { useState } from "react";
import type { PromptRow } from "../../../state/transcript-rows";
import styles from "./Rows.module.css";

/** Characters of a prompt shown before it is folded. */
const MAX_PROMPT_SHOWN = 1_600;

export function Prompt({ row }: { row: PromptRow }) {
  const [all, setAll] = useState(false);
  const time = new Date(row.at);
  const long = row.text.length > MAX_PROMPT_SHOWN;
  return (
    <div className={styles.prompt} data-testid="row-prompt">
      <div className={styles.bubble} dir="auto">
        <span className="visually-hidden">You: </span>
        {long && !all ? `${row.text.slice(0, MAX_PROMPT_SHOWN)}…` : row.text}
        {long && (
          <button type="button" className={styles.fold} onClick={() => setAll(!all)}>
            {all ? "Show less" : "Show all"}
          </button>
        )}
      </div>
      <p className={styles.promptMeta}>
        <time dateTime={time.toISOString()} title={time.toLocaleString()}>{time.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })}</time>
      </p>
    </div>
  );
}
