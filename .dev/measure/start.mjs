// From the start of the process to a painted window: Paddock beside a bare Tauri window of the same versions and profile,
// in turns. Paddock is painted when 99 % of what its first screen shows beside plain ground is there; its first pixel of
// all is told too.
import { spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { startBus } from '../../tests/desktop/rig/parts.mjs'
import { spread, words } from './lib/numbers.mjs'
import { APP, BARE, EXTRA, fill, scratch } from './lib/release.mjs'
import { startScreen, watch } from './lib/screen.mjs'

export const title = 'start to painted window'
export const needs = ['app', 'bare', 'chats']

/** Paddock's first screen may take at most so many times as long as the bare window. */
const TARGET = 1.2
/** Events of the seeded big chat: a start does not read them, but the file is as big as in use. */
const EVENTS = 20_000
/** Changes of the picture that are told of each start; all are in the JSON. */
const STEPS_TOLD = 8
/** Longest wait for a program to end, in milliseconds. */
const END_MS = 10_000
/** Colours that Paddock's window shows before its page has drawn anything: the window's, and the page's empty ground. */
const PLAIN = [0x16181d, 0xfcfcfb, 0x181917, 0xffffff]

function environment(base, extra) {
  const home = join(base, 'home')
  for (const part of ['', '.local/share', '.local/state', '.config', '.cache'])
    mkdirSync(join(home, part), { recursive: true })
  const run = join(base, 'run')
  mkdirSync(run, { recursive: true, mode: 0o700 })
  return {
    PATH: process.env.PATH,
    HOME: home,
    XDG_RUNTIME_DIR: run,
    XDG_DATA_HOME: join(home, '.local/share'),
    XDG_STATE_HOME: join(home, '.local/state'),
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_CACHE_HOME: join(home, '.cache'),
    LANG: 'C.UTF-8',
    TZ: 'UTC',
    GDK_BACKEND: 'x11',
    NO_AT_BRIDGE: '1',
    ...EXTRA,
    ...extra,
  }
}

async function one(program, env, screen, plain) {
  let child = null
  let ended = null
  const begin = () => {
    child = spawn(program, [], { env, stdio: 'ignore' })
    ended = new Promise((resolve) => child.once('exit', resolve))
  }
  const seen = watch(screen.file, begin, plain)
  const hard = setTimeout(() => child.kill('SIGKILL'), END_MS)
  child.kill('SIGTERM')
  await ended
  clearTimeout(hard)
  if (!seen) throw new Error(`${program} painted nothing`)
  return seen
}

export async function measure({ rounds, say }) {
  const place = scratch('start')
  const screen = await startScreen(place.folder)
  const bus = await startBus(environment(place.folder, screen.env), place.folder)
  try {
    const { data } = await fill(place.folder, EVENTS)
    const shared = { ...screen.env, DBUS_SESSION_BUS_ADDRESS: bus.address }
    const env = environment(place.folder, { ...shared, PADDOCK_DATA_DIR: data })
    const fresh = (n) => {
      const base = join(place.folder, `new-${n}`)
      return environment(base, { ...shared, PADDOCK_DATA_DIR: join(base, 'data') })
    }
    const found = { bare: [], paddock: [], first: [] }
    // Once each beforehand, so that all files are in memory for every measured start.
    await one(BARE, env, screen, [])
    await one(APP, env, screen, PLAIN)
    for (let round = 0; round < rounds; round += 1) {
      found.bare.push(await one(BARE, env, screen, []))
      found.paddock.push(await one(APP, env, screen, PLAIN))
      found.first.push(await one(APP, fresh(round), screen, PLAIN))
      const [bare, paddock, first] = [found.bare, found.paddock, found.first].map((all) => all.at(-1).whole.toFixed(0))
      say(`bare ${bare} ms, Paddock ${paddock} ms, first start ever ${first} ms (${found.paddock.at(-1).steps.slice(0, STEPS_TOLD).join(' ')})`)
    }
    const of = (name, point) => spread(found[name].map((run) => run[point]), 0)
    const bare = of('bare', 'whole')
    const [ground, pixel, whole] = ['ground', 'first', 'whole'].map((point) => of('paddock', point))
    const ever = of('first', 'whole')
    const ratio = (one) => (one.median / bare.median).toFixed(2)
    return {
      rows: [
        ['bare window painted', words(bare, ' ms'), '', ''],
        ['Paddock, empty ground of the page', words(ground, ' ms'), `${ratio(ground)} of bare`, ''],
        ['Paddock, first pixel of its content', words(pixel, ' ms'), `${ratio(pixel)} of bare`, ''],
        ['Paddock, first screen whole', words(whole, ' ms'), `${ratio(whole)} of bare`, `at most ${TARGET}`],
        ['Paddock on an empty home, whole', words(ever, ' ms'), `${ratio(ever)} of bare`, ''],
      ],
      met: whole.median <= TARGET * bare.median,
      data: { bare, ground, pixel, whole, ever, runs: found },
    }
  } finally {
    await bus.stop()
    screen.stop()
    place.remove()
  }
}
