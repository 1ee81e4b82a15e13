// How long the last turns took to start: read when it is unfolded, never by itself.
import { useQuery } from "@tanstack/react-query";
import { ChevronRight } from "lucide-react";
import { useId, useState } from "react";
import { type EndedStart, type TurnStart, host } from "../../host";
import { Age } from "../../kit/Age";
import { Button } from "../../kit/Button";
import { VisibleText } from "../../kit/CodeVisible";
import { Notice } from "../../kit/Notice";
import { Skeleton } from "../../kit/Page";
import { troubleOf } from "../../state/queries";
import { seconds, stageMs } from "../../state/start";
import settings from "./Settings.module.css";
import styles from "./LastStarts.module.css";

const COLUMNS: ReadonlyArray<{ name: string; stage: keyof ReturnType<typeof stageMs> }> = [
  { name: "Slot", stage: "slot" },
  { name: "Process", stage: "process" },
  { name: "First line", stage: "line" },
  { name: "First text", stage: "text" },
];

const CARRIERS: Record<NonNullable<TurnStart["carrier"]>, string> = { fresh: "started", kept: "kept" };

export function LastStarts() {
  const [open, setOpen] = useState(false);
  const id = useId();
  const starts = useQuery({ queryKey: ["last-starts"], queryFn: host.lastStarts, enabled: open, staleTime: 0 });
  const trouble = troubleOf(starts.error);
  return (
    <div className={styles.starts}>
      <button type="button" className={styles.toggle} aria-expanded={open} aria-controls={open ? id : undefined} onClick={() => setOpen(!open)}>
        <ChevronRight aria-hidden="true" />
        <span className={settings.text}>
          <span className={settings.name}>Starts of the last turns</span>
          <span className={settings.hint}>How long each waited for a slot, a process, the first line and the first text.</span>
        </span>
      </button>
      {open && (
        <div id={id}>
          {trouble ? (
            <Notice tone="error" title={trouble.title} details={trouble.details} actions={<Button size="sm" onClick={() => void starts.refetch()}>Try again</Button>}>{trouble.text}</Notice>
          ) : !starts.data ? (
            <Skeleton lines={3} label="Loading starts" />
          ) : starts.data.length === 0 ? (
            <p className={settings.hint}>No turn has ended yet.</p>
          ) : (
            <StartTable starts={starts.data} />
          )}
        </div>
      )}
    </div>
  );
}

/** One row a turn, newest first. A stage that was not reached is a dash. */
export function StartTable({ starts }: { starts: readonly EndedStart[] }) {
  return (
    <div className={styles.frame} data-scrolls-sideways tabIndex={0} role="region" aria-label="Starts of the last turns">
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">Chat</th>
            <th scope="col">Ended</th>
            <th scope="col">Carrier</th>
            {COLUMNS.map(({ name }) => <th key={name} scope="col" data-figure>{name}</th>)}
            <th scope="col" data-figure>Turn</th>
          </tr>
        </thead>
        <tbody>
          {starts.map((each) => {
            const stages = each.start ? stageMs(each.start) : null;
            return (
              <tr key={each.turn}>
                <th scope="row"><span className={styles.title}><VisibleText text={each.chat_title} /></span></th>
                <td><Age since={each.ended_at} /></td>
                <td>{each.start?.carrier ? CARRIERS[each.start.carrier] : each.start ? "none" : "not noted"}</td>
                {COLUMNS.map(({ name, stage }) => {
                  const ms = stages?.[stage] ?? null;
                  return <td key={name} data-figure>{ms === null ? "–" : seconds(ms)}</td>;
                })}
                <td data-figure>{seconds(each.took_ms)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
