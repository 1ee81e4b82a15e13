// A subagent or background task: its steps as a group.
import { Bot, ChevronRight, SquareTerminal } from "lucide-react";
import { memo, useState } from "react";
import { Button } from "../../../kit/Button";
import type { Row, TaskRow } from "../../../state/transcript-rows";
import { amount } from "../words";
import { useRowActions } from "./context";
import { RowView } from "./RowView";
import styles from "./Rows.module.css";

const WORDS = { running: "working", completed: "done", failed: "failed", stopped: "stopped" } as const;

/** Steps of a group drawn at once; earlier ones on demand. */
const MAX_CHILDREN_SHOWN = 60;

const shows = (row: Row) => !((row.kind === "text" || row.kind === "reasoning") && row.text.trim() === "");

export const TaskGroup = memo(function TaskGroup({ row }: { row: TaskRow }) {
  const [open, setOpen] = useState(false);
  const [all, setAll] = useState(false);
  const children = row.children.filter(shows);
  const steps = children.filter((child) => child.kind === "tool").length;
  const shell = row.of === "shell";
  const shown = all ? children : children.slice(-MAX_CHILDREN_SHOWN);
  return (
    <section className={styles.task} data-open={open || undefined}>
      <button type="button" className={styles.line} aria-expanded={open} onClick={() => setOpen(!open)}>
        <ChevronRight className={styles.chevron} aria-hidden="true" />
        <span className={styles.state} data-state={row.state === "running" ? "started" : row.state === "completed" ? "succeeded" : "failed"} aria-hidden="true">{shell ? <SquareTerminal /> : <Bot />}</span>
        <span className={styles.verb}>{row.agent ?? (shell ? "Background command" : "Subagent")}</span>
        <span className={styles.object}>{row.description || "works on its own"}</span>
        <span className={styles.time}>
          {shell ? null : `${steps} ${steps === 1 ? "step" : "steps"} · `}
          {row.tokens !== null && `${amount(row.tokens)} tokens · `}
          {WORDS[row.state]}
        </span>
      </button>
      {open && (
        <div className={styles.children}>
          {shown.length < children.length && (
            <button type="button" className={styles.fold} onClick={() => setAll(true)}>Show {children.length - shown.length} earlier steps</button>
          )}
          {shown.map((child) => <RowView key={child.id} row={child} />)}
          {row.summary && <p className={styles.summary}>{row.summary}</p>}
          {children.length === 0 && !row.summary && <p className={styles.hint}>Nothing reported yet.</p>}
          {row.state === "running" && <EndTask task={row.taskId} />}
        </div>
      )}
    </section>
  );
});

/** Ends this task alone; the turn and other tasks go on. */
function EndTask({ task }: { task: string }) {
  const { endTask } = useRowActions();
  const [state, setState] = useState<"idle" | "asked" | string>("idle");
  const end = () => {
    setState("asked");
    endTask(task).catch((error: unknown) => setState(error instanceof Error ? error.message : String(error)));
  };
  return (
    <p className={styles.hint}>
      <Button size="sm" disabled={state === "asked"} onClick={end}>{state === "asked" ? "Ending…" : "End this task"}</Button>
      {state !== "idle" && state !== "asked" && <span role="alert"> {state}</span>}
    </p>
  );
}
