// The programs around the window, each started for one test only: display, bus, keyring, WebDriver server. Every one of
// them carries the rig's marker in its environment, which is how the rig finds and ends whatever they start in turn.
import { spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { TAURI_DRIVER } from '../../../.dev/lib/paths.mjs'

/** Bounds, in milliseconds. */
const START_MS = 45_000
const POLL_MS = 50
const QUERY_MS = 15_000
/** How much of a part's output is kept to explain a failure, in characters. */
const SAID_CHARS = 16_000
const WEBKIT_DRIVER = '/usr/bin/WebKitWebDriver'

/** A running part: the child, what it said last, and `stop`, which waits until it is gone. */
export function startPart(program, args, env, input) {
  const child = spawn(program, args, { env, stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'] })
  const part = { program, child, said: '', failed: null }
  part.ended = new Promise((resolve) => {
    child.on('exit', (code, signal) => resolve(signal ?? code))
    child.on('error', (error) => resolve((part.failed = error).message))
  })
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => (part.said = (part.said + text).slice(-SAID_CHARS)))
  }
  if (input !== undefined) child.stdin.end(input)
  part.alive = () => !part.failed && child.exitCode === null && child.signalCode === null
  part.stop = async (signal = 'SIGTERM') => {
    if (!part.alive()) return
    child.kill(signal)
    const hard = setTimeout(() => child.kill('SIGKILL'), QUERY_MS)
    await part.ended
    clearTimeout(hard)
  }
  return part
}

/** Polls until `ready` gives something; a part that ends meanwhile, or the bound, is an error with what was said. */
export async function until(what, ready, { part, ms = START_MS } = {}) {
  const end = Date.now() + ms
  for (;;) {
    const value = await ready()
    if (value) return value
    if (part && !part.alive()) throw new Error(`${what}: ${part.program} ended (${await part.ended}).\n${part.said}`)
    if (Date.now() > end) throw new Error(`${what}: not within ${ms / 1000} s.\n${part?.said ?? ''}`)
    await sleep(POLL_MS)
  }
}

/** Runs a short program to its end; resolves to { code, said }. */
export async function ask(program, args, env, input) {
  const part = startPart(program, args, env, input)
  const timer = setTimeout(() => part.child.kill('SIGKILL'), QUERY_MS)
  const code = await part.ended
  clearTimeout(timer)
  return { code, said: part.said }
}

export async function startBus(env, folder) {
  const bus = startPart(
    'dbus-daemon',
    ['--session', '--nofork', '--nopidfile', '--print-address=1', `--address=unix:dir=${folder}`],
    env,
  )
  bus.address = await until('session bus', () => /^unix:\S+/m.exec(bus.said)?.[0], { part: bus })
  return bus
}

/** A Secret Service whose login collection has an empty password and is open; proved by storing and reading one entry. */
export async function startKeyring(env) {
  const keyring = startPart('gnome-keyring-daemon', ['--foreground', '--unlock', '--components=secrets'], env, '\n')
  const owner = [
    '--session',
    '--print-reply',
    '--dest=org.freedesktop.DBus',
    '/',
    'org.freedesktop.DBus.NameHasOwner',
    'string:org.freedesktop.secrets',
  ]
  await until('keyring', async () => (await ask('dbus-send', owner, env)).said.includes('boolean true'), {
    part: keyring,
  })
  const entry = ['paddock-rig', 'canary']
  const stored = await ask('secret-tool', ['store', '--label=canary', ...entry], env, 'open')
  const read = await ask('secret-tool', ['lookup', ...entry], env)
  const cleared = await ask('secret-tool', ['clear', ...entry], env)
  if (stored.code !== 0 || read.said !== 'open' || cleared.code !== 0) {
    throw new Error(`the keyring stays locked: ${stored.said}${read.said}${cleared.said}\n${keyring.said}`)
  }
  return keyring
}

const freePort = () =>
  new Promise((resolve, reject) => {
    const server = createServer().on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })

/** Times that the driver is started anew: between choosing a free port and using it another program may take it. */
const DRIVER_STARTS = 3
const DRIVER_MS = 20_000

/** tauri-driver in front of WebKitWebDriver; it says nothing when it is ready, so its status is asked for. */
export async function startDriver(env) {
  for (let start = 1; ; start += 1) {
    const driver = await driverOnFreePorts(env)
    try {
      await until('WebDriver server', () => isReady(driver.port), { part: driver, ms: DRIVER_MS * start })
      return driver
    } catch (error) {
      await driver.stop()
      if (start === DRIVER_STARTS) throw error
    }
  }
}

async function driverOnFreePorts(env) {
  const [port, native] = [await freePort(), await freePort()]
  const args = ['--port', String(port), '--native-port', String(native), '--native-driver', WEBKIT_DRIVER]
  return Object.assign(startPart(TAURI_DRIVER, args, env), { port })
}

const isReady = (port) =>
  fetch(`http://127.0.0.1:${port}/status`, { signal: AbortSignal.timeout(QUERY_MS) }).then(
    (reply) => reply.ok,
    () => false,
  )
