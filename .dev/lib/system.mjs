// What the operating system must have: compilers, WebKitGTK, a display. On Debian and Ubuntu missing packages are
// installed; elsewhere what is missing is named, with the place in README.md that says how to get it.
import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { ROOT } from './paths.mjs'
import { must, run, which } from './run.mjs'
import { Stop, note, step, timed } from './say.mjs'

/** Bounds, in milliseconds. */
const QUERY_MS = 15_000
const APT_MS = 20 * 60_000

export const wanted = JSON.parse(readFileSync(join(ROOT, '.dev', 'system.json'), 'utf8'))

/** True where nobody is there to be asked, or where asking is pointless. */
export const unattended = () => process.env.CI === 'true' || process.getuid?.() === 0

const numbers = (text) => (/(\d+)\.(\d+)\.(\d+)/.exec(text) ?? []).slice(1).map(Number)
/** Whether the first version in `text` is at least `least`. */
export function atLeast(text, least) {
  const [have, need] = [numbers(text), numbers(least)]
  if (have.length === 0) return false
  for (let i = 0; i < 3; i += 1) if (have[i] !== need[i]) return have[i] > need[i]
  return true
}

/** rustup puts cargo in ~/.cargo/bin, which a fresh shell may not have on PATH yet. */
function findCargo() {
  if (which('cargo')) return
  const folder = join(process.env.CARGO_HOME || join(homedir(), '.cargo'), 'bin')
  if (existsSync(folder)) process.env.PATH = `${process.env.PATH}${delimiter}${folder}`
}

/** Node and Rust must be there already; they are the two things a person brings along. */
export async function checkToolchains() {
  if (!atLeast(process.version, wanted.node)) {
    throw new Stop(
      `Node ${process.version} is too old; ${wanted.node} or newer is needed.`,
      'install Node 20 (see README.md, "Before the first start")',
    )
  }
  findCargo()
  const next = `install Rust ${wanted.rust} or newer with rustup, https://rustup.rs (an older one: rustup update stable)`
  if (!which('cargo') || !which('rustc')) throw new Stop('Rust was not found.', next)
  const { output } = await run(['rustc', '--version'], { limitMs: QUERY_MS })
  if (!atLeast(output, wanted.rust))
    throw new Stop(`Rust is too old: ${output.trim() || 'rustc gave no version'}.`, next)
}

/** Debian packages of `names` that are not installed; one query for all. */
export async function missingPackages(names) {
  const { output } = await run(['dpkg-query', '-W', '-f', '${Package} ${db:Status-Status}\n', ...names], {
    limitMs: QUERY_MS,
  })
  const installed = new Set()
  for (const line of output.split('\n')) {
    const [name, state] = line.split(' ')
    if (state === 'installed') installed.add(name)
  }
  return names.filter((name) => !installed.has(name))
}

/** Asks once; only a person at a terminal can be asked. */
async function agreed(line) {
  if (!process.stdin.isTTY) throw new Stop('System packages are missing and nobody can be asked here.', line)
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  try {
    const answer = (await terminal.question('  Run this now? [Y/n] ')).trim().toLowerCase()
    return answer === '' || answer === 'y' || answer === 'yes'
  } finally {
    terminal.close()
  }
}

async function installPackages(missing) {
  const root = process.getuid() === 0
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const update = ['apt-get', 'update', '-q']
  const install = [
    'apt-get',
    'install',
    '-y',
    '-q',
    '--no-install-recommends',
    '-o',
    'DPkg::Lock::Timeout=120',
    ...missing,
  ]
  const line = `${root ? '' : 'sudo '}${update.join(' ')} && ${root ? '' : 'sudo '}${install.join(' ')}`
  step(`System packages are missing: ${missing.join(' ')}`)
  if (!root) {
    console.log(`\n  ${line}\n`)
    if (!unattended() && !(await agreed(line))) throw new Stop('Nothing was installed.', line)
    if (!which('sudo')) throw new Stop('sudo was not found.', `as root: ${line.replaceAll('sudo ', '')}`)
  }
  const ask = !root && !unattended()
  const as = (command) => (root ? command : ['sudo', ...(ask ? [] : ['-n']), ...command])
  await timed('Refreshing the package lists', () =>
    must(as(update), { show: true, ask, env, limitMs: APT_MS }, 'apt-get update failed.', line),
  )
  await timed('Installing system packages', () =>
    must(as(install), { show: true, ask, env, limitMs: APT_MS }, 'apt-get install failed.', line),
  )
  const still = await missingPackages(missing)
  if (still.length) throw new Stop(`apt-get succeeded, but these are still missing: ${still.join(' ')}`, line)
}

/** Makes sure of the packages of the named groups in system.json. */
export async function ensureSystem(groups) {
  await checkToolchains()
  if (process.platform === 'darwin') return checkMac()
  if (process.platform === 'win32') return checkWindows()
  const names = [...new Set(groups.flatMap((group) => wanted[group]))]
  if (!which('dpkg-query') || !which('apt-get')) {
    note(`Not Debian or Ubuntu: make sure of the equivalents of ${names.join(' ')}`)
    return
  }
  const missing = await missingPackages(names)
  if (missing.length) await installPackages(missing)
}

async function checkMac() {
  const { code } = await run(['xcode-select', '-p'], { limitMs: QUERY_MS })
  if (code !== 0)
    throw new Stop('The Xcode command line tools are missing.', 'xcode-select --install (see README.md, "macOS")')
}

/** The WebView2 runtime leaves its version under this key; Windows 11 has it from the start. */
const WEBVIEW2 = 'HKLM\\SOFTWARE\\WOW6432Node\\Microsoft\\EdgeUpdate\\Clients\\{F3017226-FE2A-4295-8BDF-00C3A9A7E4C5}'

async function checkWindows() {
  const host = await run(['rustc', '-vV'], { limitMs: QUERY_MS })
  if (!/host: .*-msvc/.test(host.output)) {
    throw new Stop('Rust must use the MSVC toolchain.', 'rustup default stable-msvc (see README.md, "Windows")')
  }
  const program = join(
    process.env['ProgramFiles(x86)'] ?? 'C:\\Program Files (x86)',
    'Microsoft Visual Studio',
    'Installer',
    'vswhere.exe',
  )
  const tools = existsSync(program)
    ? await run(
        [
          program,
          '-products',
          '*',
          '-requires',
          'Microsoft.VisualStudio.Component.VC.Tools.x86.x64',
          '-property',
          'installationPath',
        ],
        { limitMs: QUERY_MS },
      )
    : { output: '' }
  if (!tools.output.trim()) throw new Stop('The Microsoft C++ build tools are missing.', 'see README.md, "Windows"')
  const view = await run(['reg', 'query', WEBVIEW2, '/v', 'pv'], { limitMs: QUERY_MS })
  if (view.code !== 0) throw new Stop('The WebView2 runtime is missing.', 'see README.md, "Windows"')
}
