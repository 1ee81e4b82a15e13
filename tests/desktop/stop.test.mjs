// Stop ends everything that a turn started: a command with a descendant in a session of its own, a flood of text, and a
// flood whose page takes nothing any more.
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { after, before, test } from 'node:test'
import { callsOf, endingDrawn, noteEnding, watchCalls } from './rig/calls.mjs'
import { LATE_MS, STOPPED_MS, lastAlive } from './rig/ends.mjs'
import { Person, eventually } from './rig/pages.mjs'
import { openWindow } from './rig/session.mjs'

/** Characters of a flood before it is stopped. */
const FLOOD_CHARS = 2_000
/** How long a page that takes nothing must have been so before Stop, in milliseconds. */
const STALLED_MS = 2_000

const window = await openWindow()
const person = new Person(window)
const folder = join(window.dirs.workspace, 'weir')
mkdirSync(folder)
after(() => window.end())
before(() => person.atShell())

const commands = () => window.ofTurns().map((one) => one.command.trim())

test('Stop ends a command with all its descendants', async () => {
  await person.newChat(folder, '[[sleep]] long')
  await person.answer(await person.card(), 'Allow once')
  await eventually('both sleeps', () => ['sleep 987', 'sleep 988'].every((one) => commands().includes(one)))
  await stopped()
  assert.match(await person.ended(), /Stopped/)
})

test('Stop ends a flood of text, and its end is shown only when nothing lives', async () => {
  await person.send('[[flood]] now')
  await flooding()
  await noteEnding(window.browser)
  const alive = await stopped()
  assert.match(await person.ended(), /Stopped/)
  const drawn = await endingDrawn(window.browser)
  assert.ok(drawn >= alive, `the ending was drawn ${alive - drawn} ms before the last sign of life`)
  const before = await person.texts()
  await pause(500)
  assert.deepEqual(await person.texts(), before, 'no text comes after the end')
})

test('Stop ends a flood that the page does not take any more', async () => {
  await person.send('[[flood]] and again')
  await flooding()
  await watchCalls(window.browser, 'acknowledge')
  await eventually('a batch that is not acknowledged', async () => (await callsOf(window.browser, 'acknowledge')).length)
  const shown = (await person.rows()).at(-1)
  await pause(STALLED_MS)
  assert.ok(commands().length > 0, 'the harness still runs')
  assert.equal((await person.rows()).at(-1).id, shown.id, 'the page hears nothing new')
  await stopped()
  await window.browser.refresh()
  await person.atShell()
  assert.match(await person.ended(), /Stopped/)
})

test('after Stop the chat goes on', async () => {
  await person.send('[[text]] and on')
  assert.match(await person.ended(), /Done/)
  assert.match((await person.texts()).at(-1), /Hello from the practice model/)
})

/** Waits until the last turn has written much; the text of an older flood does not count. */
async function flooding() {
  await eventually('much text', async () => {
    const last = (await person.rows()).at(-1)
    return last?.kind === 'text' && last.text.length > FLOOD_CHARS
  })
  assert.ok(commands().length > 0, 'the harness runs')
}

/**
 * Presses Stop and waits until nothing lives. How long the page needed to take the press is not counted: the time
 * runs from its call to the host, and the processes are looked at from outside. Resolves to the last sign of life.
 */
async function stopped() {
  const withheld = await window.browser.execute(() => window.rigFetch !== undefined)
  if (!withheld) await watchCalls(window.browser)
  const before = (await callsOf(window.browser, 'stop_turn')).length
  await person.stop()
  const alive = await lastAlive(window)
  const calls = (await callsOf(window.browser, 'stop_turn')).slice(before)
  assert.equal(calls.length, 1, 'Stop asks the host once')
  assert.ok(alive - calls[0] <= STOPPED_MS + LATE_MS, `something lived ${alive - calls[0]} ms after the page had asked the host`)
  return alive
}
