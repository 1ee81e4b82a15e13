// The window opens, shows its shell, survives a crash of the process, and leaves nothing behind.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { after, test } from 'node:test'
import { openWindow } from './rig/session.mjs'

/** How long the first paint may take on a slow, busy machine, in milliseconds. */
const PAINT_MS = 45_000

const shell = (window) => window.browser.$('[data-testid=shell]').waitForDisplayed({ timeout: PAINT_MS })

const window = await openWindow()
after(() => window.end())

test('the window shows the shell', async () => {
  await shell(window)
  assert.equal(await window.browser.getTitle(), 'New chat – Paddock')
  assert.ok(existsSync(await window.screenshot('smoke')))
})

test('the theme that is chosen reaches the frame and the native controls', async () => {
  const { browser } = window
  await browser.execute(() => void (location.hash = '#/settings'))
  const dark = browser.$('main [role=radio][aria-label=Dark]')
  await dark.waitForDisplayed({ timeout: PAINT_MS })
  await dark.click()
  assert.equal(await browser.execute(() => document.documentElement.dataset.theme), 'dark')
  const told = await browser.executeAsync((done) => {
    window.__TAURI_INTERNALS__.invoke('plugin:window|set_theme', { label: 'main', value: 'dark' }).then(() => done('taken'), (error) => done(String(error)))
  })
  assert.equal(told, 'taken', 'the page may set the theme of its window')
  await browser.$('main [role=radio][aria-label="As the system"]').click()
})

test('after a crash the app opens again on the same data', async () => {
  const [before] = window.app()
  await window.kill('SIGKILL')
  await window.restart()
  await shell(window)
  assert.notEqual(window.app()[0].pid, before.pid)
})

test('closing the session leaves no process of the app', async () => {
  await window.quit()
  assert.deepEqual(window.app(), [])
})
