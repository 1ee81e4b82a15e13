import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ROOT } from '../lib/paths.mjs'
import { libtestResults } from '../lib/revert-run.mjs'
import { TABLE, chooseRows, edited, readList, tableText, wrongIn } from '../lib/reverts.mjs'

/** Cases that must be held; the numbers are those of the list. */
const HELD = ['1', '2', '4', '5', '6', '7', '9', '10', '12', '13', '15', '16', '17', '18', '21', '27', '30']

test('every test of the list exists and every edit matches one place', () => {
  assert.deepEqual(wrongIn(readList()), [])
})

test('the document is made of the list', () => {
  const text = readFileSync(join(ROOT, TABLE), 'utf8')
  assert.equal(text, tableText(readList()), 'node .dev/reverts.mjs --write')
})

test('every case that must be held has a test and an edit that is tried', () => {
  const { rows } = readList()
  for (const number of HELD) {
    assert.ok(rows.some((row) => row.hazards.includes(number) && !row.unrun), `nothing is tried for ${number}`)
  }
})

test('a list that names what is not there is refused', () => {
  const row = { name: 'x', hazards: ['1'], case: 'a case', seconds: 1 }
  const file = '.dev/reverts.mjs'
  const good = { file, old: 'await main(async', new: 'await main(function' }
  const missing = { package: 'paddock-tests', target: 'hazards', names: ['stream::no_such_test'] }
  const there = { file, names: ['await main'] }
  const wrong = (more) => wrongIn({ rows: [{ ...row, ...more }] }).join('\n')
  assert.equal(wrong({ tests: [there], edits: [good] }), '')
  assert.match(wrong({ tests: [missing], edits: [good] }), /no test stream::no_such_test/)
  assert.match(wrong({ tests: [there] }), /an edit is needed/)
  assert.match(wrong({ tests: [there], edits: [{ ...good, old: 'nowhere at all' }] }), /0 places match/)
  assert.match(wrong({ tests: [there], edits: [{ ...good, old: 'const ' }] }), /places match instead of one/)
  assert.match(wrong({ tests: [there], edits: [{ ...good, new: good.old }] }), /changes nothing/)
})

test('edits of one file follow one another and are taken literally', () => {
  const edits = [
    { file: 'a', old: 'one', new: '$& two' },
    { file: 'a', old: 'two', new: 'three' },
  ]
  assert.deepEqual(edited(edits, () => 'one.'), { a: '$& three.' })
})

test('rows are chosen by name; an unknown one is an error', () => {
  const list = { rows: [{ name: 'a' }, { name: 'b' }] }
  assert.deepEqual(chooseRows(list, ['b']), [{ name: 'b' }])
  assert.equal(chooseRows(list, []).length, 2)
  assert.throws(() => chooseRows(list, ['c']), /no revert c/)
})

test('results of libtest are read, also where a test prints into its line', () => {
  const output = [
    'running 4 tests',
    'test a::one ... ok',
    'test a::two ... FAILED',
    'test a::three ... some words',
    'and more FAILED',
    'test a::four ... ignored',
    '',
    'failures:',
    '',
    'failures:',
    '    a::three',
    '    a::two',
    '',
    'test result: FAILED. 1 passed; 2 failed',
  ].join('\n')
  const results = libtestResults(output)
  assert.deepEqual(Object.fromEntries(results), { 'a::one': 'ok', 'a::two': 'FAILED', 'a::three': 'FAILED', 'a::four': 'ignored' })
})
