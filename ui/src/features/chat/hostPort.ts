// The chat room on the real host.
import { type StoredEvent, host } from "../../host";
import { followChat } from "../../state/live";
import type { LoadedEvent } from "../../state/transcript";
import { putQueue } from "../../state/transcript-queue";
import type { PayloadPart } from "../../state/transcript-rows";
import type { ChatPort, Page } from "./port";

/** Places that one search brings at most. */
const MAX_HITS = 500;

function page(from: { events: StoredEvent[]; more_before: boolean; more_after: boolean }): Page {
  return { events: from.events, moreBefore: from.more_before, moreAfter: from.more_after };
}

/** One part of an event that was fetched whole. */
export function partOf(event: StoredEvent, part: PayloadPart): string {
  const body = event.body.kind === "turn" ? event.body.event : null;
  const text = body ? textOf(body, part) : null;
  if (text === null) throw new Error("the store no longer has it");
  return text;
}

function textOf(body: Extract<StoredEvent["body"], { kind: "turn" }>["event"], part: PayloadPart): string | null {
  switch (body.type) {
    case "message_completed":
      return part === "text" ? body.text.text : null;
    case "diff_updated":
      return part === "diff" ? body.diff.text : null;
    case "tool_call":
      if (part === "input") return body.input?.text ?? null;
      if (part === "output") return body.output?.text ?? null;
      return part === "content" && body.detail?.kind === "write" ? body.detail.content.text : null;
    default:
      return null;
  }
}

/** `onTrouble` is told what fails where nobody waits for an answer. */
export function hostPort(chat: string, onTrouble: (cause: unknown) => void): ChatPort {
  const done = () => undefined;
  return {
    chat,
    before: async (seq, limit) => {
      if (seq !== null) return page(await host.eventsBefore(chat, seq, limit));
      const view = await host.openChat(chat);
      putQueue(chat, view.queue);
      return page(view.tail);
    },
    after: async (seq, limit) => page(await host.eventsAfter(chat, seq, limit)),
    follow: ({ since, take, resync }) =>
      followChat({
        chat,
        since,
        resync,
        take: (items) => {
          const events: LoadedEvent[] = [];
          for (const item of items) {
            if (item.item === "event" && item.chat === chat) events.push({ ...item.event, from: item.from_seq });
            if (item.item === "queue") putQueue(item.chat, item.prompts);
          }
          if (events.length > 0) take(events);
        },
      }),
    payload: async (seq, part) => partOf(await host.event(chat, seq), part),
    processes: () => host.chatProcesses(chat),
    endProcesses: (marker) => host.endChatProcesses(chat, marker).then(done),
    receipt: (end) => host.turnReceipt(chat, end),
    search: (query) => host.searchChat(chat, query, MAX_HITS),
    openLink: (href) => void host.openLink(href).catch(onTrouble),
    stop: () => host.stopTurn(chat).then(done),
    endTask: (task) => host.stopTask(chat, task).then(done),
    kill: () => host.killTurn(chat).then(done),
    send: (text, beside) => host.sendPrompt(chat, { text, attachments: beside?.attachments ?? [], schema: beside?.schema ?? null }).then(done),
    read: (seq) => void host.markRead(chat, seq).catch(onTrouble),
  };
}
