// Names of files, as they are shown.
import { spellOutBidi } from "../kit/CodeVisible";

/** Letters at the end of a name that always stay: they hold its kind. */
const TAIL = 9;
/** A shorter name is one piece. */
const LEAST_CUT = 20;

const letters = typeof Intl.Segmenter === "function" ? new Intl.Segmenter(undefined, { granularity: "grapheme" }) : null;

/** The letters of a text as a person counts them. */
function lettersOf(text: string): string[] {
  return letters ? Array.from(letters.segment(text), ({ segment }) => segment) : Array.from(text);
}

/** A name in two parts: the first may be cut, the end stays. Direction marks are spelled out. */
export function nameParts(name: string): { head: string; tail: string } {
  const plain = spellOutBidi(name);
  const all = lettersOf(plain);
  if (all.length < LEAST_CUT) return { head: plain, tail: "" };
  return { head: all.slice(0, -TAIL).join(""), tail: all.slice(-TAIL).join("") };
}

/** Longest name in a sentence or a title, in letters. */
const MOST_SPOKEN = 80;

/** A name for a title or a screen reader: its beginning and its end. */
export function spokenName(name: string): string {
  const all = lettersOf(spellOutBidi(name));
  return all.length <= MOST_SPOKEN ? all.join("") : `${all.slice(0, MOST_SPOKEN - TAIL - 1).join("")}…${all.slice(-TAIL).join("")}`;
}
