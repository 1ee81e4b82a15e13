// The list of suites: reading it, choosing from it, judging a finished one.
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './paths.mjs'
import { npm } from './run.mjs'
import { Stop } from './say.mjs'

const json = (name) => JSON.parse(readFileSync(join(ROOT, '.dev', name), 'utf8'))

export const allSuites = () => json('suites.json').suites
export const allFloors = () => json('floors.json')

/** The suites whose name or group is named; all without names. An unknown name is an error, never an empty run. */
export function choose(suites, names) {
  const unknown = names.filter((name) => !suites.some((suite) => suite.name === name || suite.groups.includes(name)))
  if (unknown.length) {
    const groups = [...new Set(suites.flatMap((suite) => suite.groups))]
    throw new Stop(
      `No suite is called ${unknown.join(', ')}.`,
      `choose from ${[...groups, ...suites.map((suite) => suite.name)].join(' ')}`,
    )
  }
  if (!names.length) return suites
  return suites.filter((suite) => names.includes(suite.name) || suite.groups.some((group) => names.includes(group)))
}

/** Why a suite does not apply on this machine, or null. Said in the closing table, never silent. */
export function notHere(suite, { platform, root }) {
  if (suite.platforms && !suite.platforms.includes(platform)) return `not on ${platform}`
  if (suite.rootOnly && !root) return 'ran as an ordinary user already'
  return null
}

/** `folder/*.end` as the sorted files there: Node 20 and 22 read patterns and folders differently. */
function filled(arg) {
  const match = /^(.*\/)\*([^*/]+)$/.exec(arg)
  if (!match) return [arg]
  const found = readdirSync(join(ROOT, match[1]))
    .filter((name) => name.endsWith(match[2]))
    .sort()
  if (!found.length) throw new Stop(`No file fits ${arg}.`, 'correct .dev/suites.json')
  return found.map((name) => match[1] + name)
}

/** The argument list with this very node and npm, and patterns filled in. */
export function argv([program, ...rest]) {
  const args = rest.flatMap(filled)
  if (program === 'node') return [process.execPath, ...args]
  if (program === 'npm') return npm(...args)
  return [program, ...args]
}

/**
 * The verdict on a finished suite: what is wrong, or null. `floor` is the committed number of tests that must pass and
 * `allowedSkips` the committed number that may be skipped.
 */
export function wrongWith(suite, result, count, floor, allowedSkips = 0) {
  if (result.timedOut) return `not finished within ${suite.minutes} min`
  if (result.signal) return `ended by ${result.signal}`
  if (count.failed) return `${count.failed} failed`
  if (result.code !== 0) return `exit ${result.code}`
  if (suite.count === 'lines' && !count.seen) return 'printed no count'
  if (suite.count === 'lines' && floor === undefined) return 'has no floor in .dev/floors.json'
  if (count.passed < (floor ?? 1)) return `${count.passed} passed, the floor is ${floor}`
  if (count.skipped > allowedSkips) return `${count.skipped} skipped, ${allowedSkips} allowed`
  return null
}
