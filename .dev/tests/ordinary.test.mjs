// The ordinary user really is one. Runs where root on Linux can mount; elsewhere the refusal itself is the test.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ROOT } from '../lib/paths.mjs'
import { run } from '../lib/run.mjs'

const LIMIT_MS = 30_000
const ordinary = (...command) =>
  run([process.execPath, join(ROOT, '.dev', 'ordinary.mjs'), '--', ...command], { limitMs: LIMIT_MS })
const root = process.platform === 'linux' && process.getuid() === 0

const PROBE = `
const fs = require('node:fs'), os = require('node:os')
const refused = (path) => { try { fs.writeFileSync(path, ''); return 'written' } catch (error) { return error.code } }
console.log(JSON.stringify({ uid: process.getuid(), user: os.userInfo(), home: process.env.HOME, cwd: process.cwd(),
  checkout: refused('made-by-test'), own: refused(process.env.HOME + '/f'), secret: process.env.PADDOCK_TEST_SECRET ?? null,
  lock: fs.existsSync('package-lock.json') }))
process.exit(7)`

if (root) {
  test('an ordinary user has its own home, sees the checkout, and cannot write it', async () => {
    process.env.PADDOCK_TEST_SECRET = 'x'
    const { code, output } = await ordinary(process.execPath, '-e', PROBE)
    assert.equal(code, 7, output)
    const seen = JSON.parse(output.split('\n').find((line) => line.startsWith('{')))
    assert.notEqual(seen.uid, 0)
    assert.equal(seen.user.homedir, seen.home)
    assert.equal(seen.cwd, ROOT)
    assert.ok(['EROFS', 'EACCES'].includes(seen.checkout), seen.checkout)
    assert.deepEqual([seen.own, seen.secret, seen.lock], ['written', null, true])
    assert.ok(!existsSync(seen.home), 'the home is removed at the end')
  })

  test('what the command leaves running is ended and named', async () => {
    const leave = "require('node:child_process').spawn('sleep', ['300'], { detached: true, stdio: 'ignore' }).unref()"
    const { code, output } = await ordinary(process.execPath, '-e', leave)
    assert.equal(code, 0, output)
    assert.match(output, /left behind: sleep/)
  })
} else {
  test('who is an ordinary user already is told so', async () => {
    const { code, output } = await ordinary('true')
    assert.equal(code, 1)
    assert.match(output, /you are one already/)
  })

  test('without a command nothing happens and the usage is shown', async () => {
    const { code, output } = await ordinary()
    assert.equal(code, 1)
    assert.match(output, /-- CMD ARGS/)
  })
}
