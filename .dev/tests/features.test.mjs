import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sets, switchedOn, table, turnedOn } from '../lib/features.mjs'

const names = (features) => sets(features).map((set) => set.names.join('='))

test('a crate is tried without features, with each alone, with its defaults and with all', () => {
  const features = { default: ['a', 'b'], a: ['dep:x'], b: ['other/b'], c: [] }
  assert.deepEqual(names(features), ['none', 'a', 'b', 'c', 'default', 'all'])
  assert.deepEqual(sets(features)[1].flags, ['--no-default-features', '--features', 'a'])
  assert.deepEqual(sets(features).at(-1).on, ['a', 'b', 'c'])
})

test('sets that turn on the same are tried once, under all their names', () => {
  assert.deepEqual(names({}), ['none=default=all'])
  assert.deepEqual(names({ default: ['a'], a: [] }), ['none', 'a=default=all'])
  assert.deepEqual(names({ whole: ['part'], part: [] }), ['none=default', 'part', 'whole=all'])
})

test('a feature that turns on others brings all of them, also in a circle', () => {
  assert.deepEqual(turnedOn({ a: ['b'], b: ['a', 'c', 'dep:d'], c: [] }, ['a']), ['a', 'b', 'c'])
})

test('only the library crates are in the table', () => {
  const metadata = { packages: [{ name: 'paddock', features: {} }, { name: 'agent-new', features: { x: [] } }] }
  assert.deepEqual(
    table(metadata).map(({ crate, sets }) => [crate, sets.length]),
    [['agent-new', 2]],
  )
})

test('a library feature that is on below the adapter from outside is found', () => {
  const tree = 'outside v1 (/w)|x\nagent-runtime v1 (/w)|\nagent-domain v1 (/w)| (*)\nserde v1|default,std\n'
  assert.deepEqual(switchedOn(tree), [])
  assert.deepEqual(switchedOn(`${tree}agent-adapters v1 (/w)|claude\n`), ['agent-adapters v1 (/w)|claude'])
  assert.equal(switchedOn('agent-adapters v1 (/w)|claude (*)').length, 1)
})
