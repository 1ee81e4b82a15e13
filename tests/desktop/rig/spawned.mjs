// Processes of one window that are known by its folders in their environment, whatever their parent or group. Linux only.
import { readFileSync, readdirSync } from 'node:fs'

/** Name of the environment variable by which Paddock marks what it starts. */
const MARKER_ENV = 'PADDOCK_SPAWN='
/** Characters of a command line that are kept for messages. */
const COMMAND_CHARS = 160

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
