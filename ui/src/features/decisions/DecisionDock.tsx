// The decisions of one chat, above its composer.
import { useMemo } from "react";
import { useLive } from "../../state/live";
import styles from "./Card.module.css";
import { DockView } from "./DockView";
import { viewOf } from "./hostPort";
import { useClock, useHostPort } from "./useHostPort";

export interface DecisionDockProps {
  chatId: string;
  /** Where the focus goes when nothing is left to decide, or on Esc: the composer. */
  onLeave: () => void;
  /** Brings a card up and gives it the focus, for example after a notification; a new object each time. */
  goTo?: { id: string | null } | null;
}

export function DecisionDock({ chatId, onLeave, goTo = null }: DecisionDockProps) {
  const all = useLive((state) => state.decisions);
  const decisions = useMemo(() => [...all.values()].filter(({ chat }) => chat === chatId).map(viewOf), [all, chatId]);
  const { port, trouble } = useHostPort();
  const now = useClock(decisions.some(({ closed }) => closed === null));
  return (
    <>
      {trouble && <p className={styles.trouble} role="alert">{trouble}</p>}
      <DockView decisions={decisions} port={port} now={now} onLeave={onLeave} goTo={goTo} />
    </>
  );
}
