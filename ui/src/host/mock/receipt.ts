// The receipt of a scripted turn, from its events: what the host reads from its store.
import type { Receipt, ReceiptStep, StoredEvent, ToolDetail } from "../contract";

const TEXT: { [K in ToolDetail["kind"]]?: (detail: Extract<ToolDetail, { kind: K }>) => string } = {
  command: ({ command }) => command,
  read: ({ path }) => path,
  write: ({ path }) => path,
  edit: ({ path }) => path,
  fetch: ({ target }) => target,
};

function stepOf({ seq, body }: StoredEvent): ReceiptStep | null {
  if (body.kind !== "turn" || body.event.type !== "tool_call" || body.event.detail === null || body.event.status === "started") return null;
  const { detail, unasked, status } = body.event;
  const text = (TEXT[detail.kind] as ((of: ToolDetail) => string) | undefined)?.(detail) ?? body.event.name;
  const what = ["command", "read", "write", "edit", "search", "fetch", "task", "mcp"].includes(detail.kind) ? (detail.kind as ReceiptStep["what"]) : "other";
  return { seq, what, text, outcome: status === "failed" ? "failed" : "done", unasked: unasked === true };
}

/** `turn` holds the events of one turn up to its end, in order. */
export function receiptOf(turn: readonly StoredEvent[]): Receipt {
  const answers = new Map(turn.flatMap(({ body }) => (body.kind === "decision_answered" ? [[body.ask, body.answer] as const] : [])));
  const refused = turn.flatMap(({ body }) => (body.kind === "turn" && body.event.type === "approval_requested" && answers.get(body.event.id)?.startsWith("denied") ? [body.event.tool_call_id] : []));
  const happened = turn.filter(({ body }) => !(body.kind === "turn" && body.event.type === "tool_call" && refused.includes(body.event.id)));
  const steps = happened.map(stepOf).filter((step) => step !== null);
  const of = (...kinds: Array<ReceiptStep["what"]>) => steps.filter(({ what }) => kinds.includes(what));
  const commands = of("command");
  const files = of("write", "edit");
  const unasked = steps.filter((step) => step.unasked);
  const end = turn.at(-1)?.body;
  const payer = turn.map(({ body }) => (body.kind === "turn" && body.event.type === "payer" ? body.event : null)).find((told) => told !== null);
  const decisions = turn.flatMap(({ seq, body }): Receipt["decisions"] => {
    if (body.kind !== "turn" || body.event.type !== "approval_requested") return [];
    const { id, detail, tool_name } = body.event;
    return [{ seq, asked: "approval", subject: detail.kind === "command" ? detail.command : tool_name, answer: answers.get(id) ?? null, closed: answers.has(id) ? { by: "person" } : null }];
  });
  return {
    turn: turn.at(-1)?.turn ?? "", commands, files, hosts: [], unasked, decisions, whole: true, model: "claude-sonnet-5",
    counts: { commands: commands.length, files: files.length, hosts: 0, decisions: decisions.length, unasked: unasked.length, failed: 0, denied: refused.length },
    payer: payer ? { source: payer.source, label: payer.label } : null,
    usage: end?.kind === "turn_ended" ? end.usage : null,
    start: { carrier: "fresh", slot_ms: 1, process_ms: 312, first_line_ms: 930, first_text_ms: 2_410 },
    took_ms: end?.kind === "turn_ended" ? end.duration_ms : null,
  };
}
