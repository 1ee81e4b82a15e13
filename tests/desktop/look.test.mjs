// Six states of the real window, light and dark, wide and narrow, kept as pictures to look at. A picture of nothing
// fails, and so does a page that is wider than its window.
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { Person, eventually } from './rig/pages.mjs'
import { coloursOf } from './rig/png.mjs'
import { openWindow } from './rig/session.mjs'
import { showTheme } from './rig/theme.mjs'

/** Fewer colours than this is an empty page; text alone makes more by its soft edges. */
const MIN_COLOURS = 60
/** Share of the picture that one colour may have. */
const MAX_SHARE = 0.97
/** Time for what moves by itself, as a scroll to the end, in milliseconds. */
const SETTLE_MS = 300
/** Widths of the window, in CSS pixels. */
const [WIDE, NARROW] = [1280, 390]
const HEIGHT = 844
const THEMES = ['light', 'dark']

const window = await openWindow()
const person = new Person(window)
const folder = join(window.dirs.workspace, 'lighthouse')
let asking = null
mkdirSync(folder)
writeFileSync(join(folder, 'notes.md'), '# Notes\n')
after(() => window.end())
before(async () => {
  await person.atShell()
  await resize(WIDE)
})

test('a new chat', async () => {
  await person.keys('Control', 'n')
  await person.press('Practice', 'main')
  await shown('1-new-chat')
})

test('text that streams', async () => {
  await person.newChat(folder, '[[slow]] tell me about rivers')
  await eventually('text', async () => ((await person.texts()).at(-1) ?? '').length > 40)
  await shown('2-streaming')
  assert.ok(await person.running(), 'the pictures are of a running turn')
  await person.stop()
  await person.ended()
})

test('an approval', async () => {
  await person.send('[[bash-redirect]] and write it down')
  await person.card()
  await shown('3-approval')
})

test('the Inbox with two decisions', async () => {
  const first = await person.card()
  asking = await person.newChat(folder, '[[question]] what else?')
  await person.card(first.id)
  await person.openInbox()
  await eventually('two cards', async () => (await person.openCards()) === 2)
  await shown('4-inbox')
})

test('turns that ended: one well, one stopped, one failed', async () => {
  await person.answer(await person.card(), 'Allow once')
  await person.openChat(asking)
  const question = await person.card()
  await person.answer(question, 'Do not answer')
  await person.ended()
  await person.send('[[diff]] show me')
  await person.ended()
  await person.send('[[sleep]] wait')
  await person.answer(await person.card(question.id), 'Deny and stop')
  await person.ended()
  await person.send('[[fault-401]] and fail')
  await person.ended()
  await shown('5-endings')
})

test('the settings', async () => {
  await person.keys('Control', ',')
  await eventually('the settings', () => person.look(() => document.querySelector('main h1')?.innerText === 'Settings'))
  await shown('6-settings')
})

/** Takes the four pictures of a state. */
async function shown(name) {
  for (const width of [NARROW, WIDE]) {
    await resize(width)
    for (const theme of THEMES) {
      await showTheme(window.browser, theme)
      await pause(SETTLE_MS)
      await picture(`${name}-${theme}-${width}`, width)
    }
  }
}

async function picture(name, wanted) {
  const { width, height, colours, share } = coloursOf(readFileSync(await window.screenshot(name)))
  assert.ok(width >= wanted && height > 400, `${name}: ${width} × ${height}`)
  assert.ok(colours > MIN_COLOURS, `${name}: ${colours} colours`)
  assert.ok(share < MAX_SHARE, `${name}: one colour has ${Math.round(share * 100)} %`)
  const wide = await person.look(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
  assert.ok(wide <= 0, `${name}: the page is ${wide} pixels wider than its window`)
}

/** Gives the page this width. */
async function resize(width) {
  await window.browser.setWindowSize(width, HEIGHT)
  await eventually(`a page of ${width} pixels`, () => person.look((width) => innerWidth === width, width))
}
