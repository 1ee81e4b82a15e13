import type { ReactNode } from "react";
import { cx } from "./cx";
import styles from "./State.module.css";

/** The states of a chat, worst first: the one order of sidebar, tray, title, Inbox and reader. */
export const STATE_ORDER = ["needs", "failed", "working", "quiet", "waiting", "done", "read"] as const;
export type StateKind = (typeof STATE_ORDER)[number];

export const STATE_WORD: Record<StateKind, string> = {
  needs: "Needs you",
  failed: "Failed",
  working: "Working",
  quiet: "Quiet",
  waiting: "Waiting for a slot",
  done: "Finished, unread",
  read: "Read",
};

/** Shapes differ, so that states stay apart without colour. */
const GLYPH: Record<StateKind, ReactNode> = {
  needs: (
    <>
      <path d="M8 .9 15.1 8 8 15.1.9 8z" fill="currentColor" />
      <path d="M8 4.6v4" stroke="var(--state-hole)" strokeWidth="1.7" strokeLinecap="round" />
      <circle cx="8" cy="11.1" r="1" fill="var(--state-hole)" />
    </>
  ),
  failed: (
    <>
      <path d="M5.1 1h5.8L15 5.1v5.8L10.9 15H5.1L1 10.9V5.1z" fill="currentColor" />
      <path d="m5.7 5.7 4.6 4.6m0-4.6-4.6 4.6" stroke="var(--state-hole)" strokeWidth="1.6" strokeLinecap="round" />
    </>
  ),
  working: (
    <>
      <circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" strokeWidth="1.8" opacity="0.3" />
      <path d="M8 2a6 6 0 0 1 6 6" fill="none" stroke="currentColor" strokeWidth="1.8" strokeLinecap="round" className={styles.spin} />
      <circle cx="8" cy="8" r="2.1" fill="currentColor" />
    </>
  ),
  quiet: (
    <>
      <circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" strokeWidth="1.6" />
      <path d="M6.3 5.8v4.4M9.7 5.8v4.4" stroke="currentColor" strokeWidth="1.6" strokeLinecap="round" />
    </>
  ),
  waiting: (
    <>
      <circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" strokeWidth="1.5" strokeDasharray="2.2 2.51" />
      <path d="M8 5v3.2l2 1.4" fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" strokeLinejoin="round" />
    </>
  ),
  done: (
    <>
      <circle cx="8" cy="8" r="7" fill="currentColor" />
      <path d="m4.9 8.3 2.2 2.1 4-4.4" fill="none" stroke="var(--state-hole)" strokeWidth="1.7" strokeLinecap="round" strokeLinejoin="round" />
    </>
  ),
  read: <circle cx="8" cy="8" r="2" fill="currentColor" />,
};

export interface StateMarkProps {
  state: StateKind;
  /** `glyph` alone is only for places where the word stands beside it or is read out. */
  show?: "glyph" | "full";
  word?: string;
  className?: string;
}

export function StateGlyph({ state, className }: { state: StateKind; className?: string | undefined }) {
  return (
    <svg viewBox="0 0 16 16" aria-hidden="true" data-glyph={state} className={cx(styles.glyph, styles[state], className)}>
      {GLYPH[state]}
    </svg>
  );
}

export function StateMark({ state, show = "full", word = STATE_WORD[state], className }: StateMarkProps) {
  return (
    <span className={cx(styles.mark, styles[state], className)}>
      <StateGlyph state={state} />
      <span className={show === "full" ? styles.word : "visually-hidden"}>{word}</span>
    </span>
  );
}

/** The word alone, in its colour; for where the glyph stands elsewhere in the row. */
export function StateWord({ state, className }: { state: StateKind; className?: string | undefined }) {
  return <span className={cx(styles.only, styles[state], className)}>{STATE_WORD[state]}</span>;
}
