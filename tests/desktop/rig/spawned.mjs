// Processes of one window that are known by its folders in their environment, whatever their parent or group. Linux only.
import { readFileSync, readdirSync } from 'node:fs'

/** Name of the environment variable by which Paddock marks what it starts. */
const MARKER_ENV = 'PADDOCK_SPAWN='
/** Characters of a command line that are kept for messages. */
const COMMAND_CHARS = 400

/** How the questions about version, sign-in and models are recognised, which come and go beside turns. */
const PROBE = / --version\b| auth status\b| --setting-sources=/

const GONE = ['ENOENT', 'ESRCH', 'EACCES']
function read(file) {
  try {
    return readFileSync(file, 'latin1')
  } catch (error) {
    if (GONE.includes(error.code)) return ''
    throw error
  }
}

/** Live processes whose environment names a folder: [{ pid, marked, command }]. Zombies have no environment. */
export function of(folder) {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry) && Number(entry) !== process.pid)
    .flatMap((entry) => {
      const entries = read(`/proc/${entry}/environ`).split('\0')
      if (!entries.some((one) => one.includes(folder))) return []
      const command = read(`/proc/${entry}/cmdline`).replaceAll('\0', ' ').slice(0, COMMAND_CHARS)
      return [{ pid: Number(entry), marked: entries.some((one) => one.startsWith(MARKER_ENV)), command }]
    })
}

/** Whether a process is none that asks about a harness, but part of a turn. */
export const ofTurn = (one) => !PROBE.test(one.command)

/** The whole command line of a process, or null when it is gone. */
export function commandLine(pid) {
  const text = read(`/proc/${pid}/cmdline`)
  return text ? text.replace(/\0$/, '').split('\0') : null
}

/**
 * Whether a process is at its very end. One that was killed has no environment any more while it still holds its files,
 * locks and connections; only a zombie has given them back.
 */
export function ended(pid) {
  const stat = read(`/proc/${pid}/stat`)
  return !stat || /^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2))
}
