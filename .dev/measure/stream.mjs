// 2,000 events a second for a minute in the real window, from a stand-in in Claude's wire: gaps between frames, what was
// stored of what was written, how far the page is behind at the end, memory by process.
import { setTimeout as sleep } from 'node:timers/promises'
import { frameWords } from './chat.mjs'
import { memory } from './lib/machine.mjs'
import { most, round } from './lib/numbers.mjs'
import { armEnd, asked, ended, openRelease, processesOf, startFrames, stopFrames } from './lib/page.mjs'
import { count, fill, scratch, standin } from './lib/release.mjs'

export const title = '2,000 events a second for a minute'
export const needs = ['app', 'driver', 'chats', 'paced']

const RATE = 2_000
/** Longest gap between two animation frames, in milliseconds. */
const TARGET_MS = 100
/** Longest wait for the last words after the stream, in milliseconds. */
const BEHIND_MS = 60_000
/** Before the stream and after it nothing happens for so long, in milliseconds, so that memory is at rest. */
const REST_MS = 10_000
/** Pause between two looks at the memory, in milliseconds. */
const LOOK_MS = 1_000
const EVENTS = 20_000
/** What the stand-in's last message begins with. */
const LAST_WORDS = 'PACED'

function memories(window) {
  const found = {}
  for (const [name, pids] of Object.entries(processesOf(window))) {
    const all = pids.map(memory).filter((value) => value !== null)
    if (all.length) found[name] = round(all.reduce((sum, value) => sum + value, 0))
  }
  return found
}

/**
 * What was stored of what was written. Deltas are joined on their way, so of text the bytes are compared, of everything else the
 * number of events.
 */
function storedOf(told, stored, seed) {
  const own = (part, kind) => (stored[part][`turn.${kind}`] ?? 0) - (seed[part][`turn.${kind}`] ?? 0)
  const kinds = Object.keys(told.written)
  const sum = (values) => values.reduce((all, value) => all + value, 0)
  const whole = kinds.filter((kind) => !(kind in told.text_bytes))
  return {
    text: sum(Object.keys(told.text_bytes).map((kind) => own('text_bytes', kind))),
    text_written: sum(Object.values(told.text_bytes)),
    others: sum(whole.map((kind) => own('kinds', kind))),
    others_written: sum(whole.map((kind) => told.written[kind])),
    rows: sum(kinds.map((kind) => own('kinds', kind))),
  }
}

const memoryWords = (one) => Object.entries(one).map(([name, mb]) => `${name} ${mb}`).join(', ')

async function stream(shape, seconds) {
  const place = scratch('stream')
  const { data, stream: chat } = await fill(place.folder, EVENTS)
  // What the seed holds is no part of what is stored in the run.
  const seed = await count(data, chat)
  const { env } = standin(place.folder)
  const release = await openRelease({ PADDOCK_DATA_DIR: data, ...env })
  const { window, person, page } = release
  let ran
  try {
    await person.openChat(chat)
    await sleep(REST_MS)
    const before = memories(window)
    await page(armEnd, LAST_WORDS)
    await person.send(`paced rate=${RATE} seconds=${seconds} shape=${shape}`)
    await page(startFrames)
    const during = {}
    let watching = true
    const watcher = (async () => {
      while (watching) {
        for (const [name, mb] of Object.entries(memories(window))) during[name] = Math.max(during[name] ?? 0, mb)
        await sleep(LOOK_MS)
      }
    })()
    let last
    try {
      last = await asked(page, ended, seconds * 1_000 + BEHIND_MS)
    } finally {
      watching = false
      await watcher
    }
    const frames = await page(stopFrames)
    await sleep(REST_MS)
    const after = memories(window)
    ran = { before, during, after, last, frames }
    await window.quit()
  } finally {
    await window.end()
  }
  const stored = await count(data, chat)
  place.remove()
  const told = JSON.parse(stored.last_message.slice(LAST_WORDS.length))
  const held = storedOf(told, stored, seed)
  return { shape, ...ran, told, held, behind: ran.last.at - told.end_ns / 1e6 }
}

const heldWords = (held) =>
  `${held.text} of ${held.text_written} bytes of streamed text, ${held.others} of ${held.others_written} other events, in ${held.rows} rows`

function rowsOf(run) {
  const longest = most(run.frames.gaps)
  const pace = `${round(run.told.events / run.told.seconds, 0)} a second for ${round(run.told.seconds, 0)} s, late by at most ${run.told.late_ms} ms`
  return {
    rows: [
      [`${run.shape}: pace of the stand-in`, pace, '', `${RATE} a second`],
      [`${run.shape}: gaps between frames`, frameWords(run.frames), '', `none over ${TARGET_MS} ms`],
      [`${run.shape}: stored of ${run.told.events} events`, heldWords(run.held), '', 'all'],
      [`${run.shape}: last line written to last text`, `${round(run.behind, 0)} ms`, '', ''],
      [`${run.shape}: memory before`, `${memoryWords(run.before)} MB`, '', ''],
      [`${run.shape}: memory at most`, `${memoryWords(run.during)} MB`, '', ''],
      [`${run.shape}: memory after, at rest`, `${memoryWords(run.after)} MB`, '', ''],
    ],
    met: longest <= TARGET_MS && run.held.text === run.held.text_written && run.held.others === run.held.others_written,
    longest,
  }
}

export async function measure({ seconds = 60, shapes = ['mixed', 'text'], say }) {
  const [rows, data] = [[], {}]
  let met = true
  for (const shape of shapes) {
    const run = await stream(shape, seconds)
    const told = rowsOf(run)
    rows.push(...told.rows)
    met &&= told.met
    const slowest = run.frames.gaps.map((gap, i) => ({ gap: round(gap), at: round(run.frames.at[i], 0) })).sort((a, b) => b.gap - a.gap)
    const { before, during, after, behind } = run
    data[shape] = { before, during, after, behind, written: run.told, stored: run.held, longest: told.longest, slowest: slowest.slice(0, 30) }
    say(`${shape}: longest gap ${round(told.longest)} ms`)
  }
  return { rows, met, data }
}
