// Every open decision of every chat: blocking ones first, then by age.
import { Inbox as InboxIcon } from "lucide-react";
import { useRef } from "react";
import { DecisionCard } from "./DecisionCard";
import styles from "./Card.module.css";
import { type DecisionPort, type DecisionView, byUrgency } from "./model";

/** Decisions that were closed lately and are still shown. */
export const MAX_CLOSED_SHOWN = 20;

export interface InboxViewProps {
  decisions: readonly DecisionView[];
  port: DecisionPort;
  now: number;
  onOpenChat: (chatId: string) => void;
}

export function InboxView({ decisions, port, now, onOpenChat }: InboxViewProps) {
  const list = useRef<HTMLDivElement>(null);
  const open = decisions.filter((d) => d.closed === null).sort(byUrgency);
  const closed = decisions.filter((d) => d.closed !== null).slice(0, MAX_CLOSED_SHOWN);

  const answered = (decision: DecisionView) => {
    const card = list.current?.querySelector(`[data-decision="${CSS.escape(decision.id)}"]`);
    if (card && !card.contains(document.activeElement) && document.activeElement !== document.body) return;
    const at = open.findIndex((d) => d.id === decision.id);
    const next = open[at + 1] ?? open[at - 1];
    const target = next && list.current?.querySelector<HTMLElement>(`[data-decision="${CSS.escape(next.id)}"]`);
    (target ?? list.current)?.focus();
  };

  return (
    <div className={styles.inbox} ref={list} data-testid="inbox-list" tabIndex={-1} role="region" aria-label="Open decisions">
      {open.length === 0 && (
        <div className={styles.empty}>
          <InboxIcon aria-hidden="true" />
          <p>Nothing waits for you.</p>
          <p className={styles.emptyMore}>Approvals, plans and questions of all chats gather here.</p>
        </div>
      )}
      {open.map((decision) => (
        <DecisionCard
          key={decision.id}
          decision={decision}
          port={port}
          now={now}
          showChat
          onAnswered={answered}
          onLeave={() => list.current?.focus()}
          onOpenChat={() => onOpenChat(decision.chatId)}
        />
      ))}
      {closed.length > 0 && (
        <section className={styles.past} aria-label="Closed">
          <h2 className={styles.pastTitle}>Closed</h2>
          {closed.map((decision) => (
            <DecisionCard key={decision.id} decision={decision} port={port} now={now} showChat onAnswered={answered} onLeave={() => list.current?.focus()} onOpenChat={() => onOpenChat(decision.chatId)} />
          ))}
        </section>
      )}
    </div>
  );
}
