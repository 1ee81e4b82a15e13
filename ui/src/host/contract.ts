// The words between the window and the host, all derived from what the host generates; times are milliseconds since 1970.
import type { Batch, commands, HostError, Settings as StoredSettings, Subscription } from "./bindings";

export type * from "./bindings";

/** An error as it crosses the bridge; `error.ts` makes an exception of it. */
export type CommandError = HostError;

/** How the generated commands answer. */
export type Result<T> = { status: "ok"; data: T } | { status: "error"; error: CommandError };

/** The host fills in what an older file lacks, so all of it is there. */
export type Settings = Required<StoredSettings>;

type Generated = typeof commands;
type Answered<R> = Extract<R, { status: "ok" }>;
/** A command's value, or a rejection with an exception of `error.ts`. A command that answers nothing gives no `Result`. */
type Value<R> = [Answered<R>] extends [never] ? R : Answered<R> extends { data: infer T } ? T : never;
type Unwrapped<C> = C extends (...args: infer A) => Promise<infer R> ? (...args: A) => Promise<Value<R>> : never;

/** Every command by its name, except the one that opens the channel. */
export type Commands = { [K in Exclude<keyof Generated, "subscribe" | "settings">]: Unwrapped<Generated[K]> } & { settings(): Promise<Settings> };

/** The side of the window that `src/host` stands on: real or scripted. */
export interface Bridge {
  commands: Commands;
  /** Opens the one channel of this window; the host ends the one before. */
  subscribe(subscription: Subscription, onBatch: (batch: Batch) => void): Promise<number>;
  setTheme(theme: "light" | "dark" | null): Promise<void>;
}
