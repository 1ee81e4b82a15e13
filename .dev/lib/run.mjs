// Starting programs: always an argument list, never a shell; stdin closed unless the program is meant to ask.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { ROOT } from './paths.mjs'
import { Stop } from './say.mjs'

/** How much output of a captured program is kept, in bytes; the end is what explains a failure. */
const CAPTURE_BYTES = 1024 * 1024
/** How long a program may take to go after SIGTERM, in milliseconds, before it is killed. */
const TERM_GRACE_MS = 5_000
const WINDOWS = process.platform === 'win32'

let wasInterrupted = false
/** Whether a person or CI asked this script to end (SIGINT or SIGTERM). */
export const interrupted = () => wasInterrupted

/** A program on PATH, or null. */
export function which(name) {
  const ends = WINDOWS ? ['.exe', '.cmd', ''] : ['']
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    for (const end of ends) if (folder && existsSync(join(folder, name + end))) return join(folder, name + end)
  }
  return null
}

/** The argument list that runs npm with this very Node: `npm.cmd` cannot be started without a shell. */
export function npm(...args) {
  const beside = dirname(process.execPath)
  const places = [
    process.env.npm_execpath,
    join(beside, 'node_modules', 'npm', 'bin', 'npm-cli.js'),
    join(beside, '..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js'),
    '/usr/share/nodejs/npm/bin/npm-cli.js',
  ]
  const cli = places.find((place) => place && /npm-cli\.js$/.test(place) && existsSync(place))
  if (cli) return [process.execPath, cli, ...args]
  const found = which('npm')
  if (found && !WINDOWS) return [found, ...args]
  throw new Stop(
    'npm was not found beside Node.',
    'install Node 20.20 or newer with npm (see README.md, "Before the first start")',
  )
}

/** Ends a process and, where it leads its own group (Unix), all that it started. */
export function endTree(child, signal = 'SIGTERM') {
  if (child.exitCode !== null || child.signalCode !== null) return
  try {
    if (WINDOWS) spawn('taskkill', ['/pid', String(child.pid), '/t', '/f'], { stdio: 'ignore' })
    else process.kill(child.leads ? -child.pid : child.pid, signal)
  } catch (error) {
    if (error.code !== 'ESRCH') throw error
  }
}

/**
 * Runs `command` (an argument list) and resolves to { code, signal, timedOut, output }.
 * `show`: pass output through as it comes; `onLine`: called for each line; `limitMs`: bound on the whole run.
 */
export function run(command, { cwd = ROOT, env = process.env, limitMs = 0, show = false, onLine, ask = false } = {}) {
  const [program, ...args] = command
  const captured = !(show && !onLine)
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd,
      env,
      detached: !WINDOWS && !ask,
      stdio: [ask ? 'inherit' : 'ignore', captured ? 'pipe' : 'inherit', captured ? 'pipe' : 'inherit'],
    })
    child.leads = !ask
    let output = ''
    let timedOut = false
    let kill = null
    const stop = () => {
      endTree(child)
      kill ??= setTimeout(() => endTree(child, 'SIGKILL'), TERM_GRACE_MS)
    }
    const timer = limitMs && setTimeout(() => ((timedOut = true), stop()), limitMs)
    const onSignal = () => ((wasInterrupted = true), stop())
    process.on('SIGINT', onSignal).on('SIGTERM', onSignal)
    for (const stream of captured ? [child.stdout, child.stderr] : []) {
      let rest = ''
      stream.setEncoding('utf8').on('data', (text) => {
        output = (output + text).slice(-CAPTURE_BYTES)
        if (show) process.stdout.write(text)
        if (!onLine) return
        const lines = (rest + text).split('\n')
        rest = lines.pop()
        lines.forEach(onLine)
      })
      stream.on('end', () => rest && onLine?.(rest))
    }
    const clear = () => {
      clearTimeout(timer)
      clearTimeout(kill)
      process.off('SIGINT', onSignal).off('SIGTERM', onSignal)
    }
    child.on('error', (error) => (clear(), reject(error)))
    child.on('close', (code, signal) => (clear(), resolve({ code, signal, timedOut, output })))
  })
}

/** Runs and stops with `next` unless the program succeeds. */
export async function must(command, options, message, next) {
  let result
  try {
    result = await run(command, options)
  } catch (error) {
    throw new Stop(`${message} (${error.message})`, next)
  }
  if (result.code === 0) return result
  const how = result.timedOut ? 'it took too long' : result.signal ? `ended by ${result.signal}` : `exit ${result.code}`
  const tail = options?.show ? '' : `\n${result.output.trim().split('\n').slice(-15).join('\n')}`
  throw new Stop(`${message} (${how})${tail}`, next)
}
