// What the person wrote, and what went with it.
import { Braces } from "lucide-react";
import { useId, useState } from "react";
import { CodeBlock } from "../../../kit/Code";
import { prettyJson, readJson } from "../../../kit/json";
import { SentFiles } from "../../../prompt";
import type { PromptRow } from "../../../state/transcript-rows";
import styles from "./Rows.module.css";

/** Characters of a prompt shown before it is folded. */
const MAX_PROMPT_SHOWN = 1_600;

export function Prompt({ row }: { row: PromptRow }) {
  const [all, setAll] = useState(false);
  const [open, setOpen] = useState(false);
  const id = useId();
  const time = new Date(row.at);
  const long = row.text.length > MAX_PROMPT_SHOWN;
  return (
    <div className={styles.prompt} data-testid="row-prompt">
      <SentFiles files={row.files} />
      <div className={styles.bubble} dir="auto">
        <span className="visually-hidden">You: </span>
        {long && !all ? `${row.text.slice(0, MAX_PROMPT_SHOWN)}…` : row.text}
        {long && (
          <button type="button" className={styles.fold} onClick={() => setAll(!all)}>
            {all ? "Show less" : "Show all"}
          </button>
        )}
      </div>
      <div className={styles.promptMeta}>
        {row.schema !== null && (
          <button type="button" className={styles.schema} aria-expanded={open} aria-controls={open ? id : undefined} onClick={() => setOpen(!open)}>
            <Braces aria-hidden="true" /> Asked for an answer by a schema
          </button>
        )}
        <time dateTime={time.toISOString()} title={time.toLocaleString()}>{time.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })}</time>
      </div>
      {row.schema !== null && open && <div id={id} className={styles.schemaText}><CodeBlock code={pretty(row.schema)} language="json" /></div>}
    </div>
  );
}

function pretty(schema: string): string {
  const value = readJson(schema);
  return value ? prettyJson(value) : schema;
}
