// Adjacent pieces of one text become one event, so that a flood costs one step a frame and not one a piece.
import type { StoredEvent, TurnEventBody } from "./transcript-events";

/** An event as it is loaded. Merged text stands for all numbers from `from` to `seq`, and for the time since `began`. */
export type LoadedEvent = StoredEvent & { from?: number; began?: number };

/** What a piece belongs to, or null when it is no piece of a growing text. */
function growing(body: TurnEventBody): string | null {
  switch (body.type) {
    case "text_delta":
    case "reasoning_delta":
      return `${body.type} ${body.message_id} ${body.block} ${body.task_id ?? ""}`;
    case "tool_output_delta":
      return `${body.type} ${body.id}`;
    default:
      return null;
  }
}

/** The piece that both are together, or null when the second does not continue the first. */
function joined(one: LoadedEvent, two: LoadedEvent): LoadedEvent | null {
  if (one.body.kind !== "turn" || two.body.kind !== "turn" || one.turn !== two.turn || (two.from ?? two.seq) !== one.seq + 1) return null;
  const key = growing(one.body.event);
  if (key === null || key !== growing(two.body.event)) return null;
  const before = one.body.event as { text: string };
  const after = two.body.event as { text: string };
  return {
    ...two, from: one.from ?? one.seq, began: one.began ?? one.at,
    body: { kind: "turn", event: { ...two.body.event, text: before.text + after.text } as TurnEventBody },
  };
}

/** Events in order, with adjacent pieces of one text put together. */
export function merged(events: readonly LoadedEvent[]): LoadedEvent[] {
  const out: LoadedEvent[] = [];
  for (const event of events) push(out, event);
  return out;
}

/** Puts an event behind the others, or into the last one. */
function push(out: LoadedEvent[], event: LoadedEvent): void {
  const last = out.at(-1);
  const both = last ? joined(last, event) : null;
  if (both) out[out.length - 1] = both;
  else out.push(event);
}

/** `fresh` behind `known`; the two arrays stay as they are. */
export function behind(known: readonly LoadedEvent[], fresh: readonly LoadedEvent[]): LoadedEvent[] {
  const out = [...known];
  for (const event of fresh) push(out, event);
  return out;
}
