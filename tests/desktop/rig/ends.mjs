// The end of everything that the app started, seen from outside and not through the page.
import { TURN_MS, eventually } from './wait.mjs'

/** After this nothing of a stopped turn may live, in milliseconds. */
export const STOPPED_MS = 3_000
/** What a machine with more work than cores may add to a bound that timers keep, in milliseconds. */
export const LATE_MS = 2_000
/** Between two looks at the processes, in milliseconds. */
const POLL_MS = 50

/**
 * Waits until nothing of any turn lives; resolves to the beginning of the last look that saw something, in milliseconds
 * since 1970.
 */
export async function lastAlive(window) {
  let seen = 0
  await eventually('the end of all processes of turns', () => {
    const now = Date.now()
    if (!window.ofTurns().length) return true
    seen = now
    return false
  }, TURN_MS, POLL_MS)
  return seen
}
