// Just enough of PNG to see whether a screenshot shows anything: 8 bits a channel, not interlaced.
import { inflateSync } from 'node:zlib'

const SIGNATURE_BYTES = 8
const CHANNELS = { 0: 1, 2: 3, 4: 2, 6: 4 }

function chunks(png) {
  const found = {}
  for (let at = SIGNATURE_BYTES; at < png.length; ) {
    const size = png.readUInt32BE(at)
    const name = png.toString('latin1', at + 4, at + 8)
    const body = png.subarray(at + 8, at + 8 + size)
    found[name] = found[name] ? Buffer.concat([found[name], body]) : body
    at += size + 12
  }
  return found
}

function paeth(left, up, corner) {
  const guess = left + up - corner
  const [a, b, c] = [left, up, corner].map((one) => Math.abs(guess - one))
  return a <= b && a <= c ? left : b <= c ? up : corner
}

/** Undoes the filter of every line in place; resolves to the lines without their filter byte. */
function lines(raw, height, stride, step) {
  const out = []
  for (let y = 0; y < height; y += 1) {
    const filter = raw[y * (stride + 1)]
    const line = raw.subarray(y * (stride + 1) + 1, (y + 1) * (stride + 1))
    const above = out[y - 1]
    for (let x = 0; x < stride; x += 1) {
      const left = x >= step ? line[x - step] : 0
      const up = above ? above[x] : 0
      const corner = above && x >= step ? above[x - step] : 0
      line[x] += [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter]
    }
    out.push(line)
  }
  return out
}

/** { width, height, colours, share }: how many colours there are, and the share of the most frequent one. */
export function coloursOf(png) {
  const { IHDR, IDAT } = chunks(png)
  const [width, height] = [IHDR.readUInt32BE(0), IHDR.readUInt32BE(4)]
  const step = CHANNELS[IHDR[9]]
  if (IHDR[8] !== 8 || !step || IHDR[12] !== 0) throw new Error('a kind of PNG that this reader does not know')
  const counts = new Map()
  for (const line of lines(inflateSync(IDAT), height, width * step, step)) {
    for (let x = 0; x < line.length; x += step) {
      const colour = line.readUIntBE(x, step)
      counts.set(colour, (counts.get(colour) ?? 0) + 1)
    }
  }
  return { width, height, colours: counts.size, share: Math.max(...counts.values()) / (width * height) }
}
