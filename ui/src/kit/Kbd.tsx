import styles from "./Kbd.module.css";

const MAC = /Mac|iPhone|iPad/;

/** Whether this computer names its keys the Apple way. */
export function appleKeys(platform: string = typeof navigator === "undefined" ? "" : navigator.platform): boolean {
  return MAC.test(platform);
}

/** `Mod+Shift+A` → `⌘⇧A` or `Ctrl+Shift+A`. */
export function keyName(keys: string, apple: boolean = appleKeys()): string {
  const parts = keys.split("+");
  if (!apple) return parts.map((part) => (part === "Mod" ? "Ctrl" : part)).join("+");
  const signs: Record<string, string> = { Mod: "⌘", Shift: "⇧", Alt: "⌥", Ctrl: "⌃", Enter: "⏎" };
  return parts.map((part) => signs[part] ?? part).join("");
}

export function Kbd({ children }: { children: string }) {
  return <kbd className={styles.kbd}>{keyName(children)}</kbd>;
}
