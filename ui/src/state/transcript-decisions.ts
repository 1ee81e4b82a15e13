// Decisions among the rows: the steps they are about, and what became of both.
import { type Draft, type Mark, add, get, put } from "./transcript-fold";
import type { ToolDetail } from "./transcript-events";
import type { DecisionKind, DecisionRow, ToolRow } from "./transcript-rows";

function step(draft: Draft, turn: string | null, call: string | null): ToolRow | null {
  const row = call === null ? null : get(draft, `tool:${turn ?? ""}:${call}`);
  return row?.kind === "tool" ? row : null;
}

/** A step waits for a person's answer. */
export function wait(draft: Draft, event: Mark, call: string | null): void {
  const row = step(draft, event.turn, call);
  if (row?.state === "started") put(draft, { ...row, state: "waits" });
}

/** A step that waited goes on. The time it waited is not its own. */
export function goOn(draft: Draft, event: Mark, call: string | null): void {
  const row = step(draft, event.turn, call);
  if (row?.state === "waits") put(draft, { ...row, state: "started", startedAt: event.at });
}

/** A refusal of a step, told before or after the step has ended. */
export function deny(draft: Draft, event: Mark, call: string | null): void {
  if (call === null) return;
  draft.denied.add(`tool:${event.turn ?? ""}:${call}`);
  const row = step(draft, event.turn, call);
  if (row?.state === "failed" || row?.state === "waits") put(draft, { ...row, state: "denied", endedAt: row.endedAt ?? event.at });
}

export function decision(draft: Draft, event: Mark, of: DecisionKind, ask: string, body: object, call: string | null = null): void {
  const id = `decision:${event.turn ?? ""}:${ask}`;
  if (draft.index.has(id)) return;
  const request = body as never;
  const about = step(draft, event.turn, call);
  // A step inside a folded group cannot tell of it: the decision keeps its line.
  const told = about && draft.index.get(about.id)?.task === null ? about : null;
  if (told) put(draft, { ...told, asked: { answer: null, closed: null } });
  add(
    draft,
    {
      kind: "decision", id, seq: event.seq, at: event.at, turn: event.turn, ask, of, closed: null, answer: null, step: told?.id ?? null,
      approval: of === "approval" ? request : null,
      plan: of === "plan" ? request : null,
      question: of === "question" || of === "async_question" ? request : null,
    },
    null,
    event,
  );
}

/** A decision changed: so does the step that tells of it. */
export function putDecision(draft: Draft, row: DecisionRow): void {
  put(draft, row);
  const about = row.step === null ? null : get(draft, row.step);
  if (about?.kind === "tool") put(draft, { ...about, asked: { answer: row.answer, closed: row.closed } });
}

/** Rows looked back at for the step that a grant allowed. */
const NEAR_ROWS = 40;

/** Notes that a grant allowed a step. False: the step is not on screen by itself. */
export function granted(draft: Draft, event: Mark, name: string, detail: ToolDetail, shown: string): boolean {
  const wanted = JSON.stringify(detail);
  const row = draft.rows
    .slice(-NEAR_ROWS)
    .find((candidate): candidate is ToolRow => candidate?.kind === "tool" && candidate.turn === event.turn && candidate.state === "started" && candidate.grant === null && candidate.name === name && JSON.stringify(candidate.detail) === wanted);
  if (row) put(draft, { ...row, grant: shown });
  return row !== undefined;
}
