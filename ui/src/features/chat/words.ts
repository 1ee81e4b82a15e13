// Words for steps, times and amounts.
import type { ToolDetail, TurnUsage } from "../../state/transcript-events";
import type { LiveTurn, ToolRow } from "../../state/transcript-rows";
import type { ChatHead } from "./port";

export { byteSize as size } from "../../kit/size";

/** Silence after which a running turn is called quiet, in milliseconds. */
export const QUIET_AFTER_MS = 60_000;

export interface StepWords {
  verb: string;
  object: string;
  /** The object is code: a command, a path. */
  code: boolean;
}

const oneLine = (text: string) => text.replace(/\s+/g, " ").trim();

function verbs(detail: ToolDetail, running: boolean): StepWords {
  switch (detail.kind) {
    case "command":
      return { verb: running ? "Running" : "Ran", object: oneLine(detail.command), code: true };
    case "write":
      return { verb: running ? "Writing" : "Wrote", object: detail.path, code: true };
    case "edit":
      return { verb: running ? "Editing" : "Edited", object: detail.path, code: true };
    case "read":
      return { verb: running ? "Reading" : "Read", object: detail.path, code: true };
    case "search":
      return { verb: running ? "Searching" : "Searched", object: detail.query, code: true };
    case "fetch":
      return { verb: running ? "Fetching" : "Fetched", object: detail.target, code: false };
    case "task":
      return { verb: "Subagent", object: oneLine(detail.description), code: false };
    case "mcp":
      return { verb: running ? "Using" : "Used", object: `${detail.tool} · ${detail.server}`, code: false };
    case "plan":
      return { verb: "Proposed", object: "a plan", code: false };
    default:
      return { verb: "", object: "", code: false };
  }
}

/** The questions of a step that asks, as they were asked. Empty when its arguments are cut or of another form. */
export function askedIn(row: ToolRow): string[] {
  try {
    const { questions } = JSON.parse(row.input?.text ?? "") as { questions?: Array<{ question?: unknown }> };
    return (questions ?? []).map(({ question }) => question).filter((question) => typeof question === "string");
  } catch {
    return []; // cut or of another form: there is a line for it anyway
  }
}

/** Verb and object of a step. A failed or cut-off one did not happen: its verb is not in the past. A denied one and one that waits say so. */
export function stepWords(row: ToolRow): StepWords {
  if (row.detail?.kind === "question") return { verb: "Asked", object: askedIn(row)[0] ?? "a question", code: false };
  const words = row.detail ? verbs(row.detail, row.state !== "succeeded") : null;
  const own = words && words.verb !== "" ? words : { verb: row.state === "started" ? "Using" : "Used", object: row.name || "a tool", code: false };
  if (row.state === "waits") return { ...own, verb: "Waits" };
  return row.state === "denied" ? { ...own, verb: "Denied" } : own;
}

/** `0.4 s`, `12 s`, `3 min 5 s`, `2 h 10 min`. */
export function duration(ms: number): string {
  if (ms < 0) return "0 s";
  if (ms < 950) return `${(Math.max(ms, 50) / 1_000).toFixed(1)} s`;
  const s = Math.round(ms / 1_000);
  if (s < 60) return `${s} s`;
  const m = Math.floor(s / 60);
  if (m < 60) return s % 60 === 0 || m >= 10 ? `${m} min` : `${m} min ${s % 60} s`;
  const h = Math.floor(m / 60);
  return m % 60 === 0 ? `${h} h` : `${h} h ${m % 60} min`;
}

/** `950`, `12.4k`, `1.2M`. */
export function amount(n: number): string {
  if (n < 1_000) return String(n);
  if (n < 100_000) return `${(n / 1_000).toFixed(1).replace(/\.0$/, "")}k`;
  return n < 1_000_000 ? `${Math.round(n / 1_000)}k` : `${(n / 1_000_000).toFixed(1)}M`;
}

/** All tokens of a turn, when any figure is known. */
export function totalTokens(usage: TurnUsage | null): number | null {
  if (!usage) return null;
  const known = [usage.input, usage.output, usage.cache_creation, usage.cache_read].filter((n): n is number => n !== null && n !== undefined);
  return known.length === 0 ? null : known.reduce((a, b) => a + b, 0);
}

/** Who pays, as the running process says. Null: unknown. */
export type Payer = { source: string; label: string | null } | null;

const PAYERS: Record<string, string> = { api_key: "API key", subscription: "your plan", practice: "nobody: practice model" };

/** Who pays, by name. */
export function payerName(payer: Payer): string {
  if (!payer) return "unknown";
  return payer.label ?? PAYERS[payer.source] ?? payer.source;
}

/** Whether a figure is money that is asked for. A plan pays nothing per turn; who is unknown may be a plan. */
function isBilled(payer: Payer): "yes" | "plan" | "unknown" {
  if (!payer) return "unknown";
  if (/api.?key/i.test(payer.source)) return "yes";
  return payer.source === "subscription" || /\bplan\b|subscription/i.test(`${payer.source} ${payer.label ?? ""}`) ? "plan" : "unknown";
}

/** Cost in words: practice costs nothing, only what a key is billed stands as money, anything else is a list price and says so. */
export function cost(usd: number | null | undefined, payer: Payer): string | null {
  if (usd === null || usd === undefined) return null;
  if (payer?.source === "practice") return "practice";
  const figure = `$${usd < 0.1 ? usd.toFixed(3) : usd.toFixed(2)}`;
  const billed = isBilled(payer);
  if (billed === "yes") return figure;
  return billed === "plan" ? `≈ ${figure} list price, in your plan` : `≈ ${figure} list price`;
}

const clip = (text: string, n: number) => (text.length > n ? `${text.slice(0, n - 1)}…` : text);

/** What the host says a turn waits for, in words. */
export function hostWaits(waits: NonNullable<ChatHead["waits"]>, now: number): { text: string; since: number } {
  const { what, detail, since, until } = waits;
  const left = until === null ? 0 : Math.ceil((until - now) / 1_000);
  switch (what) {
    case "slot":
      return { text: "Waiting for a free slot", since };
    case "start":
      return { text: "Starting", since };
    case "person":
      return { text: "Waits for your answer", since };
    case "retry":
      return { text: left > 0 ? `Next attempt in ${left} s${detail ? ` (${detail})` : ""}` : "Trying again", since };
    case "stop":
      return { text: "Stopping…", since };
    case "background":
      return { text: "Answered · works in the background", since };
    case "tool":
      return { text: detail ? `Running ${clip(oneLine(detail), 48)}` : "A tool runs", since };
    case "model":
      return { text: "Waiting for the model", since };
  }
}

/** What a running turn waits for, by its own events, and since when. */
export function waitsFor(turn: LiveTurn, now: number, step: ToolRow | null): { text: string; since: number } {
  const words = step ? stepWords(step) : null;
  const running = words ? clip(words.object, 48) : "a tool";
  if (turn.phase === "retry" && turn.retry) {
    const { attempt, max, until } = turn.retry;
    const of = max === null ? "" : ` of ${max}`;
    const left = Math.ceil((until - now) / 1_000);
    if (left > 0) return { text: `Retry ${attempt}${of} in ${left} s`, since: turn.since };
    return { text: `Retry ${attempt}${of}, waiting for the model`, since: until };
  }
  if (turn.phase === "decision") return { text: "Waits for your answer", since: turn.since };
  if (now - turn.lastAt >= QUIET_AFTER_MS) {
    const quiet = `Quiet ${duration(now - turn.lastAt)}`;
    return { text: turn.phase === "tool" ? `${quiet} · ${running} runs` : quiet, since: turn.lastAt };
  }
  switch (turn.phase) {
    case "queued":
      return { text: "Waiting for a free slot", since: turn.since };
    case "starting":
      return { text: "Starting", since: turn.since };
    case "writing":
      return { text: "Writing", since: turn.since };
    case "thinking":
      return { text: "Thinking", since: turn.since };
    case "compacting":
      return { text: "Compacting the context", since: turn.since };
    case "tool":
      return { text: words ? `${words.verb} ${running}` : "A tool runs", since: turn.since };
    default:
      return { text: "Waiting for the model", since: turn.since };
  }
}
