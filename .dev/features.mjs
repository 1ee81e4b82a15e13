// `npm run features [-- CRATE…]`: the library crates with every set of features that somebody may build them with: none,
// each alone, the defaults, all. For each set, clippy on all targets and the tests with those in the docs; for all of
// them the docs, whose links must lead somewhere; then the adapter from outside, which is built without any provider.
// The features are read from `cargo metadata`. Counted are the steps.
import { Count } from './lib/count.mjs'
import { switchedOn, table } from './lib/features.mjs'
import { interrupted, must, run } from './lib/run.mjs'
import { Stop, dim, green, main, red, seconds } from './lib/say.mjs'

/** Builds on the public surface of the library alone. */
const OUTSIDE = 'outside-adapter'
/** Bounds, in milliseconds. */
const QUERY_MS = 60_000
const STEP_MS = 20 * 60_000
/** Lines of a failed step that are shown. */
const SHOWN_LINES = 60

const DENY = ['--', '-D', 'warnings']
const clippy = (crate, flags) => ['cargo', 'clippy', '-p', crate, '--all-targets', '--locked', ...flags, ...DENY]
const tests = (crate, flags) => ['cargo', 'test', '-p', crate, '--locked', ...flags]
const docs = (crate) => ['cargo', 'doc', '-p', crate, '--no-deps', '--all-features', '--locked']
const DOCS_ENV = { ...process.env, RUSTDOCFLAGS: '-D warnings' }

/** One step: { ok, passed }. What cargo says is shown only when it failed. */
async function tried(title, command, env = process.env) {
  const from = Date.now()
  const count = new Count()
  const { code, output, timedOut } = await run(command, { env, onLine: (line) => count.line(line), limitMs: STEP_MS })
  const ok = code === 0 && count.failed === 0
  const told = [seconds(Date.now() - from), count.seen && `${count.passed} tests`].filter(Boolean).join(', ')
  console.log(`${ok ? green('✓') : red('✗')} ${title} ${dim(told)}`)
  if (!ok) {
    console.log(output.trimEnd().split('\n').slice(-SHOWN_LINES).join('\n'))
    console.log(`  ${timedOut ? 'Not finished in time' : 'Failed'}: ${command.join(' ')}`)
  }
  return { ok, passed: count.passed }
}

/** Whether nothing below the adapter from outside has a feature on, which a dependency's defaults could do unseen. */
async function bare() {
  const form = ['-e', 'normal', '--prefix', 'none', '--format', '{p}|{f}']
  const command = ['cargo', 'tree', '-p', OUTSIDE, ...form, '--locked']
  const { output } = await must(command, { limitMs: QUERY_MS }, 'The dependencies could not be read.', command.join(' '))
  const on = switchedOn(output)
  const ok = on.length === 0 && output.includes('agent-runtime')
  console.log(`${ok ? green('✓') : red('✗')} ${OUTSIDE}: no feature of the library is on`)
  on.forEach((line) => console.log(`  ${line}`))
  return { ok, passed: 0 }
}

async function metadata() {
  const command = ['cargo', 'metadata', '--no-deps', '--format-version', '1', '--locked']
  let text = ''
  const onLine = (line) => line.startsWith('{') && (text = line)
  await must(command, { limitMs: QUERY_MS, onLine }, 'The crates could not be read.', command.join(' '))
  return JSON.parse(text)
}

await main(async () => {
  const names = process.argv.slice(2)
  const rows = table(await metadata())
  const known = [...rows.map(({ crate }) => crate), OUTSIDE]
  const unknown = names.filter((name) => !known.includes(name))
  if (unknown.length) throw new Stop(`There is no library crate ${unknown.join(', ')}.`, `choose from ${known.join(' ')}`)
  const chosen = (name) => !names.length || names.includes(name)

  const results = []
  const step = async (work) => !interrupted() && results.push(await work())
  for (const { crate, sets } of rows.filter((row) => chosen(row.crate))) {
    let ran = 0
    for (const { names, flags } of sets) {
      const title = `${crate} with ${names.join(' = ')}`
      await step(() => tried(`${title}: clippy`, clippy(crate, flags)))
      await step(async () => {
        const result = await tried(`${title}: tests`, tests(crate, flags))
        ran += result.passed
        return result
      })
    }
    await step(() => tried(`${crate} with all: docs`, docs(crate), DOCS_ENV))
    // Without its features a crate may have nothing to try; with none of its sets it may not.
    if (!ran) results.push({ ok: false }) && console.log(red(`✗ ${crate}: no test ran with any set`))
  }
  if (chosen(OUTSIDE)) {
    await step(bare)
    await step(() => tried(`${OUTSIDE}: clippy`, clippy(OUTSIDE, [])))
    await step(async () => {
      const { ok, passed } = await tried(`${OUTSIDE}: tests`, tests(OUTSIDE, []))
      return { ok: ok && passed > 0 }
    })
  }
  const failed = results.filter(({ ok }) => !ok).length
  console.log(`${results.length - failed} passed, ${failed} failed`)
  return failed || interrupted() ? 1 : 0
})
