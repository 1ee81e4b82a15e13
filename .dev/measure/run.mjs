// `npm run measure [-- NAME…] [--no-build] [--rounds N] [--seconds N] [--list]`: measures the release build. Each figure stands
// beside its target, with the load of the machine before and after; all of it is kept as JSON in target/.paddock/measure.
// A missed target is told and makes exit 1. Linux only.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ensureNodePackages } from '../lib/node-packages.mjs'
import { Stop, bold, dim, green, main, note, red, seconds as asSeconds } from '../lib/say.mjs'
import { ensureSystem } from '../lib/system.mjs'
import { load, machine } from './lib/machine.mjs'
import { table } from './lib/numbers.mjs'
import { RESULTS, ensure } from './lib/release.mjs'

const NAMES = ['start', 'chat', 'stream', 'idle', 'latency', 'kept', 'parse', 'store']
/** Runs of everything that is compared by its median. */
const ROUNDS = 5
/** Load of the last minute, per core, above which figures are not to be trusted. */
const BUSY = 0.3

function parse(args) {
  const options = { names: [], build: true, rounds: ROUNDS, seconds: undefined, list: false }
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at]
    if (arg === '--no-build') options.build = false
    else if (arg === '--list') options.list = true
    else if (arg === '--rounds' || arg === '--seconds') {
      const number = Number(args[(at += 1)])
      if (!Number.isInteger(number) || number < 1) throw new Stop(`${arg} needs a whole number.`, `${arg} ${ROUNDS}`)
      options[arg.slice(2)] = number
    } else if (NAMES.includes(arg)) options.names.push(arg)
    else throw new Stop(`There is no measurement ${arg}.`, `measurements: ${NAMES.join(' ')}`)
  }
  if (!options.names.length) options.names = NAMES
  return options
}

async function one(name, part, options) {
  const before = load()
  const from = Date.now()
  console.log(`\n${bold(`── ${part.title}`)} ${dim(`load ${before.join(' ')}`)}`)
  const { rows, met, data } = await part.measure({ rounds: options.rounds, seconds: options.seconds, say: note })
  const after = load()
  table([['figure', 'found', 'beside', 'target'], ...rows])
  const busy = before[0] / machine().cores > BUSY ? red(' The machine was busy: measure again.') : ''
  const verdict = met === null ? '' : met ? green('within the target') : red('target missed')
  console.log(`  ${verdict} ${dim(`load ${before.join(' ')} before, ${after.join(' ')} after, ${asSeconds(Date.now() - from)}`)}${busy}`)
  const record = { name, title: part.title, at: new Date(from).toISOString(), machine: machine(), load: { before, after }, met, rows, data }
  writeFileSync(join(RESULTS, `${name}.json`), `${JSON.stringify(record, null, 1)}\n`)
  return met
}

await main(async () => {
  const options = parse(process.argv.slice(2))
  const parts = new Map()
  for (const name of options.names) parts.set(name, await import(`./${name}.mjs`))
  if (options.list) {
    for (const [name, part] of parts) console.log(`${name.padEnd(8)} ${part.title}`)
    return 0
  }
  if (process.platform !== 'linux') throw new Stop('Measuring works on Linux only.', 'run it on Linux')
  await ensureSystem(['build', 'test'])
  await ensureNodePackages()
  if (options.build) await ensure([...new Set([...parts.values()].flatMap((part) => part.needs))])
  mkdirSync(RESULTS, { recursive: true })
  const missed = []
  for (const [name, part] of parts) if ((await one(name, part, options)) === false) missed.push(name)
  if (missed.length) console.log(`\nTargets missed: ${missed.join(' ')}`)
  note(`kept in ${RESULTS}`)
  return missed.length ? 1 : 0
})
