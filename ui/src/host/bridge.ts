// The real window. Only this file and the generated bindings import @tauri-apps.
import { Channel } from "@tauri-apps/api/core";
import { getCurrentWindow } from "@tauri-apps/api/window";
import { commands as generated, type Batch } from "./bindings";
import type { Bridge, Commands } from "./contract";
import { unwrap } from "./error";

const { subscribe, ...asked } = generated;

/** The same commands, with values instead of results; `Commands` says the same of their types. */
function throwing(commands: typeof asked): Commands {
  const entries = Object.entries(commands) as Array<[string, (...args: unknown[]) => Promise<unknown>]>;
  return Object.fromEntries(entries.map(([name, command]) => [name, (...args: unknown[]) => unwrap(command(...args))])) as unknown as Commands;
}

export const bridge: Bridge = {
  commands: throwing(asked),
  subscribe: (subscription, onBatch) => {
    const channel = new Channel<Batch>();
    channel.onmessage = onBatch;
    return unwrap<number>(subscribe(subscription, channel));
  },
  setTheme: (theme) => getCurrentWindow().setTheme(theme),
};
