/** What the window knows of the host: lists that were read once, and a pure fold of what was pushed since. */
import type { ChatSummary, Decision, FeedItem, HarnessCard, Living, Workspace } from "../host";
import type { ChatRow, ChatState } from "./sidebar";

export interface World {
  /** False until the lists were read. */
  known: boolean;
  chats: ReadonlyMap<string, ChatSummary>;
  workspaces: ReadonlyMap<string, Workspace>;
  /** Open decisions, and those that were closed since the window opened. */
  decisions: ReadonlyMap<string, Decision>;
  /** Harness cards that were pushed; the room itself asks for the list. */
  harnesses: ReadonlyMap<string, HarnessCard>;
  /** The host asks whether to quit. */
  quitting: Living | null;
  /** The host asks to show a chat; counted, so that the same one can be asked for twice. */
  shown: { chat: string; decision: string | null; count: number } | null;
}

export interface Lists {
  chats: readonly ChatSummary[];
  workspaces: readonly Workspace[];
  decisions: readonly Decision[];
}

export const EMPTY_WORLD: World = {
  known: false,
  chats: new Map(),
  workspaces: new Map(),
  decisions: new Map(),
  harnesses: new Map(),
  quitting: null,
  shown: null,
};

/** Decisions that were closed while the window was open and are still kept, at most. */
export const MOST_CLOSED = 50;

function byId<T extends { id: string }>(items: readonly T[]): Map<string, T> {
  return new Map(items.map((item) => [item.id, item]));
}

/**
 * The lists replace what is there. A chat that was pushed while the list was on its way may be newer than the list; the
 * later one stands.
 */
export function fromLists(world: World, lists: Lists): World {
  const chats = byId(lists.chats);
  for (const [id, chat] of chats) {
    const pushed = world.chats.get(id);
    if (pushed && pushed.updated_at > chat.updated_at) chats.set(id, pushed);
  }
  return { ...world, known: true, chats, workspaces: byId(lists.workspaces), decisions: byId(lists.decisions) };
}

/** A workspace that is known only by a chat in it. */
function workspaceOf(chat: ChatSummary): Workspace {
  const name = chat.folder.split(/[\\/]/).filter(Boolean).at(-1) ?? chat.folder;
  return { id: chat.workspace, path: chat.folder, name, practice: chat.endpoint === "practice", last_used_at: chat.updated_at };
}

/** Kinds of items that say nothing about the world, only about one chat. */
const OF_ONE_CHAT: ReadonlySet<FeedItem["item"]> = new Set(["event", "queue", "resync"]);

/** Applies the items of one frame; untouched maps stay the same objects, so that nothing else draws again. */
export function fold(world: World, items: readonly FeedItem[]): World {
  if (items.every(({ item }) => OF_ONE_CHAT.has(item))) return world;
  const next = { ...world };
  const own = new Set<string>();
  const writable = <K extends "chats" | "workspaces" | "decisions" | "harnesses">(key: K) => {
    if (!own.has(key)) {
      next[key] = new Map(next[key] as ReadonlyMap<string, never>) as World[K];
      own.add(key);
    }
    return next[key] as unknown as Map<string, World[K] extends ReadonlyMap<string, infer T> ? T : never>;
  };
  for (const item of items) {
    switch (item.item) {
      case "chat":
        writable("chats").set(item.summary.id, item.summary);
        if (!next.workspaces.has(item.summary.workspace)) writable("workspaces").set(item.summary.workspace, workspaceOf(item.summary));
        break;
      case "chat_removed":
        writable("chats").delete(item.chat);
        for (const decision of next.decisions.values()) if (decision.chat === item.chat) writable("decisions").delete(decision.id);
        break;
      case "decision":
        putDecision(writable("decisions"), item.decision);
        break;
      case "harness":
        writable("harnesses").set(item.card.id, item.card);
        break;
      case "quit_asked":
        next.quitting = item.living;
        break;
      case "show":
        next.shown = { chat: item.chat, decision: item.decision, count: (next.shown?.count ?? 0) + 1 };
        break;
      case "event":
      case "queue":
      case "resync":
        break;
    }
  }
  return next;
}

/** Puts a decision last among its like; the oldest closed ones go when there are too many. */
function putDecision(decisions: Map<string, Decision>, decision: Decision): void {
  decisions.set(decision.id, decision);
  const closed = [...decisions.values()].filter(({ state }) => state !== "open");
  for (const { id } of closed.slice(0, Math.max(closed.length - MOST_CLOSED, 0))) decisions.delete(id);
}

export function openDecisions(decisions: World["decisions"]): Decision[] {
  return [...decisions.values()]
    .filter(({ state }) => state === "open")
    .sort((left, right) => Number(right.blocking) - Number(left.blocking) || left.opened_at - right.opened_at || left.id.localeCompare(right.id));
}

/** Decisions that a turn waits for; the number of badge, title and tray. */
export function waitingCount(decisions: World["decisions"]): number {
  return [...decisions.values()].filter(({ blocking, state }) => blocking && state === "open").length;
}

/** The decision that Ctrl/Cmd+Shift+A goes to: blocking ones first, then the oldest. */
export function oldestDecision(decisions: World["decisions"]): Decision | undefined {
  return openDecisions(decisions)[0];
}

const STATE: Record<ChatSummary["state"], ChatState> = {
  needs_you: "needs",
  failed: "failed",
  working: "working",
  quiet: "quiet",
  waiting: "waiting",
  finished: "done",
  read: "read",
};

/** What the sidebar shows; what was put away is left out. */
export function chatRows(chats: World["chats"], decisions: World["decisions"] = new Map()): ChatRow[] {
  const asked = new Map<string, number>();
  for (const { chat, opened_at, state } of decisions.values()) {
    if (state === "open") asked.set(chat, Math.min(asked.get(chat) ?? opened_at, opened_at));
  }
  return [...chats.values()]
    .filter(({ archived }) => !archived)
    .map((chat) => ({
      id: chat.id,
      title: chat.title,
      workspace: chat.workspace,
      folder: chat.folder,
      harness: chat.harness,
      state: STATE[chat.state],
      since: chat.state === "needs_you" ? (asked.get(chat.id) ?? chat.updated_at) : (chat.waits?.since ?? chat.updated_at),
      decisions: chat.open_decisions,
      practice: chat.endpoint === "practice",
    }));
}
