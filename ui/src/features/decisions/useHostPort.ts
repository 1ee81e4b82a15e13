// One port for all cards of a room, and the clock of their ages.
import { useEffect, useMemo, useState } from "react";
import { hostPort, readReasons } from "./hostPort";
import type { DecisionPort } from "./model";

/** Milliseconds between two looks at the clock. */
const AGE_TICK_MS = 10_000;

export function useHostPort(): { port: DecisionPort; trouble: string | null } {
  const [trouble, setTrouble] = useState<string | null>(null);
  const port = useMemo(() => hostPort(setTrouble), []);
  useEffect(() => {
    // Without them a reason is typed; there is nothing a person could do about it here.
    readReasons().catch(() => undefined);
  }, []);
  return { port, trouble };
}

export function useClock(running: boolean): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!running) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), AGE_TICK_MS);
    return () => clearInterval(timer);
  }, [running]);
  return now;
}
