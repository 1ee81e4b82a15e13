// Clocks inside the page. Each function below the line runs in the page (WebDriver sends its text), so it refers to nothing
// outside itself. What they find lies in `window.__measure` until it is asked for.
import { setTimeout as sleep } from 'node:timers/promises'
import { openWindow } from '../../../tests/desktop/rig/session.mjs'
import { Person } from '../../../tests/desktop/rig/pages.mjs'
import { APP, EXTRA } from './release.mjs'

/** Pause between two looks at what the page has found, in milliseconds: rare, so that looking is no load. */
const POLL_MS = 250

/** The release build in a window of its own: { window, person, page }; `page` runs a function in it. */
export async function openRelease(env = {}, args = []) {
  const window = await openWindow({ application: APP, env: { ...env, ...EXTRA }, args })
  const person = new Person(window)
  try {
    await person.atShell()
  } catch (error) {
    await window.end()
    throw error
  }
  return { window, person, page: (code, ...args) => window.browser.execute(code, ...args) }
}

/** Asks the page now and then until it has an answer. */
export async function asked(page, code, ms, ...args) {
  const end = Date.now() + ms
  for (;;) {
    const found = await page(code, ...args)
    if (found !== null && found !== undefined && found !== false) return found
    if (Date.now() > end) throw new Error(`the page had no answer within ${ms} ms`)
    await sleep(POLL_MS)
  }
}

/** Processes of the app by what they are: { app, web, network, harness } with their pids. */
export function processesOf(window) {
  const all = window.processes()
  const named = (start) => all.filter((one) => one.name.startsWith(start)).map((one) => one.pid)
  return {
    app: window.app().map((one) => one.pid),
    web: named('WebKitWebPro'),
    network: named('WebKitNetwork'),
    harness: window.spawned().map((one) => one.pid),
  }
}

// ---- in the page

/**
 * From the click on a chat to the paint of its last row. The click's own time is the event's; the row is painted when two
 * further animation frames began after it was there, in view, with the wanted words in the row before it.
 */
export function armOpening(chat, lastWords) {
  const state = (window.__measure = { opened: null, loaded: null, frames: [], calls: [], from: null })
  // Tauri's calls go through `fetch`: who was asked, from when to when, shows where the time goes.
  window.__fetch ??= window.fetch
  window.fetch = async (...args) => {
    const call = { what: String(args[0]?.url ?? args[0]).split('/').at(-1), from: performance.now(), to: null }
    window.__measure.calls?.push(call)
    try {
      return await window.__fetch.apply(window, args)
    } finally {
      call.to = performance.now()
    }
  }
  const link = document.querySelector(`a[data-chat-id="${chat}"]`)
  const isThere = () => {
    const box = document.querySelector('main [data-testid=transcript]')
    if (!box || !location.hash.includes(chat)) return false
    const rows = [...box.querySelectorAll('[data-row][data-kind]')]
    const last = rows.at(-1)
    if (last?.dataset.kind !== 'ending' || !rows.at(-2)?.textContent.includes(lastWords)) return false
    const [inner, outer] = [last.getBoundingClientRect(), box.getBoundingClientRect()]
    return inner.height > 0 && inner.bottom <= outer.bottom + 1 && inner.top >= outer.top
  }
  const onClick = (event) => {
    link.removeEventListener('click', onClick, true)
    const from = (state.from = event.timeStamp)
    const look = (now) => {
      state.frames.push(now - from)
      if (!isThere()) return void requestAnimationFrame(look)
      state.loaded = performance.now() - from
      requestAnimationFrame(() => requestAnimationFrame(() => (state.opened = performance.now() - from)))
    }
    requestAnimationFrame(look)
  }
  link.addEventListener('click', onClick, true)
  return true
}

export function opening() {
  const { opened, loaded, frames, calls, from } = window.__measure
  const told = calls.map((call) => ({ what: call.what, from: Math.round(call.from - from), to: call.to === null ? null : Math.round(call.to - from) }))
  return opened === null ? null : { opened, loaded, frames: frames.map(Math.round), calls: told }
}

/** Records the time between animation frames until `stopFrames`. */
export function startFrames() {
  const state = (window.__frames = { gaps: [], at: [], last: null, on: true, began: performance.now() })
  const tick = (now) => {
    if (state.last !== null) {
      state.gaps.push(now - state.last)
      state.at.push(now - state.began)
    }
    state.last = now
    if (state.on) requestAnimationFrame(tick)
  }
  requestAnimationFrame(tick)
  return true
}

export function stopFrames() {
  const state = window.__frames
  state.on = false
  return { gaps: state.gaps, at: state.at, seconds: (performance.now() - state.began) / 1000 }
}

/**
 * Scrolls as a wheel does, so many pixels a second, up and then down, each for some milliseconds. Like a wheel's, a step comes
 * before the frame that draws it, so that the list hears of it first. In every frame it looks whether rows cover the list at
 * three heights: a blank is a frame in which none of them shows a row, a hole one in which one of them does not.
 */
export function startScroll(pixelsPerSecond, ms) {
  const box = document.querySelector('main [data-testid=transcript]')
  const state = (window.__scroll = { gaps: [], at: [], blanks: 0, partly: 0, frames: 0, up: 0, down: 0, done: false, blankAt: [] })
  const began = performance.now()
  let last = null
  /** First and last row and the list's own height, in pixels from its top. */
  let edges = []
  // By geometry: while it scrolls, the list lets no pointer find its rows.
  const cover = () => {
    const area = box.getBoundingClientRect()
    const rows = [...box.querySelectorAll('[data-row][data-kind]')].map((row) => row.getBoundingClientRect())
    // Between two rows lies the gap of the list, which is no blank.
    const at = (share) => rows.some(({ top, bottom }) => top - 24 <= area.top + area.height * share && bottom + 24 >= area.top + area.height * share)
    const heights = rows.map(({ top, bottom }) => [top - area.top, bottom - area.top])
    edges = [Math.min(...heights.map(([top]) => top)), Math.max(...heights.map(([, bottom]) => bottom)), area.height].map(Math.round)
    return [0.15, 0.5, 0.85].filter(at).length
  }
  const tick = (now) => {
    const gap = last === null ? 16 : now - last
    if (last !== null) {
      state.gaps.push(gap)
      state.at.push(now - began)
    }
    last = now
    const shown = cover()
    if (shown === 0) state.blanks += 1
    if (shown < 3) {
      state.partly += 1
      if (state.blankAt.length < 20) state.blankAt.push({ at: Math.round(now - began), shown, edges, top: Math.round(box.scrollTop), height: box.scrollHeight })
    }
    state.frames += 1
    if (now - began >= 2 * ms) return void (state.done = true)
    requestAnimationFrame(tick)
    setTimeout(() => move(now - began < ms ? -1 : 1, gap))
  }
  const move = (way, gap) => {
    // A wheel keeps its pace in time; one late frame does not make a leap of more than half a window.
    const step = Math.min((pixelsPerSecond * gap) / 1000, box.clientHeight / 2)
    box.dispatchEvent(new WheelEvent('wheel', { deltaY: way * step, bubbles: true }))
    const before = box.scrollTop
    box.scrollTop = before + way * step
    state[way < 0 ? 'up' : 'down'] += Math.abs(box.scrollTop - before)
  }
  requestAnimationFrame(tick)
  return true
}

export function scrolled() {
  return window.__scroll.done ? window.__scroll : null
}

/**
 * Waits for the message that tells what the stand-in wrote; notes when it was on screen, in milliseconds since the Unix
 * epoch. Looks once a frame at the last few rows only.
 */
export function armEnd(words) {
  const state = (window.__end = { at: null, text: null })
  const look = () => {
    const rows = [...document.querySelectorAll('main [data-row][data-kind=text]')].slice(-2)
    const row = rows.find((one) => one.textContent.length < 2000 && one.textContent.trim().startsWith(words))
    if (!row) return void requestAnimationFrame(look)
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        state.at = performance.timeOrigin + performance.now()
        state.text = row.textContent
      }),
    )
  }
  requestAnimationFrame(look)
  return true
}

export function ended() {
  return window.__end.at === null ? null : window.__end
}

/**
 * From the writing of a stamped line to the frame in which the page shows it: in each frame the newest stamp of the last row
 * is read, and its age when the next frame begins is noted.
 */
export function armStamps() {
  const state = (window.__stamps = { ages: [], last: '' })
  const look = () => {
    const row = [...document.querySelectorAll('main [data-row][data-kind=text]')].at(-1)
    const text = row?.textContent ?? ''
    const stamp = /@(\d{19})(?!.*@\d{19})/s.exec(text.slice(-60))?.[1]
    if (stamp && stamp !== state.last) {
      state.last = stamp
      const written = Number(BigInt(stamp) / 1000n) / 1000
      requestAnimationFrame(() => state.ages.push(performance.timeOrigin + performance.now() - written))
    }
    requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
  return true
}

export function stamps() {
  return window.__stamps.ages
}
