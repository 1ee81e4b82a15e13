// What a screen reader is told about a running chat: that it began, what it asks, how it ended. Never the stream.
import { useEffect, useRef, useState } from "react";
import type { Latest, Row } from "../../state/transcript-rows";

function words(row: Row): string | null {
  if (row.kind === "ending") {
    if (row.status === "succeeded") return "The turn is done.";
    if (row.status === "failed") return `The turn failed: ${row.failure?.message ?? "no reason given"}.`;
    return "The turn was interrupted.";
  }
  if (row.kind === "tool" && row.state === "waits") return "An approval waits for you.";
  if (row.kind === "decision" && row.closed === null) {
    const what = { approval: "An approval", plan: "A plan", question: "A question", async_question: "A question" }[row.of];
    return `${what} waits for you.`;
  }
  return null;
}

/** One announcement per start, decision and end. Rows that were there when the chat was opened say nothing. */
export function Announcer({ rows, latest, ready }: { rows: readonly Row[]; latest: Latest; ready: boolean }) {
  const [text, setText] = useState("");
  const told = useRef<Set<string> | null>(null);
  const turn = latest.turn?.id ?? null;
  const lastTurn = useRef<string | null>(turn);
  useEffect(() => {
    if (!ready) return;
    const speak: string[] = [];
    const first = told.current === null;
    const known = (told.current ??= new Set());
    for (let i = rows.length - 1; i >= Math.max(0, rows.length - 40); i -= 1) {
      const row = rows[i] as Row;
      if (known.has(row.id)) continue;
      const line = words(row);
      if (line === null) continue;
      known.add(row.id);
      if (!first) speak.unshift(line);
    }
    if (turn !== lastTurn.current && turn !== null && !first) speak.unshift("The agent is working.");
    lastTurn.current = turn;
    if (speak.length > 0) setText(speak.join(" "));
  }, [rows, turn, ready]);
  return <div className="visually-hidden" role="status" aria-live="polite" data-announcer>{text}</div>;
}
