// Text shown so that nothing in it hides: control and format characters get a glyph, long blank runs are folded and
// marked. Used wherever a person decides about text that a model wrote.
import { memo } from "react";
import styles from "./CodeVisible.module.css";

/** Horizontal blanks in a row that are still shown as they are. */
export const MAX_BLANKS_SHOWN = 24;
/** Line breaks in a row that are still shown as they are. */
export const MAX_BREAKS_SHOWN = 3;

export type VisibleSegment =
  | { kind: "text"; text: string }
  | { kind: "mark"; text: string; label: string }
  | { kind: "fold"; text: string; label: string };

const NAMES: Record<number, string> = {
  0x00: "null", 0x07: "bell", 0x08: "backspace", 0x0b: "vertical tab", 0x0c: "form feed", 0x0d: "carriage return",
  0x1b: "escape", 0x7f: "delete", 0x85: "next line", 0xa0: "no-break space", 0xad: "soft hyphen",
  0x61c: "Arabic letter mark", 0x200b: "zero-width space", 0x200c: "zero-width non-joiner", 0x200d: "zero-width joiner",
  0x200e: "left-to-right mark", 0x200f: "right-to-left mark", 0x2028: "line separator", 0x2029: "paragraph separator",
  0x202a: "left-to-right embedding", 0x202b: "right-to-left embedding", 0x202c: "pop direction",
  0x202d: "left-to-right override", 0x202e: "right-to-left override", 0x2060: "word joiner",
  0x2066: "left-to-right isolate", 0x2067: "right-to-left isolate", 0x2068: "first-strong isolate",
  0x2069: "pop isolate", 0x2800: "braille blank", 0x3000: "ideographic space", 0x3164: "Hangul filler",
  0xfeff: "byte order mark",
};

// Control (except tab and line feed), format, private use, unassigned separators, lone surrogates, blank letters.
const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]|\p{Cf}|[\u2028\u2029]|[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]|[\u115f\u1160\u3164\uffa0\u2800]|[\u{e0100}-\u{e01ef}]|\p{Cs}|\p{Co}/gu;
const BLANK_RUN = new RegExp(
  `[ \\t]{${MAX_BLANKS_SHOWN + 1},}|(?:[ \\t]*\\n){${MAX_BREAKS_SHOWN + 1},}[ \\t]*|[ \\t\\n]{${MAX_BLANKS_SHOWN * 2},}`,
  "g",
);
const BIDI = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** `U+202E right-to-left override`. */
export function characterName(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  const hex = code.toString(16).toUpperCase().padStart(4, "0");
  const name = NAMES[code];
  return name ? `U+${hex} ${name}` : `U+${hex}`;
}

function glyph(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  if (code < 0x20) return `^${String.fromCharCode(0x40 + code)}`;
  if (code === 0x7f) return "^?";
  return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}

function count(text: string, char: string): number {
  let n = 0;
  for (const c of text) if (c === char) n += 1;
  return n;
}

function plural(n: number, one: string): string {
  return `${n.toLocaleString("en")} ${one}${n === 1 ? "" : "s"}`;
}

function describeRun(run: string): string {
  const breaks = count(run, "\n");
  const tabs = count(run, "\t");
  const spaces = run.length - breaks - tabs;
  const parts = [];
  if (breaks) parts.push(plural(breaks, "line break"));
  if (spaces) parts.push(plural(spaces, "space"));
  if (tabs) parts.push(plural(tabs, "tab"));
  return parts.join(", ");
}

function marks(text: string, out: VisibleSegment[]): void {
  let at = 0;
  for (const hit of text.matchAll(HIDDEN)) {
    if (hit.index > at) out.push({ kind: "text", text: text.slice(at, hit.index) });
    out.push({ kind: "mark", text: glyph(hit[0]), label: characterName(hit[0]) });
    at = hit.index + hit[0].length;
  }
  if (at < text.length) out.push({ kind: "text", text: text.slice(at) });
}

/** Cuts text into plain parts, marked characters and folded blank runs. Linear in its length. */
export function visibleSegments(text: string): VisibleSegment[] {
  const out: VisibleSegment[] = [];
  let at = 0;
  for (const run of text.matchAll(BLANK_RUN)) {
    if (run.index > at) marks(text.slice(at, run.index), out);
    const newline = run[0].includes("\n");
    out.push({ kind: "fold", text: newline ? "\n" : " ", label: describeRun(run[0]) });
    at = run.index + run[0].length;
  }
  if (at < text.length) marks(text.slice(at), out);
  return out;
}

/** Plain text with direction-changing characters spelled out, for prose where spans are not possible. */
export function spellOutBidi(text: string): string {
  return text.replace(BIDI, (char) => `⟦${characterName(char)}⟧`);
}

/** Renders text with everything hidden in it made visible. Inherits font and white-space from its parent. */
export const VisibleText = memo(function VisibleText({ text }: { text: string }) {
  return (
    <>
      {visibleSegments(text).map((segment, i) => {
        if (segment.kind === "text") return <span key={i}>{segment.text}</span>;
        if (segment.kind === "mark") {
          return (
            <span key={i} className={styles.mark} title={segment.label}>
              {segment.text}
            </span>
          );
        }
        return (
          <span key={i}>
            {segment.text === "\n" ? "\n" : null}
            <span className={styles.fold} title="Blank characters folded here">
              ⋯ {segment.label} ⋯
            </span>
            {segment.text}
          </span>
        );
      })}
    </>
  );
});
