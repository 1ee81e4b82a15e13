// Framing and dialogue over 200 MB of recorded lines beside plain parsing of the same lines.
import { must } from '../lib/run.mjs'
import { round, spread, words } from './lib/numbers.mjs'
import { LINES } from './lib/release.mjs'

export const title = 'framing and parsing of 200 MB'
export const needs = ['lines']

/** Share of the speed of plain parsing. */
const TARGET = 0.8
const RUN_MS = 10 * 60_000

export async function measure({ rounds, say }) {
  const { output } = await must([LINES, String(rounds)], { limitMs: RUN_MS, onLine: (line) => line.startsWith('round') && say(line) }, 'The lines could not be read.')
  const found = JSON.parse(output.trim().split('\n').at(-1))
  const of = (name) => spread(found[name], 0)
  const [plain, framing, joint] = ['plain_mb_s', 'framing_mb_s', 'joint_mb_s'].map(of)
  const ratios = spread(found.joint_mb_s.map((speed, i) => speed / found.plain_mb_s[i]), 2)
  const { turns, events, asks } = found.conversation
  return {
    rows: [
      [`plain values of ${found.lines} lines, ${round(found.bytes / 1e6, 0)} MB`, words(plain, ' MB/s'), '', ''],
      ['framing alone', words(framing, ' MB/s'), '', ''],
      [`framing and dialogue (${turns} turns, ${events} events, ${asks} asks)`, words(joint, ' MB/s'), `${words(ratios)} of plain`, `at least ${TARGET}`],
    ],
    met: ratios.median >= TARGET,
    data: { ...found, ratios },
  }
}
