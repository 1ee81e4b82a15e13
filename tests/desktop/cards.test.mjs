// Several cards of one chat open at once: each answer reaches its own request, and typing elsewhere answers none.
// The CLI is a stand-in that records what it is told.
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { KEY, chord, focused, tabTo, tap, write } from './rig/keys.mjs'
import { Person, eventually } from './rig/pages.mjs'
import { generator } from './rig/random.mjs'
import { openWindow } from './rig/session.mjs'
import { standIn } from './rig/stand-in.mjs'

const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000)
/** Keys that are pressed at random, over all fields. */
const KEYS = 2_000

const cli = standIn()
const window = await openWindow({ env: cli.env })
const person = new Person(window)
const [shed, loft] = ['shed', 'loft'].map((name) => join(window.dirs.workspace, name))
let five = null
for (const folder of [shed, loft]) mkdirSync(folder)
after(async () => {
  await window.end()
  cli.end()
})
before(() => person.atShell())

test('two open cards answered by keys, the newer one first: each answer reaches its own request', async () => {
  const { browser } = window
  cli.play('two_asks')
  await person.newChat(shed, 'ask twice')
  const older = await person.card()
  await eventually('two open cards', () => dockSays('1 of 2'))
  assert.match(older.text, /ls first/)

  await chord(browser, KEY.Control, KEY.Shift, 'a')
  await focused(browser, 'the oldest card', (now) => now.card === older.id)
  await tabTo(browser, /Next open decision/)
  await tap(browser, [KEY.Enter])
  const now = await focused(browser, 'the newer card', (now) => now.card !== null && now.card !== older.id)
  assert.match((await person.card()).text, /ls second/)
  await mayAllow(now.card)
  await tap(browser, ['a'])
  await eventually('the first answer', () => cli.answers().length === 1)
  assert.deepEqual(briefly(), ['r2 allow'])

  await focused(browser, 'the card that is left', (now) => now.card === older.id)
  await tap(browser, ['d'])
  await eventually('the second answer', () => cli.answers().length === 2)
  assert.deepEqual(briefly(), ['r2 allow', 'r1 deny'])
  assert.equal(cli.answers()[0].response.updatedInput.command, 'ls second')
  assert.match(await person.ended(), /Done/)
  assert.match((await person.texts()).at(-1), /both are answered/)
  await focused(browser, 'the composer', (now) => now.name === 'Message')
})

test(`${KEYS} random keys into the text fields answer none of five open cards (SEED=${SEED})`, async () => {
  cli.play('five_asks')
  const had = cli.answers().length
  five = await person.newChat(loft, 'ask five times')
  await eventually('five open cards', () => dockSays('1 of 5'))
  const random = generator(SEED)
  const fields = [intoComposer, intoFind, intoNewChat]
  for (const into of fields) await into(keysOf(random, Math.ceil(KEYS / fields.length)))

  await person.openChat(five)
  assert.ok(await dockSays('1 of 5'), 'all five are still open')
  assert.ok(await person.running(), 'the turn still waits')
  await person.openInbox()
  await eventually('five cards in the Inbox', async () => (await person.openCards()) === 5)
  assert.equal(cli.answers().length, had, 'nothing was told to the CLI')
})

async function intoComposer(keys) {
  await (await window.browser.$('[data-testid=composer]')).click()
  await typed(keys, (now) => now.name === 'Message')
}

async function intoFind(keys) {
  await chord(window.browser, KEY.Control, 'f')
  await typed(keys, (now) => now.name === 'Find in this chat')
  await tap(window.browser, [KEY.Escape])
}

async function intoNewChat(keys) {
  const half = Math.floor(keys.length / 2)
  await chord(window.browser, KEY.Control, 'n')
  await typed(keys.slice(0, half), (now) => /Folder/.test(now.name))
  await (await window.browser.$('main textarea')).click()
  await typed(keys.slice(half), (now) => /First prompt/.test(now.name))
}

/** Presses the keys in a field, which must have the focus before and after. */
async function typed(keys, fits) {
  await focused(window.browser, 'the field', fits)
  await tap(window.browser, keys)
  await focused(window.browser, 'the field after the keys', fits)
}

/** Letters of answers above all; no Tab and no Esc, which leave the field. */
function keysOf(random, count) {
  const plain = [...'asdecnyASDECNY1234567890 .,;:/?!äß€']
  const moves = [KEY.Enter, KEY.Backspace, KEY.Delete, KEY.Left, KEY.Right, KEY.Home, KEY.End]
  const all = [...plain, ...plain, ...plain, ...moves]
  return Array.from({ length: count }, () => all[Math.floor(random() * all.length)])
}

const briefly = () => cli.answers().map(({ id, response }) => `${id} ${response.behavior}`)

function dockSays(position) {
  return person.look((text) => [...document.querySelectorAll('main [data-decision] span')].some((one) => one.textContent === text), position)
}

/** A card opens for *Allow* once its end was on screen. */
function mayAllow(id) {
  const look = (id) => document.querySelector(`[data-decision="${id}"] [aria-keyshortcuts=A]`)?.disabled === false
  return eventually('the end of the card was seen', () => person.look(look, id))
}
