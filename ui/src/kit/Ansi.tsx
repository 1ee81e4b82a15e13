// Terminal output as text: colours become token classes, every other control sequence is taken out and counted.
import Anser from "anser";
import { memo, useMemo } from "react";
import styles from "./Ansi.module.css";

/** Characters of output that are coloured; the rest is shown plain. */
export const MAX_ANSI_CHARS = 80_000;
/** Lines of one piece of the plain rest; pieces out of sight cost no layout. */
const PIECE_LINES = 200;

export interface AnsiSpan {
  text: string;
  fg: string | null;
  bg: string | null;
  bold: boolean;
  dim: boolean;
  italic: boolean;
  underline: boolean;
  strike: boolean;
}

// OSC, DCS, SOS, PM, APC with their payload and terminator (or cut off); then CSI; then the two-byte escapes.
const STRINGS = /(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0007\u001b\u009c\n]*(?:\u0007|\u001b\\|\u009c|(?=\n)|$)/g;
const CSI = /(?:\u001b\[|\u009b)([0-9:;<=>?]*)([ -/]*)([@-~])/g;
const OTHER = /\u001b(?!\[[0-9;:]*m)[ -/]*[0-~]?/g;
const CONTROLS = /[\u0000-\u0007\u000b\u000c\u000e-\u001a\u001c-\u001f\u007f-\u009f]/g;

const SGR = /\u001b\[[0-9;]*m/g;

/** Keeps SGR, removes the rest. `removed` says how many sequences and control characters went. */
export function cleanAnsi(raw: string): { text: string; removed: number } {
  let removed = 0;
  const drop = () => {
    removed += 1;
    return "";
  };
  let text = raw.replace(STRINGS, drop);
  text = text.replace(CSI, (_all, params: string, middle: string, final: string) =>
    final === "m" && middle === "" && !/[<=>?]/.test(params) ? `\u001b[${params.replaceAll(":", ";")}m` : drop(),
  );
  text = text.replace(OTHER, drop).replace(CONTROLS, drop);
  return { text: overwrite(text), removed };
}

/** A carriage return starts its line again, as a progress bar does: what a person would see at the end stays. */
function overwrite(text: string): string {
  if (!text.includes("\r") && !text.includes("\b")) return text;
  return text
    .replaceAll("\r\n", "\n")
    .split("\n")
    .map((line) => {
      const kept = line.replace(/\r+$/, "");
      const last = kept.lastIndexOf("\r");
      return (last < 0 ? kept : kept.slice(last + 1)).replaceAll("\b", "");
    })
    .join("\n");
}

const NAMED: Record<string, string> = {
  "ansi-black": "black", "ansi-red": "red", "ansi-green": "green", "ansi-yellow": "yellow", "ansi-blue": "blue",
  "ansi-magenta": "magenta", "ansi-cyan": "cyan", "ansi-white": "white",
};
const BASE = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];

function nearest(r: number, g: number, b: number): string {
  const high = Math.max(r, g, b);
  const low = Math.min(r, g, b);
  if (high - low < 40) return high < 90 ? "black" : "white";
  const cut = (high + low) / 2;
  return BASE[(r > cut ? 1 : 0) | (g > cut ? 2 : 0) | (b > cut ? 4 : 0)] ?? "white";
}

function paletteColour(index: number): string {
  if (index < 16) return BASE[index % 8] ?? "white";
  if (index > 231) return index < 244 ? "black" : "white";
  const i = index - 16;
  return nearest(Math.floor(i / 36) * 51, (Math.floor(i / 6) % 6) * 51, (i % 6) * 51);
}

/** Every colour is mapped on the eight token colours, so that contrast holds in both themes. */
function colour(name: string | null, truecolor: string | null): string | null {
  if (!name) return null;
  if (name === "ansi-truecolor") {
    const [r = 0, g = 0, b = 0] = (truecolor ?? "").split(",").map(Number);
    return nearest(r, g, b);
  }
  const palette = /^ansi-palette-(\d+)$/.exec(name);
  if (palette) return paletteColour(Number(palette[1]));
  return NAMED[name.replace("ansi-bright-", "ansi-")] ?? null;
}

/** Parses output into coloured spans. Invisible text (SGR 8) is shown all the same. */
export function ansiSpans(raw: string): { spans: AnsiSpan[]; removed: number } {
  const { text, removed } = cleanAnsi(raw);
  if (!text.includes("\u001b")) {
    const plain: AnsiSpan = { text, fg: null, bg: null, bold: false, dim: false, italic: false, underline: false, strike: false };
    return { spans: text === "" ? [] : [plain], removed };
  }
  const spans = Anser.ansiToJson(text, { use_classes: true, remove_empty: true, json: true }).map((entry) => {
    const has = (decoration: string) => entry.decorations.includes(decoration as never);
    // The library has already swapped the two when the text is reversed.
    return {
      text: entry.content,
      fg: colour(entry.fg, entry.fg_truecolor),
      bg: colour(entry.bg, entry.bg_truecolor),
      bold: has("bold"),
      dim: has("dim"),
      italic: has("italic"),
      underline: has("underline"),
      strike: has("strikethrough"),
    };
  });
  return { spans, removed };
}

function className(span: AnsiSpan): string {
  const names = [];
  if (span.fg) names.push(styles[`fg-${span.fg}`]);
  if (span.bg) names.push(styles[`bg-${span.bg}`]);
  if (span.bold) names.push(styles.bold);
  if (span.dim) names.push(styles.dim);
  if (span.italic) names.push(styles.italic);
  if (span.underline) names.push(styles.underline);
  if (span.strike) names.push(styles.strike);
  return names.join(" ");
}

/** Text after the coloured part, in pieces of whole lines. */
function plainPieces(text: string): string[] {
  // Colours go first: they are the many, and each of the others costs a call.
  const lines = cleanAnsi(text.replace(SGR, "")).text.split("\n");
  const out: string[] = [];
  for (let i = 0; i < lines.length; i += PIECE_LINES) out.push(lines.slice(i, i + PIECE_LINES).join("\n"));
  return out;
}

/** Where the coloured part ends: at a line end, where there is one. */
function colouredEnd(text: string): number {
  if (text.length <= MAX_ANSI_CHARS) return text.length;
  const line = text.lastIndexOf("\n", MAX_ANSI_CHARS);
  return line > 0 ? line + 1 : MAX_ANSI_CHARS;
}

/** Output of a command. */
export const Ansi = memo(function Ansi({ text }: { text: string }) {
  const { spans, removed, rest } = useMemo(() => {
    const end = colouredEnd(text);
    return { ...ansiSpans(text.slice(0, end)), rest: end < text.length ? plainPieces(text.slice(end)) : [] };
  }, [text]);
  return (
    <div className={styles.ansi}>
      <pre className={styles.text}>
        {spans.map((span, i) => (
          <span key={i} className={className(span) || undefined}>
            {span.text}
          </span>
        ))}
        {rest.map((piece, i) => (
          <span key={i} className={styles.piece}>
            {piece}
          </span>
        ))}
      </pre>
      {removed > 0 && (
        <p className={styles.note}>
          {removed === 1 ? "1 terminal control sequence" : `${removed.toLocaleString("en")} terminal control sequences`} left out
        </p>
      )}
    </div>
  );
});
