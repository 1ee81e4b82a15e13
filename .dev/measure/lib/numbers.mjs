// Figures: medians, percentiles, tables.

const sorted = (values) => [...values].sort((a, b) => a - b)

/** The value below which a share of them lies (nearest rank); NaN of nothing. */
export function quantile(values, share) {
  if (!values.length) return Number.NaN
  const all = sorted(values)
  return all[Math.min(all.length - 1, Math.max(0, Math.ceil(share * all.length) - 1))]
}

export function median(values) {
  if (!values.length) return Number.NaN
  const all = sorted(values)
  const half = all.length >> 1
  return all.length % 2 ? all[half] : (all[half - 1] + all[half]) / 2
}

export const most = (values) => values.reduce((high, value) => Math.max(high, value), Number.NEGATIVE_INFINITY)
export const round = (value, digits = 1) => Number(value.toFixed(digits))

/** Median, smallest and largest of a few runs, with the runs themselves. */
export function spread(values, digits = 1) {
  return {
    median: round(median(values), digits),
    least: round(quantile(values, 0), digits),
    most: round(most(values), digits),
    runs: values.map((value) => round(value, digits)),
  }
}

/** `12.3 (11.9 to 14.0, n=5)` */
export const words = ({ median, least, most, runs }, unit = '') =>
  `${median}${unit} (${least} to ${most}, n=${runs.length})`

/** Prints rows of text as columns. */
export function table(rows) {
  const widths = []
  for (const row of rows) row.forEach((cell, i) => (widths[i] = Math.max(widths[i] ?? 0, [...String(cell)].length)))
  for (const row of rows) {
    const cells = row.map((cell, i) => String(cell) + ' '.repeat(widths[i] - [...String(cell)].length))
    console.log(`  ${cells.join('  ').trimEnd()}`)
  }
}
