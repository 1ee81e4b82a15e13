// How much of an account's quota is used, in words. A figure that is missing is said to be unknown, never zero.

/** One quota window, as the host tells it. */
export interface AccountWindow {
  id: string;
  label: string | null;
  used_percent: number | null;
  /** In milliseconds since 1970. */
  resets_at: number | null;
  exhausted: boolean;
}

/** The quota of an account, as the host tells it. */
export interface AccountUsage {
  provider: string;
  plan: string | null;
  windows: AccountWindow[];
  credits: { unlimited: boolean; balance: string | null; currency: string | null } | null;
}

/** Share from which a window warns (percent). */
export const NEARLY_USED_PERCENT = 85;

export function windowName(window: AccountWindow): string {
  return window.label ?? window.id.replaceAll("_", " ");
}

export function usedWords(window: AccountWindow): string {
  if (window.exhausted) return "used up";
  return window.used_percent === null ? "share unknown" : `${Math.round(window.used_percent)} % used`;
}

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const dayAndClock = new Intl.DateTimeFormat(undefined, { weekday: "short", hour: "2-digit", minute: "2-digit" });

/** When a window starts anew; null when that is not known or is past. */
export function resetWords(window: AccountWindow, now: number): string | null {
  const { resets_at: at } = window;
  if (at === null || at <= now) return null;
  const today = new Date(at).toDateString() === new Date(now).toDateString();
  return `resets ${(today ? clock : dayAndClock).format(at)}`;
}

/** The window that limits first: one that is used up, else the one with the largest share. */
export function tightest(usage: Pick<AccountUsage, "windows">): AccountWindow | null {
  const rank = (window: AccountWindow) => (window.exhausted ? Number.POSITIVE_INFINITY : (window.used_percent ?? -1));
  return usage.windows.reduce<AccountWindow | null>((worst, window) => (worst === null || rank(window) > rank(worst) ? window : worst), null);
}

/** A later word about single windows leaves the others standing. */
export function mergedUsage<Usage extends AccountUsage>(before: Usage | null, heard: Usage): Usage {
  if (!before || before.provider !== heard.provider) return heard;
  const fresh = new Map(heard.windows.map((window) => [window.id, window]));
  const kept = before.windows.map((window) => fresh.get(window.id) ?? window);
  const added = heard.windows.filter((window) => !before.windows.some(({ id }) => id === window.id));
  return { ...heard, plan: heard.plan ?? before.plan, credits: heard.credits ?? before.credits, windows: [...kept, ...added] };
}
