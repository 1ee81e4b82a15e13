/** Waiting time after a key before the host is asked (ms). */
export const ASK_AFTER_MS = 80;

/** What Tab makes of the typed text: the beginning that all offers share; null if nothing is gained, and Tab moves on. */
export function completed(typed: string, prefix: string | undefined): string | null {
  if (!prefix || typed.trim() === "" || prefix.length <= typed.length) return null;
  return prefix.toLowerCase().startsWith(typed.toLowerCase()) || typed.startsWith("~") ? prefix : null;
}
