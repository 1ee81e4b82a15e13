// Reading a conversation that is only drawn where it is looked at. The functions named `page…` run in the page.
import { setTimeout as pause } from 'node:timers/promises'
import { PAINT_MS, TURN_MS, eventually } from './wait.mjs'

const SCROLLER = 'main [role=region][aria-label=Conversation]'
/** Between two looks at a conversation that is scrolled, in milliseconds. */
const DRAWN_MS = 120
/** Between two looks at rows that are not measured yet, in milliseconds. */
const MEASURED_MS = 30
/** Looks in a row at its very beginning that must find nothing older: an older page is read once it is needed. */
const TOP_LOOKS = 4

/** The drawn rows as plain data; null while one is in place but not measured yet: it is hidden then and has no text. */
export function pageRows() {
  const drawn = [...document.querySelectorAll('main [data-row][data-kind]')]
  if (drawn.some((row) => getComputedStyle(row).visibility === 'hidden')) return null
  return drawn.map((row) => ({
    id: row.dataset.row,
    kind: row.dataset.kind,
    sequence: Number(row.dataset.sequence),
    text: row.innerText.trim(),
  }))
}

/** Where the conversation stands, and whether rows cover all of what is on screen. */
function pagePlace(selector) {
  const box = document.querySelector(selector)
  const drawn = [...document.querySelectorAll('main [data-row][data-kind]')]
  if (!box || !drawn.length) return { covered: false }
  const [frame, first, last] = [box, drawn[0], drawn.at(-1)].map((one) => one.getBoundingClientRect())
  const rest = box.scrollHeight - box.scrollTop - box.clientHeight
  const away = [...box.parentElement.children].some((one) => one.matches('button'))
  return {
    top: box.scrollTop,
    height: box.scrollHeight,
    atEnd: rest <= 2 && !away,
    covered: (box.scrollTop <= 0 || first.top <= frame.top + 1) && (rest <= 2 || last.bottom >= frame.bottom - 1),
    key: [Math.round(box.scrollTop), box.scrollHeight, drawn.length, drawn[0].dataset.row, drawn.at(-1).dataset.row].join(' '),
  }
}

/** Goes to the end as a reader does: by the button where there is one. */
function pageToEnd(selector) {
  const box = document.querySelector(selector)
  const back = box && [...box.parentElement.children].find((one) => one.matches('button'))
  if (back) back.click()
  else if (box) box.scrollTop = box.scrollHeight
}

/** So many pages on, by the wheel; up is negative. */
function pageBy(selector, pages) {
  const box = document.querySelector(selector)
  box.dispatchEvent(new WheelEvent('wheel', { deltaY: Math.sign(pages) }))
  box.scrollTop = Math.max(0, box.scrollTop + Math.round(pages * box.clientHeight))
}

/** Scrolls to the end and waits until it stands there, drawn. */
export async function toEnd(browser) {
  let before = null
  await eventually('the end of the conversation, drawn', async () => {
    const place = await browser.execute(pagePlace, SCROLLER)
    const still = place.atEnd && place.covered && place.key === before
    before = place.key ?? null
    if (!place.atEnd) await browser.execute(pageToEnd, SCROLLER)
    return still
  })
}

/** Puts what is drawn now to what was found further down; null when rows between the two were not drawn. */
function joined(seen, found) {
  const known = new Set(found.map((row) => row.id))
  const now = new Map(seen.map((row) => [row.id, row]))
  const meeting = seen.findIndex((row) => known.has(row.id))
  if (found.length && meeting < 0) return null
  const older = found.length ? seen.slice(0, meeting) : seen
  const newer = found.length ? seen.slice(meeting).filter((row) => !known.has(row.id)) : []
  // A row that was seen before may have grown at its beginning by an older page.
  return [...older, ...found.map((row) => now.get(row.id) ?? row), ...newer]
}

/** The drawn rows, once all of them are measured. */
export const rowsOf = (browser) => eventually('rows that are measured', () => browser.execute(pageRows), PAINT_MS, MEASURED_MS)

/** Place and rows at one moment. */
const look = (browser) => browser.execute(`return { place: (${pagePlace})(arguments[0]), rows: (${pageRows})() }`, SCROLLER)

/** Every row of the open chat, also those that are only drawn, or only read, when scrolled to; then back at the end. */
export async function allRows(browser) {
  await toEnd(browser)
  let found = []
  let looks = 0
  const end = Date.now() + TURN_MS
  while (looks < TOP_LOOKS) {
    if (Date.now() > end) throw new Error(`the beginning of the conversation was not reached within ${TURN_MS} ms`)
    if (found.length) await browser.execute(pageBy, SCROLLER, -1 / 2)
    await pause(DRAWN_MS)
    const { place, rows } = await look(browser)
    if (!rows || !place.covered || (!found.length && !place.atEnd)) continue
    const more = joined(rows, found)
    // An older page that was put in front may have moved the place by more than a page: back down until both meet.
    if (!more) await browser.execute(pageBy, SCROLLER, 1)
    looks = more && place.top <= 0 ? looks + 1 : 0
    found = more ?? found
  }
  await toEnd(browser)
  return found
}
