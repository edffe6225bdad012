/** Kernels in the plane: the same perceptron on other features of the points, where a plane is a curve. */

import type { Table } from "./story";

export type LiftName = "none" | "quadratic" | "rbf";

const MOST_ROWS_OF_RBF = 200;

export interface Lift {
  name: LiftName;
  label: string;
  /** Whether points of this number of columns and rows can be lifted. */
  fits(points: Table): boolean;
  columns(names: string[]): string[];
  table(points: Table): Table;
}

const none: Lift = {
  name: "none",
  label: "the columns themselves",
  fits: () => true,
  columns: (names) => names,
  table: (points) => points,
};

/** x1, x2, x1^2, x1 x2, x2^2: the features of the kernel (1 + x.x')^2, without its factors sqrt 2. */
const quadratic: Lift = {
  name: "quadratic",
  label: "with squares and products",
  fits: (points) => points.p <= 2,
  columns: (names) =>
    names.length === 1 ? [names[0], `${names[0]}²`] : [...names, `${names[0]}²`, `${names[0]}·${names[1]}`, `${names[1]}²`],
  table: (points) => {
    const rows = Array.from({ length: points.n }, (_, i) => squares(points.X.subarray(i * points.p, (i + 1) * points.p)));
    return { ...points, p: points.p === 1 ? 2 : 5, X: Float64Array.from(rows.flat()) };
  },
};

export function squares(x: ArrayLike<number>): number[] {
  if (x.length === 1) return [x[0], x[0] * x[0]];
  return [x[0], x[1], x[0] * x[0], x[0] * x[1], x[1] * x[1]];
}

/**
 * K(x, x') = exp(-||x - x'||^2 / (2 s^2)). Row i of the triangle L with K = L L' has the products of the kernel with the
 * rows before it, so the perceptron on the rows of L makes the mistakes of the kernel perceptron.
 */
const rbf: Lift = {
  name: "rbf",
  label: "Gaussian kernel",
  fits: (points) => points.p <= 2 && points.n <= MOST_ROWS_OF_RBF,
  columns: (names) => names,
  table: (points) => {
    const { n, p, X } = points;
    const width = kernelWidth(points);
    const L = new Float64Array(n * n);
    for (let i = 0; i < n; i++) {
      for (let j = 0; j <= i; j++) {
        let sum = gaussian(X.subarray(i * p, (i + 1) * p), X.subarray(j * p, (j + 1) * p), width) + (i === j ? 1e-10 : 0);
        for (let k = 0; k < j; k++) sum -= L[i * n + k] * L[j * n + k];
        L[i * n + j] = i === j ? Math.sqrt(Math.max(sum, 1e-12)) : sum / L[j * n + j];
      }
    }
    return { ...points, p: n, X: L };
  },
};

/** A fifth of the larger side of the box around the points. */
export function kernelWidth(points: Table): number {
  let side = 0;
  for (let f = 0; f < points.p; f++) {
    let [low, high] = [Infinity, -Infinity];
    for (let i = 0; i < points.n; i++) [low, high] = [Math.min(low, points.X[i * points.p + f]), Math.max(high, points.X[i * points.p + f])];
    side = Math.max(side, high - low);
  }
  return side / 5 || 1;
}

export function gaussian(x: ArrayLike<number>, y: ArrayLike<number>, width: number): number {
  let square = 0;
  for (let f = 0; f < x.length; f++) square += (x[f] - y[f]) ** 2;
  return Math.exp(-square / (2 * width * width));
}

export const LIFTS: Lift[] = [none, quadratic, rbf];
