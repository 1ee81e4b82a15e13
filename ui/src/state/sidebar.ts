/** What the sidebar shows, and its one order. Pure. */

/** Worst first; the same order for sidebar, tray, title, Inbox and reader. */
export const STATES = ["needs", "failed", "working", "quiet", "waiting", "done", "read"] as const;
export type ChatState = (typeof STATES)[number];

export interface ChatRow {
  id: string;
  title: string;
  workspace: string;
  folder: string;
  harness: string;
  state: ChatState;
  /** When the state began, or when the chat was last touched (ms since 1970). */
  since: number;
  /** Open decisions that a turn waits for. */
  decisions: number;
  practice: boolean;
}

export interface FolderRow {
  id: string;
  folder: string;
  chats: ChatRow[];
}

export function rank(state: ChatState): number {
  return STATES.indexOf(state);
}

/** The worst state first; within one state what waits for a person longest, otherwise the latest first. */
export function byState(left: ChatRow, right: ChatRow): number {
  const apart = rank(left.state) - rank(right.state);
  if (apart !== 0) return apart;
  const age = left.state === "needs" ? left.since - right.since : right.since - left.since;
  return age !== 0 ? age : left.id.localeCompare(right.id);
}

export function worst(rows: readonly ChatRow[]): ChatState {
  return rows.reduce<ChatState>((found, row) => (rank(row.state) < rank(found) ? row.state : found), "read");
}

/** Folders with their chats: folders by their worst chat, then by name, so that quiet ones keep their places. */
export function byFolder(chats: readonly ChatRow[], folders: ReadonlyArray<{ id: string; path: string }>): FolderRow[] {
  const rows = new Map<string, FolderRow>(folders.map(({ id, path }) => [id, { id, folder: path, chats: [] }]));
  for (const chat of chats) {
    const row = rows.get(chat.workspace) ?? { id: chat.workspace, folder: chat.folder, chats: [] };
    row.chats.push(chat);
    rows.set(chat.workspace, row);
  }
  const ordered = [...rows.values()];
  for (const row of ordered) row.chats.sort(byState);
  return ordered.sort(
    (left, right) => rank(worst(left.chats)) - rank(worst(right.chats)) || nameOf(left.folder).localeCompare(nameOf(right.folder)) || left.folder.localeCompare(right.folder),
  );
}

/** The last part of a path; a root stays itself. */
export function nameOf(folder: string): string {
  const parts = folder.split(/[\\/]/).filter(Boolean);
  return parts.at(-1) ?? folder;
}

/** Everything before the last part, the home folder as ~. */
export function parentOf(folder: string, home?: string): string {
  const cut = Math.max(folder.lastIndexOf("/"), folder.lastIndexOf("\\"));
  const parent = cut > 0 ? folder.slice(0, cut) : folder.slice(0, cut + 1);
  return home ? tilde(parent, home) : parent;
}

export function tilde(path: string, home: string): string {
  if (home === "" || home === "/") return path;
  if (path === home) return "~";
  return path.startsWith(`${home}/`) || path.startsWith(`${home}\\`) ? `~${path.slice(home.length)}` : path;
}

/** The title of the window: how many decisions wait, then where one is. */
export function windowTitle(waiting: number, place: string): string {
  const name = place ? `${place} – Paddock` : "Paddock";
  return waiting > 0 ? `(${waiting}) ${name}` : name;
}

/** How many read chats a folder shows before "Show more". */
export const READ_SHOWN = 6;

export function shownChats(row: FolderRow, all: boolean, currentId: string | undefined): ChatRow[] {
  if (all) return row.chats;
  let read = 0;
  return row.chats.filter((chat) => {
    if (chat.state !== "read" || chat.id === currentId) return true;
    read += 1;
    return read <= READ_SHOWN;
  });
}

/** Chats that match every typed word, in title or folder; the order of the list stands. */
export function search(chats: readonly ChatRow[], typed: string): ChatRow[] {
  const words = typed.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  return [...chats].sort(byState).filter((chat) => {
    const text = `${chat.title} ${chat.folder}`.toLocaleLowerCase();
    return words.every((word) => text.includes(word));
  });
}
