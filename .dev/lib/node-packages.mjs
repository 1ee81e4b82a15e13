// npm packages, exactly as the lock file has them, without running anybody's install script by accident:
// everything is laid out with scripts off, then the two agent CLIs that are stubs without theirs are rebuilt by name,
// and all four must answer with the version in package.json.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { BIN, NODE_MODULES, ROOT } from './paths.mjs'
import { must, npm, run } from './run.mjs'
import { Stop, note, step, timed } from './say.mjs'

/** Bounds, in milliseconds. */
const INSTALL_MS = 20 * 60_000
const REBUILD_MS = 5 * 60_000
const VERSION_MS = 60_000

/** Packages whose install script puts the real program in the place of a stub (claude 2.1.332, opencode 1.18.33). */
const REBUILD = ['@anthropic-ai/claude-code', 'opencode-ai']
/** Command in node_modules/.bin and the package that its version is pinned by. */
export const CLIS = {
  claude: '@anthropic-ai/claude-code',
  codex: '@openai/codex',
  opencode: 'opencode-ai',
  copilot: '@github/copilot',
}

const STAMP = join(NODE_MODULES, '.paddock.json')
const LOCK = join(ROOT, 'package-lock.json')
const INSTALLED = join(NODE_MODULES, '.package-lock.json')
const NEXT =
  'remove node_modules and run the same command again; if it fails again, see README.md, "When the set-up fails"'

const read = (path) => (existsSync(path) ? readFileSync(path, 'utf8') : '')

/** What must be equal for a finished set-up to stand: lock file, what npm laid out, platform and Node's major version. */
function key() {
  const hash = createHash('sha256')
  for (const path of [LOCK, INSTALLED, join(ROOT, 'package.json')]) hash.update(read(path)).update('\0')
  return hash.update([process.platform, process.arch, process.versions.node.split('.')[0]].join(' ')).digest('hex')
}

function stamped() {
  try {
    return JSON.parse(read(STAMP)).key === key()
  } catch {
    return false // no stamp, or one cut short: the checks below run again
  }
}

/** Packages of `lock` that `installed` lacks or has in another version; platform-bound ones may be absent. */
export function differences(lock, installed) {
  const wrong = []
  for (const [path, entry] of Object.entries(lock.packages)) {
    if (!path.includes('node_modules/') || entry.link) continue
    const there = installed.packages?.[path]
    if (there ? there.version !== entry.version : !entry.optional && !entry.devOptional) wrong.push(path)
  }
  return wrong
}

function layoutIsRight() {
  const installed = read(INSTALLED)
  if (!installed) return false
  if (differences(JSON.parse(read(LOCK)), JSON.parse(installed)).length) return false
  return Object.keys(CLIS).every((name) => existsSync(command(name)))
}

/** The program file of one agent CLI. */
export const command = (name) => join(BIN, process.platform === 'win32' ? `${name}.cmd` : name)

/** The argument list that starts one agent CLI without a shell, on Windows too. */
function start(name) {
  if (process.platform !== 'win32') return [command(name)]
  const folder = join(NODE_MODULES, CLIS[name])
  const { bin } = JSON.parse(read(join(folder, 'package.json')))
  const program = join(folder, typeof bin === 'string' ? bin : bin[name])
  return /\.[cm]?js$/.test(program) ? [process.execPath, program] : [program]
}

/** The CLIs that do not answer with their pinned version, each with what it said. */
async function wrongVersions() {
  const pinned = JSON.parse(read(join(ROOT, 'package.json'))).devDependencies
  const checks = Object.entries(CLIS).map(async ([name, pkg]) => {
    try {
      const { output, timedOut } = await run([...start(name), '--version'], { limitMs: VERSION_MS })
      const said = timedOut ? 'nothing in time' : output.trim().split('\n')[0]
      const version = /\d+\.\d+\.\d+/.exec(said)?.[0]
      return version === pinned[pkg] ? null : `${name} must be ${pinned[pkg]}, but said: ${said || 'nothing'}`
    } catch (error) {
      return `${name} cannot be started: ${error.message}`
    }
  })
  return (await Promise.all(checks)).filter(Boolean)
}

export async function ensureNodePackages() {
  if (stamped()) return
  if (!layoutIsRight()) {
    await timed('Installing npm packages (about 1.7 GB with the four agent CLIs)', () =>
      must(
        npm('ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=warn'),
        { show: true, limitMs: INSTALL_MS },
        'npm ci failed.',
        NEXT,
      ),
    )
  }
  let wrong = await wrongVersions()
  if (wrong.length) {
    await timed('Putting the agent CLIs in place', () =>
      must(
        npm('rebuild', '--ignore-scripts=false', '--loglevel=warn', ...REBUILD),
        { show: true, limitMs: REBUILD_MS },
        'npm rebuild failed.',
        NEXT,
      ),
    )
    wrong = await wrongVersions()
  }
  if (wrong.length) throw new Stop(`The agent CLIs are not as pinned:\n  ${wrong.join('\n  ')}`, NEXT)
  step('npm packages are as locked')
  note(
    Object.entries(CLIS)
      .map(([name, pkg]) => `${name} ${JSON.parse(read(join(ROOT, 'package.json'))).devDependencies[pkg]}`)
      .join(', '),
  )
  writeFileSync(STAMP, JSON.stringify({ key: key() }))
}
