// A minute with a chat open and nothing to do: processor time and wake-ups of our process and of the web process.
import { setTimeout as sleep } from 'node:timers/promises'
import { cpuMs, memory, switched, switches, threads } from './lib/machine.mjs'
import { round } from './lib/numbers.mjs'
import { openRelease, processesOf } from './lib/page.mjs'
import { fill, scratch } from './lib/release.mjs'

export const title = 'a minute of rest with a chat open'
export const needs = ['app', 'driver', 'chats']

/** Processor time of each process, in percent of one core. */
const TARGET_PERCENT = 1
/** Time after opening until everything that opening began is over, in milliseconds. */
const SETTLE_MS = 15_000
const EVENTS = 20_000

const look = (pid) => ({ cpu: cpuMs(pid), switches: switches(pid), threads: threads(pid), memory: memory(pid), at: performance.now() })

function between(before, after) {
  const seconds = (after.at - before.at) / 1000
  const { own, forced } = switched(before.switches, after.switches)
  const busiest = Object.entries(after.threads)
    .map(([name, ms]) => ({ name, ms: ms - (before.threads[name] ?? 0) }))
    .filter(({ ms }) => ms > 0)
    .sort((a, b) => b.ms - a.ms)
  return {
    percent: round((after.cpu - before.cpu) / seconds / 10, 2),
    wakes: round(own / seconds),
    forced: round(forced / seconds),
    memory: after.memory,
    busiest: busiest.slice(0, 8),
  }
}

export async function measure({ seconds = 60, say }) {
  const place = scratch('idle')
  const { data, small } = await fill(place.folder, EVENTS)
  const { window, person } = await openRelease({ PADDOCK_DATA_DIR: data })
  try {
    await person.openChat(small)
    await sleep(SETTLE_MS)
    const pids = Object.entries(processesOf(window)).flatMap(([name, all]) => all.map((pid) => ({ name, pid })))
    const before = pids.map(({ pid }) => look(pid))
    await sleep(seconds * 1000)
    const found = pids.map(({ name, pid }, i) => ({ name, ...between(before[i], look(pid)) }))
    for (const one of found) say(`${one.name}: ${one.busiest.map(({ name, ms }) => `${name} ${ms} ms`).join(', ') || 'no thread ran for 10 ms'}`)
    const counted = found.filter(({ name }) => name === 'app' || name === 'web')
    return {
      rows: found.map((one) => [
        `${one.name} process`,
        `${one.percent} % of a core, ${one.wakes} wake-ups a second (${one.forced} forced), ${one.memory} MB`,
        '',
        one.name === 'network' ? '' : `under ${TARGET_PERCENT} %`,
      ]),
      met: counted.length >= 2 && counted.every(({ percent }) => percent < TARGET_PERCENT),
      data: { found },
    }
  } finally {
    await window.end()
    place.remove()
  }
}
