// Questions, the Inbox, and the keys of a card, in the real window with the real Claude Code.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { after, before, test } from 'node:test'
import { Person, eventually } from './rig/pages.mjs'
import { openWindow } from './rig/session.mjs'

/** How long nothing may happen after keys that answer nothing, in milliseconds. */
const STILL_MS = 600
/** How long the sidebar may lag behind, in milliseconds. */
const SIDEBAR_MS = 45_000
const FILE = 'made-by-bash.txt'

const window = await openWindow()
const person = new Person(window)
const [pears, plums] = ['pears', 'plums'].map((name) => join(window.dirs.workspace, name))
let first = null
for (const folder of [pears, plums]) mkdirSync(folder)
after(() => window.end())
before(() => person.atShell())

test('a question with several answers: what was chosen goes back, and nothing else', async () => {
  first = await person.newChat(pears, '[[question]] which', 'ArrowDown')
  const card = await person.card()
  assert.match(card.text, /Which extras do you want\?/)
  for (const option of ['Shadow', 'Border', 'Icon']) assert.ok(card.text.includes(option))
  await person.answer(card, 'Shadow')
  await person.answer(card, 'Icon')
  await person.answer(card, 'Answer')
  assert.match(await person.ended(), /Done/)
  const text = (await person.texts()).at(-1)
  assert.match(text, /Shadow/)
  assert.match(text, /Icon/)
  assert.doesNotMatch(text, /Border/)
})

test('cards of two chats stand in the Inbox and are answered there, each its own', async () => {
  await person.send('[[bash]] pears')
  await person.card()
  const second = await person.newChat(plums, '[[bash]] plums')
  await person.card()
  await person.openInbox()
  await eventually('two cards', async () => (await person.openCards()) === 2)
  await stateOfBoth(['needs'], 'both need the person')
  const [older, newer] = await inboxCards()
  assert.ok(older.text.includes(pears) && newer.text.includes(plums), 'the oldest first, with its folder')
  await person.answer(newer, 'Allow once')
  await eventually('the file of the second chat', () => existsSync(join(plums, FILE)))
  assert.equal(existsSync(join(pears, FILE)), false, 'the other chat still waits')
  await person.answer(older, 'Deny')
  await eventually('nothing waits', async () => (await person.openCards()) === 0)
  await stateOfBoth(['done', 'read'], 'both are finished, though neither was opened')
  for (const chat of [first, second]) {
    await person.openChat(chat)
    assert.match(await person.ended(), /Done/)
  }
  assert.equal(existsSync(join(pears, FILE)), false, 'what was denied did not run')
})

test('typing with a card open answers nothing, nor does Esc', async () => {
  await person.openChat(first)
  await person.send('[[bash]] typed')
  const card = await person.card()
  await person.typeInComposer('asd')
  assert.equal(await person.composed(), 'asd')
  await stillOpen(card)
  await person.clearComposer()
  await person.keys('Control', 'Shift', 'a')
  await eventually('the card has the focus', async () => (await person.focusedCard()) === card.id)
  await person.keys('Escape')
  await stillOpen(card)
  assert.equal(await person.focusedCard(), null, 'Esc leaves the card')
})

test('from anywhere Ctrl+Shift+A goes to the oldest card, and A allows it', async () => {
  const card = await person.card()
  await person.keys('Control', 'n')
  await eventually('the new chat', () => person.look(() => location.hash === '#/new'))
  await person.keys('Control', 'Shift', 'a')
  await eventually('the card has the focus', async () => (await person.focusedCard()) === card.id)
  await eventually('the end of the card was seen', () =>
    person.look((id) => document.querySelector(`[data-decision="${id}"] [aria-keyshortcuts=A]`)?.disabled === false, card.id),
  )
  assert.equal(existsSync(join(pears, FILE)), false)
  assert.equal(await person.focusedCard(), card.id, 'the card still has the focus')
  await person.keys('a')
  await eventually('an answered card', async () => (await person.openCards()) === 0)
  await eventually('the file', () => existsSync(join(pears, FILE)))
  assert.match(await person.ended(), /Done/)
})

function inboxCards() {
  return person.look(() =>
    [...document.querySelectorAll('main [data-decision]:not([data-closed])')].map((one) => ({
      id: one.dataset.decision,
      text: one.innerText,
    })),
  )
}

/** Waits until the sidebar shows one of these states for both chats. */
function stateOfBoth(wanted, what) {
  return eventually(what, async () => {
    const states = await person.states()
    return states.length === 2 && states.every((state) => wanted.includes(state))
  }, SIDEBAR_MS)
}

async function stillOpen(card) {
  await pause(STILL_MS)
  assert.equal((await person.card()).id, card.id)
  assert.ok(await person.running(), 'the turn still waits')
  assert.equal(existsSync(join(pears, FILE)), false)
}
