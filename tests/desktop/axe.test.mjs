// axe in the real window, light and dark: the places that a person sees first and most. A place with a violation fails
// and names it; the same rules run over every place of the scripted window.
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { ROOT } from '../../.dev/lib/paths.mjs'
import { Person, eventually } from './rig/pages.mjs'
import { openWindow } from './rig/session.mjs'
import { showTheme } from './rig/theme.mjs'

const SOURCE = readFileSync(createRequire(join(ROOT, 'ui', 'package.json')).resolve('axe-core/axe.min.js'), 'utf8')
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
const THEMES = ['light', 'dark']
/** Fewer rules than this were passed where axe did not really look. */
const FEWEST_PASSES = 10
/** How long axe may look at one place, in milliseconds. */
const LOOK_MS = 60_000

const window = await openWindow()
const person = new Person(window)
const { browser } = window
const folder = join(window.dirs.workspace, 'gallery')
mkdirSync(folder)
after(() => window.end())
before(async () => {
  await person.atShell()
  await browser.setTimeout({ script: LOOK_MS })
})

test('no chat yet: the settings, where the theme is chosen', async () => {
  await person.keys('Control', ',')
  await eventually('the settings', () => person.look(() => document.querySelector('main h1')?.innerText === 'Settings'))
  await eventually('all of them', () => person.look(() => document.querySelectorAll('main [role=switch]').length >= 4))
  for (const [name, theme] of [['Light', 'light'], ['Dark', 'dark']]) {
    await person.press(name, 'main')
    await eventually(`${name} is chosen`, async () => (await chosenTheme()) === theme)
  }
  await person.press('As the system', 'main')
  await eventually('the theme of the system', async () => (await chosenTheme()) === null)
  await clean('settings, empty list')
})

test('harnesses', async () => {
  await person.look(() => void (location.hash = '#/harnesses'))
  await eventually('the versions', () => person.look(() => /\d+\.\d+\.\d+/.test(document.querySelector('main').innerText)))
  await clean('harnesses')
})

test('a new chat', async () => {
  await person.keys('Control', 'n')
  await eventually('the modes', () => person.look(() => document.querySelectorAll('main input[type=radio]').length > 1))
  await clean('new chat')
})

test('a chat that streams', async () => {
  await person.newChat(folder, '[[slow]] for a while')
  await eventually('text', async () => (await person.rows()).at(-1)?.kind === 'text')
  await clean('streaming')
  assert.ok(await person.running(), 'it was looked at while it ran')
  await person.stop()
  await person.ended()
})

test('a failed turn', async () => {
  await person.send('[[fault-401]] please')
  await person.ended()
  await clean('error')
})

test('a chat with an open decision, and the Inbox with two', async () => {
  await person.send('[[bash-redirect]] first')
  const first = await person.card()
  await clean('an open approval')
  await person.newChat(folder, '[[question]] second')
  await person.card(first.id)
  await person.openInbox()
  await eventually('two cards', async () => (await person.openCards()) === 2)
  await clean('inbox with two decisions')
})

const chosenTheme = () => person.look(() => document.documentElement.dataset.theme ?? null)

/** Fails unless axe finds nothing in both themes. */
async function clean(place) {
  if (!(await person.look(() => typeof window.axe === 'object'))) await browser.execute(SOURCE)
  for (const theme of THEMES) {
    await showTheme(browser, theme)
    const { violations, passes } = await browser.executeAsync(pageAxe, TAGS)
    assert.deepEqual(violations, [], `${place}, ${theme}`)
    assert.ok(passes >= FEWEST_PASSES, `${place}, ${theme}: axe passed ${passes} rules`)
  }
  await showTheme(browser, null)
}

/** Runs in the page. */
function pageAxe(tags, done) {
  const told = ({ id, help, nodes }) => {
    const first = nodes.slice(0, 3).map(({ target, failureSummary }) => `${target.join(' ')}: ${failureSummary.split('\n')[1]?.trim()}`)
    return `${id}: ${help} · ${first.join(' · ')}`
  }
  window.axe
    .run(document, { runOnly: { type: 'tag', values: tags } })
    .then(({ violations, passes }) => done({ violations: violations.map(told), passes: passes.length }))
    .catch((error) => done({ violations: [`axe failed: ${error}`], passes: 0 }))
}
