/** The keys of the whole window. Pure: what a key means, told apart from doing it. */

export type Deed = "new-chat" | "find" | "oldest-decision" | "settings" | "quit" | "next-region" | "previous-region";

export interface Key {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  shiftKey: boolean;
  altKey: boolean;
  repeat: boolean;
}

/**
 * What the key means, if anything. One modifier a platform: on a Mac Ctrl belongs to text editing, elsewhere Meta belongs
 * to the desktop.
 */
export function deedOf(event: Key, apple: boolean): Deed | null {
  if (event.key === "F6") return event.shiftKey ? "previous-region" : "next-region";
  const mod = apple ? event.metaKey && !event.ctrlKey : event.ctrlKey && !event.metaKey;
  if (!mod || event.altKey || event.repeat) return null;
  const key = event.key.toLowerCase();
  if (event.shiftKey) return key === "a" ? "oldest-decision" : null;
  if (key === "n") return "new-chat";
  if (key === "k") return "find";
  if (key === "q") return "quit";
  return key === "," ? "settings" : null;
}

/** The keys as they are shown in Settings. */
export const KEYS: ReadonlyArray<{ keys: string; does: string }> = [
  { keys: "Mod+N", does: "New chat" },
  { keys: "Mod+K", does: "Find a chat" },
  { keys: "Mod+Shift+A", does: "Go to the oldest decision" },
  { keys: "Mod+,", does: "Settings" },
  { keys: "Mod+Q", does: "Quit" },
  { keys: "F6", does: "Next part of the window" },
  { keys: "Shift+F6", does: "Previous part of the window" },
];

/** Moves the focus to the next marked part of the window, to its current entry or its heading. */
export function moveRegion(step: 1 | -1, root: ParentNode = document): void {
  const regions = [...root.querySelectorAll<HTMLElement>("[data-region]")].filter((region) => region.getClientRects().length > 0);
  if (regions.length === 0) return;
  const at = regions.findIndex((region) => region.contains(document.activeElement));
  const next = regions[(at + step + regions.length) % regions.length] ?? regions[0];
  const inside = next?.querySelector<HTMLElement>('[aria-current="page"], [data-region-focus], h1[tabindex]');
  (inside ?? next)?.focus();
}
