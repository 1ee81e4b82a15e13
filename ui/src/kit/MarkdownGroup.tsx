// Some settled pieces of a very long text. Far out of sight only their height is left of them.
import { type ReactNode, memo, useRef } from "react";
import type { Piece } from "./MarkdownPieces";
import { useFarAway } from "./useFarAway";
import styles from "./Markdown.module.css";

/** Settled pieces that come and go together. */
export const PIECES_A_GROUP = 8;

/** Characters in a line of prose, and pixels of its height: the guess for what was never drawn. */
const GUESSED_LINE_CHARS = 75;
const GUESSED_LINE_PX = 24;

function guess(pieces: readonly Piece[]): number {
  return Math.round(pieces.reduce((sum, { text, kind }) => sum + (kind === "code" ? text.split("\n").length : text.length / GUESSED_LINE_CHARS), 0)) * GUESSED_LINE_PX;
}

export interface GroupProps {
  pieces: readonly Piece[];
  /** None of them changes any more. */
  settled: boolean;
  /** It was there already when the text came into sight, and not at its end: it begins as its height. */
  later: boolean;
  draw: (piece: Piece, at: number) => ReactNode;
}

export const Group = memo(
  function Group({ pieces, settled, later, draw }: GroupProps) {
    const frame = useRef<HTMLDivElement>(null);
    const left = useFarAway(frame, settled, () => (later ? guess(pieces) : null));
    return (
      <div ref={frame} className={styles.group} data-far={left === null ? undefined : ""} style={left === null ? undefined : { height: left }}>
        {left === null && pieces.map(draw)}
      </div>
    );
  },
  (before, now) => before.settled === now.settled && before.pieces.length === now.pieces.length && before.pieces.every((piece, i) => piece === now.pieces[i]),
);

/** All pieces in groups; only the last group may still change. */
export function groupsOf(pieces: readonly Piece[]): ReadonlyArray<readonly Piece[]> {
  return Array.from({ length: Math.ceil(pieces.length / PIECES_A_GROUP) }, (_, i) => pieces.slice(i * PIECES_A_GROUP, (i + 1) * PIECES_A_GROUP));
}
