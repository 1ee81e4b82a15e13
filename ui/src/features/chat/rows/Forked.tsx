// Where this chat comes from.
import { spellOutBidi } from "../../../kit/CodeVisible";
import { useLive } from "../../../state/live";
import { formatRoute } from "../../../state/route";
import type { ForkedRow } from "../../../state/transcript-rows";
import styles from "./Rows.module.css";

export function Forked({ row }: { row: ForkedRow }) {
  const known = useLive((state) => state.known);
  const now = useLive((state) => state.chats.get(row.chat)?.title ?? null);
  const title = <bdi>{spellOutBidi(now ?? row.title)}</bdi>;
  return (
    <div className={styles.notice} data-tone="quiet" data-testid="row-forked">
      <span className={styles.noticeText}>
        Goes on from a copy of {now === null ? <>“{title}”</> : <a className={styles.forkedLink} href={formatRoute({ room: "chat", chatId: row.chat })}>{title}</a>}
        {known && now === null ? ", which is not there any more" : null}
      </span>
    </div>
  );
}
