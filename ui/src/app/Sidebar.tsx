import { ChevronDown, ChevronRight, Folder, Inbox, Plus, Search, Settings2, SquarePen, Terminal } from "lucide-react";
import { useState, type KeyboardEvent } from "react";
import { Age } from "../kit/Age";
import { Button, IconButton } from "../kit/Button";
import { cx } from "../kit/cx";
import { Skeleton } from "../kit/Page";
import { STATE_WORD, StateGlyph } from "../kit/State";
import { formatRoute, goTo, type Route } from "../state/route";
import { nameOf, shownChats, type ChatRow, type FolderRow } from "../state/sidebar";
import styles from "./Sidebar.module.css";
import { Wordmark } from "./Wordmark";

export interface SidebarProps {
  route: Route;
  /** `null` until the first answer of the host. */
  folders: FolderRow[] | null;
  /** The lists could not be read. */
  broken: boolean;
  waiting: number;
  /** Harnesses that cannot start a chat now. */
  harnessTrouble: boolean;
  onFind: () => void;
  /** Something was chosen; a drawer closes. */
  onGo?: () => void;
}

/** Arrow keys walk over the rows, as in any list of a desktop app; Tab still works. */
function walk(event: KeyboardEvent<HTMLElement>): void {
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>("[data-row]")];
  const at = rows.indexOf(document.activeElement as HTMLElement);
  if (at < 0) return;
  event.preventDefault();
  rows[Math.min(Math.max(at + (event.key === "ArrowDown" ? 1 : -1), 0), rows.length - 1)]?.focus();
}

export function Sidebar({ route, folders, broken, waiting, harnessTrouble, onFind, onGo }: SidebarProps) {
  return (
    <div className={styles.sidebar} onKeyDown={walk}>
      <div className={styles.top}>
        <Wordmark />
        <IconButton label="Find a chat" keys="Mod+K" onClick={onFind}><Search /></IconButton>
      </div>
      <div className={styles.start}>
        <Button
          icon={<SquarePen />}
          className={styles.newChat}
          data-testid="new-chat"
          onClick={() => {
            goTo({ room: "new" });
            onGo?.();
          }}
        >
          New chat
        </Button>
        <RoomLink route={{ room: "inbox" }} current={route.room === "inbox"} icon={<Inbox />} label="Inbox" testId="inbox" count={waiting} onGo={onGo} />
      </div>
      <div className={styles.list}>
        {folders === null && broken ? (
          <p className={styles.none}>The chats could not be read.</p>
        ) : folders === null ? (
          <div className={styles.loading}><Skeleton lines={6} label="Loading chats" /></div>
        ) : folders.length === 0 ? (
          <p className={styles.none}>No chats yet. The folders you work in appear here.</p>
        ) : (
          folders.map((row) => <FolderGroup key={row.folder} row={row} route={route} onGo={onGo} />)
        )}
      </div>
      <div className={styles.rooms}>
        <RoomLink route={{ room: "workspaces" }} current={route.room === "workspaces"} icon={<Folder />} label="Workspaces" onGo={onGo} />
        <RoomLink route={{ room: "harnesses" }} current={route.room === "harnesses"} icon={<Terminal />} label="Harnesses" warn={harnessTrouble} onGo={onGo} />
        <RoomLink route={{ room: "settings" }} current={route.room === "settings"} icon={<Settings2 />} label="Settings" onGo={onGo} />
      </div>
    </div>
  );
}

interface RoomLinkProps {
  route: Route;
  current: boolean;
  icon: React.ReactNode;
  label: string;
  testId?: string;
  count?: number;
  warn?: boolean;
  onGo?: (() => void) | undefined;
}

function RoomLink({ route, current, icon, label, testId, count = 0, warn, onGo }: RoomLinkProps) {
  return (
    <a href={formatRoute(route)} className={cx(styles.room, current && styles.current)} aria-current={current ? "page" : undefined} data-row="" data-testid={testId} onClick={onGo}>
      <span className={styles.roomIcon} aria-hidden="true">{icon}</span>
      <span className={styles.roomLabel}>{label}</span>
      {count > 0 ? (
        <span className={styles.count}>
          {count}
          <span className="visually-hidden"> waiting for you</span>
        </span>
      ) : null}
      {warn ? (
        <span className={styles.warn}>
          <StateGlyph state="failed" />
          <span className="visually-hidden">needs attention</span>
        </span>
      ) : null}
    </a>
  );
}

function FolderGroup({ row, route, onGo }: { row: FolderRow; route: Route; onGo?: (() => void) | undefined }) {
  const [open, setOpen] = useState(true);
  const [all, setAll] = useState(false);
  const currentId = route.room === "chat" ? route.chatId : undefined;
  const shown = open ? shownChats(row, all, currentId) : [];
  const hidden = row.chats.length - shown.length;
  const name = nameOf(row.folder);
  return (
    <section className={styles.group} aria-label={name}>
      <div className={styles.groupHead}>
        <button type="button" className={styles.fold} aria-expanded={open} title={row.folder} data-row="" onClick={() => setOpen(!open)}>
          <span className={styles.chevron} aria-hidden="true">{open ? <ChevronDown /> : <ChevronRight />}</span>
          <span className={styles.folderName} dir="auto">{name}</span>
        </button>
        <IconButton
          label={`New chat in ${name}`}
          size="sm"
          onClick={() => {
            goTo({ room: "new", folder: row.folder });
            onGo?.();
          }}
        >
          <Plus />
        </IconButton>
      </div>
      {open ? (
        <ul className={styles.chats}>
          {shown.map((chat) => (
            <li key={chat.id}>
              <ChatLink chat={chat} current={chat.id === currentId} onGo={onGo} />
            </li>
          ))}
          {shown.length === 0 ? <li className={styles.noChats}>No chats</li> : null}
          {hidden > 0 ? (
            <li>
              <button type="button" className={styles.more} data-row="" onClick={() => setAll(true)}>Show {hidden} more</button>
            </li>
          ) : null}
        </ul>
      ) : null}
    </section>
  );
}

function ChatLink({ chat, current, onGo }: { chat: ChatRow; current: boolean; onGo?: (() => void) | undefined }) {
  const word = chat.state === "needs" && chat.decisions > 1 ? `${STATE_WORD.needs} · ${chat.decisions}` : STATE_WORD[chat.state];
  const read = chat.state === "read";
  return (
    <a
      href={formatRoute({ room: "chat", chatId: chat.id })}
      className={cx(styles.chat, current && styles.current)}
      aria-current={current ? "page" : undefined}
      data-row=""
      data-testid="chat-entry"
      data-chat-id={chat.id}
      data-state={chat.state}
      onClick={onGo}
    >
      <span className={styles.chatGlyph}><StateGlyph state={chat.state} /></span>
      <span className={styles.chatTitle} dir="auto">{chat.title}</span>
      <Age since={chat.since} className={styles.age} />
      <span className={read ? "visually-hidden" : cx(styles.word, styles[chat.state])}>{word}</span>
      {chat.practice ? <span className={styles.practice}>Practice</span> : null}
    </a>
  );
}
