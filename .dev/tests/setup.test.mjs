import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { missingEntries, platformEntry } from '../lock.mjs'
import { CLIS, differences } from '../lib/node-packages.mjs'
import { ROOT } from '../lib/paths.mjs'
import { run } from '../lib/run.mjs'
import { atLeast } from '../lib/system.mjs'

const read = (...path) => readFileSync(join(ROOT, ...path), 'utf8')

/** A zombie that nobody has reaped yet is not alive. */
function alive(pid) {
  try {
    process.kill(pid, 0)
    return process.platform !== 'linux' || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
  } catch (error) {
    if (['ESRCH', 'ENOENT'].includes(error.code)) return false
    throw error
  }
}

test('versions compare by number', () => {
  assert.ok(atLeast('rustc 1.95.0 (abc 2026-01-01)', '1.95.0'))
  assert.ok(atLeast('v20.20.2', '20.20.0'))
  assert.ok(!atLeast('v20.9.0', '20.20.0'))
  assert.ok(!atLeast('', '1.0.0'))
})

test('a package that is absent, or there in another version, is a difference; an absent optional one is not', () => {
  const lock = {
    packages: {
      '': {},
      ui: {},
      'node_modules/a': { version: '1.0.0' },
      'node_modules/b': { version: '1.0.0', optional: true },
      'node_modules/c': { link: true },
    },
  }
  const installed = (packages) => ({ packages })
  assert.deepEqual(differences(lock, installed({ 'node_modules/a': { version: '1.0.0' } })), [])
  assert.deepEqual(differences(lock, installed({})), ['node_modules/a'])
  assert.deepEqual(differences(lock, installed({ 'node_modules/a': { version: '1.0.1' } })), ['node_modules/a'])
})

test('the lock file names no download address, and the agent CLIs are pinned exactly', () => {
  const lock = JSON.parse(read('package-lock.json'))
  const addresses = Object.entries(lock.packages).filter(([, entry]) => /^[a-z+]+:\/\//.test(entry.resolved ?? ''))
  assert.deepEqual(
    addresses.map(([path]) => path),
    [],
  )
  const pinned = JSON.parse(read('package.json')).devDependencies
  for (const pkg of Object.values(CLIS)) {
    assert.match(pinned[pkg], /^\d+\.\d+\.\d+$/)
    assert.equal(lock.packages[`node_modules/${pkg}`].version, pinned[pkg])
  }
})

test('the set-up scripts need nothing but Node and use no shell', () => {
  const scripts = ['', 'lib'].flatMap((folder) =>
    readdirSync(join(ROOT, '.dev', folder))
      .filter((name) => name.endsWith('.mjs'))
      .map((name) => join('.dev', folder, name)),
  )
  assert.ok(scripts.length > 8)
  for (const script of scripts) {
    const text = read(script)
    for (const [, from] of text.matchAll(/^(?:import|export) .*?from '([^']+)'/gm))
      assert.match(from, /^(node:|\.)/, `${script}: ${from}`)
    assert.doesNotMatch(text, /shell: *true|(?<![.\w])exec(Sync)?\(|\['(ba|da)?sh', *'-c'/, script)
  }
})

test(
  'a program that hangs is ended with what it started, and says so',
  { skip: process.platform === 'win32' },
  async () => {
    const from = Date.now()
    const hang =
      "const c=require('child_process').spawn(process.execPath,['-e','setInterval(()=>{},1000)']);console.log(c.pid);setInterval(()=>{},1000)"
    const result = await run([process.execPath, '-e', hang], { limitMs: 700 })
    assert.ok(result.timedOut && Date.now() - from < 6_000)
    const grandchild = Number(result.output.trim())
    await new Promise((resolve) => setTimeout(resolve, 200))
    assert.ok(!alive(grandchild))
  },
)

test('the lock file has an entry for every platform package that is pinned', () => {
  assert.deepEqual(missingEntries(JSON.parse(read('package-lock.json'))), [], 'next: node .dev/lock.mjs')
})

test('a platform package is described by its name', () => {
  const of = (name) => platformEntry({ name, version: '1.0.0' })
  assert.deepEqual(of('tool-linux-x64-baseline-musl'), {
    version: '1.0.0',
    cpu: ['x64'],
    libc: ['musl'],
    optional: true,
    os: ['linux'],
  })
  assert.deepEqual(of('@who/tool-windows-arm64'), { version: '1.0.0', cpu: ['arm64'], optional: true, os: ['win32'] })
  assert.equal(of('fsevents'), null)
})
