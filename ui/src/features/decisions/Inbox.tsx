// The Inbox on the real host.
import { useMemo } from "react";
import { Page } from "../../kit/Page";
import { useLive } from "../../state/live";
import { goTo } from "../../state/route";
import styles from "./Card.module.css";
import { viewOf } from "./hostPort";
import { InboxView } from "./InboxView";
import { useClock, useHostPort } from "./useHostPort";

export function Inbox() {
  const all = useLive((state) => state.decisions);
  const decisions = useMemo(() => [...all.values()].map(viewOf), [all]);
  const { port, trouble } = useHostPort();
  const now = useClock(decisions.length > 0);
  return (
    <Page title="Inbox" intro="Everything that waits for you, in all chats." narrow>
      {trouble && <p className={styles.trouble} role="alert">{trouble}</p>}
      <InboxView decisions={decisions} port={port} now={now} onOpenChat={(chatId) => goTo({ room: "chat", chatId })} />
    </Page>
  );
}
