// Building what is run and tested: the web UI (embedded at compile time) and the window's binary.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { APP, NODE_MODULES, ROOT, STATE, TAURI_DRIVER, TAURI_DRIVER_VERSION, TOOLS, UI, UI_DIST } from './paths.mjs'
import { must, npm, run } from './run.mjs'
import { Stop, note, timed } from './say.mjs'

/** Bounds, in milliseconds. */
const UI_MS = 5 * 60_000
const APP_MS = 40 * 60_000
const DRIVER_MS = 20 * 60_000
const QUERY_MS = 15_000

/** Folders below ui/ that the built UI does not depend on. */
const NOT_INPUT = new Set(['node_modules', 'dist', 'dist-mock', 'tests'])
const UI_STAMP = join(STATE, 'ui.json')

function* files(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.isDirectory()) {
      if (folder !== UI || !NOT_INPUT.has(entry.name)) yield* files(join(folder, entry.name))
    } else if (entry.isFile()) yield join(folder, entry.name)
  }
}

function uiKey() {
  const hash = createHash('sha256').update(readFileSync(join(ROOT, 'package-lock.json')))
  for (const path of files(UI)) hash.update(relative(UI, path)).update('\0').update(readFileSync(path)).update('\0')
  return hash.digest('hex')
}

function uiIsFresh(key) {
  if (!existsSync(join(UI_DIST, 'index.html')) || !existsSync(UI_STAMP)) return false
  try {
    return JSON.parse(readFileSync(UI_STAMP, 'utf8')).key === key
  } catch {
    return false // a stamp cut short only means one more build
  }
}

/** Builds ui/dist unless it was built from exactly these sources. */
export async function ensureUi() {
  const key = uiKey()
  if (uiIsFresh(key)) return
  await timed('Building the web UI', () =>
    must(
      npm('run', 'build', '-w', 'ui'),
      { show: true, limitMs: UI_MS },
      'The web UI does not build.',
      'npm run build -w ui',
    ),
  )
  mkdirSync(STATE, { recursive: true })
  writeFileSync(UI_STAMP, JSON.stringify({ key }))
}

/** The command that builds the window's binary with the UI inside. */
export const appBuild = () => [
  process.execPath,
  join(NODE_MODULES, '@tauri-apps', 'cli', 'tauri.js'),
  'build',
  '--debug',
  '--no-bundle',
  '--ci',
]

/** Builds the binary; cargo itself knows when there is nothing to do. */
export async function buildApp() {
  await ensureUi()
  await timed(existsSync(APP) ? 'Building Paddock' : 'Building Paddock (the first time takes several minutes)', () =>
    must(
      appBuild(),
      { show: true, limitMs: APP_MS },
      'Paddock does not build.',
      'the lines above name the cause; after fixing it, run the same command again',
    ),
  )
  if (!existsSync(APP))
    throw new Stop(`The build left no program at ${APP}.`, 'unset CARGO_BUILD_TARGET and run the same command again')
}

/** The scripted CLI that plays what a real one cannot be made to do; built as the Rust suites build it. */
export async function buildStandIn() {
  const command = ['cargo', 'test', '--workspace', '--locked', '--no-run', '--test', 'walls']
  await timed('Building the scripted CLI', () =>
    must(command, { show: true, limitMs: APP_MS }, 'The scripted CLI does not build.', command.join(' ')),
  )
}

async function driverIsThere() {
  if (!existsSync(TAURI_DRIVER)) return false
  const root = join(TOOLS, `tauri-driver-${TAURI_DRIVER_VERSION}`)
  const { output } = await run(['cargo', 'install', '--list', '--root', root], { limitMs: QUERY_MS })
  return output.includes(`tauri-driver v${TAURI_DRIVER_VERSION}:`)
}

/** tauri-driver, for the desktop suite only; kept outside the checkout and built once. */
export async function ensureTauriDriver() {
  if (process.platform !== 'linux' || (await driverIsThere())) return
  const root = join(TOOLS, `tauri-driver-${TAURI_DRIVER_VERSION}`)
  mkdirSync(root, { recursive: true })
  const command = ['cargo', 'install', 'tauri-driver', '--version', TAURI_DRIVER_VERSION, '--locked', '--root', root]
  await timed('Building tauri-driver (once; one to two minutes)', () =>
    must(command, { show: true, limitMs: DRIVER_MS }, 'tauri-driver does not build.', command.join(' ')),
  )
  note(root)
}
