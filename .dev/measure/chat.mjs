// A chat of 100,000 events in the real window: from the click in the sidebar to the paint of its last row, in turns with a
// small chat, then scrolling up and down through it.
import { setTimeout as sleep } from 'node:timers/promises'
import { cpuMs } from './lib/machine.mjs'
import { median, most, quantile, round, spread, words } from './lib/numbers.mjs'
import { armOpening, asked, openRelease, opening, processesOf, scrolled, startScroll } from './lib/page.mjs'
import { fill, scratch } from './lib/release.mjs'

export const title = 'a chat of 100,000 events'
export const needs = ['app', 'driver', 'chats']

const EVENTS = 100_000
/** Click to last row, in milliseconds. */
const TARGET_MS = 300
/** Longest wait for a chat to open, in milliseconds. */
const OPEN_MS = 30_000
/** Rest between two clicks, in milliseconds: what the last one began is over. */
const REST_MS = 1_500
/** A fast wheel, in pixels a second, and how long it turns in each direction. */
const WHEEL = { pixelsPerSecond: 6_000, ms: 15_000 }
/** A gap between two frames from which scrolling is felt to stick, in milliseconds. */
const STUCK_MS = 100

/** Processor time of the web process and of ours for one opening: tells work from waiting for a busy machine. */
function work(window) {
  const { app, web } = processesOf(window)
  const sum = (pids) => pids.reduce((all, pid) => all + cpuMs(pid), 0)
  return { app: sum(app), web: sum(web) }
}

async function open({ window, person, page }, id, name) {
  const before = work(window)
  await page(armOpening, id, `end-of-${name}`)
  const link = await person.browser.$(`a[data-chat-id="${id}"]`)
  await link.click()
  const found = await asked(page, opening, OPEN_MS)
  const after = work(window)
  await sleep(REST_MS)
  return { ...found, cpu: { app: after.app - before.app, web: after.web - before.web } }
}

/** The calls of the page that were over before the chat was drawn, with their begin and end after the click. */
const callWords = ({ calls, opened }) =>
  calls.filter(({ to }) => to !== null && to < opened).map(({ what, from, to }) => `${what} ${from} to ${to}`).join(', ')

export function frameWords({ gaps }) {
  const long = gaps.filter((gap) => gap > STUCK_MS).length
  return `median ${round(median(gaps))}, p99 ${round(quantile(gaps, 0.99))}, longest ${round(most(gaps))} ms, ${long} over ${STUCK_MS} ms of ${gaps.length}`
}

export async function measure({ rounds, say }) {
  const place = scratch('chat')
  const { data, big, small, big_events } = await fill(place.folder, EVENTS)
  const release = await openRelease({ PADDOCK_DATA_DIR: data })
  try {
    const found = { big: [], small: [] }
    // The parts of the window that draw chats are read in the background after the start.
    await sleep(REST_MS)
    for (let turn = 0; turn < rounds; turn += 1) {
      found.small.push(await open(release, small, 'small'))
      found.big.push(await open(release, big, 'big'))
      const [one, other] = [found.big.at(-1), found.small.at(-1)]
      say(`big ${round(one.opened)} ms (rows there after ${round(one.loaded)} ms; processor time of the page ${one.cpu.web} ms, ours ${one.cpu.app} ms; ${callWords(one)}), small ${round(other.opened)} ms`)
    }
    await release.page(startScroll, WHEEL.pixelsPerSecond, WHEEL.ms)
    const scroll = await asked(release.page, scrolled, WHEEL.ms * 2 + OPEN_MS)
    const later = (name) => spread(found[name].map((run) => run.opened))
    const cpu = spread(found.big.map((run) => run.cpu.web), 0)
    const [bigs, smalls] = [later('big'), later('small')]
    const slowest = scroll.gaps.map((gap, i) => ({ gap: round(gap), at: round(scroll.at[i], 0) })).sort((a, b) => b.gap - a.gap)
    return {
      rows: [
        [`chat of ${big_events} events, click to last row`, words(bigs, ' ms'), '', `under ${TARGET_MS} ms`],
        ['chat of 500 events, click to last row', words(smalls, ' ms'), '', ''],
        ['processor time of the page for opening the big one', words(cpu, ' ms'), '', ''],
        [`scrolled up ${round(scroll.up, 0)} px, down ${round(scroll.down, 0)} px`, frameWords(scroll), '', ''],
        ['frames without any row', `${scroll.blanks} of ${scroll.frames} (${scroll.partly} with a hole)`, '', 'none'],
      ],
      met: bigs.most < TARGET_MS && scroll.blanks === 0,
      data: { bigs, smalls, runs: found, scroll: { ...scroll, gaps: undefined, at: undefined, slowest: slowest.slice(0, 20) } },
    }
  } finally {
    await release.window.end()
    place.remove()
  }
}
