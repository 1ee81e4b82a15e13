// The Rust tests: with cargo-nextest where it is installed, else with cargo itself; the same tests either way.
// `--ordinary PACKAGE…` runs the built tests of these packages as an ordinary user (the caller is root).
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { BINDINGS, ROOT, STATE } from './lib/paths.mjs'
import { run, which } from './lib/run.mjs'
import { Stop, main, step } from './lib/say.mjs'

const SELECTION = ['--workspace', '--lib', '--bins', '--tests', '--locked']

async function all() {
  mkdirSync(STATE, { recursive: true })
  if (existsSync(BINDINGS)) copyFileSync(BINDINGS, join(STATE, 'bindings.before.ts'))
  const command = which('cargo-nextest')
    ? ['cargo', 'nextest', 'run', ...SELECTION, '--no-fail-fast']
    : ['cargo', 'test', ...SELECTION, '--no-fail-fast']
  step(command.join(' '))
  return (await run(command, { show: true })).code ?? 1
}

/** The name in a package id, `path+file:///dir#name@1.0.0`, or `path+file:///name#1.0.0` where the folder has the name. */
function packageName(id) {
  const [path, end] = id.split('#')
  return end.includes('@') ? end.split('@')[0] : basename(path)
}

/** The test programs of `packages`, built with the same features as the whole workspace: [{ pkg, name, file, folder }]. */
async function testPrograms(packages) {
  const found = []
  const messages = ['cargo', 'test', ...SELECTION, '--no-run', '--message-format=json-render-diagnostics']
  const { code } = await run(messages, {
    onLine: (line) => {
      if (!line.startsWith('{')) return console.log(line)
      const message = JSON.parse(line)
      if (message.reason !== 'compiler-artifact' || !message.profile.test || !message.executable) return
      const pkg = packageName(message.package_id)
      found.push({
        pkg,
        name: `${pkg} ${message.target.kind[0]} ${message.target.name}`,
        file: message.executable,
        folder: dirname(message.manifest_path),
      })
    },
  })
  if (code !== 0) throw new Stop('The tests do not build.', 'npm test -- rust-tests')
  const unknown = packages.filter((name) => !found.some((program) => program.pkg === name))
  if (unknown.length)
    throw new Stop(
      `No tests were built for ${unknown.join(', ')}.`,
      'correct the suite rust-ordinary in .dev/suites.json',
    )
  return found.filter((program) => packages.includes(program.pkg))
}

async function ordinary(packages) {
  if (!packages.length) throw new Stop('No package was named.', 'node .dev/rust.mjs --ordinary PACKAGE…')
  const programs = await testPrograms(packages)
  const list = join(STATE, 'rust-programs.json')
  mkdirSync(STATE, { recursive: true })
  writeFileSync(list, JSON.stringify(programs))
  const command = [
    process.execPath,
    join(ROOT, '.dev', 'ordinary.mjs'),
    '--',
    process.execPath,
    join(ROOT, '.dev', 'rust-programs.mjs'),
    list,
  ]
  return (await run(command, { show: true })).code ?? 1
}

await main(() => {
  const [flag, ...packages] = process.argv.slice(2)
  if (flag === '--ordinary') return ordinary(packages)
  return all()
})
