import type { ChatEvent, StoredEvent, ToolCall, TurnEvent } from "../contract";
import { minutesAgo, seeded } from "./clock";
import { payload } from "./decisions";

const NO_USAGE = { input: 18_420, output: 2_310, cache_creation: 1_200, cache_read: 15_000, context_window: { used: 61_000, limit: 200_000, model: "claude-sonnet-5", estimated: false }, cost_usd: 0.21 };

const ANSWER = `The tiles load twice because two effects ask for them.

\`useTiles\` asks once when the map is mounted, and \`MapView\` asks again when the *first* size is known. Both requests go out before either is answered, so the cache does not help.

\`\`\`ts
useEffect(() => {
  if (size === null) return; // wait for the first size
  return tiles.load(bounds, size);
}, [bounds, size]);
\`\`\`

| request | before | after |
| --- | --- | --- |
| first paint | 48 | 24 |
| pan | 12 | 12 |

I would keep the first effect and drop the second. Shall I?`;

function numbered(bodies: ChatEvent[], turn: string, startMinutes: number): StoredEvent[] {
  return bodies.map((body, at) => ({ seq: at + 1, at: minutesAgo(startMinutes) + at * 1_500, turn: body.kind === "prompt" ? null : turn, body }));
}

const said = (event: TurnEvent): ChatEvent => ({ kind: "turn", event });

function tool(id: string, name: string, over: Partial<ToolCall>): ChatEvent {
  return said({ type: "tool_call", id, name, status: "succeeded", detail: null, input: null, output: null, error: null, task_id: null, unasked: null, ...over });
}

/** The events of one ordinary turn. */
export function ordinary(chat: string, prompt: string, ended: boolean, minutes = 12): StoredEvent[] {
  const events: ChatEvent[] = [
    { kind: "prompt", text: prompt },
    { kind: "turn_started", resumed: false },
    said({ type: "session_started", session_id: "0f9d2c31-5a77-4f7e-9b6e-2f6f9f0f6a11", title: null, model: "claude-sonnet-5", cwd: "/home/ada/work/atlas" }),
    said({ type: "payer", source: "account", label: "Max plan" }),
    said({ type: "mcp_status", servers: [{ name: "herbarium", status: "connected" }, { name: "maps", status: "failed" }] }),
    said({ type: "reasoning_delta", message_id: "m1", block: 0, text: "I should look at who asks for tiles, and when.", task_id: null }),
    tool("r1", "Read", { detail: { kind: "read", path: "src/map/useTiles.ts" }, input: payload('{"file_path":"src/map/useTiles.ts"}'), output: payload("export function useTiles(bounds: Bounds) {\n  useEffect(() => tiles.load(bounds), [bounds]);\n}\n"), unasked: true }),
    tool("b1", "Bash", { detail: { kind: "command", command: "npm test -- map", background: false }, input: payload('{"command":"npm test -- map"}'), output: payload("\u001b[32m✓\u001b[0m map/tiles.test.ts (8)\n\u001b[31m✗\u001b[0m map/view.test.ts (1 failed)\n"), unasked: false }),
    tool("e1", "Edit", { detail: { kind: "edit", path: "src/map/MapView.tsx", old: payload("  useEffect(() => tiles.load(bounds));\n"), new: payload("  useTiles(bounds, size);\n"), all: false }, input: payload("{}"), output: payload("updated"), unasked: false }),
    said({ type: "message_completed", id: "m2", block: 0, text: payload(ANSWER), replaces: [], task_id: null }),
    said({ type: "usage", ...NO_USAGE }),
  ];
  if (ended) events.push({ kind: "turn_ended", status: "succeeded", text: ANSWER, usage: NO_USAGE, failure: null, delivery: "accepted", duration_ms: 48_000 });
  return numbered(events, `${chat}-t1`, minutes);
}

export function failedTurn(chat: string, prompt: string): StoredEvent[] {
  return numbered(
    [
      { kind: "prompt", text: prompt },
      { kind: "turn_started", resumed: false },
      {
        kind: "turn_ended", status: "failed", text: "", usage: NO_USAGE, delivery: "possibly_sent", duration_ms: 9_000,
        failure: { kind: "rate_limit", message: "The provider's limit for this account is reached", next_step: "Go on at 16:04, or choose another model.", code: "429", exit_code: 1, retry_at: minutesAgo(-55), delivery: "possibly_sent", retry: "requires_user_action" },
      },
    ],
    `${chat}-t1`,
    52,
  );
}

/** A turn with a denied step and an answered question, cut off by a restart. */
export function cutOff(chat: string, prompt: string): StoredEvent[] {
  const command = "rm -rf build/";
  const detail = { kind: "command" as const, command, background: false };
  const input = payload(JSON.stringify({ command }));
  return numbered(
    [
      { kind: "prompt", text: prompt },
      { kind: "turn_started", resumed: false },
      said({ type: "payer", source: "account", label: "Max plan" }),
      tool("c1", "Bash", { status: "started", detail, input, unasked: false }),
      said({ type: "approval_requested", id: "k1", tool_name: "Bash", tool_call_id: "c1", input, detail, description: null, blocked_path: null, agent_id: null, mcp_server: null, scope: null, editable: false }),
      { kind: "decision_answered", decision: "x-1", ask: "k1", answer: "denied: keep the build folder" },
      tool("c1", "Bash", { status: "failed", error: "The step was refused: keep the build folder", unasked: false }),
      said({ type: "message_completed", id: "k2", block: 0, text: payload("> Keep the build folder\n\nUnderstood. Then I would like to know *one* thing:"), replaces: [], task_id: null }),
      said({ type: "question_requested", id: "k3", native: payload("{}"), prompts: [{ key: "q", header: "Notes", question: "Which release are the notes for?", options: [], multi_select: false, free_text: true }] }),
      { kind: "decision_answered", decision: "x-2", ask: "k3", answer: "answered: 2.4, and mention the map" },
      said({ type: "plan_approval_requested", id: "k4", plan: payload("## Notes"), path: null }),
      { kind: "interrupted", delivery: "possibly_sent" },
    ],
    `${chat}-t1`,
    40,
  );
}

/** How many events the huge chat has. */
export const HUGE_EVENTS = 100_000;

/** Any event of the huge chat, made when asked for. */
export function hugeEvent(seq: number): StoredEvent {
  const random = seeded(seq);
  const turn = `h-t${Math.floor(seq / 50)}`;
  const at = minutesAgo((HUGE_EVENTS - seq) / 10);
  const kind = seq % 50;
  if (kind === 1) return { seq, at, turn: null, body: { kind: "prompt", text: `Prompt ${Math.floor(seq / 50) + 1}: go on with the next file` } };
  if (kind === 0) return { seq, at, turn, body: { kind: "turn_ended", status: "succeeded", text: "", usage: NO_USAGE, failure: null, delivery: "accepted", duration_ms: 4_000 } };
  if (kind % 3 === 0) return { seq, at, turn, body: tool(`h${seq}`, "Read", { detail: { kind: "read", path: `src/part-${seq % 997}.ts` }, input: payload("{}"), output: payload("ok"), unasked: true }) };
  const words = Array.from({ length: 6 + Math.floor(random() * 30) }, (_, index) => ["the", "map", "tile", "cache", "asks", "again", "once", "size"][Math.floor(random() * 8 + index) % 8]).join(" ");
  return { seq, at, turn, body: said({ type: "message_completed", id: `hm${seq}`, block: 0, text: payload(`${words}.`), replaces: [], task_id: null }) };
}

/** A text in pieces, as a model sends it. */
export function deltas(chat: string, from: number): StoredEvent[] {
  return (ANSWER.match(/[\s\S]{1,12}/g) ?? []).map((text, at) => ({ seq: from + at, at: minutesAgo(0), turn: `${chat}-t2`, body: said({ type: "text_delta", message_id: "m9", block: 0, text, task_id: null }) }));
}
