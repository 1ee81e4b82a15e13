// One run through the window by keys only: no click, no pointer. After every step what has the focus is on screen,
// not covered, and has a name.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { STOPPED_MS } from './rig/ends.mjs'
import { KEY, chord, focused, tabTo, tap, write } from './rig/keys.mjs'
import { Person, eventually } from './rig/pages.mjs'
import { openWindow } from './rig/session.mjs'

const window = await openWindow()
const person = new Person(window)
const { browser } = window
const folder = join(window.dirs.workspace, 'orchestra')
mkdirSync(folder)
after(() => window.end())
before(() => person.atShell())

const composer = (now) => now.name === 'Message'
const chatIsOpen = () => person.look(() => location.hash.startsWith('#/chat/'))

test('a new chat: the folder by its beginning and Tab, the practice model, a first prompt', async () => {
  await chord(browser, KEY.Control, 'n')
  await focused(browser, 'the folder', (now) => /Folder/.test(now.name))
  await write(browser, folder.slice(0, -4))
  await eventually('an offer', () => person.look((path) => document.querySelector('main [role=listbox]')?.innerText.includes(path), folder))
  await tap(browser, [KEY.Tab])
  await focused(browser, 'the whole folder', (now) => now.value?.replace(/\/$/, '') === folder)
  await tabTo(browser, /First prompt/)
  await write(browser, '[[bash]] by keys')
  await tabTo(browser, /^(Account|Practice|Environment)$/)
  while (!/^Practice$/.test((await focused(browser, 'an endpoint')).name)) await tap(browser, [KEY.Right])
  await eventually('Practice is chosen', () => person.look(() => document.activeElement.getAttribute('aria-checked') === 'true'))
  await tabTo(browser, /^Send$/)
  await tap(browser, [KEY.Enter])
  await eventually('the chat', chatIsOpen)
  await focused(browser, 'a place in the chat')
})

test('a step is denied with a reason', async () => {
  const card = await person.card()
  await toCard(card)
  await tabTo(browser, /^Deny with a reason/)
  await tap(browser, [KEY.Enter])
  await focused(browser, 'the reason', (now) => /Reason/.test(now.name))
  await write(browser, 'not by hand')
  await tap(browser, [KEY.Enter])
  assert.match(await person.ended(), /Done/)
  assert.equal(existsSync(join(folder, 'made-by-bash.txt')), false, 'nothing ran')
  assert.match((await person.texts()).at(-1), /not by hand/)
  await focused(browser, 'the composer', composer)
})

test('a question is answered by digits', async () => {
  await prompt('[[question]] which')
  const card = await person.card()
  await toCard(card)
  await tap(browser, ['1', '3'])
  await focused(browser, 'the card', (now) => now.card === card.id)
  await tap(browser, [KEY.Enter])
  assert.match(await person.ended(), /Done/)
  const text = (await person.texts()).at(-1)
  assert.match(text, /Shadow/)
  assert.match(text, /Icon/)
  assert.doesNotMatch(text, /Border/)
  await focused(browser, 'the composer', composer)
})

test('a prompt waits in the queue, and Esc in the empty composer stops the turn and the queue', async () => {
  await prompt('[[slow]] on and on')
  await eventually('text', async () => (await person.rows()).at(-1)?.kind === 'text')
  await write(browser, '[[text]] later')
  await tap(browser, [KEY.Enter])
  await eventually('one waits', () => queueSays('1 message waits'))
  await focused(browser, 'the composer', (now) => composer(now) && now.value === '')
  await tap(browser, [KEY.Escape])
  assert.match(await person.ended(), /Stopped/)
  await eventually('the queue stands still', () => queueSays('paused'))
  await focused(browser, 'the composer', composer)
  assert.equal((await person.rows()).filter((row) => row.text.includes('later')).length, 0, 'nothing of the queue was sent')
  await tabTo(browser, /^Remove this message$/, { back: true })
  await tap(browser, [KEY.Enter])
  await eventually('an empty queue', () => person.look(() => !document.querySelector('main section[aria-label=Message] li')))
})

test('find in the chat, from hit to hit, and back', async () => {
  await chord(browser, KEY.Control, 'f')
  await focused(browser, 'the field of find', (now) => now.name === 'Find in this chat')
  await write(browser, 'Shadow')
  const place = () => person.look(() => /^(\d+) of (\d+)$/.exec(document.querySelector('main [role=search] [role=status]').textContent)?.slice(1).map(Number))
  const first = await eventually('hits', place)
  assert.equal(first[0], first[1], 'the latest hit first')
  assert.ok(first[1] >= 2, 'the question and its answer')
  await tap(browser, [KEY.Enter])
  await eventually('the hit before', async () => (await place())?.[0] === first[0] - 1)
  await eventually('its row is marked', () => person.look(() => document.querySelector('main [data-row][data-hit]') !== null))
  await focused(browser, 'the field of find', (now) => now.name === 'Find in this chat')
  await tap(browser, [KEY.Escape])
  await focused(browser, 'the conversation', (now) => now.name === 'Conversation')
})

test('rooms by F6 and keys, and nothing lives after Ctrl+Q', async () => {
  for (let step = 0; step < 2; step += 1) {
    await tap(browser, ['\uE036'])
    await focused(browser, 'a part of the window')
  }
  await chord(browser, KEY.Control, ',')
  await eventually('the settings', () => person.look(() => location.hash === '#/settings'))
  await focused(browser, 'a place in the settings')
  // The driver hears of the end of the window, or only that it does not answer any more.
  await chord(browser, KEY.Control, 'q').catch((error) => console.log(`the driver: ${error.message.split('\n')[0]}`))
  await window.gone()
  await eventually('the end of all that the app had started', () => window.spawned().length === 0, STOPPED_MS)
})

/** Ctrl+Shift+A goes to the card, which takes keys once its end was seen. */
async function toCard(card) {
  await chord(browser, KEY.Control, KEY.Shift, 'a')
  await focused(browser, 'the card', (now) => now.card === card.id)
}

/** Writes into the composer, which has the focus, and sends. */
async function prompt(text) {
  await focused(browser, 'the composer', composer)
  await person.sendBy(async () => {
    await write(browser, text)
    await tap(browser, [KEY.Enter])
  })
}

const queueSays = (text) => person.look((text) => document.querySelector('main section[aria-label=Message] h2')?.innerText.includes(text), text)
