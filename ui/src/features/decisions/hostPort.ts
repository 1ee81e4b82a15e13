// Decisions on the real host.
import { type Decision, type HostError, host, hostError } from "../../host";
import { applyOwn } from "../../state/live";
import type { Answer, CardDraft, Closed, DecisionPort, DecisionView } from "./model";
import { EMPTY_DRAFT } from "./model";

/** Cards whose typed text is kept. */
const MAX_DRAFTS = 200;
/** Reasons offered. */
const MAX_REASONS = 5;

const CLOSED: Record<Decision["state"], Closed | null> = {
  open: null, answered: "elsewhere", delivered: "elsewhere", expired: "expired", withdrawn: "withdrawn", interrupted: "restarted", turn_ended: "interrupted",
};

/** Decisions whose answer by this window is remembered. */
const MAX_OWN = 1_000;
/** Decisions that this window has answered, or is about to. */
const own = new Set<string>();

function claim(id: string): void {
  own.add(id);
  if (own.size > MAX_OWN) own.delete(own.values().next().value as string);
}

function closedBy({ id, state }: Decision): Closed | null {
  const closed = CLOSED[state];
  return closed === "elsewhere" && own.has(id) ? "answered" : closed;
}

const seen = new WeakMap<Decision, DecisionView>();

/** The card's view of a decision; the same object for the same decision. */
export function viewOf(decision: Decision): DecisionView {
  const known = seen.get(decision);
  if (known) return known;
  const view: DecisionView = {
    id: decision.id,
    chatId: decision.chat,
    chatTitle: decision.chat_title,
    folder: decision.folder,
    harness: decision.harness,
    openedAt: decision.opened_at,
    blocking: decision.blocking,
    ask: decision.request,
    closed: closedBy(decision),
    answer: decision.answer,
  };
  seen.set(decision, view);
  return view;
}

const drafts = new Map<string, CardDraft>();
let reasons: readonly string[] = [];

function saveDraft({ id }: DecisionView, draft: CardDraft): void {
  drafts.delete(id);
  drafts.set(id, draft);
  if (drafts.size > MAX_DRAFTS) drafts.delete(drafts.keys().next().value as string);
}

/** Reads the reasons given before. A failure leaves the list empty: a reason can always be typed. */
export async function readReasons(): Promise<void> {
  reasons = await host.denyReasons();
}

async function answer(view: DecisionView, given: Answer): Promise<void> {
  // Before it is sent: the feed may tell of the answer sooner than the call returns.
  claim(view.id);
  try {
    applyOwn({ item: "decision", decision: await host.decide(view.id, given) });
  } catch (cause) {
    const error: HostError = hostError(cause);
    own.delete(view.id);
    if (error.kind !== "already_answered") throw error;
    // Someone was faster: the card shows what was answered, and by this window nothing was sent.
    applyOwn({ item: "decision", decision: await host.decision(view.id) });
  }
  drafts.delete(view.id);
}

async function payload(view: DecisionView, part: "input" | "plan"): Promise<string> {
  const { request } = await host.decision(view.id);
  const whole = request.kind === "approval" && part === "input" ? request.request.input : request.kind === "plan" && part === "plan" ? request.request.plan : null;
  if (!whole || whole.truncated) throw new Error("the store does not have the whole of it");
  return whole.text;
}

/** `onTrouble` is told what fails where nobody waits for an answer. */
export function hostPort(onTrouble: (text: string) => void): DecisionPort {
  return {
    answer,
    payload,
    openLink: (href) => void host.openLink(href).catch((cause: unknown) => onTrouble(hostError(cause).message)),
    reasons: () => reasons,
    rememberReason: (reason) => {
      reasons = [reason, ...reasons.filter((known) => known !== reason)].slice(0, MAX_REASONS);
    },
    draft: ({ id }) => drafts.get(id) ?? EMPTY_DRAFT,
    saveDraft,
  };
}
