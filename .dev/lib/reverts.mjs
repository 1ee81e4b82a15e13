// The list of reverts, tests/hazards/reverts.json: which test holds which case, and an edit that turns the test red.
// tests/hazards.md is made of it.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ROOT } from './paths.mjs'
import { Stop } from './say.mjs'

export const LIST = 'tests/hazards/reverts.json'
export const TABLE = 'tests/hazards.md'
/** Names of rows, as the command line takes them. */
const NAME = /^[a-z0-9]+(-[a-z0-9]+)*$/
/** Longest run of the tests of one row, in seconds, where the row says nothing. */
const TEST_SECONDS = 120

export function readList(root = ROOT) {
  const list = JSON.parse(readFileSync(join(root, LIST), 'utf8'))
  for (const row of list.rows) row.seconds ??= TEST_SECONDS
  return list
}

/** A row is run by a command, by Cargo, or (with `unrun`) not at all: then it says why. */
export const kindOf = (row) => (row.unrun ? 'unrun' : row.command ? 'command' : 'cargo')

/** The folder of each Cargo package, by name. */
export function packageFolders(root = ROOT) {
  const manifest = readFileSync(join(root, 'Cargo.toml'), 'utf8')
  const members = [...manifest.match(/members = \[([^\]]*)\]/)[1].matchAll(/"([^"]+)"/g)].map((found) => found[1])
  const nameOf = (folder) => readFileSync(join(root, folder, 'Cargo.toml'), 'utf8').match(/^name = "([^"]+)"/m)[1]
  return new Map(members.map((folder) => [nameOf(folder), folder]))
}

/** The file that defines a Rust test, or null. */
export function rustTestFile(root, folders, { package: pkg, target }, name) {
  const folder = folders.get(pkg)
  if (!folder) return null
  const path = name.split('::')
  const fn = path.pop()
  const text = readFileSync(join(root, folder, 'Cargo.toml'), 'utf8')
  const named = text.match(new RegExp(`\\[\\[test\\]\\]\\nname = "${target}"\\npath = "([^"]+)"`))?.[1]
  const main = named ?? `tests/${target}.rs`
  const base = path.length ? join(dirname(main), ...path) : null
  const files = base ? [`${base}.rs`, join(base, 'mod.rs'), main] : [main]
  const holds = (file) => {
    const full = join(root, folder, file)
    return existsSync(full) && new RegExp(`\\bfn ${fn}\\(`).test(readFileSync(full, 'utf8'))
  }
  const file = files.find(holds)
  return file ? join(folder, file) : null
}

/** Applies edits to texts; each must match exactly one place. Returns { file: newText }. */
export function edited(edits, read) {
  const texts = {}
  for (const { file, old, new: put } of edits) {
    const text = texts[file] ?? read(file)
    if (text === null) throw new Stop(`${file} does not exist`)
    const places = text.split(old).length - 1
    if (places !== 1) throw new Stop(`${file}: ${places} places match instead of one: ${JSON.stringify(old)}`)
    if (old === put) throw new Stop(`${file}: the edit changes nothing`)
    texts[file] = text.replace(old, () => put)
  }
  return texts
}

/** What is wrong with the list, one line each. */
export function wrongIn(list, root = ROOT) {
  const wrong = []
  const seen = new Set()
  const folders = packageFolders(root)
  const read = (file) => (existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : null)
  for (const row of list.rows) {
    const say = (text) => wrong.push(`${row.name}: ${text}`)
    if (!NAME.test(row.name) || seen.has(row.name)) say('the name is malformed or taken')
    seen.add(row.name)
    if (!row.case || !row.hazards?.length || !row.tests?.length) say('case, hazards and tests are needed')
    if (kindOf(row) !== 'unrun' && !row.edits?.length) say('an edit is needed')
    for (const test of row.tests ?? []) {
      for (const name of test.names) {
        const found = test.file ? read(test.file)?.includes(name) : rustTestFile(root, folders, test, name)
        if (!found) say(`there is no test ${name} in ${test.file ?? `${test.package} ${test.target}`}`)
      }
    }
    try {
      edited(row.edits ?? [], read)
    } catch (error) {
      if (!(error instanceof Stop)) throw error
      say(error.message)
    }
  }
  return wrong
}

/** Rows by name, or all. */
export function chooseRows(list, names) {
  const unknown = names.filter((name) => !list.rows.some((row) => row.name === name))
  if (unknown.length) throw new Stop(`There is no revert ${unknown.join(', ')}.`, 'node .dev/reverts.mjs --list')
  return names.length ? list.rows.filter((row) => names.includes(row.name)) : list.rows
}

const cell = (text) => text.replaceAll('|', '\\|').replaceAll('\n', ' ')
const testCell = (test) => test.names.map((name) => `\`${test.file ?? `${test.package} ${test.target}`}\`: ${name}`).join('; ')
/** Numbered cases first. */
const place = (row) => Number(row.hazards[0]) || Infinity
const inOrder = (rows) => rows.toSorted((a, b) => (place(a) === place(b) ? 0 : place(a) - place(b)))

/** tests/hazards.md. */
export function tableText(list) {
  const rows = inOrder(list.rows).map((row) => {
    const where = row.unrun ? row.unrun : [...new Set(row.edits.map((edit) => `\`${edit.file}\``))].join(', ')
    const name = row.unrun ? '–' : `\`${row.name}\``
    return `| ${row.hazards.join(', ')} | ${cell(row.case)} | ${cell(row.tests.map(testCell).join('; '))} | ${name} | ${cell(where)} |`
  })
  const open = list.open.map((one) => `| ${one.hazards.join(', ')} | ${cell(one.case)} | ${cell(one.why)} |`)
  return `# What a driver of these CLIs must survive

Made by \`node .dev/reverts.mjs --write\` from \`hazards/reverts.json\`; edit that file.

Each row names a case, the tests that play it (by the real CLI on the practice model, by a stand-in in Claude's wire, or in
the page), and the edit of the product that turns them red. \`node .dev/reverts.mjs\` carries out every edit in a copy of the
working tree, one at a time, and fails unless each named test fails: by its own assertion, not by the compiler and not by
hanging. \`--only NAME\` does one row.

## Held

| no. | case | tests | revert | edited file |
| --- | --- | --- | --- | --- |
${rows.join('\n')}

## Not held by a test here

| no. | case | why |
| --- | --- | --- |
${open.join('\n')}
`
}
