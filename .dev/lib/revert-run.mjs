// Builds the copy and runs named tests in it. Rust tests run in a process namespace of their own: an edit may break what
// decides which processes are ended, and then nobody else's may be in reach.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { BIN } from './paths.mjs'
import { TARGET, TREE } from './revert-copy.mjs'
import { run, which } from './run.mjs'

/** Longest build, in milliseconds. */
const BUILD_MS = 20 * 60_000
/** The shell is left out: none of the tests is in it, and it takes longest to link. The rest is one feature set. */
const SELECTION = ['--workspace', '--exclude', 'paddock', '--locked', '-j2']
const NAMESPACE = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc', '--']
/** The first process of the namespace takes in orphans, and the second is over at once: both numbers are the system's. */
const ALONE = [...NAMESPACE, 'sh', '-c', '/bin/true; "$0" "$@"; exit $?']

const nice = () => (which('nice') ? ['nice', '-n', '10'] : [])

function environment(home) {
  const { DBUS_SESSION_BUS_ADDRESS: _bus, ...env } = process.env
  return {
    ...env,
    CARGO_TARGET_DIR: TARGET,
    PADDOCK_HARNESS_PATH: BIN,
    NO_AT_BRIDGE: '1',
    INSTA_UPDATE: 'no',
    CI: '1',
    RUST_BACKTRACE: '0',
    ...(home && {
      CARGO_HOME: env.CARGO_HOME ?? join(env.HOME, '.cargo'),
      RUSTUP_HOME: env.RUSTUP_HOME ?? join(env.HOME, '.rustup'),
      HOME: home,
      TMPDIR: home,
    }),
  }
}

/** Whether a process namespace can be made here. */
export async function canBeAlone() {
  if (!which('unshare')) return false
  return (await run([...ALONE, 'true'], { limitMs: 10_000 })).code === 0
}

/** Builds these test programs: { programs: Map('package target' → { file, folder }) } or { error }. */
export async function build(targets) {
  const programs = new Map()
  const command = [...nice(), 'cargo', 'test', '--no-run', ...SELECTION, '--message-format=json-render-diagnostics']
  for (const target of targets) command.push('--test', target)
  const errors = []
  const onLine = (line) => {
    if (!line.startsWith('{')) return void (/^(error|\s+-->)/.test(line) && errors.push(line))
    const message = JSON.parse(line)
    if (message.reason !== 'compiler-artifact' || !message.profile.test || !message.executable) return
    const [path, end] = message.package_id.split('#')
    const pkg = end.includes('@') ? end.split('@')[0] : basename(path)
    programs.set(`${pkg} ${message.target.name}`, { file: message.executable, folder: dirname(message.manifest_path) })
  }
  const result = await run(command, { cwd: TREE, env: environment(), limitMs: BUILD_MS, onLine })
  if (result.code === 0) return { programs }
  return { error: errors.slice(0, 4).join(' ').trim() || (result.timedOut ? 'the build took too long' : 'no build') }
}

/** What libtest said about each test: Map(name → 'ok' | 'FAILED' | …). */
export function libtestResults(output) {
  const results = new Map()
  for (const [, name, result] of output.matchAll(/^test (\S+)(?: - should panic)? \.\.\. (?:[^\n]*?)(ok|FAILED|ignored)/gm))
    results.set(name, result)
  // A test's own output may stand between its name and its result; the closing list is never torn.
  const failed = output.split(/^failures:$/m).at(-1)
  for (const [, name] of failed.matchAll(/^ {4}(\S+)$/gm)) results.set(name, 'FAILED')
  return results
}

/** Runs tests of one program. Resolves to { results, hung, crashed, output }. */
export async function runRust(program, names, seconds) {
  const home = mkdtempSync(join(tmpdir(), 'revert-'))
  try {
    const command = [...nice(), ...ALONE, program.file, '--exact', '--test-threads=1', ...names]
    const env = { ...environment(home), CARGO_MANIFEST_DIR: program.folder }
    const { code, timedOut, output } = await run(command, { cwd: program.folder, env, limitMs: seconds * 1000 })
    return { results: libtestResults(output), hung: timedOut, crashed: !timedOut && ![0, 101].includes(code), output }
  } finally {
    rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  }
}

/** Lines by which the test runners of Node and Vitest name a failed test. */
const FAILED_LINE = /(?:×|✖|✗|not ok \d+ -|FAIL\b)/

/** Runs a row's own command. A test is failed when a line of failure names it, and passed when any other line does. */
export async function runCommand(row) {
  const { code, timedOut, output } = await run([...nice(), ...row.command], {
    cwd: join(TREE, row.folder ?? ''),
    env: environment(),
    limitMs: row.seconds * 1000,
  })
  const lines = output.replaceAll(/\u001b\[[0-9;]*m/g, '').split('\n')
  const results = new Map()
  for (const name of row.tests.flatMap((test) => test.names)) {
    const naming = lines.filter((line) => line.includes(name))
    const failed = code !== 0 && naming.some((line) => FAILED_LINE.test(line))
    if (failed) results.set(name, 'FAILED')
    else if (naming.length && code === 0) results.set(name, 'ok')
  }
  return { results, hung: timedOut, crashed: false, output }
}
