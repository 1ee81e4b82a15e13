// From the writing of a line by the harness to the feed (a host without a window), and to the pixel (the real window).
import { setTimeout as sleep } from 'node:timers/promises'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { must } from '../lib/run.mjs'
import { median, most, quantile, round } from './lib/numbers.mjs'
import { armEnd, armStamps, asked, ended, openRelease, stamps } from './lib/page.mjs'
import { LATENCY, fill, scratch, standin } from './lib/release.mjs'

export const title = 'from a written line to the feed and to the pixel'
export const needs = ['app', 'driver', 'chats', 'latency', 'paced']

/** A model that is quick, in lines a second. */
const RATE = 100
const SECONDS = 30
/** Bound on one run, in milliseconds. */
const RUN_MS = 120_000
const REST_MS = 2_000
const EVENTS = 2_000

const told = (all) => `median ${round(median(all), 2)}, p99 ${round(quantile(all, 0.99), 2)}, most ${round(most(all), 2)} ms of ${all.length} lines`

async function toFeed(place, seconds) {
  const { place: folder, env } = standin(place.folder)
  const home = join(place.folder, 'home')
  mkdirSync(home, { recursive: true })
  const clean = { PATH: env.PATH, HOME: home, LANG: 'C.UTF-8', TMPDIR: place.folder }
  const command = [LATENCY, folder, String(RATE), String(seconds)]
  const { output } = await must(command, { env: clean, limitMs: RUN_MS }, 'The feed could not be measured.')
  return JSON.parse(output.trim().split('\n').at(-1)).delays_ns.map((ns) => ns / 1e6)
}

async function toPixel(place, seconds) {
  const { data, stream: chat } = await fill(place.folder, EVENTS)
  const { env } = standin(place.folder)
  const { window, person, page } = await openRelease({ PADDOCK_DATA_DIR: data, ...env })
  try {
    await person.openChat(chat)
    await sleep(REST_MS)
    await page(armStamps)
    await page(armEnd, 'PACED')
    await person.send(`paced rate=${RATE} seconds=${seconds} shape=stamps`)
    await asked(page, ended, seconds * 1000 + RUN_MS)
    return await page(stamps)
  } finally {
    await window.end()
  }
}

export async function measure({ seconds = SECONDS, say }) {
  const place = scratch('latency')
  try {
    const feed = await toFeed(place, seconds)
    say(`feed: ${told(feed)}`)
    const pixel = await toPixel(place, seconds)
    return {
      rows: [
        [`line to feed, ${RATE} lines a second`, told(feed), '', ''],
        ['line to the frame after the one that drew it', told(pixel), '', ''],
      ],
      met: null,
      data: { feed: figures(feed), pixel: figures(pixel) },
    }
  } finally {
    place.remove()
  }
}

const figures = (all) => ({ median: median(all), p90: quantile(all, 0.9), p99: quantile(all, 0.99), most: most(all), count: all.length })
