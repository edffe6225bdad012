/** Lines and half-planes cut to a box of the screen, places for words, and colours as pixels. */

export type Place = [number, number];
type Value = (px: number, py: number) => number;

export const cornersOf = (width: number, height: number): Place[] => [[0, 0], [width, 0], [width, height], [0, height]];

const between = (from: Place, to: Place, share: number): Place => [
  from[0] + share * (to[0] - from[0]),
  from[1] + share * (to[1] - from[1]),
];

/** Where the border of a box crosses value = 0. */
export function crossings(value: Value, width: number, height: number): Place[] {
  const corners = cornersOf(width, height);
  return corners.flatMap((from, j) => {
    const to = corners[(j + 1) % 4];
    const [a, b] = [value(...from), value(...to)];
    if (a > 0 === b > 0) return [];
    return [between(from, to, a / (a - b))];
  });
}

/** The part of a convex polygon where value > 0. */
export function clipped(value: Value, corners: Place[]): Place[] {
  return corners.flatMap((from, j) => {
    const to = corners[(j + 1) % corners.length];
    const [a, b] = [value(...from), value(...to)];
    const inside: Place[] = a > 0 ? [from] : [];
    if (a > 0 === b > 0) return inside;
    return [...inside, between(from, to, a / (a - b))];
  });
}

export function affine(scale: (value: number) => number, ratio: number): [number, number] {
  return [(scale(1) - scale(0)) * ratio, scale(0) * ratio];
}

/** "#rrggbb" as the four bytes of a pixel. */
export function packedColour(colour: string): number {
  const value = parseInt(colour.slice(1), 16);
  return (0xff000000 | ((value & 255) << 16) | (value & 0xff00) | (value >> 16)) >>> 0;
}

/** How much words that are covered matter. */
const WORDS = 20;

/** Words of a picture, placed one after the other: inside, on no other words, and where they cover least else. */
export class Words {
  /** The middle of each box, its sides, and how much it matters. */
  private readonly taken: [number, number, number, number, number][] = [];

  constructor(
    private readonly low: Place,
    private readonly high: Place,
  ) {}

  keep(at: Place, wide: number, tall: number, matters = 0.1): void {
    this.taken.push([...at, wide, tall, matters]);
  }

  /** The middle of a box of this size: the best of these places, or null where other words leave no room. */
  put(wide: number, tall: number, places: Place[]): Place | null {
    let [best, least] = [this.low, Infinity];
    for (const place of places) {
      const half = [wide / 2, tall / 2];
      const [x, y] = [0, 1].map((j) => Math.max(this.low[j] + half[j], Math.min(place[j], this.high[j] - half[j])));
      let cost = x === place[0] && y === place[1] ? 0 : 5;
      for (const [a, b, w, h, matters] of this.taken) {
        if (Math.abs(a - x) < half[0] + w / 2 && Math.abs(b - y) < half[1] + h / 2) cost += matters;
      }
      if (cost < least) [best, least] = [[x, y], cost];
    }
    if (least >= WORDS) return null;
    this.keep(best, wide, tall, WORDS);
    return best;
  }
}

/** Places on a line from one end to the other, that near the first end first. */
export function along(from: Place, to: Place, step = 20): Place[] {
  const length = Math.hypot(to[0] - from[0], to[1] - from[1]) || 1;
  const count = Math.max(1, Math.floor(length / step) - 1);
  return Array.from({ length: count }, (_, j) => between(from, to, Math.min(0.5, step / length) + (j * step) / length));
}
