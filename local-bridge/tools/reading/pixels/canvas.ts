import type { Turn } from '../exif.ts';

/** The two sides of a picture. */
export interface Sides {
  readonly width: number;
  readonly height: number;
}

/** Pixels as red, green, blue and how solid each is, a byte each. */
export interface Pixels extends Sides {
  readonly data: Buffer;
}

/** Some pixels of one line, each so many columns after the one before. */
export interface Line {
  readonly y: number;
  readonly x: number;
  readonly step: number;
  readonly count: number;
  /** Four bytes each. */
  readonly rgba: Uint8Array;
}

/** A smaller picture that is made of the pixels of a larger one, which may come in any order. */
interface Canvas {
  add(line: Line): void;
  pixels(): Pixels;
}

/**
 * Opens a canvas. Each pixel of the large picture gives to those of the small one by how much of them it covers. So the
 * large picture is never in memory as a whole, and no thin line of it is lost.
 */
export function openCanvas(from: Sides, to: Sides): Canvas {
  const sums = new Float32Array(to.width * to.height * 4);
  const columns = shares(from.width, to.width);
  const rows = shares(from.height, to.height);
  const addTo = (at: number, share: number, rgba: Uint8Array, i: number) => {
    const solid = share * (rgba[i + 3] ?? 0);
    sums[at] = (sums[at] ?? 0) + solid * (rgba[i] ?? 0);
    sums[at + 1] = (sums[at + 1] ?? 0) + solid * (rgba[i + 1] ?? 0);
    sums[at + 2] = (sums[at + 2] ?? 0) + solid * (rgba[i + 2] ?? 0);
    sums[at + 3] = (sums[at + 3] ?? 0) + solid;
  };
  return {
    add: ({ y, x, step, count, rgba }) => {
      const row = rows.first[y] ?? 0;
      const above = rows.share[y] ?? 0;
      const below = rows.rest[y] ?? 0;
      for (let i = 0, column = x; i < count; i++, column += step) {
        const at = (row * to.width + (columns.first[column] ?? 0)) * 4;
        const left = columns.share[column] ?? 0;
        const right = columns.rest[column] ?? 0;
        addTo(at, left * above, rgba, i * 4);
        if (right > 0) addTo(at + 4, right * above, rgba, i * 4);
        if (below <= 0) continue;
        addTo(at + to.width * 4, left * below, rgba, i * 4);
        if (right > 0) addTo(at + to.width * 4 + 4, right * below, rgba, i * 4);
      }
    },
    pixels: () => {
      const data = Buffer.alloc(sums.length);
      for (let at = 0; at < sums.length; at += 4) {
        const solid = sums[at + 3] ?? 0;
        if (solid <= 0) continue;
        for (let i = 0; i < 3; i++) data[at + i] = Math.min(255, Math.round((sums[at + i] ?? 0) / solid));
        data[at + 3] = Math.min(255, Math.round(solid));
      }
      return { ...to, data };
    },
  };
}

/** Says of each line of a large picture to which of a small one it gives how much, and how much to the next. */
function shares(from: number, to: number) {
  const scale = to / from;
  const first = new Uint32Array(from);
  const share = new Float64Array(from);
  const rest = new Float64Array(from);
  for (let i = 0; i < from; i++) {
    const start = i * scale;
    const end = Math.min(to, start + scale);
    // Such a sum can lie a hair beside a whole number.
    const at = Math.min(to - 1, Math.floor(start + 1e-9));
    first[i] = at;
    share[i] = Math.min(end, at + 1) - start;
    rest[i] = at + 1 < to ? Math.max(0, end - (at + 1)) : 0;
  }
  return { first, share, rest };
}

/** Turns a picture upright. */
export function upright({ width, height, data }: Pixels, turn: Turn): Pixels {
  if (turn === 1) return { width, height, data };
  const isOnSide = turn >= 5;
  const to = isOnSide ? { width: height, height: width } : { width, height };
  const turned = Buffer.alloc(data.length);
  for (let y = 0; y < to.height; y++) {
    for (let x = 0; x < to.width; x++) {
      const [along, down] = isOnSide ? [y, x] : [x, y];
      const fromX = turn === 2 || turn === 3 || turn === 7 || turn === 8 ? width - 1 - along : along;
      const fromY = turn === 3 || turn === 4 || turn === 6 || turn === 7 ? height - 1 - down : down;
      const from = (fromY * width + fromX) * 4;
      turned.set(data.subarray(from, from + 4), (y * to.width + x) * 4);
    }
  }
  return { ...to, data: turned };
}
