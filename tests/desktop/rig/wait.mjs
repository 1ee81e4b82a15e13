// Waiting, with a bound on everything.
import { setTimeout as pause } from 'node:timers/promises'

/** Bounds, in milliseconds: the real CLI on a busy two-core machine. They end a wait; nothing is measured by them. */
export const PAINT_MS = 45_000
export const TURN_MS = 90_000
const POLL_MS = 100

/** Waits until a function gives something truthy, and returns it. */
export async function eventually(what, look, ms = TURN_MS, pollMs = POLL_MS) {
  const end = Date.now() + ms
  for (;;) {
    const found = await look()
    if (found) return found
    if (Date.now() > end) throw new Error(`not within ${ms} ms: ${what}`)
    await pause(pollMs)
  }
}
