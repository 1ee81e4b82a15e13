// What the kernel tells of the machine and of processes. Linux only (/proc).
import { execFileSync } from 'node:child_process'
import { readFileSync, readdirSync } from 'node:fs'
import { cpus, loadavg, totalmem } from 'node:os'

const read = (path) => {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES'].includes(error.code)) return ''
    throw error
  }
}

/** Load of the last minute, five and fifteen. */
export const load = () => loadavg().map((value) => Number(value.toFixed(2)))

/** Processor, cores, memory, kernel. */
export const machine = () => ({
  cpu: cpus()[0]?.model ?? 'unknown',
  cores: cpus().length,
  memory_mb: Math.round(totalmem() / 1024 / 1024),
  kernel: read('/proc/sys/kernel/osrelease').trim(),
})

let ticks = 0
/** Clock ticks a second, in which /proc counts processor time. */
function hertz() {
  ticks ||= Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))
  return ticks
}

/** Proportional memory of a process in MB; null when it is gone. */
export function memory(pid) {
  const found = /^Pss:\s+(\d+) kB/m.exec(read(`/proc/${pid}/smaps_rollup`))
  return found ? Number((found[1] / 1024).toFixed(1)) : null
}

/** Processor time of a process so far, in milliseconds, all threads, without its children. */
export function cpuMs(pid) {
  const stat = read(`/proc/${pid}/stat`)
  // The name may hold spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / hertz()
}

function tasksOf(pid) {
  try {
    return readdirSync(`/proc/${pid}/task`)
  } catch (error) {
    if (error.code === 'ENOENT') return []
    throw error
  }
}

/** Context switches of each living thread: { id: { own, forced } }. Own ones are wake-ups after a wait. */
export function switches(pid) {
  const found = {}
  for (const task of tasksOf(pid)) {
    const status = read(`/proc/${pid}/task/${task}/status`)
    const number = (name) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0)
    found[task] = { own: number('voluntary_ctxt_switches'), forced: number('nonvoluntary_ctxt_switches') }
  }
  return found
}

/** Context switches between two looks; a thread that ended in between is left out, a new one counts whole. */
export function switched(before, after) {
  const sum = { own: 0, forced: 0 }
  for (const [task, now] of Object.entries(after))
    for (const kind of ['own', 'forced']) sum[kind] += now[kind] - (before[task]?.[kind] ?? 0)
  return sum
}

/** Processor time by thread name, in milliseconds: shows who wakes. */
export function threads(pid) {
  const found = {}
  for (const task of tasksOf(pid)) {
    const stat = read(`/proc/${pid}/task/${task}/stat`)
    if (!stat) continue
    const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'))
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    found[name] = (found[name] ?? 0) + ((Number(fields[11]) + Number(fields[12])) * 1000) / hertz()
  }
  return found
}
