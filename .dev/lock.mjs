// `node .dev/lock.mjs`: completes package-lock.json after `npm install`.
//
// npm writes no entry for an optional platform package that the registry in use does not offer (some mirrors leave out
// other systems' binaries), and `npm ci` then refuses the lock file everywhere. The version is pinned by the package that
// wants it, and system and processor are in the name, so the entry can be written without asking anybody.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ROOT } from './lib/paths.mjs'
import { main, note, step } from './lib/say.mjs'

const SYSTEMS = { linux: 'linux', linuxmusl: 'linux', darwin: 'darwin', windows: 'win32', win32: 'win32' }

/** Optional packages that some entry pins to an exact version and that have no entry: [{ name, version, dev }]. */
export function missingEntries(lock) {
  const found = new Map()
  for (const entry of Object.values(lock.packages)) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      const exact = /^\d+\.\d+\.\d+$/.test(version)
      if (exact && !lock.packages[`node_modules/${name}`]) found.set(name, { name, version, dev: entry.dev })
    }
  }
  return [...found.values()]
}

/** The entry for a package called like `tool-linux-x64-musl`, or null when the name does not say what it is for. */
export function platformEntry({ name, version, dev }) {
  const words = name.split('/').pop().split('-')
  const system = words.find((word) => word in SYSTEMS)
  const cpu = words.find((word) => ['x64', 'arm64'].includes(word))
  if (!system || !cpu) return null
  const musl = words.includes('musl') || system === 'linuxmusl'
  return {
    version,
    cpu: [cpu],
    ...(dev && { dev }),
    ...(musl && { libc: ['musl'] }),
    optional: true,
    os: [SYSTEMS[system]],
  }
}

/** The lock with the missing entries, keys in npm's order. */
export function completed(lock) {
  const packages = { ...lock.packages }
  for (const missing of missingEntries(lock)) {
    const entry = platformEntry(missing)
    if (entry) packages[`node_modules/${missing.name}`] = entry
  }
  const keys = Object.keys(packages).sort((a, b) => a.localeCompare(b, 'en'))
  return { ...lock, packages: Object.fromEntries(keys.map((key) => [key, packages[key]])) }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main(() => {
    const path = join(ROOT, 'package-lock.json')
    const lock = JSON.parse(readFileSync(path, 'utf8'))
    const missing = missingEntries(lock)
    for (const { name, version } of missing) note(`${name} ${version}`)
    step(missing.length ? `${missing.length} entries added to package-lock.json` : 'package-lock.json is complete')
    if (missing.length) writeFileSync(path, `${JSON.stringify(completed(lock), null, 2)}\n`)
  })
}
