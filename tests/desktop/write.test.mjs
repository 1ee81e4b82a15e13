// A large file that was allowed is on disk, byte for byte, and only after its card was seen to the end.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { Person } from './rig/pages.mjs'
import { fileOf } from './rig/scripts.mjs'
import { openWindow } from './rig/session.mjs'

const window = await openWindow()
const person = new Person(window)
const folder = join(window.dirs.workspace, 'barn')
const { path, content } = fileOf('big-write')
mkdirSync(folder)
after(() => window.end())
before(() => person.atShell())

test('200 KiB allowed are 200 KiB written', async () => {
  assert.equal(content.length, 204_800)
  await person.newChat(folder, '[[big-write]] now')
  const card = await person.card()
  assert.ok(card.text.includes(path), 'the card names the file')
  const allow = () => person.look((id) => document.querySelector(`[data-decision="${id}"] [aria-keyshortcuts=A]`)?.disabled, card.id)
  assert.equal(await allow(), true, 'what was not seen to its end cannot be allowed')
  assert.equal(existsSync(join(folder, path)), false)
  await person.toEndOf(card)
  await person.answer(card, 'Allow once')
  assert.match(await person.ended(), /Done/)
  const written = readFileSync(join(folder, path))
  assert.equal(written.length, content.length)
  assert.ok(written.equals(Buffer.from(content)), 'every byte is the same')
})
