// Events that become a quiet line between the others.
import type { TurnEventBody } from "./transcript-events";
import type { NoticeRow } from "./transcript-rows";

type Notice = Pick<NoticeRow, "tone" | "code" | "text" | "detail">;

const tokens = (n: number) => (n >= 1_000 ? `${Math.round(n / 1_000)}k` : String(n));

const quiet = (code: string, text: string, detail: string | null = null): Notice => ({ tone: "quiet", code, text, detail });
const warning = (code: string, text: string, detail: string | null = null): Notice => ({ tone: "warning", code, text, detail });

const MODES: Record<string, string> = {
  read_only: "Look only", default: "Ask", accept_edits: "Edit freely", plan: "Plan", full_access: "Full",
};

/** The line an event becomes, or null when it is none. */
export function noticeOf(body: TurnEventBody): Notice | null {
  switch (body.type) {
    case "compaction_completed": {
      const sizes = body.pre_tokens !== null && body.post_tokens !== null ? `: ${tokens(body.pre_tokens)} → ${tokens(body.post_tokens)} tokens` : "";
      return quiet("compaction", `Context compacted${sizes}`);
    }
    case "compaction_failed":
      return warning("compaction", "Compacting the context failed", body.message);
    case "retry_scheduled": {
      const of = body.max_attempts === null ? "" : ` of ${body.max_attempts}`;
      const status = body.status === null ? "" : ` (HTTP ${body.status})`;
      return quiet("retry", `Retry ${body.attempt}${of} after ${Math.round(body.delay_ms / 1_000)} s${status}`, body.reason);
    }
    case "model_changed":
      return warning("model", body.from ? `Model changed: ${body.from} → ${body.to}` : `Model: ${body.to}`, body.reason);
    case "permission_mode_changed": {
      const name = body.mode.mode === "custom" ? body.mode.name : MODES[body.mode.mode];
      return quiet("mode", `Permissions: ${name ?? body.mode.mode}`);
    }
    case "warning":
      return warning(body.code, body.message);
    case "sandbox_access_denied":
      return warning("sandbox", `The sandbox refused: ${body.violation}`, body.profile ? `Profile ${body.profile}` : null);
    case "sandbox_profile_updated":
      return quiet("sandbox", `Profile ${body.profile} changed: ${body.change}`);
    case "sandbox_step_retrying":
      return quiet("sandbox", `The refused step runs again (attempt ${body.attempt})`);
    case "agent_relay_activity":
      return quiet("relay", `Messages between agents: ${body.sent} sent, ${body.received} received`);
    case "provider_process_status":
      return body.status === "replacing" ? quiet("process", "The agent's process is being replaced", body.message) : null;
    default:
      return null;
  }
}
