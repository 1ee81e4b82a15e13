/** What a card says, in words. Pure. */
import type { HarnessAuthentication, HarnessCard } from "../../host";
import type { BadgeTone } from "../../kit/Page";

/** After this time a probe that still runs says so (ms). */
export const STILL_TRYING_AFTER_MS = 3_000;

export function verdict(card: HarnessCard): { tone: BadgeTone; word: string } {
  if (card.status === null) return { tone: "plain", word: "Looking" };
  if (card.status === "not_installed") return { tone: "error", word: "Not found" };
  if (card.status === "incompatible") return { tone: "error", word: "Too old" };
  if (card.status === "unavailable") return { tone: "error", word: "Not usable" };
  if (card.authentication?.status === "required") return { tone: "warn", word: "Signed out" };
  if (card.authentication?.status === "rejected") return { tone: "error", word: "Sign-in rejected" };
  return { tone: "accent", word: "Ready" };
}

export function versionSentence(card: HarnessCard): string {
  const version = card.version ?? "Unknown";
  switch (card.standing) {
    case "verified":
      return `${version}, the version that Paddock was tested with`;
    case "newer":
      return `${version}, newer than ${card.verified_version}, which Paddock was tested with. It usually works; messages that are not understood are kept and shown.`;
    case "older":
      return `${version}, older than ${card.verified_version}, which Paddock was tested with. Some controls may be missing.`;
    default:
      return `${version}. Paddock was tested with ${card.verified_version}.`;
  }
}

/** Nothing says "signed out" unless the harness said so. */
export function signInSentence(authentication: HarnessAuthentication): { good: boolean; text: string } {
  const { account, plan, method, reason } = authentication;
  const why = reason ? `: ${reason}` : "";
  switch (authentication.status) {
    case "authenticated":
      return { good: true, text: ["Signed in", account ? `as ${account}` : "", plan ? `on ${plan}` : "", method ? `by ${method}` : ""].filter(Boolean).join(" ") };
    case "required":
      return { good: false, text: `Signed out, says the harness${why}` };
    case "rejected":
      return { good: false, text: `The provider rejected the sign-in${why}` };
    case "unavailable":
      return { good: false, text: `The check failed${why}` };
    default:
      return { good: false, text: `Not known${why}` };
  }
}

/** The install command as one would type it. */
export function commandLine(words: readonly string[]): string {
  return words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(" ");
}
