// The stages of a turn's start, in words. Each figure is the time since the one before.
import type { TurnStart } from "../host";

export interface Stage {
  name: string;
  /** Milliseconds since the stage before. */
  ms: number;
}

/** The time of each stage since the one before that was reached; null: not reached. */
export function stageMs(start: TurnStart): Record<"slot" | "process" | "line" | "text", number | null> {
  let before = 0;
  const since = (ms: number | null) => {
    if (ms === null) return null;
    const took = Math.max(0, ms - before);
    before = ms;
    return took;
  };
  return { slot: since(start.slot_ms), process: since(start.process_ms), line: since(start.first_line_ms), text: since(start.first_text_ms) };
}

/** The stages that were reached, in order, each with its own time. */
export function stagesOf(start: TurnStart): Stage[] {
  const took = stageMs(start);
  const process = start.carrier === "kept" ? "kept process took over" : "process started";
  const all: Array<[string, number | null]> = [["waited for a slot", took.slot], [process, took.process], ["first line", took.line], ["first text", took.text]];
  return all.flatMap(([name, ms]) => (ms === null ? [] : [{ name, ms }]));
}

/** `0.04 s`, `1.2 s`, `12 s`: a start is read in parts of a second. */
export function seconds(ms: number): string {
  if (ms < 100) return `${(ms / 1_000).toFixed(2)} s`;
  return ms < 10_000 ? `${(ms / 1_000).toFixed(1)} s` : `${Math.round(ms / 1_000)} s`;
}

/** All stages on one line. */
export function startWords(start: TurnStart): string {
  return stagesOf(start).map(({ name, ms }) => `${name} ${seconds(ms)}`).join(" · ");
}
