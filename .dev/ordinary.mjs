// `node .dev/ordinary.mjs -- CMD ARGS…`: root runs a command as an ordinary user who has nothing but a fresh home and a
// read-only view of this checkout.
//
// Nothing on the machine is changed: the account, the view and the permissions exist only in a mount namespace that goes
// away with the command. In there
//   - the account `paddock-tester` is in /etc/passwd, with a shell and its own home (ssh and git look there);
//   - the checkout is at its usual path, read-only, even when it lies below a folder that others may not enter
//     (/root, a home): such a folder is covered by an empty one in which only the needed paths are shown;
//   - HOME, TMPDIR and every XDG folder are new and below one temporary folder.
// The command's own environment is short: PATH, language, terminal, CI, certificates, and what `--env NAME` adds.
// Files that the command leaves in $PADDOCK_ARTIFACTS are copied to tests/.artifacts/ordinary.
import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { delimiter, dirname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { APP, BIN, ROOT, TOOLS } from './lib/paths.mjs'
import { endMarked } from './lib/processes.mjs'
import { run } from './lib/run.mjs'
import { Stop, main, note, step, yellow } from './lib/say.mjs'

const ACCOUNT = 'paddock-tester'
/** User and group number of the account: above what Debian gives to people and services, below `nobody`. */
const ID = 47_812
/** Variables that pass through; everything else is the caller's own business. */
const PASSED = ['LANG', 'LC_ALL', 'TERM', 'CI', 'NO_COLOR', 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'RUST_BACKTRACE']
/** Bound on asking a program for a fact, in milliseconds. */
const QUERY_MS = 15_000
const NO_MOUNT = 'run the suite in a container or on a machine where root may mount (docker run --privileged)'
const INSIDE = 'PADDOCK_ORDINARY_PLAN'

/** Whether the account may enter every folder above `path` (it is in no group and owns nothing). */
function entered(path) {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if ((statSync(folder).mode & 0o001) === 0) return { ok: false, closed: folder }
    if (folder === dirname(folder)) return { ok: true }
  }
}

/** The outermost folder on the way to `path` that is closed to others, or null. */
function outermostClosed(path) {
  const parts = path.split(sep).slice(1, -1)
  let folder = '/'
  for (const part of parts) {
    folder = join(folder, part)
    if ((statSync(folder).mode & 0o001) === 0) return folder
  }
  return null
}

/** The Rust toolchain and the crates it has downloaded, for tests that ask cargo; null where there is none. */
function rust() {
  const { status, stdout } = spawnSync('rustc', ['--print', 'sysroot'], { encoding: 'utf8', timeout: QUERY_MS })
  if (status !== 0) return null
  return { sysroot: stdout.trim(), registry: join(process.env.CARGO_HOME || join(homedir(), '.cargo'), 'registry') }
}

/** Paths that must be seen: the checkout, a target folder elsewhere, built tools, Node and Rust where they lie in a home. */
function exposures(toolchain) {
  const wanted = [
    ROOT,
    dirname(dirname(APP)),
    TOOLS,
    dirname(dirname(process.execPath)),
    ...Object.values(toolchain ?? {}),
  ]
  const real = wanted.filter(existsSync).map((path) => realpathSync(path))
  const inside = (path, other) => path !== other && path.startsWith(other + sep)
  const roots = [...new Set(real)].filter((path) => !real.some((other) => inside(path, other)))
  return roots.filter((path) => path === realpathSync(ROOT) || !entered(join(path, 'x')).ok)
}

/** The new home and everything the environment points to, owned by the account. */
function freshHome() {
  const base = mkdtempSync(join(tmpdir(), 'pk-o-'))
  const folders = {
    HOME: 'home',
    TMPDIR: 't',
    XDG_RUNTIME_DIR: 'run',
    XDG_DATA_HOME: 'home/.local/share',
    XDG_STATE_HOME: 'home/.local/state',
    XDG_CONFIG_HOME: 'home/.config',
    XDG_CACHE_HOME: 'home/.cache',
    PADDOCK_ARTIFACTS: 'artifacts',
  }
  const env = {}
  for (const [name, path] of Object.entries(folders)) {
    mkdirSync((env[name] = join(base, path)), { recursive: true, mode: 0o700 })
  }
  const own = (path) => {
    chownSync(path, ID, ID)
    for (const entry of readdirSync(path, { withFileTypes: true })) if (entry.isDirectory()) own(join(path, entry.name))
  }
  own(base)
  chmodSync(base, 0o700)
  return { base, env }
}

function environment(home, extra, marker, toolchain, shown) {
  const env = {
    ...home.env,
    USER: ACCOUNT,
    LOGNAME: ACCOUNT,
    SHELL: '/bin/sh',
    PADDOCK_CHECKOUT: ROOT,
    PADDOCK_ORDINARY: marker,
    INSTA_WORKSPACE_ROOT: ROOT,
    INSTA_UPDATE: 'no',
    PADDOCK_TOOLS: TOOLS,
  }
  for (const name of [...PASSED, ...extra]) if (process.env[name] !== undefined) env[name] = process.env[name]
  const reachable = (folder) =>
    existsSync(folder) &&
    (entered(join(realpathSync(folder), 'x')).ok ||
      shown.some((path) => `${realpathSync(folder)}${sep}`.startsWith(path + sep)))
  const path = (process.env.PATH ?? '').split(delimiter)
  if (toolchain) {
    env.CARGO_HOME = join(home.env.HOME, '.cargo')
    env.CARGO_NET_OFFLINE = 'true'
    mkdirSync(env.CARGO_HOME)
    chownSync(env.CARGO_HOME, ID, ID)
    symlinkSync(toolchain.registry, join(env.CARGO_HOME, 'registry'))
    path.push(join(toolchain.sysroot, 'bin'))
  }
  env.PATH = [BIN, ...path].filter((folder) => folder && reachable(folder)).join(delimiter)
  return env
}

const must = (program, ...args) => {
  const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8' })
  if (status !== 0) throw new Stop(`${program} ${args.join(' ')}: ${(error?.message ?? stderr).trim()}`, NO_MOUNT)
}

/** Lays out the view; runs inside the namespace, as root. */
function layOut(plan) {
  const held = plan.exposures.map((path, index) => {
    const at = join(plan.hold, String(index))
    mkdirSync(at, { recursive: true })
    must('mount', '--rbind', path, at)
    return { path, at }
  })
  const covers = [...new Set(plan.exposures.map(outermostClosed).filter(Boolean))]
  for (const folder of covers) must('mount', '-t', 'tmpfs', '-o', 'mode=0755,size=4m', 'tmpfs', folder)
  for (const { path, at } of held) {
    mkdirSync(path, { recursive: true, mode: 0o755 })
    must('mount', '--rbind', at, path)
    must('mount', '-o', 'remount,bind,ro', path)
  }
  for (const name of ['passwd', 'group']) must('mount', '--bind', join(plan.hold, name), `/etc/${name}`)
}

async function inside(plan) {
  layOut(plan)
  const command = [
    'setpriv',
    `--reuid=${ID}`,
    `--regid=${ID}`,
    '--clear-groups',
    '--inh-caps=-all',
    '--',
    ...plan.command,
  ]
  const { code } = await run(command, { cwd: plan.cwd, env: plan.env, show: true })
  return code ?? 1
}

/** Account files with one line more than the machine's. */
function accountFiles(hold, home) {
  mkdirSync(hold, { recursive: true, mode: 0o755 })
  const lines = { passwd: `${ACCOUNT}:x:${ID}:${ID}:Paddock tests:${home}:/bin/sh`, group: `${ACCOUNT}:x:${ID}:` }
  for (const [name, line] of Object.entries(lines)) {
    const old = readFileSync(`/etc/${name}`, 'utf8')
    if (old.split('\n').some((entry) => entry.split(':')[2] === String(ID)))
      throw new Stop(`The number ${ID} is taken in /etc/${name}.`, 'choose another ID in .dev/ordinary.mjs')
    writeFileSync(join(hold, name), `${old.trimEnd()}\n${line}\n`, { mode: 0o644 })
    chmodSync(join(hold, name), 0o644)
  }
}

function keepArtifacts(from) {
  const files = readdirSync(from)
  if (!files.length) return
  const to = join(ROOT, 'tests', '.artifacts', 'ordinary')
  rmSync(to, { recursive: true, force: true })
  cpSync(from, to, { recursive: true })
  note(`${files.length} artifacts in ${to}`)
}

async function outside(args) {
  const cut = args.indexOf('--')
  const command = cut < 0 ? [] : args.slice(cut + 1)
  const extra = args
    .slice(0, cut < 0 ? args.length : cut)
    .flatMap((arg, i, all) => (arg === '--env' ? [all[i + 1]] : []))
  if (!command.length) throw new Stop('No command was given.', 'node .dev/ordinary.mjs [--env NAME]… -- CMD ARGS…')
  if (process.platform !== 'linux' || process.getuid() !== 0)
    throw new Stop('Only root on Linux can become an ordinary user.', 'run the command itself: you are one already')
  if ((statSync(ROOT).mode & 0o005) !== 0o005)
    throw new Stop(`${ROOT} can be read by its owner only.`, `chmod -R o+rX ${ROOT}`)
  const { status, stderr } = spawnSync('unshare', ['--mount', '--', 'true'], { encoding: 'utf8', timeout: QUERY_MS })
  if (status !== 0) throw new Stop(`No mount namespace can be made here: ${(stderr ?? '').trim()}`, NO_MOUNT)
  if (command[0] === 'node') command[0] = process.execPath
  const home = freshHome()
  const hold = mkdtempSync(join(tmpdir(), 'pk-h-'))
  const marker = randomUUID()
  try {
    accountFiles(hold, home.env.HOME)
    const cwd = process.cwd().startsWith(ROOT) ? process.cwd() : ROOT
    const toolchain = rust()
    const shown = exposures(toolchain)
    const plan = { command, cwd, hold, exposures: shown, env: environment(home, extra, marker, toolchain, shown) }
    step(`As an ordinary user (${ACCOUNT}): ${command.join(' ')}`)
    const file = join(hold, 'plan.json')
    writeFileSync(file, JSON.stringify(plan), { mode: 0o600 })
    const { code } = await run(['unshare', '--mount', '--', process.execPath, fileURLToPath(import.meta.url)], {
      env: { ...process.env, [INSIDE]: file },
      show: true,
    })
    return code ?? 1
  } finally {
    const left = await endMarked('PADDOCK_ORDINARY', marker)
    if (left.length)
      console.log(yellow(`  ended ${left.length} processes that the command left behind: ${left.join(', ')}`))
    keepArtifacts(home.env.PADDOCK_ARTIFACTS)
    rmSync(home.base, { recursive: true, force: true })
    rmSync(hold, { recursive: true, force: true })
  }
}

await main(() => {
  const file = process.env[INSIDE]
  if (!file) return outside(process.argv.slice(2))
  delete process.env[INSIDE]
  return inside(JSON.parse(readFileSync(file, 'utf8')))
})
