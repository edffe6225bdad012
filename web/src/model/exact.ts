/**
 * Is there a hyperplane with every row on its side? Decided in whole numbers.
 *
 * The rows q_i = y_i (x_i, c) are brought to integers by a power of two. Bland's simplex method looks for weights
 * l >= 0 with sum l_i q_i = 0 and sum l_i = 1: if there are any, no v has q_i.v > 0 for all i (the witness); if there
 * are none, the prices of the last basis are such a v (Gordan's theorem). What is found is checked before it is used.
 */

import type { Plane, Table, Verdict, Witness } from "./story";

/** A double as mantissa * 2^exponent. */
function partsOf(value: number): [bigint, number] {
  if (value === 0) return [0n, 0];
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const biased = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xfffffffffffffn;
  const mantissa = biased ? fraction | (1n << 52n) : fraction;
  return [value < 0 ? -mantissa : mantissa, Math.max(biased, 1) - 1075];
}

/** y_i (x_i, c) times one power of two, so that all entries are integers. */
export function signedIntegers(table: Table): bigint[][] {
  const { n, p, X, y, constant } = table;
  const parts = Array.from({ length: n }, (_, i) => {
    const row = Array.from(X.subarray(i * p, i * p + p), partsOf);
    if (constant) row.push(partsOf(constant));
    return row;
  });
  const least = Math.min(...parts.flat().map(([mantissa, exponent]) => (mantissa ? exponent : 0)), 0);
  return parts.map((row, i) =>
    row.map(([mantissa, exponent]) => BigInt(y[i]) * (mantissa ? mantissa << BigInt(exponent - least) : 0n)),
  );
}

const dot = (a: bigint[], b: bigint[]) => a.reduce((sum, value, k) => sum + value * b[k], 0n);

/**
 * Phase one of the simplex method without fractions: every entry of the tableau is an integer over one common
 * denominator, the last pivot (Edmonds 1967, Bareiss 1968), so that each division leaves no remainder.
 */
class Tableau {
  private readonly rows: bigint[][];
  private readonly prices: bigint[];
  private denominator = 1n;
  readonly basis: number[];

  constructor(
    readonly columns: bigint[][],
    readonly d: number,
  ) {
    const n = columns.length;
    this.rows = Array.from({ length: d + 1 }, (_, r) => {
      const row = columns.map((column) => (r < d ? column[r] : 1n));
      for (let k = 0; k <= d; k++) row.push(k === r ? 1n : 0n);
      row.push(r < d ? 0n : 1n);
      return row;
    });
    this.basis = Array.from({ length: d + 1 }, (_, r) => n + r);
    // What a column saves of the sum of the artificial variables.
    this.prices = this.rows[0].map((_, j) => this.rows.reduce((sum, row) => sum + row[j], 0n));
    for (let r = 0; r <= d; r++) this.prices[n + r] = 0n;
  }

  /** Pivot until no column helps; Bland's rule ends after finitely many steps. */
  solve(): void {
    const n = this.columns.length;
    for (;;) {
      let enters = 0;
      while (enters < n && this.prices[enters] <= 0n) enters++;
      if (enters === n) return;
      let leaves = -1;
      const last = this.rows[0].length - 1;
      for (let r = 0; r <= this.d; r++) {
        if (this.rows[r][enters] <= 0n) continue;
        if (leaves < 0) {
          leaves = r;
          continue;
        }
        const here = this.rows[r][last] * this.rows[leaves][enters];
        const there = this.rows[leaves][last] * this.rows[r][enters];
        if (here < there || (here === there && this.basis[r] < this.basis[leaves])) leaves = r;
      }
      this.pivot(leaves, enters);
    }
  }

  private pivot(at: number, enters: number): void {
    const row = this.rows[at];
    const element = row[enters];
    for (const other of [...this.rows, this.prices]) {
      if (other === row) continue;
      const factor = other[enters];
      for (let j = 0; j < other.length; j++) other[j] = (other[j] * element - factor * row[j]) / this.denominator;
    }
    this.denominator = element;
    this.basis[at] = enters;
  }

  /** The weights of the basis over a common denominator, or null where the sum of the artificial ones is not 0. */
  weights(): Map<number, bigint> | null {
    const last = this.prices.length - 1;
    if (this.prices[last] !== 0n) return null;
    const found = new Map<number, bigint>();
    this.basis.forEach((j, r) => {
      if (j < this.columns.length && this.rows[r][last] > 0n) found.set(j, this.rows[r][last]);
    });
    return found;
  }

  /** v with q_i.v > 0 for all i: minus the prices of the first d equations. */
  direction(): bigint[] {
    const n = this.columns.length;
    return Array.from({ length: this.d }, (_, k) => -(this.denominator + this.prices[n + k]));
  }
}

function gcd(a: bigint, b: bigint): bigint {
  while (b) [a, b] = [b, a % b];
  return a < 0n ? -a : a;
}

function shortened(values: bigint[]): bigint[] {
  const common = values.reduce(gcd, 0n);
  return common > 1n ? values.map((value) => value / common) : values;
}

/** Numbers of any length as doubles, all divided by the same power of two. */
function asFloats(values: bigint[]): number[] {
  const bits = Math.max(...values.map((value) => (value < 0n ? -value : value).toString(2).length));
  const shift = BigInt(Math.max(0, bits - 900));
  return values.map((value) => Number(value >> shift));
}

export interface Exact {
  separable: boolean;
  direction: bigint[] | null;
  witness: Witness | null;
}

export function decide(table: Table): Exact {
  const q = signedIntegers(table);
  const d = table.p + (table.constant ? 1 : 0);
  const tableau = new Tableau(q, d);
  tableau.solve();
  const found = tableau.weights();
  if (!found) {
    const direction = shortened(tableau.direction());
    if (!q.every((row) => dot(row, direction) > 0n)) throw new Error("the separator found does not separate");
    return { separable: true, direction, witness: null };
  }
  const rows = [...found.keys()].sort((a, b) => a - b);
  const weights = shortened(rows.map((i) => found.get(i)!));
  for (let k = 0; k < d; k++) {
    const sum = rows.reduce((total, i, j) => total + weights[j] * q[i][k], 0n);
    if (sum !== 0n) throw new Error("the witness found is none");
  }
  const floats = asFloats(weights);
  const total = floats.reduce((sum, value) => sum + value, 0);
  const shares = floats.map((value) => value / total);
  return { separable: false, direction: null, witness: { rows, weights: weights.map(String), shares } };
}

/** y_i (x_i, c) in doubles, and the longest of them. */
function lifted(table: Table): { q: number[][]; R: number } {
  const { n, p, X, y, constant } = table;
  const q = Array.from({ length: n }, (_, i) => {
    const row = Array.from(X.subarray(i * p, i * p + p), (value) => y[i] * value);
    return constant ? [...row, y[i] * constant] : row;
  });
  return { q, R: Math.max(0, ...q.map((row) => Math.hypot(...row))) };
}

/**
 * The unit vector u with the widest margin found: the nearest point to 0 in the convex hull of the q_i, by exchanging
 * weight between the worst row and the worst of those with weight (Mitchell, Demyanov and Malozemov 1974).
 */
function widest(q: number[][], start: number[]): { u: number[]; gamma: number } {
  const product = (a: number[], b: number[]) => a.reduce((sum, value, k) => sum + value * b[k], 0);
  const unit = (v: number[]) => v.map((value) => value / Math.hypot(...v));
  const least = (u: number[]) => Math.min(...q.map((row) => product(row, u)));
  const weight = new Float64Array(q.length);
  weight[0] = 1;
  const v = q[0].slice();
  const most = Math.min(200_000, 2e7 / q.length);
  for (let step = 0; step < most; step++) {
    let low = 0;
    let high = -1;
    const values = q.map((row) => product(row, v));
    for (let i = 0; i < q.length; i++) {
      if (values[i] < values[low]) low = i;
      if (weight[i] > 0 && (high < 0 || values[i] > values[high])) high = i;
    }
    const gap = values[high] - values[low];
    if (gap <= 1e-12 * Math.abs(values[high])) break;
    const difference = q[low].map((value, k) => value - q[high][k]);
    const length2 = product(difference, difference);
    const moved = Math.min(weight[high], length2 > 0 ? gap / length2 : weight[high]);
    weight[low] += moved;
    weight[high] -= moved;
    difference.forEach((value, k) => (v[k] += moved * value));
  }
  const candidates = [unit(v), unit(start)].filter((u) => u.every(Number.isFinite));
  const margins = candidates.map(least);
  const best = margins.indexOf(Math.max(...margins));
  return { u: candidates[best], gamma: margins[best] };
}

/** The verdict on rows that were changed in the page. */
export function verdictOf(table: Table): Verdict {
  const { q, R } = lifted(table);
  const none = { plane: null, u: null, gamma: 0, R, bound: null, witness: null, support: [] };
  if (table.n === 0) return { verdict: "undecided", line: "there are no rows", ...none };
  const exact = decide(table);
  if (!exact.separable) {
    const count = exact.witness!.rows.length;
    const line = `inseparable: even ${count} of the rows alone cannot be separated, checked exactly`;
    return { ...none, verdict: "inseparable", line, witness: exact.witness };
  }
  const { u, gamma } = widest(q, asFloats(exact.direction!));
  const p = table.p;
  const plane: Plane = { w: u.slice(0, p), b: table.constant ? u[p] * table.constant : 0 };
  const near = gamma * (1 + 1e-6);
  const support = q.flatMap((row, i) => (row.reduce((sum, value, k) => sum + value * u[k], 0) <= near ? [i] : []));
  const line = `separable: a plane puts each of the ${table.n} rows on the side of its class, checked exactly`;
  // Rounded up generously: a bound that is a little too large is still one.
  const bound = gamma > 0 ? Math.floor((R / gamma) ** 2 * (1 + 1e-9)) : null;
  return { ...none, verdict: "separable", line, plane, u, gamma, bound, support };
}

/** The matrix of a Gaussian kernel of different points is positive definite: a plane separates them unless two are equal. */
export function verdictOfGaussian(points: Table, table: Table): Verdict {
  const { R } = lifted(table);
  const rest = { plane: null, u: null, gamma: 0, R, bound: null, support: [] };
  const seen = new Map<string, number>();
  for (let i = 0; i < points.n; i++) {
    const place = points.X.subarray(i * points.p, (i + 1) * points.p).join(" ");
    const other = seen.get(place);
    if (other !== undefined && points.y[other] !== points.y[i]) {
      const witness = { rows: [other, i], weights: ["1", "1"], shares: [0.5, 0.5] };
      return { ...rest, verdict: "inseparable", line: "inseparable: two rows are equal and have different labels", witness };
    }
    seen.set(place, i);
  }
  const line = "separable: no two rows are equal, and then the Gaussian kernel separates any rows";
  return { ...rest, verdict: "separable", line, witness: null };
}
