// The real window with the real Claude Code on the practice model: folder, streaming, approvals, grants, restart.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { Person, eventually } from './rig/pages.mjs'
import { commandOf } from './rig/scripts.mjs'
import { openWindow } from './rig/session.mjs'

const window = await openWindow()
const person = new Person(window)
const folder = join(window.dirs.workspace, 'orchard')
const touched = join(folder, 'made-by-bash.txt')
const redirected = join(folder, 'made-by-redirect.txt')
let chat = null
let mode = null
mkdirSync(folder)
after(() => window.end())
before(() => person.atShell())

test('a folder by completion, and text before the end of the turn', async () => {
  chat = await person.newChat(folder, '[[long]] tell me')
  const early = await eventually('text', async () => (await person.texts()).join('').length || null)
  assert.ok((await person.states()).includes('working'), 'the chat is shown as working')
  const more = await eventually('more text', async () => {
    const now = (await person.texts()).join('').length
    return now > early ? now : null
  })
  assert.ok(await person.running(), `text grew from ${early} to ${more} characters while the turn runs`)
  assert.match(await person.ended(), /Done/)
  assert.match((await person.texts()).at(-1), /That was the end\./)
})

test('a denied step does not run, and the turn goes on with the reason', async () => {
  await person.send('[[bash]] one')
  const card = await person.card()
  assert.ok(card.text.includes(commandOf('bash')), 'the card shows the whole command')
  await person.answer(card, 'Deny with a reason')
  await person.type(`[data-decision="${card.id}"] input`, 'not in my orchard')
  await person.answer(card, 'Deny')
  assert.match(await person.ended(), /Done/)
  const text = (await person.texts()).at(-1)
  assert.match(text, /not in my orchard/)
  assert.match(text, /The command step is over\./)
  assert.equal(existsSync(touched), false, 'nothing ran')
})

test('allowed once runs once, and the next time is asked', async () => {
  mode = await person.mode()
  assert.ok(mode, 'the mode is shown')
  await person.send('[[bash]] two')
  const card = await person.card()
  assert.equal(existsSync(touched), false, 'nothing runs before the answer')
  await person.answer(card, 'Allow once')
  await person.ended()
  assert.ok(existsSync(touched))
  rmSync(touched)
  await person.send('[[bash]] three')
  const again = await person.card(card.id)
  await person.answer(again, 'Allow for session')
  await person.ended()
  assert.ok(existsSync(touched))
})

test('allowed for the session is not asked again, and another command is', async () => {
  await unasked('[[bash]] four', touched)
  await person.send('[[bash-redirect]] five')
  const card = await person.card()
  assert.ok(card.text.includes(commandOf('bash-redirect')), 'the other command is asked, whole')
  assert.equal(existsSync(redirected), false)
  await person.answer(card, 'Allow for session')
  await person.ended()
  assert.equal(readFileSync(redirected, 'utf8'), 'practice\n')
  await unasked('[[bash-redirect]] six', redirected)
  await person.send('[[bash-two]] seven')
  const other = await person.card(card.id)
  assert.ok(other.text.includes(commandOf('bash-two')))
  await person.answer(other, 'Deny and stop')
  await person.ended()
  assert.equal(await person.mode(), mode, 'the mode is what it was')
})

test('after a restart the grants hold, and the mode is what it was', async () => {
  await window.restart()
  await person.atShell()
  await person.openChat(chat)
  assert.equal(await person.mode(), mode)
  await unasked('[[bash]] eight', touched)
  await unasked('[[bash-redirect]] nine', redirected)
  await person.send('[[bash-two]] ten')
  const other = await person.card()
  await person.answer(other, 'Deny and stop')
  await person.ended()
})

/** Sends a prompt whose command makes a file, and fails if anything is asked on the way. */
async function unasked(prompt, file) {
  rmSync(file, { force: true })
  await person.send(prompt)
  assert.match(await person.endedUnasked(), /Done/)
  assert.ok(existsSync(file), `"${prompt}" ran without a question`)
}
