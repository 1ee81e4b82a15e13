// Pictures as files: small ones with a palette, and the difference between two.
import { deflateSync } from "node:zlib";
import pixelmatch from "pixelmatch";
import { PNG } from "pngjs";

/** Difference of two colours, 0 to 1, from which they count as different; edges of letters are left out. */
const COLOUR_TOLERANCE = 0.15;
/** Colours of one picture; the rest is drawn in the nearest of them. */
const COLOURS = 256;
/** Sum of the channels' differences from which a colour gets a place of its own: the shades of an edge do not crowd out what is rare. */
const APART = 21;

/** Pixels as they are in a PNG file. */
export function read(bytes) {
  return PNG.sync.read(bytes);
}

/** How much two pictures differ, as a share of all pixels, and a picture of where. Other sizes differ entirely. */
export function difference(one, two) {
  const { width, height } = one;
  if (width !== two.width || height !== two.height) return { share: 1, picture: null };
  const marks = new PNG({ width, height });
  const pixels = pixelmatch(one.data, two.data, marks.data, width, height, { threshold: COLOUR_TOLERANCE });
  return { share: pixels / (width * height), picture: PNG.sync.write(marks) };
}

/** The most frequent colours of a picture that stand apart, and for each colour of it the place of the nearest among them. */
function palette({ data, width, height }) {
  const counts = new Map();
  for (let at = 0; at < width * height * 4; at += 4) {
    const colour = (data[at] << 16) | (data[at + 1] << 8) | data[at + 2];
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  const colours = [];
  for (const [colour] of [...counts].sort(([, a], [, b]) => b - a)) {
    const [r, g, b] = [colour >> 16, (colour >> 8) & 255, colour & 255];
    if (!colours.some(([red, green, blue]) => Math.abs(red - r) + Math.abs(green - g) + Math.abs(blue - b) < APART)) colours.push([r, g, b]);
    if (colours.length === COLOURS) break;
  }
  const nearest = new Map();
  const place = (r, g, b) => {
    const key = (r << 16) | (g << 8) | b;
    const known = nearest.get(key);
    if (known !== undefined) return known;
    let best = 0;
    let least = Number.POSITIVE_INFINITY;
    colours.forEach(([red, green, blue], at) => {
      const far = (red - r) ** 2 + (green - g) ** 2 + (blue - b) ** 2;
      if (far < least) [best, least] = [at, far];
    });
    nearest.set(key, best);
    return best;
  };
  return { colours, place };
}

/** The bytes of a PNG file with a palette: about a third of one without. */
export function small(picture) {
  const { width, height, data } = picture;
  const { colours, place } = palette(picture);
  const rows = Buffer.alloc(height * (width + 1));
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const at = (y * width + x) * 4;
      rows[y * (width + 1) + 1 + x] = place(data[at], data[at + 1], data[at + 2]);
    }
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 3, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", head), chunk("PLTE", Buffer.from(colours.flat())), chunk("IDAT", deflateSync(rows, { level: 9 })), chunk("IEND", Buffer.alloc(0)),
  ]);
}

const CRC = Array.from({ length: 256 }, (_, n) => Array.from({ length: 8 }).reduce((crc) => (crc & 1 ? 0xedb88320 ^ (crc >>> 1) : crc >>> 1), n));

function chunk(type, body) {
  const named = Buffer.concat([Buffer.from(type, "latin1"), body]);
  const out = Buffer.alloc(body.length + 12);
  out.writeUInt32BE(body.length, 0);
  named.copy(out, 4);
  let crc = 0xffffffff;
  for (const byte of named) crc = (CRC[(crc ^ byte) & 255] ?? 0) ^ (crc >>> 8);
  out.writeUInt32BE((crc ^ 0xffffffff) >>> 0, body.length + 8);
  return out;
}
