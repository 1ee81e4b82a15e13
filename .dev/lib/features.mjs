// Which sets of features a crate is tried with, from what `cargo metadata` says of it.

/** The crates that others embed are those of this family. */
const FAMILY = 'agent-'

/** Everything that `named` turns on of the crate's own features; `default` is a name for a set, not a feature. */
export function turnedOn(features, named) {
  const on = new Set()
  const waiting = [...named]
  while (waiting.length) {
    const name = waiting.pop()
    // `dep:x` and `x/y` are other crates' business; what follows from them is the same for the same names.
    if (on.has(name) || !(name in features)) continue
    on.add(name)
    waiting.push(...features[name])
  }
  on.delete('default')
  return [...on].sort()
}

/**
 * Without any, each alone, the defaults, all: [{ names, flags, on }]. Sets that turn on the same are one, under all of
 * its names, so that nothing is tried twice.
 */
export function sets(features) {
  const single = Object.keys(features)
    .filter((name) => name !== 'default')
    .sort()
  const alone = (name) => ['--no-default-features', '--features', name]
  const wanted = [
    { name: 'none', flags: ['--no-default-features'], on: [] },
    ...single.map((name) => ({ name, flags: alone(name), on: turnedOn(features, [name]) })),
    { name: 'default', flags: [], on: turnedOn(features, ['default']) },
    { name: 'all', flags: ['--all-features'], on: turnedOn(features, single) },
  ]
  const different = new Map()
  for (const { name, flags, on } of wanted) {
    const key = on.join()
    if (different.has(key)) different.get(key).names.push(name)
    else different.set(key, { names: [name], flags, on })
  }
  return [...different.values()]
}

/** The library crates in `metadata`, each with its sets. */
export function table(metadata) {
  const libraries = metadata.packages.filter(({ name }) => name.startsWith(FAMILY))
  const rows = libraries.map(({ name, features }) => ({ crate: name, sets: sets(features) }))
  return rows.sort((a, b) => (a.crate < b.crate ? -1 : 1))
}

/** Lines of `cargo tree --prefix none --format '{p}|{f}'` that name a library crate with a feature on. */
export const switchedOn = (tree) =>
  tree.split('\n').filter((line) => line.startsWith(FAMILY) && !/\|(\s*\(\*\))?\s*$/.test(line))
