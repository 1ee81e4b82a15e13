import { Terminal } from "lucide-react";
import type { HarnessCard as Card } from "../../host";
import { Button } from "../../kit/Button";
import { Notice } from "../../kit/Notice";
import { Empty, Page, Skeleton } from "../../kit/Page";
import { HarnessCard } from "./HarnessCard";
import styles from "./Harnesses.module.css";

export interface HarnessesViewProps {
  /** `null` until the host has answered. */
  cards: Card[] | null;
  error: { title: string; text: string; details?: string | undefined } | null;
  /** Checks asked for in this window: since when, or how they failed. */
  asked: ReadonlyMap<string, number>;
  failed: ReadonlyMap<string, string>;
  onRetry: () => void;
  onCheck: (id: string) => void;
  /** Questions for a quota of this window that are under way. */
  asksQuota: ReadonlySet<string>;
  onQuota: (id: string) => void;
  onOpen: (url: string) => void;
}

export function HarnessesView({ cards, error, asked, failed, asksQuota, onRetry, onCheck, onQuota, onOpen }: HarnessesViewProps) {
  return (
    <Page title="Harnesses" intro="The coding agents that Paddock can run. They are probed in an empty folder of their own; nothing of yours is read.">
      {error ? <Notice tone="error" live title={error.title} details={error.details} actions={<Button size="sm" onClick={onRetry}>Try again</Button>}>{error.text}</Notice> : null}
      {cards === null && !error ? <Skeleton lines={5} label="Loading harnesses" /> : null}
      {cards?.length === 0 ? <Empty icon={<Terminal />} title="This build of Paddock knows no harness" /> : null}
      {cards?.length ? (
        <div className={styles.cards}>
          {cards.map((card) => (
            <HarnessCard key={card.id} card={card} asked={asked.get(card.id) ?? null} failed={failed.get(card.id) ?? null} onCheck={() => onCheck(card.id)} asksQuota={asksQuota.has(card.id)} onQuota={() => onQuota(card.id)} onOpen={onOpen} />
          ))}
        </div>
      ) : null}
    </Page>
  );
}
