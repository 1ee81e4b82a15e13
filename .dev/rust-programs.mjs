// Runs a list of built Rust test programs one after the other, each in its package's folder as cargo does.
import { readFileSync } from 'node:fs'
import { run } from './lib/run.mjs'
import { main, step } from './lib/say.mjs'

await main(async () => {
  let failed = 0
  for (const { name, file, folder } of JSON.parse(readFileSync(process.argv[2], 'utf8'))) {
    step(name)
    const env = { ...process.env, CARGO_MANIFEST_DIR: folder }
    if ((await run([file], { cwd: folder, env, show: true })).code !== 0) failed += 1
  }
  return failed ? 1 : 0
})
