// The living processes of a chat: a count that opens the list, each tree with the way to end it.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { ChatProcess, ProcessTree } from "../../host";
import { Age } from "../../kit/Age";
import { Button } from "../../kit/Button";
import { VisibleText } from "../../kit/CodeVisible";
import { Popover } from "../../kit/Popover";
import styles from "./HeaderList.module.css";
import type { ChatPort } from "./port";

/** Pause between two looks while the list is open (ms). Closed, nothing looks by itself. */
const LOOK_AGAIN_MS = 2_000;

/** What a tree is there for, and what ending it is called. */
export function treeWords(tree: ProcessTree): { what: string; end: string } {
  if (tree.role === "turn") return { what: "Runs the turn", end: "Stop the turn" };
  if (tree.role === "left") return { what: "Left running", end: "End" };
  if (tree.kept_until === null) return { what: "Kept for the next prompt, as long as its background work goes on", end: "End it" };
  const until = new Date(tree.kept_until).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  return { what: `Kept for the next prompt until ${until}`, end: "End it" };
}

const commandLine = (process: ChatProcess) => (process.command.length > 0 ? process.command.join(" ") : `process ${process.pid}`);

export interface ProcessesProps {
  port: Pick<ChatPort, "chat" | "processes" | "endProcesses">;
  /** Changes with what may start or end a process: a turn, a step. */
  moment: string;
}

export function Processes({ port, moment }: ProcessesProps) {
  const client = useQueryClient();
  const [open, setOpen] = useState(false);
  const [ending, setEnding] = useState<string | null>(null);
  const [failed, setFailed] = useState<string | null>(null);
  const { data, error } = useQuery({
    queryKey: ["processes", port.chat, moment],
    queryFn: port.processes,
    placeholderData: (before) => before,
    refetchInterval: open ? LOOK_AGAIN_MS : false,
    staleTime: 0,
    gcTime: 0,
  });
  const trees = data?.trees ?? [];
  const count = trees.reduce((sum, tree) => sum + tree.processes.length + tree.more, 0);
  if (count === 0 && !open) return null;
  const end = async (marker: string) => {
    setEnding(marker);
    setFailed(null);
    try {
      await port.endProcesses(marker);
    } catch (cause) {
      setFailed(cause instanceof Error ? cause.message : String(cause));
    }
    await client.invalidateQueries({ queryKey: ["processes", port.chat] });
    setEnding(null);
  };
  return (
    <li>
      <Popover
        title="Living processes of this chat"
        onOpenChange={(now) => {
          setOpen(now);
          setFailed(null);
          if (now) void client.invalidateQueries({ queryKey: ["processes", port.chat] });
        }}
        trigger={<button type="button" className={styles.count}>{count} {count === 1 ? "process" : "processes"}</button>}
      >
        {trees.map((tree) => {
          const words = treeWords(tree);
          return (
            <section key={tree.marker} className={styles.tree} aria-label={words.what}>
              <div className={styles.head}>
                <span>{words.what}</span>
                <Button size="sm" busy={ending === tree.marker} disabled={ending !== null} onClick={() => void end(tree.marker)}>{words.end}</Button>
              </div>
              <ul className={styles.list}>
                {tree.processes.map((process) => (
                  <li key={process.pid} className={styles.entry}>
                    <span className={styles.code}><VisibleText text={commandLine(process)} /></span>
                    <span className={styles.note}>{process.detached ? "detached · " : ""}<Age since={process.since} /></span>
                  </li>
                ))}
              </ul>
              {tree.more > 0 && <p className={styles.note}>and {tree.more} more</p>}
            </section>
          );
        })}
        {count === 0 && <p className={styles.note}>Nothing lives any more.</p>}
        {(failed ?? error) && <p className={styles.problem} role="alert">{failed ?? `The processes could not be seen: ${error?.message}`}</p>}
      </Popover>
    </li>
  );
}
