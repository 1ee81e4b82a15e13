// How long the starts of scripted turns took.
import type { ChatSummary, EndedStart } from "../contract";
import { minutesAgo } from "./clock";

export function lastStarts(chats: readonly ChatSummary[]): EndedStart[] {
  return chats.slice(0, 20).map((chat, at) => ({
    turn: `${chat.id}-t1`, chat: chat.id, chat_title: chat.title, harness: chat.harness, ended_at: minutesAgo(4 + at * 9), took_ms: 48_000 - at * 1_300,
    start: at === 4 ? null : at % 2 === 0 ? { carrier: "fresh", slot_ms: 1, process_ms: 312 + at, first_line_ms: 930 + at * 7, first_text_ms: 2_410 } : { carrier: "kept", slot_ms: 1, process_ms: 18, first_line_ms: 25, first_text_ms: 1_220 + at * 40 },
  }));
}
