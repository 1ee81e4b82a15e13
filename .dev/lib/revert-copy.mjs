// A copy of the working tree in which edits are tried. It stays in the user's cache with a target folder of its own, at one
// path, so that only what changed is built again.
import { existsSync, lstatSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { NODE_MODULES, ROOT } from './paths.mjs'
import { must } from './run.mjs'
import { Stop } from './say.mjs'

const CACHE = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'paddock', 'reverts')
export const TREE = join(CACHE, 'tree')
export const TARGET = join(CACHE, 'target')
/** Made here and not part of the working tree. */
const OURS = ['node_modules']

function sameBytes(a, b) {
  return existsSync(b) && statSync(b).isFile() && readFileSync(a).equals(readFileSync(b))
}

/** Files that are no longer in the working tree. */
function stale(folder, wanted, prefix = '') {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = prefix + entry.name
    if (OURS.includes(entry.name)) return []
    if (entry.isDirectory()) return stale(join(folder, entry.name), wanted, `${path}/`)
    return wanted.has(path) ? [] : [path]
  })
}

/** Brings the copy to the state of the working tree. Unchanged files keep their times. Returns how many were written. */
export async function refresh() {
  mkdirSync(TREE, { recursive: true })
  const listed = await must(
    ['git', 'ls-files', '--cached', '--others', '--exclude-standard', '-z'],
    {},
    'The files of the working tree cannot be listed.',
    'run this in a checkout made by git',
  )
  const files = listed.output.split('\0').filter((file) => file && existsSync(join(ROOT, file)))
  let written = 0
  for (const file of files) {
    const [from, to] = [join(ROOT, file), join(TREE, file)]
    if (!lstatSync(from).isFile() || sameBytes(from, to)) continue
    mkdirSync(dirname(to), { recursive: true })
    writeFileSync(to, readFileSync(from), { mode: statSync(from).mode })
    written += 1
  }
  for (const file of stale(TREE, new Set(files))) rmSync(join(TREE, file))
  if (!existsSync(join(TREE, 'node_modules'))) symlinkSync(NODE_MODULES, join(TREE, 'node_modules'))
  return written
}

/** One run at a time: two would undo each other's edits. Returns what gives the place free. */
export function hold() {
  mkdirSync(CACHE, { recursive: true })
  const lock = join(CACHE, 'running')
  const holder = existsSync(lock) ? Number(readFileSync(lock, 'utf8')) : 0
  if (holder && holder !== process.pid && existsSync(`/proc/${holder}`))
    throw new Stop(`Another run (process ${holder}) works in ${CACHE}.`, 'wait for its end')
  writeFileSync(lock, String(process.pid))
  return () => rmSync(lock, { force: true })
}

/** Writes texts into the copy; returns what puts the old ones back. */
export function put(texts) {
  const before = Object.keys(texts).map((file) => [file, readFileSync(join(TREE, file), 'utf8')])
  for (const [file, text] of Object.entries(texts)) writeFileSync(join(TREE, file), text)
  return () => before.forEach(([file, text]) => writeFileSync(join(TREE, file), text))
}

export const readCopy = (file) => (existsSync(join(TREE, file)) ? readFileSync(join(TREE, file), 'utf8') : null)
