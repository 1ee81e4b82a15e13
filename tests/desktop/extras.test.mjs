// The real window: files that go with a prompt, a folder that would run things, and work in the background.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { PAINT_MS, Person, eventually } from './rig/pages.mjs'
import { openWindow } from './rig/session.mjs'

/** One red pixel. */
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC'
const window = await openWindow()
const person = new Person(window)
const folder = join(window.dirs.workspace, 'orchard')
const planted = join(window.dirs.workspace, 'planted')
const marks = join(window.dirs.workspace, 'marks')
for (const made of [folder, join(planted, '.claude'), marks]) mkdirSync(made, { recursive: true })
const mark = (name) => ({ hooks: [{ type: 'command', command: `touch '${join(marks, name)}'` }] })
writeFileSync(
  join(planted, '.claude', 'settings.json'),
  JSON.stringify({ hooks: { SessionStart: [mark('session')], UserPromptSubmit: [mark('prompt')] } }),
)
after(() => window.end())
before(() => person.atShell())

const chips = () =>
  person.look(() => [...document.querySelectorAll('main [data-testid=attachments] li')].map((one) => one.innerText))

/** Gives a file to the page as a paste or a drop does. */
const give = (kind, selector, name, type, base64) => {
  const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))
  const data = new DataTransfer()
  data.items.add(new File([bytes], name, { type }))
  const place = document.querySelector(selector)
  const options = { bubbles: true, cancelable: true }
  const event =
    kind === 'paste'
      ? new ClipboardEvent('paste', { ...options, clipboardData: data })
      : new DragEvent(kind, { ...options, dataTransfer: data })
  place.dispatchEvent(event)
  return event.defaultPrevented
}

test('a pasted picture and a chosen file go with the prompt and are shown in its row', async () => {
  await person.newChat(folder, '[[text]] one')
  await person.ended()
  const composer = 'main section[aria-label=Message] textarea'
  assert.ok(await person.look(give, 'paste', composer, 'pixel.png', 'image/png', PIXEL), 'the page takes the picture')
  await eventually('the picture in the strip', async () => (await chips()).some((chip) => chip.includes('pixel')), PAINT_MS)
  const notes = join(window.dirs.workspace, 'notes.txt')
  writeFileSync(notes, 'some notes')
  await (await window.browser.$('main section[aria-label=Message] [data-testid=attach-input]')).addValue(notes)
  await eventually('both in the strip', async () => (await chips()).length === 2, PAINT_MS)
  await person.send('[[text]] look at these')
  await person.ended()
  assert.deepEqual(await chips(), [], 'the strip is empty again')
  const row = (await person.rows()).findLast((one) => one.kind === 'prompt')
  assert.ok(row.text.includes('notes'), row.text)
  const picture = () => person.look(() => document.querySelector('main img[src^="data:image/"]')?.naturalWidth ?? 0)
  await eventually('the picture itself', async () => (await picture()) > 0, PAINT_MS)
})

test('a dropped file is attached, and one that is no picture says so', async () => {
  const column = 'main section[aria-label=Message]'
  await person.look(give, 'dragover', column, 'a.txt', 'text/plain', btoa('a'))
  assert.ok(await person.look(give, 'drop', column, 'a.txt', 'text/plain', btoa('a')), 'the page takes the drop')
  await eventually('the file in the strip', async () => (await chips()).some((chip) => chip.includes('a.txt')), PAINT_MS)
  await person.look(give, 'drop', column, 'fake.png', 'image/png', btoa('no picture'))
  const said = () => person.look(() => document.querySelector('main')?.innerText.includes('no image that can be read'))
  await eventually('the refusal', said, PAINT_MS)
  await person.send('[[text]] with one file')
  await person.ended()
})

test('a folder with hooks says what it would run, and runs none of it', async () => {
  await person.keys('Control', 'n')
  await person.chooseFolder(planted)
  const notice = () => person.look(() => document.querySelector('main')?.innerText.includes('Left out: 2 hooks'))
  await eventually('what is left out', notice, PAINT_MS)
  await person.press('Show what it would run', 'main')
  const list = await person.look(() => document.querySelector('main [aria-label="What this folder would run"]').innerText)
  assert.ok(list.includes('SessionStart') && list.includes(marks), list)
  await person.newChat(planted, '[[text]] hello')
  await person.ended()
  assert.deepEqual(readdirSync(marks), [], 'nothing ran')
})

test('trusted, its hooks run', async () => {
  await person.keys('Control', 'n')
  await person.chooseFolder(planted)
  await person.press('Show what it would run', 'main')
  await person.press('Trust this content', 'main')
  const trusted = () => person.look(() => document.querySelector('main')?.innerText.includes('You trust what this folder'))
  await eventually('the trust', trusted, PAINT_MS)
  await person.newChat(planted, '[[text]] hello again')
  await person.ended()
  assert.deepEqual(readdirSync(marks).toSorted(), ['prompt', 'session'])
})

test('a message goes at once beside work in the background', async () => {
  await person.newChat(folder, '[[background]] start it')
  const card = await person.card()
  await person.answer(card, 'Allow once')
  const rests = () => person.look(() => document.querySelector('main')?.innerText.includes('works in the background'))
  await eventually('the answer, while the command works', rests)
  const made = join(folder, 'made-in-background.txt')
  assert.equal(existsSync(made), false)
  await person.send('[[text]] and on')
  await person.ended()
  await eventually('the work itself', () => existsSync(made))
  assert.ok((await person.texts()).some((text) => text.startsWith('Hello from the practice model.')))
})
