// `npm test [-- SUITE|GROUP…] [--fail-fast] [--raise-floors] [--list]`: installs what is missing, runs every suite of
// suites.json, prints a table and one closing line. A suite fails by its exit code, by a failed test, by a count below
// its committed floor, by more skipped tests than are allowed, or by its time bound.
import { createWriteStream, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildApp, buildStandIn, ensureTauriDriver, ensureUi } from './lib/build.mjs'
import { Count } from './lib/count.mjs'
import { ensureNodePackages } from './lib/node-packages.mjs'
import { LOGS, ROOT } from './lib/paths.mjs'
import { interrupted, run } from './lib/run.mjs'
import { Stop, bold, dim, green, main, note, red, seconds, step, yellow } from './lib/say.mjs'
import { allFloors, allSuites, argv, choose, notHere, wrongWith } from './lib/suites.mjs'
import { ensureSystem } from './lib/system.mjs'

const OPTIONS = ['--fail-fast', '--raise-floors', '--list']
const PREPARE = { ui: ensureUi, app: buildApp, driver: ensureTauriDriver, 'stand-in': buildStandIn }

function parse(args) {
  const unknown = args.find((arg) => arg.startsWith('-') && !OPTIONS.includes(arg))
  if (unknown) throw new Stop(`There is no option ${unknown}.`, `options: ${OPTIONS.join(' ')}`)
  const has = (name) => args.includes(name)
  return {
    names: args.filter((arg) => !arg.startsWith('-')),
    failFast: has('--fail-fast'),
    raise: has('--raise-floors'),
    list: has('--list'),
  }
}

/** Preparations are shared by suites and done at most once; a failed one fails every suite that needs it. */
function preparer() {
  const done = new Map()
  return async (need) => {
    if (!done.has(need)) {
      done.set(
        need,
        PREPARE[need]().then(
          () => null,
          (error) => (error instanceof Stop ? error : Promise.reject(error)),
        ),
      )
    }
    return done.get(need)
  }
}

/** Runs one suite; resolves to { count, wrong }. */
async function runSuite(suite, floor, prepare) {
  const count = new Count()
  for (const need of suite.needs ?? []) {
    const stop = await prepare(need)
    if (stop) return { count, wrong: `${stop.message.split('\n')[0]}${stop.next ? ` Next: ${stop.next}` : ''}` }
  }
  const log = createWriteStream(join(LOGS, `${suite.name}.log`))
  const onLine = (line) => (log.write(`${line}\n`), suite.count === 'lines' && count.line(line))
  let result
  try {
    result = await run(argv(suite.command), { show: true, onLine, limitMs: suite.minutes * 60_000 })
  } catch (error) {
    result = { code: 127, signal: null, timedOut: false }
    console.error(`${suite.command[0]} cannot be started: ${error.message}`)
  } finally {
    log.end()
  }
  if (suite.count === 'exit' && !result.timedOut) count.add(result.code === 0 ? 1 : 0, result.code === 0 ? 0 : 1, 0)
  const { passed, skipped } = typeof floor === 'object' ? floor : { passed: floor, skipped: 0 }
  const wrong = wrongWith(suite, result, count, passed, skipped)
  if (wrong && !count.failed) count.failed = 1
  return { count, wrong }
}

function table(rows) {
  const width = Math.max(...rows.map((row) => row.suite.title.length))
  console.log(`\n${bold('suite'.padEnd(width))}  passed  failed  skipped      time`)
  for (const { suite, count, wrong, absent, ms } of rows) {
    const title = suite.title.padEnd(width)
    if (absent) {
      console.log(`${title}  ${yellow(absent)}`)
      continue
    }
    const cells = [count.passed, count.failed, count.skipped].map((n, i) => String(n).padStart([6, 6, 7][i])).join('  ')
    console.log(
      `${wrong ? red(title) : green(title)}  ${cells}  ${seconds(ms).padStart(8)}${wrong ? `  ${red(wrong)}` : ''}`,
    )
  }
}

/** Writes the counts of a wholly green run as the new floors; a floor never goes down by itself. */
function raiseFloors(rows) {
  const floors = allFloors()
  for (const { suite, count, absent } of rows) {
    if (absent || suite.count !== 'lines') continue
    const old = floors[suite.name]
    const passed = Math.max(count.passed, typeof old === 'object' ? old.passed : (old ?? 0))
    floors[suite.name] = typeof old === 'object' ? { ...old, passed } : passed
  }
  writeFileSync(join(ROOT, '.dev', 'floors.json'), `${JSON.stringify(floors, null, 2)}\n`)
  note('floors raised in .dev/floors.json')
}

async function runAll(suites, { failFast, raise }) {
  const floors = allFloors()
  const prepare = preparer()
  const here = { platform: process.platform, root: process.getuid?.() === 0 }
  const rows = []
  for (const [index, suite] of suites.entries()) {
    const absent = notHere(suite, here)
    if (absent) {
      rows.push({ suite, absent })
      continue
    }
    console.log(`\n${bold(`── ${index + 1}/${suites.length} ${suite.title} `)}${dim(suite.command.join(' '))}`)
    const from = Date.now()
    const { count, wrong } = await runSuite(suite, floors[suite.name] ?? (raise ? 0 : undefined), prepare)
    rows.push({ suite, count, wrong, ms: Date.now() - from })
    if (wrong) console.log(red(`✗ ${suite.title}: ${wrong}`))
    if (interrupted() || (wrong && failFast)) break
  }
  return rows
}

await main(async () => {
  const options = parse(process.argv.slice(2))
  const suites = choose(allSuites(), options.names)
  if (options.list) {
    for (const suite of suites)
      console.log(`${suite.name.padEnd(18)} ${suite.groups.join(',').padEnd(8)} ${suite.title}`)
    return 0
  }
  const from = Date.now()
  await ensureSystem(['build', 'test'])
  await ensureNodePackages()
  if (suites.some((suite) => suite.needs?.includes('driver'))) await ensureTauriDriver()
  note(`set-up took ${seconds(Date.now() - from)}`)
  mkdirSync(LOGS, { recursive: true })

  const rows = await runAll(suites, options)
  table(rows)
  const ran = rows.filter((row) => !row.absent)
  const failures = ran.filter((row) => row.wrong)
  const sum = (field) => ran.reduce((total, row) => total + row.count[field], 0)
  if (failures.length) {
    console.log(`\nFailed: ${failures.map((row) => row.suite.name).join(' ')}`)
    console.log(`Next: npm test -- ${failures[0].suite.name}   (output kept in target/.paddock/logs)`)
  }
  if (rows.length < suites.length) console.log(`${suites.length - rows.length} suites were not run`)
  const isRed = failures.length > 0 || rows.length < suites.length || ran.length === 0
  if (!isRed && options.raise) raiseFloors(rows)
  step(`${seconds(Date.now() - from)} in all`)
  console.log(`${sum('passed')} passed, ${sum('failed')} failed`)
  return isRed ? 1 : 0
})
