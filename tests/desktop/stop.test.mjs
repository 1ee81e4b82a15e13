// Stop ends everything that a turn started: a command with a descendant in a session of its own, and a flood of text.
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { after, before, test } from 'node:test'
import { Person, eventually } from './rig/pages.mjs'
import { openWindow } from './rig/session.mjs'

/** After this nothing of a stopped turn may live, in milliseconds. */
const STOPPED_MS = 3_000
/** Characters of a flood before it is stopped. */
const FLOOD_CHARS = 2_000

const window = await openWindow()
const person = new Person(window)
const folder = join(window.dirs.workspace, 'weir')
mkdirSync(folder)
after(() => window.end())
before(() => person.atShell())

const commands = () => window.spawned().map((one) => one.command.trim())

test('Stop ends a command with all its descendants', async () => {
  await person.newChat(folder, '[[sleep]] long')
  await person.answer(await person.card(), 'Allow once')
  await eventually('both sleeps', () => ['sleep 987', 'sleep 988'].every((one) => commands().includes(one)))
  await stopped()
  assert.match(await person.ended(), /Stopped/)
})

test('Stop ends a flood of text', async () => {
  await person.send('[[flood]] now')
  await eventually('much text', async () => ((await person.texts()).at(-1) ?? '').length > FLOOD_CHARS)
  assert.ok(commands().length > 0, 'the harness runs')
  // The page itself needs a while to take the click under a flood; that Stop takes 3 s from there on is a Rust test.
  await stopped(4_000)
  assert.match(await person.ended(), /Stopped/)
  const before = await person.texts()
  await pause(500)
  assert.deepEqual(await person.texts(), before, 'no text comes after the end')
})

test('after Stop the chat goes on', async () => {
  await person.send('[[text]] and on')
  assert.match(await person.ended(), /Done/)
  assert.match((await person.texts()).at(-1), /Hello from the practice model/)
})

async function stopped(takenMs = 0) {
  await person.press('Stop', 'main')
  await pause(STOPPED_MS + takenMs)
  assert.deepEqual(commands(), [], `${STOPPED_MS + takenMs} ms after Stop`)
}
