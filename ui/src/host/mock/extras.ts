// Turns with files, with an answer by a schema, and of a copied chat.
import type { AttachedFile, ChatEvent, StoredEvent } from "../contract";
import { HOSTILE_PATH, HOSTILE_TITLES, HOSTILE_WORD } from "./hostile";
import { ordinary } from "./transcript";

const TEXT = { type: "string" };

export const LIST_SCHEMA = JSON.stringify({ type: "object", properties: { items: { type: "array", items: TEXT } }, required: ["items"], additionalProperties: false });

const CAUSES_SCHEMA = JSON.stringify({
  type: "object",
  properties: { loads_twice: { type: "boolean" }, summary: TEXT, requests: { type: "array", items: { type: "object" } }, next_steps: { type: "array", items: TEXT } },
  required: ["loads_twice", "summary"],
});

const CAUSES = JSON.stringify({
  loads_twice: true,
  summary: "Two effects ask for the same tiles before either request is answered, so the cache cannot help.",
  requests: [
    { view: "first paint", before: 48, after: 24, file: "src/map/MapView.tsx" },
    { view: "pan", before: 12, after: 12, file: "src/map/useTiles.ts" },
    { view: "zoom", before: 31, after: 16, file: "src/map/useTiles.ts" },
  ],
  next_steps: ["Drop the second effect", "Wait for the first size", "Measure again on the phone"],
});

/** Puts events before the turn, changes its prompt, and gives its end data. Numbers follow. */
function remade(events: StoredEvent[], first: ChatEvent[], prompt: object, data: string | null): StoredEvent[] {
  const bodies = events.map(({ body }): ChatEvent => {
    if (body.kind === "prompt") return { ...body, ...prompt };
    return body.kind === "turn_ended" && data !== null ? { ...body, structured: data } : body;
  });
  const start = events[0]?.at ?? 0;
  return [...first, ...bodies].map((body, at) => ({ seq: at + 1, at: events[Math.max(at - first.length, 0)]?.at ?? start, turn: body.kind === "prompt" || body.kind === "forked_from" ? null : (events.at(-1)?.turn ?? null), body }));
}

export function filesTurn(chat: string, attachments: AttachedFile[]): StoredEvent[] {
  const events = ordinary(chat, "Do the tiles load twice? Both pictures and the log are from this morning.", true, 38);
  return remade(events, [], { attachments, schema: CAUSES_SCHEMA }, CAUSES);
}

export function forkedTurn(chat: string, from: string, title: string): StoredEvent[] {
  return remade(ordinary(chat, "Try it without the second effect", true, 360), [{ kind: "forked_from", chat: from, title }], {}, null);
}

/** The same with names, keys and values that break careless layouts. */
export function hostileTurn(events: StoredEvent[], attachments: AttachedFile[]): StoredEvent[] {
  const rows = HOSTILE_TITLES.map((title, at) => ({ [HOSTILE_WORD]: at, "<b>name</b>": title, path: HOSTILE_PATH }));
  const data = JSON.stringify({ [HOSTILE_WORD]: HOSTILE_WORD, "__proto__ \u202E": HOSTILE_TITLES, "<img src=x onerror=alert(1)>": "<script>alert(1)</script>", rows, deep: { a: { b: { c: { d: { e: { f: HOSTILE_WORD } } } } } } });
  return remade(events, [{ kind: "forked_from", chat: "not-there", title: HOSTILE_WORD }], { attachments, schema: `{"title": ${JSON.stringify(HOSTILE_WORD)}}` }, data);
}
