// A display where there is none: Xvfb on a number that it chooses itself, closed to other users by a cookie.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** How long Xvfb may take until it names its display, in milliseconds. */
const START_MS = 15_000
const SCREEN = '1440x1000x24'

/** An Xauthority entry that fits any display of this machine (family "wild", empty display number). */
function authority(cookie) {
  const field = (bytes) => Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 255]), bytes])
  const name = Buffer.from('MIT-MAGIC-COOKIE-1')
  return Buffer.concat([
    Buffer.from([0xff, 0xff]),
    field(Buffer.alloc(0)),
    field(Buffer.alloc(0)),
    field(name),
    field(cookie),
  ])
}

export const hasDisplay = () =>
  process.platform !== 'linux' || Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY)

/** Starts Xvfb; resolves to { env, child, stop } once it accepts clients. `env` may mark the process. */
export function startDisplay(env = process.env) {
  const folder = mkdtempSync(join(tmpdir(), 'pk-x-'))
  const file = join(folder, 'authority')
  writeFileSync(file, authority(randomBytes(16)), { mode: 0o600 })
  const args = ['-displayfd', '3', '-screen', '0', SCREEN, '-nolisten', 'tcp', '-auth', file]
  const child = spawn('Xvfb', args, { env, stdio: ['ignore', 'ignore', 'pipe', 'pipe'], detached: true })
  const clean = () => rmSync(folder, { recursive: true, force: true })
  const stop = () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
    clean()
  }
  return new Promise((resolve, reject) => {
    let said = ''
    let number = ''
    const fail = (why) => (clearTimeout(timer), stop(), reject(new Error(`Xvfb ${why}. ${said.trim()}`)))
    const timer = setTimeout(() => fail(`named no display within ${START_MS / 1000} s`), START_MS)
    child.stderr.on('data', (text) => (said = (said + text).slice(-2000)))
    child.on('error', (error) => fail(`cannot be started: ${error.message}`))
    child.on('exit', (code) => (clean(), fail(`ended with ${code}`)))
    child.stdio[3].on('data', (text) => {
      number += text
      if (!number.includes('\n')) return
      clearTimeout(timer)
      child.removeAllListeners('exit')
      child.on('exit', clean)
      resolve({ env: { DISPLAY: `:${number.trim()}`, XAUTHORITY: file }, child, stop })
    })
  })
}
