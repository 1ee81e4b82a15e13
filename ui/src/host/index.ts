// The host as the rest of the window sees it: typed calls that throw HostError, and the one feed.
import { bridge } from "#bridge";
import type { Bridge, Commands, Result } from "./contract";
import { unwrap } from "./error";
import { openFeed as openFeedOn, type Feed, type FeedSink } from "./feed";

export type * from "./contract";
export { HostError, hostError } from "./error";
export type { Feed, FeedSink } from "./feed";

type Unwrapped<C> = { [K in keyof C]: C[K] extends (...args: infer A) => Promise<Result<infer T>> ? (...args: A) => Promise<T> : never };
/** Every command by its name; the promise rejects with a `HostError`. */
export type Host = Unwrapped<Commands>;

function throwing(commands: Commands): Host {
  const entries = Object.entries(commands) as Array<[string, (...args: unknown[]) => Promise<Result<unknown>>]>;
  return Object.fromEntries(entries.map(([name, command]) => [name, (...args: unknown[]) => unwrap(command(...args))])) as unknown as Host;
}

const { commands, subscribe } = bridge satisfies Bridge;

export const host: Host = throwing(commands);

export function openFeed(sink: FeedSink): Feed {
  return openFeedOn({ commands, subscribe }, sink);
}

/** Tells the window frame whether it is light or dark; `null` follows the system. */
export function setWindowTheme(theme: "light" | "dark" | null): Promise<void> {
  return bridge.setTheme(theme);
}
