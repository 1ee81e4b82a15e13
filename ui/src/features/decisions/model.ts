// A decision as this room sees it: who asks, for what, since when, and how it stands.
import type { ApprovalDecision, ApprovalRequest, PlanDecision, PlanRequest, QuestionRequest, QuestionResponse } from "../../state/transcript-events";

export type Ask =
  | { kind: "approval"; request: ApprovalRequest }
  | { kind: "plan"; request: PlanRequest }
  | { kind: "question"; request: QuestionRequest };

export type Answer =
  | { kind: "approval"; answer: ApprovalDecision }
  | { kind: "plan"; answer: PlanDecision }
  | { kind: "question"; answer: QuestionResponse };

/** How a decision ended without this window's answer, or with it. */
export type Closed = "answered" | "elsewhere" | "expired" | "withdrawn" | "interrupted" | "restarted" | "grant";

export interface DecisionView {
  id: string;
  chatId: string;
  chatTitle: string;
  folder: string;
  harness: string;
  /** Milliseconds since the Unix epoch. */
  openedAt: number;
  /** The turn waits for it. */
  blocking: boolean;
  ask: Ask;
  closed: Closed | null;
  /** The answer in a few words, once there is one. */
  answer: string | null;
}

/** What a card may do. Every call reports its failure by rejecting. */
export interface DecisionPort {
  answer: (decision: DecisionView, answer: Answer) => Promise<void>;
  /** The whole of a payload that was cut. */
  payload: (decision: DecisionView, part: "input" | "plan") => Promise<string>;
  openLink: (href: string) => void;
  /** Reasons for denying, newest first. */
  reasons: () => readonly string[];
  rememberReason: (reason: string) => void;
  /** Text typed into a card, kept while the card is away. */
  draft: (decision: DecisionView) => CardDraft;
  saveDraft: (decision: DecisionView, draft: CardDraft) => void;
}

export interface CardDraft {
  text: string;
  /** By question key: chosen labels and typed text. */
  chosen: Record<string, { labels: string[]; text: string }>;
}

export const EMPTY_DRAFT: CardDraft = { text: "", chosen: {} };

/** Blocking ones first, then the oldest. */
export function byUrgency(a: DecisionView, b: DecisionView): number {
  if (a.blocking !== b.blocking) return a.blocking ? -1 : 1;
  return a.openedAt - b.openedAt || a.id.localeCompare(b.id);
}

const CLOSED: Record<Closed, string> = {
  answered: "Answered",
  elsewhere: "Answered elsewhere",
  expired: "Expired: nobody answered in time. The agent was told that no answer came",
  withdrawn: "Withdrawn by the agent",
  interrupted: "Interrupted: the turn ended before an answer",
  restarted: "Interrupted: Paddock was restarted before an answer",
  grant: "Allowed by a grant",
};
export function closedText({ closed, answer }: DecisionView): string {
  if (closed === null) return "";
  const answered = closed === "answered" || closed === "elsewhere";
  return answer && answered ? `${CLOSED[closed]}: ${answer.replace(/^answered: /, "")}` : CLOSED[closed];
}

/** `just now`, `4 min`, `3 h`, `2 days`. */
export function age(from: number, now: number): string {
  const seconds = Math.max(0, Math.floor((now - from) / 1_000));
  if (seconds < 10) return "just now";
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h`;
  return `${Math.floor(hours / 24)} days`;
}

/** Characters of a path shown in the head of a card. */
const MAX_PATH_SHOWN = 72;

/** The end of a long path: it says more than its beginning. */
export function shortPath(path: string): string {
  return path.length <= MAX_PATH_SHOWN ? path : `…${path.slice(1 - MAX_PATH_SHOWN)}`;
}
