import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Count } from '../lib/count.mjs'
import { allFloors, allSuites, choose, notHere, wrongWith } from '../lib/suites.mjs'

const suite = { name: 'rust', groups: ['core'], count: 'lines', minutes: 5 }
const ended = (code, extra) => ({ code, signal: null, timedOut: false, ...extra })
const count = (passed, failed = 0, skipped = 0) => {
  const value = new Count()
  value.add(passed, failed, skipped)
  return value
}

test('a suite is green only with exit 0, a count, and the floor reached', () => {
  assert.equal(wrongWith(suite, ended(0), count(5), 5), null)
  assert.match(wrongWith(suite, ended(0), count(4), 5), /floor is 5/)
  assert.match(wrongWith(suite, ended(0), new Count(), 5), /no count/)
  assert.match(wrongWith(suite, ended(0), count(5), undefined), /no floor/)
  assert.match(wrongWith(suite, ended(0), count(5, 1), 5), /1 failed/)
  assert.match(wrongWith(suite, ended(101), count(5), 5), /exit 101/)
  assert.match(wrongWith(suite, ended(null, { signal: 'SIGKILL' }), count(5), 5), /SIGKILL/)
  assert.match(wrongWith(suite, ended(0, { timedOut: true }), count(5), 5), /within 5 min/)
})

test('skipped tests fail beyond the committed number', () => {
  assert.match(wrongWith(suite, ended(0), count(5, 0, 1), 5), /1 skipped, 0 allowed/)
  assert.equal(wrongWith(suite, ended(0), count(5, 0, 1), 5, 1), null)
})

test('suites are chosen by name or group; an unknown one is an error', () => {
  const all = [suite, { name: 'ui-unit', groups: ['ui'] }]
  assert.deepEqual(choose(all, []), all)
  assert.deepEqual(choose(all, ['ui']), [all[1]])
  assert.deepEqual(choose(all, ['rust']), [all[0]])
  assert.throws(() => choose(all, ['rsut']), /rsut/)
})

test('what does not apply here says why', () => {
  assert.equal(notHere({ platforms: ['linux'] }, { platform: 'darwin', root: false }), 'not on darwin')
  assert.match(notHere({ rootOnly: true }, { platform: 'linux', root: false }), /ordinary user/)
  assert.equal(notHere({ rootOnly: true }, { platform: 'linux', root: true }), null)
})

test('the committed list is well formed and every floor belongs to a suite', () => {
  const names = allSuites().map((one) => one.name)
  assert.equal(new Set(names).size, names.length)
  for (const one of allSuites()) {
    assert.ok(one.command.length && one.title && one.minutes > 0 && ['exit', 'lines'].includes(one.count), one.name)
    for (const need of one.needs ?? []) assert.ok(['ui', 'app', 'driver', 'stand-in'].includes(need), need)
  }
  for (const name of Object.keys(allFloors())) assert.ok(names.includes(name), name)
})
