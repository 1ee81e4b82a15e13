// Unified diffs: computed from before and after, or read from a patch that a harness or git wrote.
import { diffWordsWithSpace, parsePatch, structuredPatch } from "diff";
import { memo, useMemo, useState } from "react";
import { VisibleText } from "./CodeVisible";
import styles from "./Diff.module.css";

/** Lines drawn at first; the rest on demand. */
export const DIFF_LINES_SHOWN = 400;
/** Milliseconds a comparison may take before both sides are shown whole. */
const DIFF_TIMEOUT_MS = 250;
/** Longest line, in characters, whose words are compared. */
const MAX_WORD_DIFF_CHARS = 400;
/** Unchanged lines kept around a change. */
const CONTEXT_LINES = 3;

export interface DiffPart {
  text: string;
  changed: boolean;
}

export interface DiffLine {
  sign: " " | "+" | "-" | "@";
  oldLine: number | null;
  newLine: number | null;
  text: string;
  /** Words that differ from the line's partner, when there is one. */
  parts?: DiffPart[];
}

interface Hunk {
  oldStart: number;
  newStart: number;
  oldLines: number;
  newLines: number;
  lines: string[];
}

function fromHunks(hunks: Hunk[]): DiffLine[] {
  const out: DiffLine[] = [];
  for (const [index, hunk] of hunks.entries()) {
    let a = hunk.oldStart;
    let b = hunk.newStart;
    if (index > 0 || a > 1) {
      out.push({ sign: "@", oldLine: null, newLine: null, text: `line ${Math.max(1, b)}` });
    }
    for (const line of hunk.lines) {
      const text = line.slice(1);
      if (line.startsWith("+")) out.push({ sign: "+", oldLine: null, newLine: b++, text });
      else if (line.startsWith("-")) out.push({ sign: "-", oldLine: a++, newLine: null, text });
      else if (line.startsWith("\\")) out.push({ sign: "@", oldLine: null, newLine: null, text: "no line break at the end" });
      else out.push({ sign: " ", oldLine: a++, newLine: b++, text });
    }
  }
  return withWords(out);
}

/** Marks the words that differ where a removed run meets an added run of the same length. */
function withWords(lines: DiffLine[]): DiffLine[] {
  let i = 0;
  while (i < lines.length) {
    let minus = i;
    while (lines[minus]?.sign === "-") minus += 1;
    let plus = minus;
    while (lines[plus]?.sign === "+") plus += 1;
    const removed = minus - i;
    if (removed > 0 && removed === plus - minus) {
      for (let k = 0; k < removed; k += 1) pairWords(lines[i + k] as DiffLine, lines[minus + k] as DiffLine);
    }
    i = Math.max(plus, i + 1);
  }
  return lines;
}

function pairWords(before: DiffLine, after: DiffLine): void {
  if (before.text.length > MAX_WORD_DIFF_CHARS || after.text.length > MAX_WORD_DIFF_CHARS) return;
  const parts = diffWordsWithSpace(before.text, after.text);
  const same = parts.filter((p) => !p.added && !p.removed).reduce((n, p) => n + p.value.trim().length, 0);
  if (same * 3 < Math.max(before.text.length, after.text.length)) return;
  before.parts = parts.filter((p) => !p.added).map((p) => ({ text: p.value, changed: Boolean(p.removed) }));
  after.parts = parts.filter((p) => !p.removed).map((p) => ({ text: p.value, changed: Boolean(p.added) }));
}

function whole(text: string, sign: "+" | "-"): DiffLine[] {
  if (text === "") return [];
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines.map((line, i) => ({
    sign,
    oldLine: sign === "-" ? i + 1 : null,
    newLine: sign === "+" ? i + 1 : null,
    text: line,
  }));
}

/** Compares two texts line by line; past the time bound both are shown whole. */
export function diffLines(before: string, after: string): DiffLine[] {
  if (before === "") return whole(after, "+");
  if (after === "") return whole(before, "-");
  // Two excerpts that both end in mid-line differ in their lines, not in their ends.
  const end = before.endsWith("\n") || after.endsWith("\n") ? "" : "\n";
  const patch = structuredPatch("a", "b", before + end, after + end, undefined, undefined, {
    context: CONTEXT_LINES,
    timeout: DIFF_TIMEOUT_MS,
  });
  if (!patch) return [...whole(before, "-"), ...whole(after, "+")];
  return fromHunks(patch.hunks);
}

export interface FileDiff {
  path: string;
  lines: DiffLine[];
}

/** Reads a unified patch of several files. A text that is no patch comes back as null. */
export function parseUnified(patch: string): FileDiff[] | null {
  try {
    const files = parsePatch(patch).filter((file) => file.hunks.length > 0);
    if (files.length === 0) return null;
    return files.map((file) => ({
      path: (file.newFileName && file.newFileName !== "/dev/null" ? file.newFileName : file.oldFileName ?? "").replace(/^[ab]\//, ""),
      lines: fromHunks(file.hunks),
    }));
  } catch {
    // The library throws on a malformed patch; the caller shows the text as it is.
    return null;
  }
}

/** Added and removed lines. */
export function diffCounts(lines: DiffLine[]): { added: number; removed: number } {
  let added = 0;
  let removed = 0;
  for (const line of lines) {
    if (line.sign === "+") added += 1;
    if (line.sign === "-") removed += 1;
  }
  return { added, removed };
}

const SPOKEN = { " ": "", "+": "added", "-": "removed", "@": "" } as const;

/** The lines of one diff. With `exact`, hidden characters are shown and nothing is cut. */
export const DiffView = memo(function DiffView({ lines, exact = false }: { lines: DiffLine[]; exact?: boolean }) {
  const [all, setAll] = useState(false);
  const shown = all || exact ? lines : lines.slice(0, DIFF_LINES_SHOWN);
  return (
    <div className={styles.diff} role="group" aria-label="Changes">
      <table className={styles.table}>
        <tbody>
          {shown.map((line, i) => (
            <tr key={i} className={styles.row} data-sign={line.sign}>
              <td className={styles.number} data-line={line.oldLine ?? line.newLine ?? ""} aria-hidden="true" />
              <td className={styles.sign}>
                <span aria-hidden="true">{line.sign === "@" ? "⋯" : line.sign}</span>
                {SPOKEN[line.sign] && <span className={styles.spoken}>{SPOKEN[line.sign]} </span>}
              </td>
              <td className={styles.text}>
                {line.parts
                  ? line.parts.map((part, k) =>
                      part.changed ? (
                        <mark key={k} className={styles.word}>
                          <Text text={part.text} exact={exact} />
                        </mark>
                      ) : (
                        <Text key={k} text={part.text} exact={exact} />
                      ),
                    )
                  : <Text text={line.text} exact={exact} />}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {shown.length < lines.length && (
        <button type="button" className={styles.more} onClick={() => setAll(true)}>
          Show all {lines.length.toLocaleString("en")} lines
        </button>
      )}
    </div>
  );
});

function Text({ text, exact }: { text: string; exact: boolean }) {
  return exact ? <VisibleText text={text} /> : <>{text === "" ? " " : text}</>;
}

/** The difference between two texts. */
export const Diff = memo(function Diff({ before, after, exact }: { before: string; after: string; exact?: boolean }) {
  const lines = useMemo(() => diffLines(before, after), [before, after]);
  return <DiffView lines={lines} exact={exact ?? false} />;
});
