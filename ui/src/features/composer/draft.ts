// A draft is what is typed plus what was pasted and is too long for the field. Stored as one text.
import { MAX_FIELD_CHARS } from "./limits";

export interface PastedText {
  id: string;
  text: string;
}

/** The text as it is sent and stored. */
export function draftToText(text: string, pastes: readonly PastedText[]): string {
  if (pastes.length === 0) return text;
  const parts = pastes.map((paste) => paste.text);
  return (text.trim() === "" ? parts : [text, ...parts]).join("\n\n");
}

/** A stored text as field and chips. */
export function textToDraft(stored: string): { text: string; pastes: readonly PastedText[] } {
  if (stored.length <= MAX_FIELD_CHARS) return { text: stored, pastes: [] };
  return { text: "", pastes: [{ id: "restored", text: stored }] };
}

/** A name for a long text: its first line that says something. */
export function firstLine(text: string): string {
  const start = text.slice(0, 400).trimStart();
  const line = start.split("\n", 1)[0] ?? "";
  return line.length > 60 ? `${line.slice(0, 60)}…` : line || "Pasted text";
}

/** `5.0 MB`, by the size in UTF-16 code units: near enough for a chip and free of a copy. */
export function sizeOf(text: string): string {
  const n = text.length;
  if (n < 1_000) return `${n} characters`;
  return n < 1_000_000 ? `${Math.round(n / 1_000)} kB` : `${(n / 1_000_000).toFixed(1)} MB`;
}
