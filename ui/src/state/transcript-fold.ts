// One event after another, in the order of their numbers, to rows. The draft is private to one `ingest`; rows already
// handed out are never written to.
import type { Payload, ToolCall, TurnEventBody } from "./transcript-events";
import type { Latest, PayloadPart, PayloadRef, Row, TaskRow, TextRow, ToolRow, ToolState } from "./transcript-rows";

/** Samples of unknown events kept for display. */
const MAX_UNKNOWN_SAMPLES = 3;
/** Characters of running output kept; its beginning goes first. */
const MAX_STREAM_CHARS = 64_000;

/** Where and when an event happened; what it says is given apart. */
export interface Mark {
  seq: number;
  at: number;
  turn: string | null;
  /** Merged text: the number and the time of its first piece. */
  from?: number;
  began?: number;
}

/** What a row made by this event begins with. */
const birth = (event: Mark) => ({ seq: event.from ?? event.seq, at: event.began ?? event.at, turn: event.turn });

const isBlank = (text: string) => !/\S/.test(text);

/** The state between two events. */
export interface Draft {
  /** Top-level rows, in order; a removed row leaves null behind until the batch ends. */
  rows: Array<Row | null>;
  /** Row id to its place: top-level index, or the task row it is a child of. Shared with the state before until written. */
  index: ReadonlyMap<string, Place>;
  /** The index is this draft's own and may be written. */
  owned: boolean;
  /** The latest diff of each turn. */
  diffs: Map<string | null, { payload: Payload; seq: number }>;
  /** Steps that a person refused, or that nobody allowed in time: their failure is no fault. */
  denied: Set<string>;
  latest: Latest;
  /** The event that is being applied: every row it touches carries its number. */
  seq: number;
}
/** A row as it is made; the number of its last event is put on it where it is stored. */
type Fresh = Row extends infer R ? (R extends Row ? Omit<R, "last"> & { last?: number } : never) : never;
type Place = { at: number; task: string | null };

export const EMPTY_LATEST: Latest = {
  model: null, mode: null, payer: null, usage: null, quota: null, tasks: [], commands: [], mcp: [], turn: null, unknown: 0,
};

const RANK: Record<ToolState, number> = { missing: 0, waits: 1, started: 1, succeeded: 2, failed: 2, denied: 2, interrupted: 2 };

function ref(payload: Payload, seq: number, part: PayloadPart): PayloadRef | null {
  return payload.truncated ? { seq, part, bytes: payload.bytes } : null;
}

/** The index for writing: a stream that only grows a row never copies it. */
function places(draft: Draft): Map<string, Place> {
  if (!draft.owned) {
    draft.index = new Map(draft.index);
    draft.owned = true;
  }
  return draft.index as Map<string, Place>;
}

export function get(draft: Draft, id: string): Row | null {
  const place = draft.index.get(id);
  if (!place) return null;
  if (place.task === null) return draft.rows[place.at] ?? null;
  const parent = get(draft, place.task);
  return parent?.kind === "task" ? (parent.children[place.at] ?? null) : null;
}

export function put(draft: Draft, row: Row): void {
  const place = draft.index.get(row.id);
  if (!place) return;
  const stamped: Row = { ...row, last: draft.seq };
  if (place.task === null) {
    draft.rows[place.at] = stamped;
    return;
  }
  const parent = get(draft, place.task);
  if (parent?.kind !== "task") return;
  const children = [...parent.children];
  children[place.at] = stamped;
  put(draft, { ...parent, children });
}

export function add(draft: Draft, fresh: Fresh, task: string | null, event: Mark): void {
  const row = { ...fresh, last: event.seq } as Row;
  if (task === null) {
    places(draft).set(row.id, { at: draft.rows.length, task: null });
    draft.rows.push(row);
    return;
  }
  const parent = taskRow(draft, task, event);
  places(draft).set(row.id, { at: parent.children.length, task: parent.id });
  put(draft, { ...parent, children: [...parent.children, row] });
}

/** A task that works on after its turn stays one row. A name that is used again is another task. */
export function taskRowId(draft: Draft, task: string, turn: string | null): string {
  const lasting = `task:${task}`;
  const known = get(draft, lasting);
  const another = known?.kind === "task" && known.turn !== turn && known.state !== "running";
  return another ? `task:${turn ?? ""}:${task}` : lasting;
}

export function taskRow(draft: Draft, task: string, event: Mark): TaskRow {
  const id = taskRowId(draft, task, event.turn);
  const known = get(draft, id);
  if (known?.kind === "task") return known;
  const row: TaskRow = {
    kind: "task", id, ...birth(event), last: event.seq, taskId: task, of: "agent", description: "", agent: null,
    state: "running", summary: null, tokens: null, children: [],
  };
  places(draft).set(id, { at: draft.rows.length, task: null });
  draft.rows.push(row);
  return row;
}

export function removeRow(draft: Draft, id: string): void {
  const place = draft.index.get(id);
  if (!place) return;
  places(draft).delete(id);
  if (place.task === null) {
    draft.rows[place.at] = null;
    return;
  }
  const row = get(draft, place.task);
  if (row?.kind !== "task") return;
  // A child keeps its place as an empty text, so that its neighbours keep theirs.
  const child = row.children[place.at];
  if (!child) return;
  const children = [...row.children];
  children[place.at] = { kind: "text", id: `${id}:gone`, seq: child.seq, last: draft.seq, at: child.at, turn: child.turn, text: "", blank: true, open: false, truncated: null };
  put(draft, { ...row, children });
}

export const textId = (event: Mark, message: string, block: number) => `text:${event.turn ?? ""}:${message}:${block}`;
export const reasoningId = (event: Mark, message: string, block: number) => `reasoning:${event.turn ?? ""}:${message}:${block}`;

export function textDelta(draft: Draft, event: Mark, message: string, block: number, text: string, task: string | null): void {
  const id = textId(event, message, block);
  const known = get(draft, id);
  if (known?.kind === "text") {
    if (known.open) put(draft, { ...known, text: known.text + text, blank: known.blank && isBlank(text) });
    return; // a completed text is the record: what comes late is already in it
  }
  add(draft, { kind: "text", id, ...birth(event), text, blank: isBlank(text), open: true, truncated: null }, task, event);
}

export function reasoningDelta(draft: Draft, event: Mark, message: string, block: number, text: string, task: string | null): void {
  const id = reasoningId(event, message, block);
  const known = get(draft, id);
  if (known?.kind === "reasoning") {
    put(draft, { ...known, text: known.text + text, blank: known.blank && isBlank(text), until: event.at });
    return;
  }
  add(draft, { kind: "reasoning", id, ...birth(event), text, blank: isBlank(text), open: true, until: event.at }, task, event);
}

/** Ids of the blocks of a message that are on screen. */
export function blocksOf(draft: Draft, event: Mark, message: string): string[] {
  const prefix = `text:${event.turn ?? ""}:${message}:`;
  return [...draft.index.keys()].filter((id) => id.startsWith(prefix) && /^\d+$/.test(id.slice(prefix.length)));
}

export function completed(draft: Draft, event: Mark, body: Extract<TurnEventBody, { type: "message_completed" }>): void {
  const id = textId(event, body.id, body.block);
  const record = { text: body.text.text, blank: isBlank(body.text.text), open: false, truncated: ref(body.text, event.seq, "text") };
  for (const message of body.replaces) {
    if (message === body.id) continue;
    for (const block of blocksOf(draft, event, message)) {
      const old = get(draft, block);
      const place = draft.index.get(block);
      if (!old || !place) continue;
      if (draft.index.has(id)) removeRow(draft, block);
      else {
        // The record takes the place of what it replaces.
        places(draft).delete(block);
        places(draft).set(id, place);
        put(draft, { ...(old as TextRow), id, ...record });
      }
    }
  }
  const known = get(draft, id);
  if (known?.kind === "text") put(draft, { ...known, ...record });
  else add(draft, { kind: "text", id, seq: event.seq, at: event.at, turn: event.turn, ...record }, body.task_id, event);
}

/** A call without an id ends the oldest open call of its name in the same turn. */
function anonymousCall(draft: Draft, event: Mark, call: ToolCall): string {
  const prefix = `tool:${event.turn ?? ""}:~${call.name}:`;
  if (call.status !== "started") {
    for (const id of draft.index.keys()) {
      if (!id.startsWith(prefix)) continue;
      const row = get(draft, id);
      if (row?.kind === "tool" && row.state === "started") return id;
    }
  }
  return `${prefix}${event.seq}`;
}

/** The row of a task's step that began in an earlier turn. */
function ofTask(draft: Draft, event: Mark, call: ToolCall): string | null {
  if (call.task_id === null) return null;
  const task = get(draft, taskRowId(draft, call.task_id, event.turn));
  if (task?.kind !== "task" || task.turn === event.turn) return null;
  return task.children.find((child) => child.kind === "tool" && child.callId === call.id && RANK[child.state] < RANK.succeeded)?.id ?? null;
}

export function toolCall(draft: Draft, event: Mark, call: ToolCall): void {
  const id = call.id === null ? anonymousCall(draft, event, call) : (ofTask(draft, event, call) ?? `tool:${event.turn ?? ""}:${call.id}`);
  const known = get(draft, id);
  const old: ToolRow =
    known?.kind === "tool"
      ? known
      : {
          kind: "tool", id, ...birth(event), last: event.seq, callId: call.id, name: call.name, state: "missing",
          detail: null, input: null, inputSeq: null, output: null, outputSeq: null, stream: "", error: null, unasked: null,
          grant: null, asked: null, startedAt: null, endedAt: null,
        };
  const forward = RANK[call.status] > RANK[old.state];
  const row: ToolRow = {
    ...old,
    name: old.name || call.name,
    state: forward ? (call.status === "failed" && draft.denied.has(id) ? "denied" : call.status) : old.state,
    detail: old.detail ?? call.detail,
    input: old.input ?? call.input,
    inputSeq: old.input ? old.inputSeq : call.input ? event.seq : null,
    output: old.output ?? call.output,
    outputSeq: old.output ? old.outputSeq : call.output ? event.seq : null,
    error: old.error ?? call.error,
    unasked: call.unasked ?? old.unasked,
    startedAt: call.status === "started" ? (old.startedAt ?? event.began ?? event.at) : old.startedAt,
    endedAt: call.status !== "started" && forward ? event.at : old.endedAt,
    stream: call.output ? "" : old.stream,
  };
  if (known) put(draft, row);
  else add(draft, row, call.task_id, event);
}

export function toolOutput(draft: Draft, event: Mark, id: string, text: string): void {
  const row = get(draft, `tool:${event.turn ?? ""}:${id}`);
  if (row?.kind !== "tool") {
    toolCall(draft, event, {
      id, name: "", status: "started", detail: null, input: null, output: null, error: null, task_id: null, unasked: null,
    });
    return toolOutput(draft, event, id, text);
  }
  if (row.output) return;
  put(draft, { ...row, stream: (row.stream + text).slice(-MAX_STREAM_CHARS) });
}

export function unknown(draft: Draft, event: Mark, kind: string, raw: string): void {
  const id = `unknown:${event.turn ?? ""}`;
  const known = get(draft, id);
  if (known?.kind === "unknown") {
    const samples = known.samples.length < MAX_UNKNOWN_SAMPLES ? [...known.samples, { kind, raw }] : known.samples;
    put(draft, { ...known, count: known.count + 1, samples });
    return;
  }
  add(draft, { kind: "unknown", id, seq: event.seq, at: event.at, turn: event.turn, count: 1, samples: [{ kind, raw }] }, null, event);
}

/**
 * Whatever still runs or grows in a turn that ended is closed; a call without an end was cut off. Tasks go on after a
 * turn that ended well, and are cut off by any other end.
 */
export function settle(draft: Draft, turn: string | null, at: number, by: "turn_ended" | "restart", well = false): void {
  const close = (row: Row): Row => {
    if (row.turn !== turn) return row;
    if ((row.kind === "text" || row.kind === "reasoning") && row.open) return { ...row, open: false };
    if (row.kind === "tool" && (row.state === "started" || row.state === "waits" || row.state === "missing")) return { ...row, state: "interrupted", endedAt: at };
    if (row.kind === "decision" && !row.closed && row.of !== "async_question") return { ...row, closed: { by } };
    if (row.kind === "task") {
      if (row.state === "running" && well) return row;
      const children = row.children.map(close);
      if (row.state === "running") return { ...row, children, state: "stopped" };
      return children.some((child, i) => child !== row.children[i]) ? { ...row, children } : row;
    }
    return row;
  };
  for (let i = draft.rows.length - 1; i >= 0; i -= 1) {
    const row = draft.rows[i];
    if (!row) continue;
    if (row.kind === "prompt" && row.turn === turn) break;
    draft.rows[i] = close(row);
  }
}

export function closeGrowing(draft: Draft, event: Mark, except: string): void {
  // Only the last few rows can still grow: reasoning ends when anything else of the turn begins.
  for (let i = draft.rows.length - 1; i >= Math.max(0, draft.rows.length - 8); i -= 1) {
    const row = draft.rows[i];
    if (row?.kind === "reasoning" && row.open && row.turn === event.turn && row.id !== except) draft.rows[i] = { ...row, open: false };
  }
}

