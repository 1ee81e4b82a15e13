// What each kind of event does to the draft.
import { decision, deny, goOn, granted, putDecision, wait } from "./transcript-decisions";
import type { ChatEvent, TurnEventBody } from "./transcript-events";
import {
  type Draft, type Mark, add, blocksOf, closeGrowing, completed, get, put, reasoningDelta, reasoningId, removeRow,
  settle, taskRow, taskRowId, textDelta, toolCall, toolOutput, unknown,
} from "./transcript-fold";
import { nextLatest, nextLive } from "./transcript-latest";
import type { LoadedEvent } from "./transcript-merge";
import { noticeOf } from "./transcript-notices";
import type { DecisionRow, EndingRow, LiveTurn } from "./transcript-rows";

function live(event: Mark, phase: LiveTurn["phase"]): LiveTurn {
  const began = event.began ?? event.at;
  return { id: event.turn, startedAt: began, lastAt: began, phase, since: began, retry: null, running: [] };
}

type Ended = Pick<EndingRow, "status" | "failure" | "delivery" | "restart" | "usage" | "took">;

function end(draft: Draft, event: Mark, ended: Ended): void {
  settle(draft, event.turn, event.at, ended.restart ? "restart" : "turn_ended", ended.status === "succeeded");
  const id = `ending:${event.turn ?? event.seq}`;
  if (!draft.index.has(id)) {
    const diff = draft.diffs.get(event.turn) ?? null;
    add(draft, { kind: "ending", id, seq: event.seq, at: event.at, turn: event.turn, diff, ...ended }, null, event);
  }
  const usage = ended.usage ? { ...draft.latest.usage, ...known(ended.usage) } : draft.latest.usage;
  draft.latest = { ...draft.latest, turn: null, usage: usage as typeof draft.latest.usage };
}

/** The data stands under the answer and above the receipt. */
function structured(draft: Draft, event: Mark, data: string | null): void {
  const id = `structured:${event.turn ?? event.seq}`;
  if (data !== null && !draft.index.has(id)) add(draft, { kind: "structured", id, seq: event.seq, at: event.at, turn: event.turn, data }, null, event);
}

const known = (usage: object) => Object.fromEntries(Object.entries(usage).filter(([, value]) => value !== null));

/** How the host words a refusal. */
const DENIED = /^denied\b/;

/** An answer is told by our own id of the decision; the row knows the harness's id of the ask. */
function answered(draft: Draft, event: Mark, ask: string, answer: string): void {
  const row = draft.rows.find(
    (candidate): candidate is DecisionRow =>
      candidate?.kind === "decision" && candidate.turn === event.turn && candidate.answer === null && candidate.ask === ask,
  );
  if (row) {
    putDecision(draft, { ...row, answer, closed: row.closed ?? { by: "person" } });
    const call = row.approval?.tool_call_id ?? null;
    if (DENIED.test(answer)) deny(draft, event, call);
    else goOn(draft, event, call);
  } else notice(draft, event, "decision", `Decision: ${answer}`);
}

function notice(draft: Draft, event: Mark, code: string, text: string, detail: string | null = null): void {
  add(draft, { kind: "notice", id: `notice:${event.seq}`, seq: event.seq, at: event.at, turn: event.turn, tone: "quiet", code, text, detail }, null, event);
}

function applyText(draft: Draft, event: Mark, body: TurnEventBody): boolean {
  switch (body.type) {
    case "text_delta":
      closeGrowing(draft, event, "");
      textDelta(draft, event, body.message_id, body.block, body.text, body.task_id);
      return true;
    case "reasoning_delta":
      closeGrowing(draft, event, reasoningId(event, body.message_id, body.block));
      reasoningDelta(draft, event, body.message_id, body.block, body.text, body.task_id);
      return true;
    case "message_completed":
      closeGrowing(draft, event, "");
      completed(draft, event, body);
      return true;
    case "text_withdrawn":
      for (const id of blocksOf(draft, event, body.message_id)) removeRow(draft, id);
      return true;
    default:
      return false;
  }
}

function applyDecision(draft: Draft, event: Mark, body: TurnEventBody): boolean {
  switch (body.type) {
    case "approval_requested":
      decision(draft, event, "approval", body.id, body, body.tool_call_id);
      wait(draft, event, body.tool_call_id);
      return true;
    case "plan_approval_requested":
      decision(draft, event, "plan", body.id, body);
      return true;
    case "question_requested":
      decision(draft, event, "question", body.id, body);
      return true;
    case "async_question_requested":
      decision(draft, event, "async_question", body.id, body);
      return true;
    case "decision_closed": {
      const row = get(draft, `decision:${event.turn ?? ""}:${body.id}`);
      if (row?.kind === "decision" && (!row.closed || row.closed.by === "person")) putDecision(draft, { ...row, closed: body.by });
      if (row?.kind !== "decision") return true;
      if (body.by.by === "expired") deny(draft, event, row.approval?.tool_call_id ?? null);
      else goOn(draft, event, row.approval?.tool_call_id ?? null);
      return true;
    }
    case "step_allowed":
      if (granted(draft, event, body.tool_name, body.detail, body.grant.scope.shown)) return true;
      notice(draft, event, "grant", `Allowed by your grant: ${body.grant.scope.shown}`, body.tool_name);
      return true;
    default:
      return false;
  }
}

function applyStep(draft: Draft, event: Mark, body: TurnEventBody): boolean {
  switch (body.type) {
    case "tool_call":
      closeGrowing(draft, event, "");
      toolCall(draft, event, body);
      return true;
    case "tool_output_delta":
      toolOutput(draft, event, body.id, body.text);
      return true;
    case "task_activity": {
      const row = taskRow(draft, body.task_id, event);
      const state = body.kind === "completed" || body.kind === "failed" || body.kind === "stopped" ? body.kind : row.state;
      put(draft, {
        ...row, state: row.state === "running" ? state : row.state, description: body.description ?? row.description,
        summary: body.summary ?? row.summary, tokens: body.usage?.total_tokens ?? row.tokens,
      });
      return true;
    }
    case "tasks_changed":
      for (const task of body.tasks) {
        const row = get(draft, taskRowId(draft, task.id, event.turn));
        if (row?.kind === "task") put(draft, { ...row, of: task.kind, state: row.state === "running" ? task.status : row.state, description: row.description || task.description, agent: row.agent ?? task.agent_type });
      }
      return true;
    case "diff_updated":
      draft.diffs.set(event.turn, { payload: body.diff, seq: event.seq });
      return true;
    case "plan_updated": {
      const id = `plan:${event.turn ?? ""}`;
      const old = get(draft, id);
      if (old?.kind === "plan") put(draft, { ...old, entries: body.entries });
      else add(draft, { kind: "plan", id, seq: event.seq, at: event.at, turn: event.turn, entries: body.entries }, null, event);
      return true;
    }
    default:
      return false;
  }
}

/** Kinds that say something only to the latest facts. */
const SILENT = new Set<string>([
  "session_started", "usage", "commands", "mcp_status", "payer", "account_usage_updated", "compaction_started", "provider_process_status", "resting",
]);

/** Follows the running turn. One whose start is not loaded is picked up where the loaded part begins. */
function advance(draft: Draft, event: Mark, body: TurnEventBody): void {
  if (event.turn === null) return;
  const turn = draft.latest.turn ?? (draft.index.has(`ending:${event.turn}`) ? null : live(event, "model"));
  if (turn && turn.id === event.turn) draft.latest = { ...draft.latest, turn: nextLive(turn, body, event.at, event.began) };
}

function applyTurnEvent(draft: Draft, event: Mark, body: TurnEventBody): void {
  draft.latest = nextLatest(draft.latest, body, event.at);
  advance(draft, event, body);
  if (applyText(draft, event, body) || applyDecision(draft, event, body) || applyStep(draft, event, body)) return;
  const line = noticeOf(body);
  if (line) {
    add(draft, { kind: "notice", id: `notice:${event.seq}`, seq: event.seq, at: event.at, turn: event.turn, ...line }, null, event);
    return;
  }
  if (SILENT.has(body.type)) return;
  if (body.type === "unknown") count(draft, event, body.kind, body.raw.text);
  else count(draft, event, (body as { type: string }).type, JSON.stringify(body));
}

/** Characters of a strange event kept for display. */
const MAX_SAMPLE_CHARS = 500;

function count(draft: Draft, event: Mark, kind: string, raw: string): void {
  unknown(draft, event, kind, raw.slice(0, MAX_SAMPLE_CHARS));
  draft.latest = { ...draft.latest, unknown: draft.latest.unknown + 1 };
}

/** Applies one stored event. Never throws on a kind it does not know: it counts it. */
export function apply(draft: Draft, event: LoadedEvent): void {
  const body: ChatEvent = event.body;
  draft.seq = event.seq;
  switch (body.kind) {
    case "prompt": {
      const id = `prompt:${event.seq}`;
      add(draft, { kind: "prompt", id, seq: event.seq, at: event.at, turn: event.turn, text: body.text, files: body.attachments ?? [], schema: body.schema ?? null }, null, event);
      return;
    }
    case "forked_from":
      add(draft, { kind: "forked", id: `forked:${event.seq}`, seq: event.seq, at: event.at, turn: event.turn, chat: body.chat, title: body.title }, null, event);
      return;
    case "compaction_asked":
      notice(draft, event, "compaction", "You asked to compact the context", body.instructions || null);
      return;
    case "turn_queued":
      draft.latest = { ...draft.latest, turn: live(event, "queued") };
      return;
    case "turn_started":
      draft.latest = { ...draft.latest, turn: live(event, "starting") };
      return;
    case "turn":
      applyTurnEvent(draft, event, body.event);
      return;
    case "decision_answered":
      answered(draft, event, body.ask, body.answer);
      return;
    case "turn_ended":
      structured(draft, event, body.structured ?? null);
      end(draft, event, {
        status: body.status, failure: body.failure, delivery: body.delivery, restart: false, usage: body.usage, took: body.duration_ms,
      });
      return;
    case "interrupted":
      end(draft, event, { status: "interrupted", failure: null, delivery: body.delivery, restart: true, usage: null, took: null });
      return;
    case "unreadable":
      count(draft, event, body.stored_kind, "kept in the store, not readable by this version");
      return;
    default:
      count(draft, event, (body as { kind: string }).kind, JSON.stringify(body));
  }
}
