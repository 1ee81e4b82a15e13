import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Count } from '../lib/count.mjs'

const counted = (...lines) => {
  const count = new Count()
  lines.forEach((line) => count.line(line))
  return [count.passed, count.failed, count.skipped, count.seen]
}

test('cargo: results of several programs add up', () => {
  const lines = [
    'test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.02s',
    'test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.00s',
  ]
  assert.deepEqual(counted(...lines), [15, 2, 1, true])
})

test('nextest: timed-out tests are failures', () => {
  assert.deepEqual(
    counted('     Summary [  12.105s] 42 tests run: 39 passed (1 slow), 2 failed, 1 timed out, 3 skipped'),
    [39, 3, 3, true],
  )
  assert.deepEqual(counted('     Summary [   0.105s] 1 test run: 1 passed, 0 skipped'), [1, 0, 0, true])
})

test('node: both reporters; cancelled is failed, todo is skipped', () => {
  assert.deepEqual(counted('ℹ tests 5', 'ℹ pass 3', 'ℹ fail 1', 'ℹ cancelled 1', 'ℹ skipped 2', 'ℹ todo 1'), [
    3,
    2,
    3,
    true,
  ])
  assert.deepEqual(counted('# pass 3', '# fail 0'), [3, 0, 0, true])
})

test('vitest: files are not tests, colours do not matter', () => {
  const lines = [
    ' \u001b[2mTest Files \u001b[22m \u001b[1m\u001b[32m4 passed\u001b[39m\u001b[22m (4)',
    '\u001b[2m      Tests \u001b[22m \u001b[31m1 failed\u001b[39m | \u001b[32m12 passed\u001b[39m | 2 skipped (15)',
  ]
  assert.deepEqual(counted(...lines), [12, 1, 2, true])
})

test('a plain closing line counts, prose does not', () => {
  assert.deepEqual(counted('7 passed, 1 failed'), [7, 1, 0, true])
  assert.deepEqual(counted('7 passed, 0 failed, 2 skipped'), [7, 0, 2, true])
  assert.deepEqual(counted('about 7 passed, 1 failed', 'ok 12 passed'), [0, 0, 0, false])
})
