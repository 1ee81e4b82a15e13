/** The one store of the window and its connection to the feed. */
import { useStore } from "zustand";
import { createStore } from "zustand/vanilla";
import { host, hostError, openFeed, type Boot, type ChatSummary, type Feed, type FeedItem, type HostError, type Subscription } from "../host";
import { EMPTY_WORLD, fold, fromLists, type World } from "./world";

export interface Live extends World {
  boot: Boot | null;
  /** Why the window is not fed now. */
  broken: HostError | null;
}

/** Chats that one page of the list brings. */
export const CHATS_A_PAGE = 500;
/** Chats that the window keeps at most; older ones are reached by searching. */
export const MOST_CHATS = 5_000;

export const live = createStore<Live>(() => ({ ...EMPTY_WORLD, boot: null, broken: null }));

export function useLive<T>(pick: (state: Live) => T): T {
  return useStore(live, pick);
}

type Listener = (items: readonly FeedItem[]) => void;

interface Follower {
  chat: string;
  /** Number of the last event that it has; the feed goes on after it. */
  since: () => number;
  take: Listener;
  /** Events were lost: it reads again and says from where to go on. */
  resync: () => Promise<number>;
}

let follower: Follower | null = null;
let feed: Feed | null = null;

async function readLists(): Promise<void> {
  const [chats, workspaces, decisions] = await Promise.all([readChats(), host.listWorkspaces(), host.decisions()]);
  live.setState((state) => fromLists(state, { chats, workspaces, decisions }));
}

async function readChats(): Promise<ChatSummary[]> {
  const chats: ChatSummary[] = [];
  let cursor: string | null = null;
  do {
    const page: { chats: ChatSummary[]; next: string | null } = await host.listChats(cursor, CHATS_A_PAGE);
    chats.push(...page.chats);
    cursor = page.next;
  } while (cursor !== null && chats.length < MOST_CHATS);
  return chats;
}

function apply(items: readonly FeedItem[]): void {
  live.setState((state) => fold(state, items));
  follower?.take(items);
}

function failed(cause: unknown): void {
  live.setState({ broken: hostError(cause) });
}

function wanted(): Subscription {
  return follower ? { chat: follower.chat, since: follower.since() } : { chat: null, since: 0 };
}

async function resync(): Promise<Subscription> {
  await readLists();
  const mine = follower;
  if (!mine) return { chat: null, since: 0 };
  return { chat: mine.chat, since: await mine.resync() };
}

/** Listens first, then reads the lists, so that nothing falls between. Called again after a failure. */
export async function connect(): Promise<void> {
  feed?.stop();
  feed = openFeed({ apply, resync, failed });
  live.setState({ broken: null });
  try {
    const booted = host.boot().then((boot) => live.setState({ boot }));
    await Promise.all([booted, feed.follow(wanted()).then(readLists)]);
  } catch (cause) {
    failed(cause);
  }
}

/**
 * Hears the events of one chat, the one on screen; the follower before is dropped. Returns how to stop. Call it after the
 * first page was read: events after `since()` come, none twice.
 */
export function followChat(next: Follower): () => void {
  follower = next;
  feed?.follow(wanted()).catch(failed);
  return () => {
    if (follower !== next) return;
    follower = null;
    feed?.follow(wanted()).catch(failed);
  };
}

/** An item that this window made itself and need not wait for. */
export function applyOwn(item: FeedItem): void {
  apply([item]);
}

/** Quits at once when nothing lives; else what lives is named first. */
export async function askToQuit(): Promise<void> {
  try {
    await host.quit(false);
  } catch (cause) {
    if (hostError(cause).kind !== "living") throw cause;
    live.setState({ quitting: await host.living() });
  }
}

export function quitAnswered(): void {
  live.setState({ quitting: null });
}
