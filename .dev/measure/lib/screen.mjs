// Seeing a window be painted from outside, the same way for every program: Xvfb keeps its picture in a file (XWD), and a
// few lines of it are read again and again. Nothing in the program takes part.
import { spawn } from 'node:child_process'
import { closeSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'

/** How long Xvfb may take until it names its display, in milliseconds. */
const START_MS = 15_000
/** Pause between two looks, in milliseconds. */
const LOOK_MS = 2
/** The picture is final when it did not change for this long, in milliseconds. */
const STILL_MS = 2_000
/** Longest watch, in milliseconds. */
const WATCH_MS = 40_000
/** Every so many lines of pixels one is read. */
const LINE_STEP = 20
/** Longest wait until the window before is gone, in milliseconds. */
const EMPTY_MS = 15_000
/** Pixels that may change while the picture still counts as the same: a caret that blinks. */
const CARET_PIXELS = 8

/** Share of the watched pixels that must have the colour of the page's ground for it to count as painted. */
const GROUND_SHARE = 0.2

/** Size of the windows that are compared; without a window manager they lie in the upper left corner. */
const WINDOW = { width: 1180, height: 800 }

/** Starts Xvfb with its picture in `folder`; resolves to { env, file, stop }. */
export function startScreen(folder) {
  const args = ['-displayfd', '3', '-screen', '0', '1440x1000x24', '-nolisten', 'tcp', '-fbdir', folder]
  const child = spawn('Xvfb', args, { stdio: ['ignore', 'ignore', 'pipe', 'pipe'] })
  const stop = () => child.exitCode === null && child.kill('SIGTERM')
  return new Promise((resolve, reject) => {
    let said = ''
    let number = ''
    const timer = setTimeout(() => (stop(), reject(new Error(`Xvfb named no display. ${said}`))), START_MS)
    child.stderr.on('data', (text) => (said = (said + text).slice(-2000)))
    child.on('error', (error) => (clearTimeout(timer), reject(error)))
    child.stdio[3].on('data', (text) => {
      number += text
      if (!number.includes('\n')) return
      clearTimeout(timer)
      resolve({ env: { DISPLAY: `:${number.trim()}` }, file: join(folder, 'Xvfb_screen0'), stop })
    })
  })
}

/** Opens the picture: { look, close }; `look` reads the watched lines into a fresh buffer. */
function openPicture(file) {
  const picture = openSync(file, 'r')
  const header = Buffer.alloc(100)
  readSync(picture, header, 0, header.length, 0)
  // Fields of XWDFileHeader, version 7: header_size is the first, bytes_per_line the 13th, ncolors the 20th.
  const [size, stride, colours] = [0, 12, 19].map((field) => header.readUInt32BE(field * 4))
  const begin = size + colours * 12
  const width = WINDOW.width * 4
  const lines = Math.floor(WINDOW.height / LINE_STEP)
  const look = () => {
    const seen = Buffer.alloc(width * lines)
    for (let line = 0; line < lines; line += 1)
      readSync(picture, seen, line * width, width, begin + (line * LINE_STEP + LINE_STEP / 2) * stride)
    return seen
  }
  return { look, close: () => closeSync(picture) }
}

const pixels = (seen) => new Uint32Array(seen.buffer, seen.byteOffset, seen.length / 4)

function different(a, b, most = Infinity) {
  const [left, right] = [pixels(a), pixels(b)]
  let count = 0
  for (let i = 0; i < left.length && count <= most; i += 1) if (left[i] !== right[i]) count += 1
  return count
}

const sleep = new Int32Array(new SharedArrayBuffer(4))

/**
 * Watches from `begin()` (which starts the program) until the picture is still. Blocks this process, so that the looks are
 * regular. `plain`: colours that a window may show before its page (0xRRGGBB).
 * Returns { ground, first, half, whole, final } in milliseconds since the start: the page's empty ground, the first pixel that
 * is not plain, half and all (99 %) of what the final picture holds beside plain colours and ground. Of a picture with nothing
 * else, every pixel counts. Null when nothing was painted.
 */
export function watch(file, begin, plain) {
  const picture = openPicture(file)
  const before = emptied(picture)
  const from = process.hrtime.bigint()
  const now = () => Number(process.hrtime.bigint() - from) / 1e6
  begin()
  const states = []
  let last = before
  let changedAt = 0
  while (now() < WATCH_MS) {
    const seen = picture.look()
    if (!seen.equals(last)) {
      const at = now()
      const small = states.length > 0 && different(seen, last, CARET_PIXELS) <= CARET_PIXELS
      if (!small) {
        changedAt = at
        states.push({ at, seen })
      }
      last = seen
    }
    if (states.length && now() - changedAt > STILL_MS && hasPage(last, before, plain)) break
    Atomics.wait(sleep, 0, 0, LOOK_MS)
  }
  picture.close()
  return milestones(states, before, plain)
}

/** Waits until the watched lines are black, as Xvfb is without any window, and returns that picture. */
function emptied(picture) {
  const end = Date.now() + EMPTY_MS
  for (;;) {
    const seen = picture.look()
    if (pixels(seen).every((pixel) => colour(pixel) === 0)) return seen
    if (Date.now() > end) throw new Error('the window of the program before did not go away')
    Atomics.wait(sleep, 0, 0, LOOK_MS)
  }
}

const colour = (pixel) => pixel & 0xffffff

/** Whether something of the page is there: a colour that was not there before and is not plain. */
function hasPage(seen, before, plain) {
  const old = new Set(plain)
  for (const pixel of pixels(before)) old.add(colour(pixel))
  return pixels(seen).some((pixel) => !old.has(colour(pixel)))
}

function milestones(states, before, plain) {
  const final = states.at(-1)
  if (!final || !hasPage(final.seen, before, plain)) return null
  const goal = pixels(final.seen)
  const old = new Set(plain)
  for (const pixel of pixels(before)) old.add(colour(pixel))
  // The colour that covers most is the page's ground; what counts is what is drawn on it.
  const counts = new Map()
  for (const pixel of goal) counts.set(colour(pixel), (counts.get(colour(pixel)) ?? 0) + 1)
  const ground = [...counts].sort((a, b) => b[1] - a[1])[0][0]
  let ink = []
  goal.forEach((pixel, i) => !old.has(colour(pixel)) && colour(pixel) !== ground && ink.push(i))
  if (!ink.length) goal.forEach((_, i) => ink.push(i))
  const share = ({ seen }) => {
    const have = pixels(seen)
    return ink.filter((i) => have[i] === goal[i]).length / ink.length
  }
  const grounded = ({ seen }) => {
    const have = pixels(seen)
    return have.filter((pixel) => colour(pixel) === ground).length > have.length * GROUND_SHARE
  }
  const shares = states.map((state) => ({
    at: state.at,
    share: share(state),
    ground: grounded(state),
    page: hasPage(state.seen, before, plain),
  }))
  const reach = (wanted) => shares.find((state) => state.share >= wanted)?.at ?? null
  return {
    ground: shares.find((state) => state.ground)?.at ?? null,
    first: shares.find((state) => state.page)?.at ?? null,
    half: reach(0.5),
    whole: reach(0.99),
    final: final.at,
    ink: ink.length,
    steps: shares.map((state) => `${state.at.toFixed(0)}:${(state.share * 100).toFixed(0)}%`),
  }
}
