// Cuts Markdown that grows into pieces that never change again and one last piece that still may. Only the last one has
// to be parsed anew, and no piece is ever long, whatever a model writes. The same text always gives the same pieces,
// however it arrived.

/** Characters that a piece has at least before it is cut at a blank line. */
export const LEAST_PIECE_CHARS = 1_500;
/** Characters of one paragraph or list at which it is cut at a line, or inside a line that has no end. */
export const MOST_PIECE_CHARS = 4_000;
/** Characters of one table at which it is cut; what follows has lost its head. */
export const MOST_TABLE_CHARS = 24_000;
/** Finished text up to this length is one piece when parts of it refer to each other (notes, link definitions). */
export const MOST_REFERRING_CHARS = 24_000;

export interface Piece {
  kind: "prose" | "code";
  /** Prose: Markdown. Code: what stands between the fences. */
  text: string;
  /** Of code, as the fence names it. */
  language: string;
  /** May still grow. */
  open: boolean;
}

/** A fence that was opened and waits for its end. */
interface Fence {
  mark: string;
  language: string;
  /** Where the code begins. */
  body: number;
  indent: number;
}

export interface Pieces {
  source: string;
  settled: readonly Piece[];
  /** Where the last piece begins, and where the first line begins that is not complete. */
  from: number;
  line: number;
  /** That line is the rest of one that was cut. */
  rest: boolean;
  fence: Fence | null;
  blank: boolean;
  list: boolean;
}

export const NO_PIECES: Pieces = { source: "", settled: [], from: 0, line: 0, rest: false, fence: null, blank: true, list: false };

/** Characters of a line that tell a list item from a paragraph. */
const MOST_MARK_CHARS = 100;

const FENCE = /^( {0,3})(`{3,}|~{3,})[ \t]*([^\s`]*)[^`]*$/;
const ITEM = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/;
const REFERRED = /^ {0,3}\[[^\]\n]+\]:/m;

/** State while a text is read; what was handed out before is not written to. */
type Reading = Omit<Pieces, "settled"> & { settled: Piece[] };

/** Characters at both ends of the known text that are compared while it grows. */
const COMPARED_CHARS = 256;

/** Whether `text` goes on where `before` ended. While a text streams its ends are compared, not all of it every time. */
export function goesOn(before: string, text: string, streaming: boolean): boolean {
  if (text.length < before.length) return false;
  if (!streaming || before.length <= 2 * COMPARED_CHARS) return text.startsWith(before);
  const end = before.length - COMPARED_CHARS;
  return text.startsWith(before.slice(0, COMPARED_CHARS)) && text.startsWith(before.slice(end), end);
}

/** The pieces after the text has grown to `text`; begins anew when it is not a growth. Linear in what is new. */
export function grown(before: Pieces, text: string, streaming = false): Pieces {
  const known = goesOn(before.source, text, streaming) ? before : NO_PIECES;
  if (known === before && text.length === before.source.length) return before;
  const now: Reading = { ...known, source: text, settled: [...known.settled] };
  for (let end = text.indexOf("\n", now.line); end >= 0; end = text.indexOf("\n", now.line)) {
    read(now, text.slice(now.line, end), end + 1);
  }
  overlong(now, text.length);
  return now;
}

/** All pieces, the last one included. `final` is true when nothing comes any more. */
export function piecesOf(state: Pieces, final: boolean): readonly Piece[] {
  const { source, settled, from, fence, line } = state;
  if (final && source.length <= MOST_REFERRING_CHARS && REFERRED.test(source)) return [prose(source, false)];
  if (fence) {
    const last = source.slice(line);
    const closed = closes(last, fence);
    // The beginning of an end is not shown as code for a moment.
    const end = closed || (!final && begins(last, fence)) ? line : source.length;
    return [...settled, code(state, end, !final && !closed)];
  }
  return from < source.length && source.slice(from).trim() !== "" ? [...settled, prose(source.slice(from), !final)] : settled;
}

const prose = (text: string, open: boolean): Piece => ({ kind: "prose", text, language: "", open });

function code({ source, fence }: Pick<Pieces, "source" | "fence">, end: number, open: boolean): Piece {
  const { body, language, indent } = fence as Fence;
  const inside = source.slice(body, Math.max(body, end));
  const text = indent === 0 ? inside : inside.replace(new RegExp(`^ {1,${indent}}`, "gm"), "");
  return { kind: "code", text: text.endsWith("\n") ? text.slice(0, -1) : text, language, open };
}

function closes(line: string, { mark }: Fence): boolean {
  const trimmed = line.replace(/^ {0,3}/, "").trimEnd();
  return trimmed.length >= mark.length && trimmed === (mark[0] as string).repeat(trimmed.length);
}

function begins(line: string, { mark }: Fence): boolean {
  const trimmed = line.trim();
  return trimmed !== "" && trimmed.length < mark.length && trimmed === (mark[0] as string).repeat(trimmed.length);
}

/** Takes one complete line. */
function read(now: Reading, line: string, next: number): void {
  const { fence, rest } = now;
  if (fence) {
    if (closes(line, fence)) {
      now.settled.push(code(now, now.line, false));
      Object.assign(now, { fence: null, from: next, blank: true, list: false });
    }
  } else if (rest) {
    overlong(now, now.line + line.length);
    now.rest = false;
  } else if (line.trim() === "") now.blank = true;
  else if (!opens(now, line, next)) {
    cut(now, line);
    overlong(now, now.line + line.length);
    if (!now.rest) note(now, line);
    now.rest = false;
  }
  now.line = next;
}

function opens(now: Reading, line: string, next: number): boolean {
  const opening = FENCE.exec(line);
  if (!opening || (now.list && opening[1] !== "")) return false;
  settle(now, now.line);
  now.fence = { mark: opening[2] as string, language: (opening[3] as string).toLowerCase(), body: next, indent: (opening[1] as string).length };
  now.list = false;
  return true;
}

const isIndented = (line: string) => /^[ \t]/.test(line);

/** Cuts before a line of prose where that is harmless, or where the piece is too long. */
function cut(now: Reading, line: string): void {
  const length = now.line - now.from;
  if (length === 0) return;
  const outside = !isIndented(line);
  const item = outside && now.list && ITEM.test(line);
  const most = line.startsWith("|") ? MOST_TABLE_CHARS : MOST_PIECE_CHARS;
  const harmless = outside && (item ? length >= 2 * LEAST_PIECE_CHARS : now.blank && length >= LEAST_PIECE_CHARS);
  if (harmless || length + line.length > most) settle(now, now.line);
}

/** What the next line has to know about this one. */
function note(now: Reading, line: string): void {
  const outside = !isIndented(line);
  if (ITEM.test(line)) now.list = true;
  else if (outside && now.blank) now.list = false;
  now.blank = false;
}

function settle(now: Reading, end: number): void {
  const text = now.source.slice(now.from, end);
  if (text.trim() !== "") now.settled.push(prose(text, false));
  now.from = end;
}

/** Cuts a line that goes on and on: at a blank if there is one, and never through a character. */
function overlong(now: Reading, end: number): void {
  if (now.fence) return;
  while (end - now.line > MOST_PIECE_CHARS) {
    if (!now.rest) {
      if (now.from < now.line) settle(now, now.line);
      note(now, now.source.slice(now.line, now.line + MOST_MARK_CHARS));
    }
    const most = now.line + MOST_PIECE_CHARS;
    const blank = now.source.lastIndexOf(" ", most - 1);
    const at = blank >= most - MOST_PIECE_CHARS / 2 ? blank + 1 : most - (/[\ud800-\udbff]/.test(now.source[most - 1] as string) ? 1 : 0);
    settle(now, at);
    Object.assign(now, { line: at, rest: true });
  }
}
