// Finding and ending processes by a marker in their environment: it is inherited by whatever they start, also by what
// has left their process group or lost its parent. Linux only (/proc).
import { readFileSync, readdirSync, readlinkSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** How long marked processes may take to go after SIGTERM, and then after SIGKILL, in milliseconds. */
const TERM_MS = 2_000
const KILL_MS = 5_000
const POLL_MS = 50

const gone = (error) => ['ENOENT', 'ESRCH', 'EACCES'].includes(error.code)
function attempt(read) {
  try {
    return read()
  } catch (error) {
    if (gone(error)) return null
    throw error
  }
}

/** Live processes that carry NAME=VALUE in their environment: [{ pid, name, exe }]. Zombies have none and are left out. */
export function marked(name, value) {
  const wanted = `${name}=${value}`
  const found = []
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry) || Number(entry) === process.pid) continue
    const environ = attempt(() => readFileSync(`/proc/${entry}/environ`, 'latin1'))
    if (!environ?.split('\0').includes(wanted)) continue
    const comm = attempt(() => readFileSync(`/proc/${entry}/comm`, 'utf8'))
    const exe = attempt(() => readlinkSync(`/proc/${entry}/exe`))
    if (comm) found.push({ pid: Number(entry), name: comm.trim(), exe })
  }
  return found
}

export function signalAll(processes, signal) {
  for (const { pid } of processes) attempt(() => process.kill(pid, signal))
}

/** Waits until no process carries the marker; resolves to those that still do after `ms`. */
export async function waitGone(name, value, ms) {
  const end = Date.now() + ms
  for (;;) {
    const left = marked(name, value)
    if (!left.length || Date.now() > end) return left
    await sleep(POLL_MS)
  }
}

/** Ends every process with the marker; resolves to the names of those that were there. Throws if one outlives SIGKILL. */
export async function endMarked(name, value) {
  const found = marked(name, value)
  if (!found.length) return []
  signalAll(found, 'SIGTERM')
  signalAll(await waitGone(name, value, TERM_MS), 'SIGKILL')
  const left = await waitGone(name, value, KILL_MS)
  if (left.length)
    throw new Error(`still there after SIGKILL: ${left.map((one) => `${one.name} ${one.pid}`).join(', ')}`)
  return found.map((one) => one.name)
}
