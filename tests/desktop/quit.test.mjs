// Quitting while a turn runs: it is named, *Cancel* changes nothing, *Stop and quit* ends everything, and the next start
// shows the same chat. A page that hangs does not hold the quit up.
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { after, before, test } from 'node:test'
import { KEY, chord, focused } from './rig/keys.mjs'
import { LATE_MS, STOPPED_MS, lastAlive } from './rig/ends.mjs'
import { Person, eventually } from './rig/pages.mjs'
import { letters } from './rig/scripts.mjs'
import { openWindow } from './rig/session.mjs'

/** How long the page has hung when the quit comes, in milliseconds. */
const HANGING_MS = 2_000
const DIALOG = '[role=alertdialog]'

const window = await openWindow()
const person = new Person(window)
const folder = join(window.dirs.workspace, 'ferry')
let chat = null
mkdirSync(folder)
after(() => window.end())
before(() => person.atShell())

const commands = () => window.ofTurns().map((one) => one.command.trim())

test('quitting names the running turn, and Cancel keeps it running', async () => {
  chat = await person.newChat(folder, '[[sleep]] across the river')
  await person.answer(await person.card(), 'Allow once')
  await eventually('both sleeps', () => ['sleep 987', 'sleep 988'].every((one) => commands().includes(one)))
  await chord(window.browser, KEY.Control, 'q')
  const asked = await dialog()
  assert.match(asked, /Quit Paddock\?/)
  assert.match(asked, /A turn runs in .*across the river/)
  await focused(window.browser, 'Cancel', (now) => now.name === 'Cancel')
  const before = commands()
  await person.press('Cancel', DIALOG)
  await eventually('no dialog', async () => (await dialogText()) === null)
  assert.ok(await person.running(), 'the turn goes on')
  assert.deepEqual(before.filter((one) => !commands().includes(one)), [], 'what ran still runs')
})

test('Stop and quit ends everything, and the next start shows the same chat', async () => {
  const shown = await person.allRows()
  await chord(window.browser, KEY.Control, 'q')
  await dialog()
  const asked = Date.now()
  await person.press('Stop and quit', DIALOG)
  await endedWithin(asked)
  await window.gone()
  await eventually('the end of all that the app had started', () => window.spawned().length === 0, STOPPED_MS)
  await window.restart()
  await person.atShell()
  await person.openChat(chat)
  const rows = await person.allRows()
  assertKept(shown, rows)
  assert.equal(rows.at(-1).kind, 'ending')
  assert.match(rows.at(-1).text, /Stopped/)
  assert.equal(await person.running(), false)
  assert.deepEqual(commands().filter((one) => one.includes('stream-json')), [], 'nothing was started again')
  await person.send('[[text]] on the other side')
  assert.match(await person.ended(), /Done/)
})

test('ended from outside while its page hangs in a loop, the app ends the turn and itself', async () => {
  await person.send('[[flood]] and hang')
  await eventually('text of the flood', async () => (await person.rows()).at(-1)?.kind === 'text')
  let answers = false
  // The answer never comes; the driver's own end is an error that nobody waits for.
  person.look(() => { for (;;); }).then(() => (answers = true), () => {})
  await pause(HANGING_MS)
  assert.equal(answers, false, 'the page hangs')
  assert.ok(commands().length > 0, 'the harness runs')
  const asked = Date.now()
  process.kill(window.app()[0].pid, 'SIGTERM')
  await endedWithin(asked)
  await window.gone()
  await window.restart()
  await person.atShell()
  await person.openChat(chat)
  await person.toEnd()
  assert.match((await person.endings()).at(-1).text, /Stopped/)
})

async function endedWithin(asked) {
  const alive = await lastAlive(window)
  assert.ok(alive - asked <= STOPPED_MS + LATE_MS, `something lived ${alive - asked} ms after the quit was asked for`)
}

/** Every row that was shown is there, with at least the text it had. */
function assertKept(shown, rows) {
  const now = new Map(rows.map((row) => [row.id, row]))
  for (const { id, kind, text, sequence } of shown) {
    assert.ok(now.has(id), `the row is still there: ${kind} ${text.slice(0, 80)}`)
    assert.ok(now.get(id).sequence >= sequence, `${kind}: nothing of it is older than what was shown`)
    if (kind === 'text' || kind === 'prompt') assert.ok(letters(now.get(id).text).startsWith(letters(text)))
  }
}

const dialogText = () => person.look((selector) => document.querySelector(selector)?.innerText ?? null, DIALOG)
const dialog = () => eventually('the dialog', dialogText)
