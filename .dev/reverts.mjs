// `node .dev/reverts.mjs [--only NAME…] [--list] [--check] [--write] [--keep] [--verbose]`: does every test of tests/hazards.md notice
// when what it holds is taken away? Each edit of tests/hazards/reverts.json is made in a copy of the working tree; the
// named tests must be green before it and red with it. A compiler error or a hang is not red. With `--keep` the copy is
// taken as the last run left it.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './lib/paths.mjs'
import { hold, put, readCopy, refresh } from './lib/revert-copy.mjs'
import { build, canBeAlone, runCommand, runRust } from './lib/revert-run.mjs'
import { LIST, TABLE, chooseRows, edited, kindOf, readList, tableText, wrongIn } from './lib/reverts.mjs'
import { interrupted } from './lib/run.mjs'
import { Stop, bold, green, main, note, red, seconds, step } from './lib/say.mjs'

const OPTIONS = ['--only', '--list', '--check', '--write', '--keep', '--verbose']

function parse(args) {
  const names = args.filter((arg) => !arg.startsWith('-'))
  const options = args.filter((arg) => arg.startsWith('-'))
  const unknown = options.find((option) => !OPTIONS.includes(option))
  if (unknown) throw new Stop(`There is no option ${unknown}.`, `options: ${OPTIONS.join(' ')}`)
  if (names.length > 0 !== options.includes('--only')) throw new Stop('--only needs names.', '--only NAME…')
  return { names, has: (option) => options.includes(option) }
}

/** How much output of tests that should be green is shown, in characters. */
const OUTPUT_CHARS = 4_000

const namesOf = (row) => row.tests.flatMap((test) => test.names)

/** Runs the tests of a row once: { results, hung, crashed, output, error }. */
async function runTests(row) {
  if (kindOf(row) === 'command') return runCommand(row)
  const built = await build([...new Set(row.tests.map((test) => test.target))])
  if (built.error) return { error: built.error, results: new Map() }
  const all = { results: new Map(), hung: false, crashed: false, output: '' }
  for (const test of row.tests) {
    const program = built.programs.get(`${test.package} ${test.target}`)
    if (!program) return { error: `no test program ${test.package} ${test.target}`, results: new Map() }
    const one = await runRust(program, test.names, row.seconds)
    one.results.forEach((value, name) => all.results.set(name, value))
    all.hung ||= one.hung
    all.crashed ||= one.crashed
    all.output += one.output
  }
  return all
}

/** One word for a run, and what to say about it. */
function verdict(row, ran) {
  if (ran.error) return { word: 'did not compile', why: ran.error }
  if (ran.hung) return { word: 'hung', why: `no end within ${row.seconds} s` }
  if (ran.crashed) return { word: 'crashed', why: ran.output.trim().split('\n').at(-1) }
  const not = namesOf(row).filter((name) => ran.results.get(name) !== 'FAILED')
  if (!not.length) return { word: 'red' }
  return { word: 'green', why: not.map((name) => `${name}: ${ran.results.get(name) ?? 'was not run'}`).join('; ') }
}

/** Rows in the order of their files: what is built for one row is built for the next of the same crate. */
const byFile = (rows) => rows.toSorted((a, b) => a.edits[0].file.localeCompare(b.edits[0].file, 'en'))

/** The tests of several Cargo rows as one row. */
function together(rows) {
  const all = { name: 'before', seconds: 0, tests: [] }
  for (const row of rows) {
    all.seconds += row.seconds
    for (const test of row.tests) {
      const same = all.tests.find((have) => have.package === test.package && have.target === test.target)
      if (same) same.names = [...new Set([...same.names, ...test.names])]
      else all.tests.push({ ...test })
    }
  }
  return all
}

/** What the tests of each row say before any edit: Map(row → why not green, or undefined). A red one would prove nothing. */
async function before(rows) {
  const why = new Map()
  const judge = (row, ran) => {
    const not = namesOf(row).filter((name) => ran.results.get(name) !== 'ok')
    if (ran.error || not.length) why.set(row, ran.error ?? `not green before the edit: ${not.join('; ')}`)
    return not
  }
  const cargo = rows.filter((row) => kindOf(row) === 'cargo')
  if (cargo.length) {
    const ran = await runTests(together(cargo))
    if (cargo.flatMap((row) => judge(row, ran)).length) console.log(ran.output?.slice(-OUTPUT_CHARS) ?? ran.error)
  }
  for (const row of rows.filter((row) => kindOf(row) === 'command')) {
    const ran = await runTests(row)
    if (judge(row, ran).length) console.log(ran.output?.slice(-OUTPUT_CHARS))
  }
  return why
}

async function tryRow(row, verbose) {
  const from = Date.now()
  const restore = put(edited(row.edits, readCopy))
  try {
    const ran = await runTests(row)
    if (verbose) note(ran.output ?? ran.error)
    return { row, ...verdict(row, ran), ms: Date.now() - from }
  } finally {
    restore()
  }
}

function table(results) {
  const width = Math.max(...results.map(({ row }) => row.name.length))
  console.log(`\n${bold('no.'.padEnd(8))}${bold('revert'.padEnd(width))}  result`)
  for (const { row, word, why, ms } of results) {
    const paint = word === 'red' ? green : red
    const line = `${row.hazards.join(',').padEnd(8)}${row.name.padEnd(width)}  ${paint(word.padEnd(15))} ${seconds(ms).padStart(7)}`
    console.log(why ? `${line}  ${why}` : line)
  }
}

await main(async () => {
  const { names, has } = parse(process.argv.slice(2))
  const list = readList()
  const chosen = chooseRows(list, names)
  if (has('--list')) {
    for (const row of chosen) console.log(`${row.hazards.join(',').padEnd(8)}${row.name.padEnd(40)}${row.unrun ?? row.case}`)
    return 0
  }
  const wrong = wrongIn(list)
  if (wrong.length) throw new Stop(wrong.join('\n  '), `correct ${LIST}`)
  if (has('--write')) {
    writeFileSync(join(ROOT, TABLE), tableText(list))
    step(`${TABLE} is written`)
    return 0
  }
  const rows = chosen.filter((row) => kindOf(row) !== 'unrun')
  if (has('--check')) {
    step(`${rows.length} edits match one place each`)
    return 0
  }
  if (rows.some((row) => kindOf(row) === 'cargo') && !(await canBeAlone()))
    throw new Stop('The edited tests may end processes of others: a process namespace is needed.', 'run this as root on Linux')
  const release = hold()
  try {
    if (!has('--keep')) step(`${await refresh()} files were brought up to date in the copy`)
    step(`${rows.length} rows: their tests before any edit`)
    const broken = await before(rows)
    const results = []
    for (const row of byFile(rows)) {
      if (interrupted()) break
      step(`${row.name}: ${row.edits.map((edit) => edit.file).join(', ')}`)
      const result = broken.has(row)
        ? { row, word: 'red before', why: broken.get(row), ms: 0 }
        : await tryRow(row, has('--verbose'))
      note(`${result.word}, ${seconds(result.ms)}${result.why ? `: ${result.why}` : ''}`)
      results.push(result)
    }
    table(results)
    const reds = results.filter((result) => result.word === 'red').length
    console.log(`\n${reds} of ${rows.length} reverts are noticed`)
    return reds === rows.length ? 0 : 1
  } finally {
    release()
  }
})
