// One clock for everything that counts seconds; it stands still while nobody looks.
import { useSyncExternalStore } from "react";

/** Milliseconds between two ticks. */
const TICK_MS = 1_000;

const listeners = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

function tick(): void {
  if (document.hidden) return;
  now = Date.now();
  for (const tell of listeners) tell();
}

function subscribe(tell: () => void): () => void {
  listeners.add(tell);
  if (timer === undefined) {
    now = Date.now();
    timer = setInterval(tick, TICK_MS);
  }
  return () => {
    listeners.delete(tell);
    if (listeners.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
  };
}

const still = () => () => {};

/** The time, once a second while `running`. */
export function useNow(running = true): number {
  return useSyncExternalStore(running ? subscribe : still, () => now);
}
