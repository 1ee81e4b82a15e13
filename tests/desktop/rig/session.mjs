// One Paddock window under test, with everything around it of its own: display, bus, keyring, home, data folder.
//
//   const window = await openWindow({ args: ['--practice'], env: { NAME: 'value' }, keyring: 'unlocked' })
//   await window.browser.$('[data-testid=shell]').waitForExist()
//   await window.kill()        // SIGKILL to the app, as a crash does
//   await window.restart()     // a new process on the same data folder; `window.browser` is new too
//   await window.quit()        // closes the window and waits until the app is gone
//   await window.end()         // ends all that is left, removes the folders, fails if a process survives
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { remote } from 'webdriverio'
import { startDisplay } from '../../../.dev/lib/display.mjs'
import { APP, BIN, ROOT, TAURI_DRIVER } from '../../../.dev/lib/paths.mjs'
import { endMarked, marked, signalAll, waitGone } from '../../../.dev/lib/processes.mjs'
import { startBus, startDriver, startKeyring, until } from './parts.mjs'
import { ended, of, ofTurn } from './spawned.mjs'

/** Bounds, in milliseconds. */
const SESSION_MS = 90_000
const QUIT_MS = 30_000
const KILL_MS = 15_000
const STRAY_MS = 10_000
const MARKER = 'PADDOCK_RIG'
export const ARTIFACTS = process.env.PADDOCK_ARTIFACTS || join(ROOT, 'tests', '.artifacts', 'desktop')

/** Marks whose processes must not outlive this test process, whatever ends it. */
const open = new Set()
process.on('exit', () => open.forEach((mark) => signalAll(marked(MARKER, mark), 'SIGKILL')))
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
])
  process.once(signal, () => process.exit(code))

/** Fresh folders for one window; short, because sockets below them have at most 107 bytes of path. */
function freshFolders() {
  const base = mkdtempSync(join(tmpdir(), 'pk-d-'))
  const names = {
    home: 'home',
    data: 'data',
    workspace: 'ws',
    run: 'run',
    temp: 't',
    xdgData: 'home/.local/share',
    xdgState: 'home/.local/state',
    xdgConfig: 'home/.config',
    xdgCache: 'home/.cache',
  }
  const dirs = { base }
  for (const [name, path] of Object.entries(names))
    mkdirSync((dirs[name] = join(base, path)), { recursive: true, mode: 0o700 })
  return dirs
}

/** A short environment: nothing of the caller's but the path to programs, language and certificates. */
function environment(dirs, mark, extra) {
  const passed = [
    'NODE_EXTRA_CA_CERTS',
    'SSL_CERT_FILE',
    'PADDOCK_ORDINARY',
    'PADDOCK_CHECKOUT',
    'USER',
    'LOGNAME',
  ].filter((name) => process.env[name])
  return {
    ...Object.fromEntries(passed.map((name) => [name, process.env[name]])),
    PATH: [BIN, process.env.PATH].join(delimiter),
    HOME: dirs.home,
    TMPDIR: dirs.temp,
    XDG_RUNTIME_DIR: dirs.run,
    XDG_DATA_HOME: dirs.xdgData,
    XDG_STATE_HOME: dirs.xdgState,
    XDG_CONFIG_HOME: dirs.xdgConfig,
    XDG_CACHE_HOME: dirs.xdgCache,
    PADDOCK_DATA_DIR: dirs.data,
    PADDOCK_HARNESS_PATH: BIN,
    LANG: 'C.UTF-8',
    TZ: 'UTC',
    GDK_BACKEND: 'x11',
    NO_AT_BRIDGE: '1',
    RUST_BACKTRACE: '1',
    [MARKER]: mark,
    ...extra,
  }
}

class Window {
  #parts = []
  #driver = null
  #display = null
  /** Processes of the app that were there when it was opened. */
  #opened = []
  browser = null

  constructor(options) {
    this.mark = randomUUID()
    this.options = options
    this.dirs = freshFolders()
    this.env = environment(this.dirs, this.mark, options.env)
    open.add(this.mark)
  }

  async start() {
    const { keyring = 'unlocked' } = this.options
    this.#display = await startDisplay(this.env)
    Object.assign(this.env, this.#display.env)
    if (keyring === 'none') this.env.DBUS_SESSION_BUS_ADDRESS = `unix:path=${join(this.dirs.run, 'no-bus')}`
    else {
      const bus = await startBus(this.env, this.dirs.run)
      this.#parts.push(bus)
      this.env.DBUS_SESSION_BUS_ADDRESS = bus.address
    }
    if (keyring === 'unlocked') this.#parts.push(await startKeyring(this.env))
    await this.#open()
  }

  async #open() {
    this.#driver = await startDriver(this.env)
    const application = this.options.application ?? APP
    const capabilities = {
      'tauri:options': { application, args: this.options.args ?? [] },
      'wdio:enforceWebDriverClassic': true,
    }
    try {
      this.browser = await remote({
        hostname: '127.0.0.1',
        port: this.#driver.port,
        capabilities,
        logLevel: 'error',
        connectionRetryCount: 0,
        connectionRetryTimeout: SESSION_MS,
      })
      this.#opened = this.app()
    } catch (error) {
      throw new Error(`no WebDriver session: ${error.message}\n${this.said()}`, { cause: error })
    }
  }

  /** The last output of the driver and the app below it. */
  said() {
    return this.#driver?.said ?? ''
  }

  /** The app's own processes (not those it started). */
  app() {
    const application = this.options.application ?? APP
    return marked(MARKER, this.mark).filter((one) => one.exe === application || one.exe === `${application} (deleted)`)
  }

  /** Every process that belongs to this window, whatever started it: [{ pid, name, exe }]. */
  processes() {
    return marked(MARKER, this.mark)
  }

  /** Live processes that the app started for turns and probes, and whatever these started: [{ pid, command }]. */
  spawned() {
    return of(this.dirs.base).filter((one) => one.marked)
  }

  /** Those of them that are part of a turn. */
  ofTurns() {
    return this.spawned().filter(ofTurn)
  }

  /** Ends the app with a signal and waits until it is gone; the window's web processes go with it. */
  async kill(signal = 'SIGKILL') {
    const before = this.app()
    if (!before.length) throw new Error('the app is not running')
    signalAll(before, signal)
    const gone = () => this.app().length === 0 && before.every((one) => ended(one.pid))
    await until(`app after ${signal}`, gone, { ms: signal === 'SIGKILL' ? KILL_MS : QUIT_MS })
  }

  /** Ends the driver and what is left of its session, then opens the app again on the same folders. */
  async restart({ args } = {}) {
    if (args) this.options = { ...this.options, args }
    if (this.app().length) await this.quit()
    await this.#closeDriver()
    await this.#open()
  }

  /** Closes the session, which closes the window, and waits until the app is gone. */
  async quit() {
    await this.browser.deleteSession()
    await this.gone()
  }

  /** Waits until the app is gone, whatever made it go. */
  async gone(ms = QUIT_MS) {
    const last = () => this.app().length === 0 && this.#opened.every((one) => ended(one.pid))
    await until('end of the app', last, { ms })
  }

  async #closeDriver() {
    await this.#driver?.stop()
    this.#driver = null
    this.browser = null
    const drivers = this.processes().filter((one) => one.name.startsWith('WebKitWebDriv'))
    signalAll(drivers, 'SIGKILL')
  }

  /** Saves the page as a PNG below the artifacts; resolves to the file. */
  async screenshot(name) {
    mkdirSync(ARTIFACTS, { recursive: true })
    const file = join(ARTIFACTS, `${name}.png`)
    await this.browser.saveScreenshot(file)
    return file
  }

  /** Ends everything and removes the folders. */
  async end() {
    const parts = [...this.#parts].reverse()
    await this.#closeDriver()
    await endMarkedBut(this.mark, [this.#display?.child.pid, ...parts.map((part) => part.child.pid)])
    for (const part of parts) await part.stop()
    this.#display?.stop()
    await endMarked(MARKER, this.mark)
    const left = await waitGone(MARKER, this.mark, KILL_MS)
    open.delete(this.mark)
    const strays = await this.#endStrays()
    rmSync(this.dirs.base, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
    if (left.length) throw new Error(`left behind: ${left.map((one) => `${one.name} ${one.pid}`).join(', ')}`)
    if (strays.length) throw new Error(`outlived the app: ${strays.map((one) => `${one.pid} ${one.command}`).join(', ')}`)
  }

  /** What the app started gets its own environment, without the rig's mark; it is known by the window's folders. */
  async #endStrays() {
    const end = Date.now() + STRAY_MS
    while (of(this.dirs.base).length && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 50))
    const strays = of(this.dirs.base)
    signalAll(strays, 'SIGKILL')
    while (of(this.dirs.base).length) await new Promise((resolve) => setTimeout(resolve, 50))
    return strays
  }
}

/** First the app and what it started, while its display and bus still stand. */
async function endMarkedBut(mark, keep) {
  const rest = () => marked(MARKER, mark).filter((one) => !keep.includes(one.pid))
  signalAll(rest(), 'SIGTERM')
  const end = Date.now() + KILL_MS
  while (rest().length && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 50))
  signalAll(rest(), 'SIGKILL')
}

/**
 * Opens Paddock and resolves once WebDriver has its window. `keyring`: `unlocked` (default), `locked` (a bus, and no
 * open collection), `none` (no session bus at all). `args`, `env`: added to the app's. `application`: another binary.
 */
export async function openWindow(options = {}) {
  const application = options.application ?? APP
  if (!existsSync(application)) throw new Error(`${application} is not built. Next: node .dev/build-app.mjs`)
  if (!existsSync(TAURI_DRIVER)) throw new Error(`${TAURI_DRIVER} is missing. Next: npm test -- desktop`)
  const window = new Window(options)
  try {
    await window.start()
    return window
  } catch (error) {
    await window.end()
    throw error
  }
}
