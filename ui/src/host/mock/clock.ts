/** The moment at which every scripted scene stands: 2026-03-14 15:09:26 UTC. */
export const NOW = Date.UTC(2026, 2, 14, 15, 9, 26);

const MINUTE = 60_000;
export const minutesAgo = (minutes: number): number => NOW - minutes * MINUTE;
export const hoursAgo = (hours: number): number => minutesAgo(hours * 60);
export const daysAgo = (days: number): number => hoursAgo(days * 24);

/** A small seeded generator (mulberry32), so that a scene is the same in every run. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
