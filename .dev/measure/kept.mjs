// From sending a prompt to the first text: a fresh process beside one that was kept. The
// real CLI on the practice model, whose own pace is in both.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { BIN } from '../lib/paths.mjs'
import { must } from '../lib/run.mjs'
import { spread, words } from './lib/numbers.mjs'
import { KEPT, scratch } from './lib/release.mjs'

export const title = 'from sending a prompt to the first text of its answer'
export const needs = ['kept']

/** A fresh process takes at least so many times as long. */
const TARGET = 5
/** Bound on the whole run, in milliseconds. */
const RUN_MS = 300_000

export async function measure({ rounds }) {
  const place = scratch('kept')
  try {
    const home = join(place.folder, 'home')
    mkdirSync(home, { recursive: true })
    const env = { PATH: [BIN, process.env.PATH].join(':'), HOME: home, LANG: 'C.UTF-8', TMPDIR: place.folder }
    const { output } = await must([KEPT, BIN, String(rounds)], { env, limitMs: RUN_MS }, 'Kept processes could not be measured.')
    const found = JSON.parse(output.trim().split('\n').at(-1))
    const [fresh, kept] = ['fresh', 'kept'].map((name) => spread(found[name], 0))
    const faster = (one) => fresh.median / one.median
    return {
      rows: [
        ['a fresh process', words(fresh, ' ms'), '', ''],
        ['kept from the turn before', words(kept, ' ms'), `${faster(kept).toFixed(1)} times as fast`, `at least ${TARGET}`],
      ],
      met: faster(kept) >= TARGET,
      data: { fresh, kept, runs: found },
    }
  } finally {
    place.remove()
  }
}
