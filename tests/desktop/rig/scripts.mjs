// What the practice model will say and write, read from its own scripts.
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../../.dev/lib/paths.mjs'

const FOLDER = join(ROOT, 'src-tauri', 'crates', 'practice-model', 'scripts')
const scripts = Object.assign(
  {},
  ...readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json'))
    .map((file) => JSON.parse(readFileSync(join(FOLDER, file), 'utf8'))),
)

/** All blocks of a script, in order. */
export function blocksOf(name) {
  const script = scripts[name]
  if (!script) throw new Error(`the practice model has no script "${name}"`)
  return script.steps.flatMap((step) => step.blocks)
}

/** The whole text of a script that says one thing. */
export const textOf = (name) => blocksOf(name).find((block) => block.text).text

/** The command that a script runs first. */
export const commandOf = (name) => blocksOf(name).find((block) => block.act === 'run').command

/** Path and whole content of the file that a script writes. */
export function fileOf(name) {
  const { path, content } = blocksOf(name).find((block) => block.act === 'write_file')
  if (typeof content === 'string') return { path, content }
  const { text, bytes } = content.generate
  return { path, content: text.repeat(Math.ceil(bytes / text.length)).slice(0, bytes) }
}

/** Letters and digits only: the same for Markdown and for what is drawn of it. */
export const letters = (text) => text.replace(/[^\p{L}\p{N}]/gu, '')
