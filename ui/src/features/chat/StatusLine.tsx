// What the running turn waits for, since when, and how to stop it.
import { Square } from "lucide-react";
import { useEffect, useState } from "react";
import { Button } from "../../kit/Button";
import type { Latest, Row, ToolRow } from "../../state/transcript-rows";
import styles from "./Chat.module.css";
import type { ChatHead } from "./port";
import { useNow } from "./useNow";
import { duration, hostWaits, waitsFor } from "./words";

/** Milliseconds after which a stop that has not settled offers to kill. */
export const STILL_STOPPING_MS = 3_000;

export interface StatusLineProps {
  status: ChatHead["status"];
  since: number | null;
  waits: ChatHead["waits"];
  latest: Latest;
  rows: readonly Row[];
  onStop: () => Promise<void>;
  onKill: () => Promise<void>;
}

function runningStep(latest: Latest, rows: readonly Row[]): ToolRow | null {
  const id = latest.turn?.running.at(-1);
  if (id === undefined) return null;
  for (let i = rows.length - 1; i >= 0; i -= 1) {
    const row = rows[i];
    if (row?.kind === "tool" && row.state === "started" && (row.callId === id || id === `~${row.name}`)) return row;
  }
  return null;
}

export function StatusLine({ status, since, waits, latest, rows, onStop, onKill }: StatusLineProps) {
  const running = status === "running" || status === "stopping" || status === "queued";
  const now = useNow(running);
  const [asked, setAsked] = useState<number | null>(null);
  const [failed, setFailed] = useState<string | null>(null);
  const [, tick] = useState(0);
  const stopping = status === "stopping" || asked !== null;

  useEffect(() => {
    if (!running) {
      setAsked(null);
      setFailed(null);
    }
  }, [running]);
  useEffect(() => {
    if (!stopping) return;
    const timer = setTimeout(() => tick((n) => n + 1), STILL_STOPPING_MS + 50);
    return () => clearTimeout(timer);
  }, [stopping]);

  if (!running) return null;
  const act = (work: () => Promise<void>) => {
    setFailed(null);
    work().catch((error: unknown) => setFailed(error instanceof Error ? error.message : String(error)));
  };
  const stop = () => {
    setAsked(Date.now());
    act(onStop);
  };
  const stopSince = asked ?? since;
  const stuck = stopping && stopSince !== null && Date.now() - stopSince >= STILL_STOPPING_MS;
  const turn = latest.turn;
  // The host knows slots, persons and retries; the events tell apart what the model does.
  const byHost = waits !== null && (turn === null || waits.since > turn.lastAt || ["slot", "person", "retry", "stop", "background"].includes(waits.what));
  const wait =
    byHost && turn?.phase !== "retry"
      ? hostWaits(waits, now)
      : turn
        ? waitsFor(turn, now, runningStep(latest, rows))
        : { text: status === "queued" ? "Waiting for a free slot" : "Waiting for the model", since: since ?? now };
  const elapsed = now - wait.since;
  return (
    <div className={styles.status} data-stopping={stopping || undefined} data-phase={waits?.what === "person" ? "decision" : turn?.phase}>
      <span className={styles.pulse} aria-hidden="true" />
      <span className={styles.statusText}>
        {stopping ? (stuck ? "Still stopping…" : "Stopping…") : wait.text}
        {!stopping && elapsed >= 2_000 && !wait.text.startsWith("Quiet") && <span className={styles.statusSince}> · {duration(elapsed)}</span>}
      </span>
      {turn && !stopping && <span className={styles.statusTotal}>turn {duration(now - turn.startedAt)}</span>}
      {failed && <span className={styles.statusFailed} role="alert">{failed}</span>}
      {stuck ? (
        <Button size="sm" tone="danger" data-testid="kill" onClick={() => act(onKill)}>Kill the process tree</Button>
      ) : (
        <button type="button" className={styles.stop} data-testid="stop" onClick={stop} disabled={stopping}>
          <Square aria-hidden="true" /> Stop
        </button>
      )}
    </div>
  );
}
