// Keys, pressed and let go one by one, and what has the focus after them.
import assert from 'node:assert/strict'
import { PAINT_MS, eventually } from './wait.mjs'

/** WebDriver's names of keys that are no letters. */
export const KEY = {
  Enter: '\uE007',
  Tab: '\uE004',
  Escape: '\uE00C',
  Backspace: '\uE003',
  Delete: '\uE017',
  Left: '\uE012',
  Up: '\uE013',
  Right: '\uE014',
  Down: '\uE015',
  Home: '\uE011',
  End: '\uE010',
  Shift: '\uE008',
  Control: '\uE009',
  Alt: '\uE00A',
}
/** Keys of one message to the driver. */
const BATCH = 100
/** Presses of Tab on the way to a place. */
const MOST_TABS = 60

/** Presses keys one after the other, each with its own release. */
export async function tap(browser, keys) {
  for (let at = 0; at < keys.length; at += BATCH) {
    const actions = keys.slice(at, at + BATCH).flatMap((value) => [
      { type: 'keyDown', value },
      { type: 'keyUp', value },
    ])
    await browser.performActions([{ type: 'key', id: 'keyboard', actions }])
  }
}

/** Presses keys together: the last one while the others are held. */
export async function chord(browser, ...keys) {
  const down = keys.map((value) => ({ type: 'keyDown', value }))
  const up = keys.toReversed().map((value) => ({ type: 'keyUp', value }))
  await browser.performActions([{ type: 'key', id: 'keyboard', actions: [...down, ...up] }])
}

export const write = (browser, text) => tap(browser, [...text])

/** Runs in the page: name and kind of what has the focus, and what is wrong with it. */
function pageFocus() {
  const element = document.activeElement
  if (!element || element === document.body) return { name: '', wrong: 'nothing has the focus' }
  const texts = (ids) => ids.split(' ').map((id) => document.getElementById(id)?.textContent ?? '').join(' ').trim()
  const labels = [...(element.labels ?? [])].map((label) => label.textContent).join(' ')
  const named = element.matches('input, textarea, select') ? '' : element.textContent.trim()
  const name = element.getAttribute('aria-label') || texts(element.getAttribute('aria-labelledby') ?? '') || labels || named
  const box = element.getBoundingClientRect()
  const [left, right] = [Math.max(box.left, 0), Math.min(box.right, innerWidth)]
  const [top, bottom] = [Math.max(box.top, 0), Math.min(box.bottom, innerHeight)]
  const told = { name, tag: element.tagName, card: element.dataset.decision ?? null, value: element.value ?? null }
  if (right - left < 1 || bottom - top < 1) return { ...told, wrong: 'it is out of sight' }
  const at = document.elementFromPoint((left + right) / 2, (top + bottom) / 2)
  const own = at && (element.contains(at) || element.closest('label')?.contains(at))
  if (!own) return { ...told, wrong: `it is covered by ${at?.tagName} ${at?.className}` }
  return { ...told, wrong: name ? null : 'it has no name' }
}

/** What has the focus: { name, tag, card, value, wrong }. */
export const focus = (browser) => browser.execute(pageFocus)

/** Waits until what has the focus is visible, uncovered, named, and fits; returns it. */
export async function focused(browser, what, fits = () => true) {
  let last = null
  try {
    return await eventually(what, async () => {
      last = await focus(browser)
      return !last.wrong && fits(last) ? last : null
    }, PAINT_MS)
  } catch (error) {
    throw new Error(`${error.message}: the focus is on ${JSON.stringify(last)}`, { cause: error })
  }
}

/** Walks by Tab until the focus is on something of this name; each stop on the way must be visible, uncovered, named. */
export async function tabTo(browser, name, { back = false } = {}) {
  const seen = []
  for (let step = 0; step < MOST_TABS; step += 1) {
    if (back) await chord(browser, KEY.Shift, KEY.Tab)
    else await tap(browser, [KEY.Tab])
    const now = await focused(browser, `Tab on the way to ${name}`)
    if (name.test(now.name)) return now
    seen.push(now.name.slice(0, 40))
  }
  return assert.fail(`Tab does not lead to ${name}; it led to ${seen.join(' | ')}`)
}
