// A `claude` in front of every other one that plays scripts of tests/scripts in Claude's wire, and what it was told.
//
//   const cli = standIn()
//   const window = await openWindow({ env: cli.env })
//   cli.play('two_asks')      // from the next turn on
//   cli.answers()             // control responses that reached it, in order: [{ id, response }]
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { APP, BIN, ROOT } from '../../../.dev/lib/paths.mjs'

const PROGRAM = join(dirname(APP), 'scripted-cli')
const SCRIPTS = join(ROOT, 'tests', 'scripts')

const script = (name) => {
  const file = join(SCRIPTS, `${name}.txt`)
  if (!existsSync(file)) throw new Error(`${file} is missing`)
  return file
}

/** Questions about version, sign-in and models are answered by scripts of their own; only turns are recorded. */
const launcher = (folder) => `#!/bin/sh
case " $* " in
  *" --version "*) SCRIPTED_CLI='${script('probe_version')}' ;;
  *" auth status "*) SCRIPTED_CLI='${script('probe_signed_in')}' ;;
  *" --permission-prompt-tool "*) SCRIPTED_CLI=$(cat '${folder}/turn'); SCRIPTED_LOG='${folder}/log'; export SCRIPTED_LOG ;;
  *) SCRIPTED_CLI='${script('probe_models')}' ;;
esac
export SCRIPTED_CLI
exec '${PROGRAM}'
`

/** Makes the stand-in in a folder of its own, which `end` removes. */
export function standIn() {
  if (!existsSync(PROGRAM))
    throw new Error(`${PROGRAM} is not built. Next: cargo build -p paddock-tests --bin scripted-cli`)
  const folder = mkdtempSync(join(tmpdir(), 'pk-s-'))
  const command = join(folder, 'claude')
  writeFileSync(command, launcher(folder))
  chmodSync(command, 0o755)
  const lines = () => (existsSync(join(folder, 'log')) ? readFileSync(join(folder, 'log'), 'utf8').split('\n') : [])
  return {
    env: { PATH: [folder, BIN, process.env.PATH].join(delimiter), PADDOCK_HARNESS_PATH: folder },
    play: (name) => writeFileSync(join(folder, 'turn'), script(name)),
    lines,
    answers: () =>
      lines()
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line))
        .filter((line) => line.type === 'control_response')
        .map(({ response }) => ({ id: response.request_id, response: response.response })),
    end: () => rmSync(folder, { recursive: true, force: true }),
  }
}
