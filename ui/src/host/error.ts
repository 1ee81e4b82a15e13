import type { CommandError, Result } from "./contract";

/** A refused or failed command, with words for a person. */
export class HostError extends Error {
  /** Stable name to branch on; `bridge` when the app behind the window was not reached. */
  readonly kind: string;
  readonly nextStep: string;
  readonly details: string | undefined;

  constructor({ kind, message, next_step }: CommandError, details?: string) {
    super(message);
    this.name = "HostError";
    this.kind = kind;
    this.nextStep = next_step;
    this.details = details;
  }
}

/** Turns whatever was thrown into words; the window's own refusals arrive as plain strings. */
export function hostError(cause: unknown): HostError {
  if (cause instanceof HostError) return cause;
  const details = cause instanceof Error ? (cause.stack ?? cause.message) : typeof cause === "string" ? cause : JSON.stringify(cause);
  const message = "The window could not reach the app behind it";
  return new HostError({ kind: "bridge", message, next_step: "Nothing was changed. Try again; if it happens again, restart Paddock." }, details);
}

/** What happened and what to do next, as one line of text. */
export function inWords(cause: unknown): string {
  const { message, nextStep } = hostError(cause);
  return `${/[.!?…]$/.test(message) ? message : `${message}.`} ${nextStep}`;
}

function isCommandError(error: unknown): error is CommandError {
  return typeof error === "object" && error !== null && "kind" in error && "message" in error;
}

function isResult(answer: unknown): answer is Result<unknown> {
  return typeof answer === "object" && answer !== null && "status" in answer && (answer.status === "ok" || answer.status === "error");
}

/** The value of an answered command, or a thrown `HostError`. A command that answers nothing is no `Result`. */
export async function unwrap<T>(answer: Promise<unknown>): Promise<T> {
  let result: unknown;
  try {
    result = await answer;
  } catch (cause) {
    throw isCommandError(cause) && !(cause instanceof Error) ? new HostError(cause) : hostError(cause);
  }
  if (!isResult(result)) return result as T;
  if (result.status === "ok") return result.data as T;
  throw isCommandError(result.error) ? new HostError(result.error) : hostError(result.error);
}
