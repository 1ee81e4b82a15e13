// Events appended a second through the store beside the same inserts on a bare connection, in turns.
import { must } from '../lib/run.mjs'
import { spread, words } from './lib/numbers.mjs'
import { APPEND } from './lib/release.mjs'

export const title = 'events appended a second'
export const needs = ['append']

const RUN_MS = 15 * 60_000

export async function measure({ rounds, say }) {
  const { output } = await must([APPEND, String(rounds)], { limitMs: RUN_MS, onLine: (line) => line.startsWith('round') && say(line) }, 'The store could not be measured.')
  const found = JSON.parse(output.trim().split('\n').at(-1))
  const [bare, ...ours] = found.map(({ what, events_per_second }) => ({ what, all: spread(events_per_second, 0) }))
  const ratio = (one) => (one.all.median / bare.all.median).toFixed(2)
  return {
    rows: [
      [bare.what, words(bare.all, ' /s'), '', ''],
      ...ours.map((one) => [one.what, words(one.all, ' /s'), `${ratio(one)} of bare`, '']),
    ],
    met: null,
    data: { found },
  }
}
