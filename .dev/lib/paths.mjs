// Where things are. Everything the set-up scripts remember between two runs is below `target/.paddock`,
// except the npm stamp, which lives in node_modules so that it goes away together with it.
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
export const STATE = join(ROOT, 'target', '.paddock')
export const LOGS = join(STATE, 'logs')
export const NODE_MODULES = join(ROOT, 'node_modules')
export const BIN = join(NODE_MODULES, '.bin')
export const UI = join(ROOT, 'ui')
export const UI_DIST = join(UI, 'dist')
export const BINDINGS = join(UI, 'src', 'host', 'bindings.ts')

const EXE = process.platform === 'win32' ? '.exe' : ''

/** The window's binary as `tauri build --debug --no-bundle` leaves it. */
export const APP = join(process.env.CARGO_TARGET_DIR ?? join(ROOT, 'target'), 'debug', `paddock${EXE}`)

/** Tools that are built once per machine and shared by every checkout; PADDOCK_TOOLS names the folder for another user. */
export const TOOLS =
  process.env.PADDOCK_TOOLS || join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'paddock', 'tools')

export const TAURI_DRIVER_VERSION = '2.1.0'
export const TAURI_DRIVER = join(TOOLS, `tauri-driver-${TAURI_DRIVER_VERSION}`, 'bin', `tauri-driver${EXE}`)
