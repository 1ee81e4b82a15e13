// The open decisions of one chat, above its composer: the oldest first, the others one step away.
import { ChevronLeft, ChevronRight } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { DecisionCard } from "./DecisionCard";
import styles from "./Card.module.css";
import { type DecisionPort, type DecisionView, byUrgency } from "./model";

export interface DockViewProps {
  decisions: readonly DecisionView[];
  port: DecisionPort;
  now: number;
  /** Where the focus goes when nothing is left to decide, or on Esc. */
  onLeave: () => void;
  /** Goes to this card, for example from a notification; a new object each time. */
  goTo?: { id: string | null } | null;
}

export function DockView({ decisions, port, now, onLeave, goTo }: DockViewProps) {
  const open = decisions.filter((d) => d.closed === null).sort(byUrgency);
  const [chosen, setChosen] = useState<string | null>(null);
  const card = useRef<HTMLElement>(null);
  const wantFocus = useRef(false);
  const shown = open.find((d) => d.id === chosen) ?? open[0] ?? null;
  const at = shown ? open.indexOf(shown) : 0;

  useEffect(() => {
    if (!goTo) return;
    setChosen(goTo.id);
    wantFocus.current = true;
  }, [goTo]);

  // After an answer the focus goes on: to the next card, or back to the composer. A card never takes it by itself.
  useEffect(() => {
    if (!wantFocus.current) return;
    wantFocus.current = false;
    if (shown) card.current?.focus();
    else onLeave();
  });

  if (!shown) return null;
  const step = (by: number) => {
    setChosen(open[(at + by + open.length) % open.length]?.id ?? null);
    wantFocus.current = true;
  };
  const answered = (decision: DecisionView) => {
    const inside = card.current?.contains(document.activeElement) || document.activeElement === document.body;
    const next = open.filter((d) => d.id !== decision.id);
    if (chosen === decision.id) setChosen(null);
    // The store closes the card a moment later; the focus must not fall into the gap.
    if (inside && next.length === 0) onLeave();
    else if (inside) {
      setChosen((next[Math.min(at, next.length - 1)] ?? next[0])?.id ?? null);
      wantFocus.current = true;
    }
  };

  return (
    <section className={styles.dock} aria-label={open.length === 1 ? "1 open decision" : `${open.length} open decisions`}>
      <DecisionCard
        key={shown.id}
        ref={card}
        decision={shown}
        port={port}
        now={now}
        showChat={false}
        onAnswered={answered}
        onLeave={onLeave}
        aside={
          open.length > 1 ? (
            <div className={styles.navigator}>
              <button type="button" className={styles.step} aria-label="Previous open decision" onClick={() => step(-1)}>
                <ChevronLeft aria-hidden="true" />
              </button>
              <span className={styles.position}>{at + 1} of {open.length}</span>
              <button type="button" className={styles.step} aria-label="Next open decision" onClick={() => step(1)}>
                <ChevronRight aria-hidden="true" />
              </button>
            </div>
          ) : null
        }
      />
    </section>
  );
}
