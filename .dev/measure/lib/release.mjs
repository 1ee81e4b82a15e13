// The release build that is measured: the window's binary as it is shipped, and the programs around it.
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { ensureTauriDriver, ensureUi } from '../../lib/build.mjs'
import { NODE_MODULES, ROOT, STATE } from '../../lib/paths.mjs'
import { must } from '../../lib/run.mjs'
import { Stop, timed } from '../../lib/say.mjs'

/** Bounds, in milliseconds. */
const APP_MS = 90 * 60_000
const PARTS_MS = 60 * 60_000
/** A data folder with a big chat is filled within this. */
const SEED_MS = 5 * 60_000

/** Another profile's programs, for trying out the scripts themselves with --no-build: their figures say nothing. */
const PROFILE = process.env.PADDOCK_MEASURE_PROFILE || 'release'
const RELEASE = join(process.env.CARGO_TARGET_DIR ?? join(ROOT, 'target'), PROFILE)
const EXAMPLES = join(RELEASE, 'examples')
export const RESULTS = join(STATE, 'measure')

/** PADDOCK_MEASURE_APP names another build of the window, for example the one before a change. */
export const APP = process.env.PADDOCK_MEASURE_APP || join(RELEASE, 'paddock')
/** PADDOCK_MEASURE_ENV (`NAME=value,…`) is added to the window's environment, to compare two ways of drawing. */
export const EXTRA = Object.fromEntries(
  (process.env.PADDOCK_MEASURE_ENV ?? '')
    .split(',')
    .filter(Boolean)
    .map((entry) => entry.split('=', 2)),
)
export const BARE = join(EXAMPLES, 'bare')
export const CHATS = join(EXAMPLES, 'chats')
export const LATENCY = join(EXAMPLES, 'latency')
export const KEPT = join(EXAMPLES, 'kept')
export const LINES = join(EXAMPLES, 'lines')
export const APPEND = join(EXAMPLES, 'append')
const PACED = join(RELEASE, 'paced-cli')

/** What is built beside the app, all in one command, so that one set of features is compiled once. */
const PACKAGES = ['paddock', 'paddock-host', 'agent-runtime', 'paddock-store', 'paddock-tests']
const PARTS = {
  bare: ['--example', 'bare'],
  chats: ['--example', 'chats'],
  latency: ['--example', 'latency'],
  kept: ['--example', 'kept'],
  lines: ['--example', 'lines'],
  append: ['--example', 'append'],
  paced: ['--bin', 'paced-cli'],
}
/** Makes the bare window serve its own page, as the built app does. */
const FEATURES = ['--features', 'paddock/custom-protocol']

async function buildWindow() {
  await ensureUi()
  const command = [process.execPath, join(NODE_MODULES, '@tauri-apps', 'cli', 'tauri.js'), 'build', '--no-bundle', '--ci']
  await timed('Building Paddock for release (the first time takes long)', () =>
    must(command, { show: true, limitMs: APP_MS }, 'Paddock does not build for release.', command.join(' ')),
  )
}

async function buildParts(names) {
  const packages = PACKAGES.flatMap((name) => ['-p', name])
  const command = ['cargo', 'build', '--release', ...packages, ...FEATURES, ...names.flatMap((name) => PARTS[name])]
  await timed(`Building ${names.join(', ')} for release`, () =>
    must(command, { show: true, limitMs: PARTS_MS }, 'The measuring programs do not build.', command.join(' ')),
  )
}

/** Builds what is named: `app`, `driver` and the parts. Cargo knows when there is nothing to do. */
export async function ensure(needs) {
  if (needs.includes('app')) await buildWindow()
  if (needs.includes('driver')) await ensureTauriDriver()
  const parts = needs.filter((need) => need in PARTS)
  if (parts.length) await buildParts(parts)
  if (needs.includes('app') && !existsSync(APP))
    throw new Stop(`The build left no program at ${APP}.`, 'unset CARGO_BUILD_TARGET and run the same command again')
}

/** A fresh folder, and how it goes away. */
export function scratch(name) {
  const folder = mkdtempSync(join(tmpdir(), `pk-m-${name}-`))
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }) }
}

/** A folder that holds the stand-in as `claude`, and the environment that has it found first. */
export function standin(folder) {
  const place = join(folder, 'bin')
  mkdirSync(place, { recursive: true })
  copyFileSync(PACED, join(place, 'claude'))
  return { place, env: { PATH: [place, process.env.PATH].join(delimiter), PADDOCK_HARNESS_PATH: place } }
}

/** Fills a data folder with chats; resolves to the ids { big, small, stream } and the number of events of the big one. */
export async function fill(folder, events) {
  const data = join(folder, 'data')
  const { output } = await must(
    [CHATS, 'make', data, join(folder, 'work'), String(events)],
    { limitMs: SEED_MS },
    'The data folder could not be filled.',
    `${CHATS} make ${data} …`,
  )
  return { data, ...JSON.parse(output) }
}

/** What a chat holds, after its app has ended. */
export async function count(data, chat) {
  const { output } = await must([CHATS, 'count', data, chat], { limitMs: SEED_MS }, 'The chat could not be counted.')
  return JSON.parse(output)
}
