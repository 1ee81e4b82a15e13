/** Small choices of this window that the host need not know: kept in the web view's own storage. */
import { useSyncExternalStore } from "react";
import { setWindowTheme } from "../host";

export type Theme = "system" | "light" | "dark";

const THEME_KEY = "paddock.theme";
const listeners = new Set<() => void>();

export function readTheme(): Theme {
  const stored = window.localStorage.getItem(THEME_KEY);
  return stored === "light" || stored === "dark" ? stored : "system";
}

/** Sets the theme of page and window frame at once. */
export function chooseTheme(theme: Theme): void {
  if (theme === "system") {
    window.localStorage.removeItem(THEME_KEY);
    delete document.documentElement.dataset.theme;
  } else {
    window.localStorage.setItem(THEME_KEY, theme);
    document.documentElement.dataset.theme = theme;
  }
  for (const listener of listeners) listener();
  setWindowTheme(theme === "system" ? null : theme).catch((cause: unknown) => console.error("window theme", cause));
}

export function useTheme(): Theme {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, readTheme);
}

/** Letters of a draft at most; the rest of a paste stays in the field but is not kept over a restart. */
export const MOST_DRAFT_LETTERS = 200_000;

export function readDraft<T extends object>(key: string, empty: T): T {
  const stored = window.localStorage.getItem(`paddock.draft.${key}`);
  if (!stored) return empty;
  try {
    return { ...empty, ...(JSON.parse(stored) as Partial<T>) };
  } catch {
    // A draft of another version, or cut by a full disk: it cannot be read, so it goes.
    window.localStorage.removeItem(`paddock.draft.${key}`);
    return empty;
  }
}

export function keepDraft(key: string, draft: object): void {
  const text = JSON.stringify(draft);
  if (text.length > MOST_DRAFT_LETTERS) return;
  try {
    window.localStorage.setItem(`paddock.draft.${key}`, text);
  } catch (cause) {
    console.error("draft not kept", cause);
  }
}

export function dropDraft(key: string): void {
  window.localStorage.removeItem(`paddock.draft.${key}`);
}
