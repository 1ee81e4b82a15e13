// Facts of which only the latest counts, and what the running turn is doing right now.
import { mergedUsage } from "../kit/quota";
import type { TurnEventBody } from "./transcript-events";
import type { Latest, LiveTurn } from "./transcript-rows";

/** The facts after one more event. The same object when nothing changed. */
export function nextLatest(latest: Latest, body: TurnEventBody, at: number): Latest {
  switch (body.type) {
    case "session_started":
      return body.model ? { ...latest, model: body.model } : latest;
    case "model_changed":
      return { ...latest, model: body.to };
    case "permission_mode_changed":
      return { ...latest, mode: body.mode.mode === "custom" ? body.mode.name : body.mode.mode };
    case "payer":
      return { ...latest, payer: { source: body.source, label: body.label } };
    case "usage":
      return { ...latest, usage: { ...latest.usage, ...withoutNulls(body) } as Latest["usage"] };
    case "account_usage_updated":
      return { ...latest, quota: { usage: mergedUsage(latest.quota?.usage ?? null, body), at } };
    case "tasks_changed":
      return { ...latest, tasks: body.tasks };
    case "commands":
      return { ...latest, commands: body.commands };
    case "mcp_status":
      return { ...latest, mcp: body.servers };
    default:
      return latest;
  }
}

/** Absent means unknown: a later event without a figure leaves the earlier one standing. */
function withoutNulls(body: object): object {
  return Object.fromEntries(Object.entries(body).filter(([key, value]) => key !== "type" && value !== null && value !== undefined));
}

const enter = (turn: LiveTurn, at: number, phase: LiveTurn["phase"], began = at): LiveTurn =>
  turn.phase === phase ? { ...turn, lastAt: at } : { ...turn, phase, since: began, lastAt: at, retry: phase === "retry" ? turn.retry : null };

/** What a running turn does after one more event of it. */
export function nextLive(turn: LiveTurn, body: TurnEventBody, at: number, began = at): LiveTurn {
  switch (body.type) {
    case "text_delta":
      return enter(turn, at, "writing", began);
    case "reasoning_delta":
      return enter(turn, at, "thinking", began);
    case "message_completed":
      return turn.running.length > 0 ? { ...turn, lastAt: at } : enter(turn, at, "model");
    case "tool_call": {
      const id = body.id ?? `~${body.name}`;
      const others = turn.running.filter((other) => other !== id);
      const running = body.status === "started" ? [...others, id] : others;
      const next = enter(turn, at, running.length > 0 ? "tool" : "model");
      return { ...next, running, since: body.status === "started" && others.length === 0 ? at : next.since };
    }
    case "retry_scheduled":
      return {
        ...enter(turn, at, "retry"),
        since: at,
        retry: { attempt: body.attempt, max: body.max_attempts, until: at + body.delay_ms, reason: body.reason },
      };
    case "compaction_started":
      return enter(turn, at, "compacting");
    case "compaction_completed":
    case "compaction_failed":
      return enter(turn, at, "model");
    case "approval_requested":
    case "plan_approval_requested":
    case "question_requested":
      return enter(turn, at, "decision");
    case "decision_closed":
      return turn.phase === "decision" ? enter(turn, at, turn.running.length > 0 ? "tool" : "model") : { ...turn, lastAt: at };
    default:
      return { ...turn, lastAt: at };
  }
}
