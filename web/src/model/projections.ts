/** Two coordinates for rows and planes of any number of columns. */

import type { Table } from "./story";

/** A row x stands at ((x - o).e1, (x - o).e2). */
export interface Axes {
  e1: Float64Array;
  e2: Float64Array;
  names: [string, string];
  /** Whether rows are shown where they are, so that a plane is a line; otherwise columns are left out. */
  faithful: boolean;
}

const dot = (a: ArrayLike<number>, b: ArrayLike<number>) => {
  let sum = 0;
  for (let f = 0; f < a.length; f++) sum += a[f] * b[f];
  return sum;
};

export function columnAxis(p: number, j: number): Float64Array {
  const e = new Float64Array(p);
  e[j] = 1;
  return e;
}

/** The direction in which the rows vary most, by the power method. */
export function principalDirection(table: Table, against?: ArrayLike<number>): Float64Array {
  const { n, p, X } = table;
  const mean = new Float64Array(p);
  for (let i = 0; i < n; i++) for (let f = 0; f < p; f++) mean[f] += X[i * p + f] / n;
  let v = Float64Array.from({ length: p }, (_, f) => 1 + 0.1 * Math.sin(f + 1));
  for (let step = 0; step < 40; step++) {
    const next = new Float64Array(p);
    if (against) removePart(v, against);
    for (let i = 0; i < n; i++) {
      let z = 0;
      for (let f = 0; f < p; f++) z += (X[i * p + f] - mean[f]) * v[f];
      for (let f = 0; f < p; f++) next[f] += z * (X[i * p + f] - mean[f]);
    }
    const length = Math.hypot(...next);
    if (!(length > 0)) break;
    v = next.map((value) => value / length);
  }
  if (against) removePart(v, against);
  return normalised(v) ?? columnAxis(p, 0);
}

/** The direction of what is left of v beside `along`; null where that is nothing but rounding. */
export function remainder(v: ArrayLike<number>, along: ArrayLike<number>): Float64Array | null {
  const rest = Float64Array.from(v);
  removePart(rest, along);
  return dot(rest, rest) > 1e-18 * dot(v, v) ? normalised(rest) : null;
}

function removePart(v: Float64Array, along: ArrayLike<number>): void {
  const length2 = dot(along, along);
  if (!(length2 > 0)) return;
  const part = dot(v, along) / length2;
  for (let f = 0; f < v.length; f++) v[f] -= part * along[f];
}

export function normalised(v: ArrayLike<number>): Float64Array | null {
  const length = Math.sqrt(dot(v, v));
  return length > 1e-300 ? Float64Array.from(v, (value) => value / length) : null;
}

/** Coordinates of all rows, x after y. */
export function placed(table: Table, axes: Axes): Float64Array {
  const { n, p, X } = table;
  const places = new Float64Array(2 * n);
  for (let i = 0, at = 0; i < n; i++) {
    let a = 0;
    let b = 0;
    for (let f = 0; f < p; f++, at++) {
      a += axes.e1[f] * X[at];
      b += axes.e2[f] * X[at];
    }
    places[2 * i] = a;
    places[2 * i + 1] = b;
  }
  return places;
}

/** A line A s + B t + C = 0 in the coordinates of the axes, or null where the plane is not seen from there. */
export interface Line {
  A: number;
  B: number;
  C: number;
}

/** The plane where it meets the picture; what is left out of the picture is taken as 0. */
export function lineOf(axes: Axes, w: ArrayLike<number>, b: number): Line {
  return { A: dot(w, axes.e1), B: dot(w, axes.e2), C: b };
}
