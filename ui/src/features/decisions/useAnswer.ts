// Sends one answer at most; a failed delivery opens the card again.
import { useCallback, useRef, useState } from "react";
import type { Answer, DecisionPort, DecisionView } from "./model";

export interface Answering {
  busy: boolean;
  failed: string | null;
  /** Sends the answer; false when one is already under way. */
  send: (answer: Answer) => boolean;
}

export function useAnswer(decision: DecisionView, port: DecisionPort, onAnswered: (decision: DecisionView) => void): Answering {
  const [busy, setBusy] = useState(false);
  const [failed, setFailed] = useState<string | null>(null);
  const under = useRef(false);
  const send = useCallback(
    (answer: Answer) => {
      if (under.current || decision.closed) return false;
      under.current = true;
      setBusy(true);
      setFailed(null);
      port.answer(decision, answer).then(
        () => onAnswered(decision),
        (error: unknown) => {
          under.current = false;
          setBusy(false);
          setFailed(error instanceof Error ? error.message : String(error));
        },
      );
      return true;
    },
    [decision, port, onAnswered],
  );
  return { busy, failed, send };
}
