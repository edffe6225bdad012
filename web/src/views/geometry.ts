/** Lines and half-planes cut to a box of the screen, and colours as pixels. */

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
