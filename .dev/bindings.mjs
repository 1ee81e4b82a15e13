// The Rust tests write ui/src/host/bindings.ts anew; this fails when that changed it. In a git checkout the committed
// (or staged) file is the measure, elsewhere the copy that rust.mjs took before the tests.
import { existsSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { BINDINGS, ROOT, STATE } from './lib/paths.mjs'
import { run } from './lib/run.mjs'
import { Stop, main } from './lib/say.mjs'

const QUERY_MS = 30_000
const NEXT = 'look at the change in ui/src/host/bindings.ts, adapt the UI to it, and commit or stage the file'

await main(async () => {
  const path = relative(ROOT, BINDINGS)
  if (!existsSync(BINDINGS)) throw new Stop(`${path} does not exist.`, 'npm test -- rust-tests')
  const tracked = await run(['git', 'ls-files', '--error-unmatch', '--', path], { limitMs: QUERY_MS }).catch(() => ({
    code: 1,
  }))
  if (tracked.code === 0) {
    const diff = await run(['git', 'diff', '--exit-code', '--', path], { show: true, limitMs: QUERY_MS })
    if (diff.code !== 0) throw new Stop(`${path} is not what the Rust types say.`, NEXT)
    return
  }
  const copy = join(STATE, 'bindings.before.ts')
  if (!existsSync(copy)) throw new Stop('There is no copy from before the Rust tests.', 'npm test -- rust-tests')
  if (!readFileSync(copy).equals(readFileSync(BINDINGS)))
    throw new Stop(`${path} was not what the Rust types say.`, NEXT)
})
