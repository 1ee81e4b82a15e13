// Prompts that wait, by chat. Read with a chat when it is opened, then kept up by the feed.
import { useStore } from "zustand";
import { createStore } from "zustand/vanilla";
import type { QueuedPrompt } from "./transcript-events";

/** Chats whose queue is kept at most. */
const MAX_CHATS = 100;
const NONE: readonly QueuedPrompt[] = [];

const queues = createStore<ReadonlyMap<string, readonly QueuedPrompt[]>>(() => new Map());

export function putQueue(chat: string, prompts: readonly QueuedPrompt[]): void {
  queues.setState((before) => {
    const next = new Map(before);
    next.delete(chat);
    next.set(chat, prompts);
    if (next.size > MAX_CHATS) next.delete(next.keys().next().value as string);
    return next;
  }, true);
}

export function useQueue(chat: string): readonly QueuedPrompt[] {
  return useStore(queues, (state) => state.get(chat) ?? NONE);
}
