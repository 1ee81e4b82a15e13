// The page's side of the colouring worker: one worker, started at the first block, answers kept for a while.
import { useEffect, useState } from "react";

/** Characters of one block that are coloured; longer blocks stay plain. */
export const MAX_HIGHLIGHT_CHARS = 60_000;
/** Coloured blocks kept for drawing again, oldest dropped first. */
const MAX_KEPT = 200;

/** Text, CSS colour, font style bits (1 italic, 2 bold). */
export type CodeToken = [text: string, color: string, style: number];
export interface HighlightQuestion {
  id: number;
  code: string;
  language: string;
}
export interface HighlightAnswer {
  id: number;
  lines: CodeToken[][] | null;
}

const kept = new Map<string, CodeToken[][] | null>();
const waiting = new Map<number, { key: string; tell: Set<(lines: CodeToken[][] | null) => void> }>();
const asked = new Map<string, number>();
let worker: Worker | null = null;
let broken = false;
let next = 1;

function start(): Worker | null {
  if (worker || broken) return worker;
  if (typeof Worker === "undefined") return null;
  try {
    worker = new Worker(new URL("./CodeHighlight.worker.ts", import.meta.url), { type: "module", name: "highlight" });
    worker.onmessage = ({ data }: MessageEvent<HighlightAnswer>) => settle(data.id, data.lines);
    worker.onerror = () => {
      // Code without colour is still code: what waits is answered plain and no worker is started again.
      broken = true;
      worker = null;
      for (const id of [...waiting.keys()]) settle(id, null);
    };
  } catch {
    broken = true;
  }
  return worker;
}

function settle(id: number, lines: CodeToken[][] | null): void {
  const entry = waiting.get(id);
  if (!entry) return;
  waiting.delete(id);
  asked.delete(entry.key);
  kept.set(entry.key, lines);
  if (kept.size > MAX_KEPT) kept.delete(kept.keys().next().value as string);
  for (const tell of entry.tell) tell(lines);
}

function ask(key: string, code: string, language: string, tell: (lines: CodeToken[][] | null) => void): () => void {
  const target = start();
  if (!target) return () => {};
  let id = asked.get(key);
  if (id === undefined) {
    id = next++;
    asked.set(key, id);
    waiting.set(id, { key, tell: new Set() });
    target.postMessage({ id, code, language } satisfies HighlightQuestion);
  }
  const listeners = waiting.get(id)?.tell;
  listeners?.add(tell);
  return () => listeners?.delete(tell);
}

export interface Coloured {
  /** Null while unknown, too long, or without a grammar. */
  lines: CodeToken[][] | null;
  /** The colours are on their way. */
  waiting: boolean;
}
const PLAIN: Coloured = { lines: null, waiting: false };

/** Coloured lines of a closed block. */
export function useHighlighted(code: string, language: string, closed: boolean): Coloured {
  const wanted = closed && language !== "" && language !== "text" && code.length <= MAX_HIGHLIGHT_CHARS;
  const key = wanted ? `${language}\n${code}` : "";
  const [answer, setAnswer] = useState<{ key: string; lines: CodeToken[][] | null } | null>(null);
  useEffect(() => {
    if (key === "" || kept.has(key)) return;
    return ask(key, code, language, (lines) => setAnswer({ key, lines }));
  }, [key, code, language]);
  if (key === "") return PLAIN;
  if (kept.has(key)) return { lines: kept.get(key) ?? null, waiting: false };
  return answer?.key === key ? { lines: answer.lines, waiting: false } : { lines: null, waiting: typeof Worker !== "undefined" && !broken };
}
