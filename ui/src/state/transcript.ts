// Stored events in, rows out. Pure: the same events give the same rows, however they were cut into pages and batches.
//
//   transcript-events   the words of the store      transcript-merge    pieces of one text put together
//   transcript-rows     what a chat shows, one object a row
//   transcript-apply    what each event does          transcript-fold     how rows are put and found
//   transcript-decisions what is asked of a person, and the steps it is about
//   transcript-latest   facts of which the latest counts, transcript-notices
import { apply } from "./transcript-apply";
import { type Draft, EMPTY_LATEST, reasoningId, textId } from "./transcript-fold";
import { type LoadedEvent, behind, merged } from "./transcript-merge";
import type { Latest, Row } from "./transcript-rows";

export type { LoadedEvent } from "./transcript-merge";
export type { Row, Latest } from "./transcript-rows";

/** Events kept loaded; past them the far end is let go and paged in again when scrolled to. */
export const MAX_LOADED_EVENTS = 4_000;
/** Events let go at once, so that letting go is rare. */
const PRUNE_SLACK = 1_000;

export interface Transcript {
  /** Loaded events in order. Together they cover every number from the first to the last. */
  events: readonly LoadedEvent[];
  rows: readonly Row[];
  latest: Latest;
  /** The oldest event of the chat is loaded. */
  atStart: boolean;
  /** The newest event of the chat is loaded: live batches are taken. */
  atEnd: boolean;
  /** Events that arrived while the end was not loaded. */
  missed: number;
  /** A hole was seen: the last number before it. The owner fetches what is missing. */
  gapAfter: number | null;
  draft: Draft;
}

const freshDraft = (): Draft => ({ rows: [], index: new Map(), owned: true, diffs: new Map(), denied: new Set(), latest: EMPTY_LATEST, seq: 0 });

/** A chat of which nothing is loaded. */
export function emptyTranscript(): Transcript {
  return { events: [], rows: [], latest: EMPTY_LATEST, atStart: false, atEnd: false, missed: 0, gapAfter: null, draft: freshDraft() };
}

const begin = (event: LoadedEvent) => event.from ?? event.seq;

/** Numbers that are loaded, or null while nothing is. */
export function loadedRange(state: Transcript): { first: number; last: number } | null {
  const first = state.events[0];
  const last = state.events.at(-1);
  return first && last ? { first: begin(first), last: last.seq } : null;
}

/** A page of history next to, or overlapping, what is loaded. Duplicates are left out; a page beyond a hole is refused. */
export function ingestPage(state: Transcript, page: readonly LoadedEvent[], edge: { atStart?: boolean; atEnd?: boolean }): Transcript {
  const range = loadedRange(state);
  const sorted = inOrder(page);
  const older = range ? sorted.filter((event) => event.seq < range.first) : [];
  const newer = range ? sorted.filter((event) => begin(event) > range.last) : sorted;
  const holeBefore = range && older.length > 0 && (older.at(-1) as LoadedEvent).seq !== range.first - 1;
  const holeAfter = range && newer.length > 0 && begin(newer[0] as LoadedEvent) !== range.last + 1;
  if (holeBefore || holeAfter) return { ...state, gapAfter: range.last };
  const atEnd = edge.atEnd ?? state.atEnd;
  const flags = { atStart: edge.atStart ?? state.atStart, atEnd, gapAfter: null, missed: atEnd ? 0 : state.missed };
  if (older.length === 0 && newer.length === 0) return { ...state, ...flags };
  if (older.length === 0) return { ...append(state, newer), ...flags };
  return { ...rebuild(state, [...older, ...state.events, ...newer]), ...flags };
}

/** A live batch. Taken only while the end is loaded; a hole before it is reported, not bridged. */
export function ingestLive(state: Transcript, batch: readonly LoadedEvent[]): Transcript {
  const range = loadedRange(state);
  const fresh = inOrder(batch).filter((event) => !range || event.seq > range.last);
  const first = fresh[0];
  if (!first) return state;
  if (!state.atEnd) return { ...state, missed: state.missed + fresh.length };
  // Merged text that is loaded in part cannot be cut: it is fetched again like a hole.
  if (range && begin(first) !== range.last + 1) return { ...state, gapAfter: range.last };
  return append(state, fresh);
}

/** Lets go of the far end when too much is loaded. `keep` is the side that stays. */
export function prune(state: Transcript, keep: "start" | "end"): Transcript {
  if (state.events.length <= MAX_LOADED_EVENTS + PRUNE_SLACK) return state;
  if (keep === "end") return { ...rebuild(state, state.events.slice(-MAX_LOADED_EVENTS)), atStart: false };
  return { ...rebuild(state, state.events.slice(0, MAX_LOADED_EVENTS)), atEnd: false };
}

function inOrder(events: readonly LoadedEvent[]): LoadedEvent[] {
  const sorted = [...events].sort((a, b) => a.seq - b.seq);
  let last = Number.NEGATIVE_INFINITY;
  return sorted.filter((event) => {
    const fresh = begin(event) > last;
    if (fresh) last = event.seq;
    return fresh;
  });
}

function append(state: Transcript, fresh: readonly LoadedEvent[]): Transcript {
  const { draft: old } = state;
  const draft: Draft = { rows: [...old.rows], index: old.index, owned: false, diffs: new Map(old.diffs), denied: new Set(old.denied), latest: old.latest, seq: old.seq };
  for (const event of merged(fresh)) apply(draft, event);
  return { ...state, events: behind(state.events, fresh), draft, rows: visible(draft.rows, state.rows), latest: draft.latest };
}

function rebuild(state: Transcript, events: readonly LoadedEvent[]): Transcript {
  const draft = freshDraft();
  const loaded = merged(events);
  for (const event of loaded) apply(draft, event);
  reuse(draft, state.rows);
  return { ...state, events: loaded, draft, rows: visible(draft.rows, state.rows), latest: draft.latest };
}

/** Rows that came out as they were keep their identity, so that nothing on screen is drawn again. */
function reuse(draft: Draft, before: readonly Row[]): void {
  const old = new Map(before.map((row) => [row.id, row]));
  draft.rows.forEach((row, i) => {
    const known = row ? old.get(row.id) : undefined;
    if (row && known && sameRow(known, row)) draft.rows[i] = known;
  });
}

function sameRow(a: Row, b: Row): boolean {
  const left = a as unknown as Record<string, unknown>;
  const right = b as unknown as Record<string, unknown>;
  const keys = Object.keys(right);
  return keys.length === Object.keys(left).length && keys.every((key) => left[key] === right[key] || JSON.stringify(left[key]) === JSON.stringify(right[key]));
}

/** Rows with something to show; the same array when nothing changed. */
function visible(rows: readonly (Row | null)[], before: readonly Row[]): readonly Row[] {
  const out: Row[] = [];
  for (const row of rows) {
    if (!row) continue;
    if ((row.kind === "text" || row.kind === "reasoning") && row.blank) continue;
    if (row.kind === "decision" && row.step !== null) continue;
    out.push(row);
  }
  return out.length === before.length && out.every((row, i) => row === before[i]) ? before : out;
}

/** The row on screen that shows an event, or null when it is not loaded or shows nowhere. */
export function rowIdOf(state: Transcript, seq: number): string | null {
  const event = state.events.find((candidate) => begin(candidate) <= seq && candidate.seq >= seq);
  if (!event) return null;
  for (const id of candidates(event)) {
    const place = state.draft.index.get(id);
    const row = place?.task === null ? state.draft.rows[place.at] : null;
    if (row?.kind === "decision" && row.step !== null) return row.step;
    if (place) return place.task ?? id;
  }
  // Nothing of its own: the last row that began before it.
  return state.rows.findLast((row) => row.seq <= seq)?.id ?? null;
}

function candidates(event: LoadedEvent): string[] {
  const turn = event.turn ?? "";
  if (event.body.kind === "prompt") return [`prompt:${event.seq}`];
  if (event.body.kind === "forked_from") return [`forked:${event.seq}`];
  if (event.body.kind === "turn_ended" || event.body.kind === "interrupted") return [`ending:${turn}`];
  if (event.body.kind !== "turn") return [`notice:${event.seq}`];
  const body = event.body.event;
  switch (body.type) {
    case "text_delta":
      return [textId(event, body.message_id, body.block)];
    case "reasoning_delta":
      return [reasoningId(event, body.message_id, body.block)];
    case "message_completed":
      return [textId(event, body.id, body.block)];
    case "tool_call":
    case "tool_output_delta":
      return [`tool:${turn}:${body.id}`];
    case "task_activity":
      return [`task:${turn}:${body.task_id}`, `task:${body.task_id}`];
    case "plan_updated":
      return [`plan:${turn}`];
    default:
      return ["id" in body ? `decision:${turn}:${body.id}` : "", `notice:${event.seq}`];
  }
}
