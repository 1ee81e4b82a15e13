// The host as the rest of the window sees it: typed calls that throw HostError, and the one feed.
import { bridge } from "#bridge";
import type { Bridge, Commands } from "./contract";
import { openFeed as openFeedOn, type Feed, type FeedSink } from "./feed";

export type * from "./contract";
export { HostError, hostError, inWords } from "./error";
export type { Feed, FeedSink } from "./feed";

/** Every command by its name; the promise rejects with a `HostError`. */
export type Host = Commands;

const { commands, subscribe } = bridge satisfies Bridge;

export const host: Host = commands;

export function openFeed(sink: FeedSink): Feed {
  return openFeedOn({ commands, subscribe }, sink);
}

/** Tells the window frame whether it is light or dark; `null` follows the system. */
export function setWindowTheme(theme: "light" | "dark" | null): Promise<void> {
  return bridge.setTheme(theme);
}
