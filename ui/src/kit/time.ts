import { useSyncExternalStore } from "react";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How often ages are drawn again (ms). */
export const AGE_TICK_MS = 10_000;

export function now(): number {
  return Date.now();
}

/** An age as one reads it in a list: now, 4 min, 3 h, 2 d, 5 w. */
export function age(since: number, at: number = now()): string {
  const past = Math.max(0, at - since);
  if (past < MINUTE) return "now";
  if (past < HOUR) return `${Math.floor(past / MINUTE)} min`;
  if (past < DAY) return `${Math.floor(past / HOUR)} h`;
  if (past < 14 * DAY) return `${Math.floor(past / DAY)} d`;
  return `${Math.floor(past / (7 * DAY))} w`;
}

/** A length of time: 800 ms, 12 s, 3 min 20 s, 1 h 5 min. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = Math.floor(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return seconds % 60 ? `${minutes} min ${seconds % 60} s` : `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return minutes % 60 ? `${hours} h ${minutes % 60} min` : `${hours} h`;
}

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let tick = 0;

function listen(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    tick += 1;
    for (const each of listeners) each();
  }, AGE_TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
  };
}

/** The present moment, drawn again every ten seconds by one timer for the whole window. */
export function useNow(): number {
  useSyncExternalStore(listen, () => tick);
  return now();
}
