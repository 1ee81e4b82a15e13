// The open decisions of one chat, above its composer: the oldest first, the others one step away.
import { ChevronLeft, ChevronRight } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { Button } from "../../kit/Button";
import { DecisionCard } from "./DecisionCard";
import styles from "./Card.module.css";
import { type Closed, type DecisionPort, type DecisionView, byUrgency } from "./model";

export interface DockViewProps {
  decisions: readonly DecisionView[];
  port: DecisionPort;
  now: number;
  /** Where the focus goes when nothing is left to decide, or on Esc. */
  onLeave: () => void;
  /** Goes to this card, for example from a notification; a new object each time. */
  goTo?: { id: string | null } | null;
}

/** Ends that a person did not bring about and has to be told of. */
const STAYS: ReadonlySet<Closed> = new Set(["expired", "withdrawn", "elsewhere"]);

/**
 * The card on screen that ended without this window's answer: it expired, was withdrawn, was answered elsewhere. It stays,
 * saying so, until it is dismissed: what a person reads is never taken away under their eyes.
 */
function useOvertaken(decisions: readonly DecisionView[], open: readonly DecisionView[]) {
  const seen = useRef<string | null>(null);
  const [dismissed, setDismissed] = useState<string | null>(null);
  const id = seen.current;
  const card = id === null || id === dismissed || open.some((d) => d.id === id) ? null : (decisions.find((d) => d.id === id && d.closed !== null && STAYS.has(d.closed)) ?? null);
  return {
    card,
    show: (shown: DecisionView | null) => {
      seen.current = shown?.id ?? null;
    },
    dismiss: () => setDismissed(id),
  };
}

export function DockView({ decisions, port, now, onLeave, goTo }: DockViewProps) {
  const open = decisions.filter((d) => d.closed === null).sort(byUrgency);
  const [chosen, setChosen] = useState<string | null>(null);
  const over = useOvertaken(decisions, open);
  const card = useRef<HTMLElement>(null);
  const wantFocus = useRef(false);
  const shown = over.card ?? open.find((d) => d.id === chosen) ?? open[0] ?? null;
  const at = shown ? Math.max(open.indexOf(shown), 0) : 0;

  useEffect(() => {
    if (!goTo) return;
    if (over.card) over.dismiss();
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

  over.show(shown);
  if (!shown) return null;
  const dismiss = () => {
    wantFocus.current = card.current?.contains(document.activeElement) ?? false;
    over.dismiss();
  };
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
    <section className={styles.dock} aria-label={over.card ? "A decision that is over" : open.length === 1 ? "1 open decision" : `${open.length} open decisions`}>
      <DecisionCard
        key={shown.id}
        ref={card}
        decision={shown}
        port={port}
        now={now}
        showChat={false}
        onAnswered={answered}
        onLeave={over.card ? dismiss : onLeave}
        aside={
          over.card ? (
            <Button size="sm" data-testid="dismiss" onClick={dismiss}>{open.length > 0 ? "Next" : "Close"}</Button>
          ) : open.length > 1 ? (
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
