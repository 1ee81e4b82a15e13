// A reload of the page in the middle of a turn loses nothing and doubles nothing; a fresh start shows the same.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { Person, eventually } from './rig/pages.mjs'
import { letters, textOf } from './rig/scripts.mjs'
import { openWindow } from './rig/session.mjs'

const window = await openWindow()
const person = new Person(window)
const folder = join(window.dirs.workspace, 'meadow')
let chat = null
mkdirSync(folder)
after(() => window.end())
before(() => person.atShell())

test('two reloads while text streams lose and double nothing of it', async () => {
  chat = await person.newChat(folder, '[[slow]] read on')
  for (let reload = 1; reload <= 2; reload += 1) {
    const had = await grown()
    await window.browser.refresh()
    await person.atShell()
    const now = await eventually('the text again', async () => (await person.texts()).join('').length || null)
    assert.ok(now >= had, `reload ${reload}: ${now} characters, ${had} before it`)
    assert.ok(await person.running(), `reload ${reload} came while the turn ran`)
  }
  const enough = await grown()
  await person.stop()
  assert.match(await person.ended(), /Stopped/)
  const drawn = letters((await person.texts()).join('\n').replace(/Copy as Markdown$/, ''))
  assert.ok(letters(textOf('slow')).startsWith(drawn), `what was said, from its beginning: ${drawn}`)
  assert.ok(drawn.length > enough / 2, `${drawn.length} letters of ${enough} characters`)
})

test('a reload with an open card keeps the card, which is answered once', async () => {
  await person.send('[[bash-two]] and on')
  const first = await person.card()
  await window.browser.refresh()
  await person.atShell()
  const again = await person.card()
  assert.deepEqual([again.id, await person.openCards()], [first.id, 1])
  await person.answer(again, 'Allow once')
  const second = await person.card(first.id)
  assert.ok(existsSync(join(folder, 'first-command.txt')))
  await window.browser.refresh()
  await person.atShell()
  assert.equal((await person.card()).id, second.id)
  await person.answer(second, 'Allow once')
  assert.match(await person.ended(), /Done/)
  assert.ok(existsSync(join(folder, 'second-command')))
})

test('a fresh start of the app shows the same rows', async () => {
  const before = await person.allRows()
  assert.equal(before.filter((row) => row.kind === 'prompt').length, 2)
  assert.equal(before.filter((row) => row.kind === 'ending').length, 2)
  await window.restart()
  await person.atShell()
  await person.openChat(chat)
  assert.deepEqual(await person.allRows(), before)
})

/** Waits until there is text and it grows; resolves to its length. */
async function grown() {
  let least = 0
  for (let step = 0; step < 3; step += 1) {
    least = await eventually('more text', async () => {
      const length = (await person.texts()).join('').length
      return length > least ? length : null
    })
  }
  return least
}
