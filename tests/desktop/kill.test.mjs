// The app is killed at random moments of a turn. What was on screen is still there, what ran is marked as interrupted,
// nothing is sent again, nothing of before lives, and the chat goes on. KILLS=30 is the long form; SEED repeats a run.
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { after, before, test } from 'node:test'
import { Person, eventually } from './rig/pages.mjs'
import { letters } from './rig/scripts.mjs'
import { openWindow } from './rig/session.mjs'

const KILLS = Number(process.env.KILLS ?? 5)
const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000)
/** Longest wait from the first sign of a turn to the kill, in milliseconds. */
const LATEST_MS = 2_500
/** How long a restarted app must stay quiet: nothing is sent again. In milliseconds. */
const QUIET_MS = 700

const window = await openWindow()
const person = new Person(window)
const folder = join(window.dirs.workspace, 'quarry')
const random = generator(SEED)
let chat = null
mkdirSync(folder)
after(() => window.end())
before(async () => {
  console.log(`SEED=${SEED} KILLS=${KILLS}`)
  await person.atShell()
  chat = await person.newChat(folder, '[[text]] begin')
  await person.ended()
})

/** What runs when the app is killed: `prompt`, and `begun`, which waits until it is really under way. */
const MOMENTS = [
  { name: 'slow text', prompt: '[[slow]]', begun: (had) => moreText(had) },
  { name: 'an open approval', prompt: '[[bash]]', begun: () => person.card(), decision: true },
  { name: 'a running command', prompt: '[[sleep]]', begun: runCommand },
  { name: 'fast text', prompt: '[[long]]', begun: (had) => moreText(had) },
  { name: 'a turn that starts', prompt: '[[slow]]', begun: () => eventually('the turn', () => person.running()) },
]

for (let round = 0; round < KILLS; round += 1) {
  const moment = MOMENTS[round % MOMENTS.length]
  const wait = Math.floor(random() * LATEST_MS)
  test(`kill ${round + 1}: ${moment.name}, ${wait} ms in`, () => killed(moment, round, wait))
}

async function killed(moment, round, wait) {
  const had = new Set((await person.rows()).map((row) => row.id))
  await person.send(`${moment.prompt} round ${round}`)
  await moment.begun(had)
  await pause(wait)
  const shown = await person.rows()
  const spawned = window.spawned()
  const cards = await person.openCards()
  await window.kill()
  await window.restart()
  await person.browser.$('a[data-state]').waitForExist()
  const alive = new Set(window.spawned().map((one) => one.pid))
  assert.deepEqual(spawned.filter((one) => alive.has(one.pid)), [], 'of before, when the chat is listed')

  await person.atShell()
  await person.openChat(chat)
  const rows = await person.allRows()
  nothingLost(shown, rows)
  interrupted(rows, `round ${round}`)
  if (moment.decision) assert.equal(cards, 1, 'the card was open')
  assert.equal(await person.openCards(), 0, 'no card waits for an answer that nobody takes')
  await pause(QUIET_MS)
  assert.deepEqual(await person.allRows(), rows, 'nothing comes by itself')
  assert.equal(await person.running(), false)
  assert.deepEqual(window.spawned().filter((one) => one.command.includes('stream-json')), [], 'no harness runs a turn')

  await person.send(`[[text]] after ${round}`)
  assert.match(await person.ended(), /Done/)
  assert.match((await person.texts()).at(-1), /^Hello from the practice model/)
}

/** Every row that was on screen is there, and its text is at least what it was. */
function nothingLost(shown, rows) {
  const now = new Map(rows.map((row) => [row.id, row]))
  for (const { id, kind, text } of shown) {
    assert.ok(now.has(id), `the row is still there: ${kind} ${text.slice(0, 80)}`)
    // Letters only: marks of Markdown that were half there when the page was read are drawn in another way when whole.
    if (kind === 'text' || kind === 'prompt')
      assert.ok(letters(now.get(id).text).startsWith(letters(text)), `${kind}: at least the ${text.length} characters that were shown`)
  }
}

/** The last prompt is that of the killed turn, once, and its ending says what happened. */
function interrupted(rows, word) {
  const prompts = rows.filter((row) => row.kind === 'prompt')
  assert.equal(prompts.filter((row) => row.text.includes(word)).length, 1, 'the prompt is there once')
  assert.ok(prompts.at(-1).text.includes(word), 'no prompt was sent after it')
  const last = rows.at(-1)
  assert.equal(last.kind, 'ending')
  assert.match(last.text, /Interrupted by a restart/)
}

/** Waits until the last row is text that was not there before. */
async function moreText(had) {
  await eventually('text of the turn', async () => {
    const last = (await person.rows()).at(-1)
    return last?.kind === 'text' && !had.has(last.id)
  })
}

async function runCommand() {
  await person.answer(await person.card(), 'Allow once')
  await eventually('the command', () => window.spawned().some((one) => one.command.trim() === 'sleep 988'))
}

/** Mulberry32: small, and the same everywhere. */
function generator(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
