/** The weights after any update of a run, from the nearest keyframe before it. */

import type { Run, Table } from "./story";

/** w and b after some updates, and the sums behind their mean. */
export interface Weights {
  w: Float64Array;
  b: number;
  sw: Float64Array;
  sb: number;
}

export class Replay {
  constructor(
    readonly table: Table,
    readonly run: Run,
  ) {}

  /** Updates that can be replayed: those of the window. */
  get updates(): number {
    return this.run.rows.length;
  }

  stepOf(k: number): number {
    return this.run.steps ? this.run.steps[k] : this.table.y[this.run.rows[k]];
  }

  /** The state after the first k updates of the window; the additions are made in the order of the run. */
  after(k: number): Weights {
    const { p, X, constant } = this.table;
    const { every, w, b, sw, sb } = this.run.keyframes;
    const frame = Math.min(Math.floor(k / every), b.length - 1);
    const state = {
      w: w.slice(frame * p, frame * p + p),
      b: b[frame],
      sw: sw.slice(frame * p, frame * p + p),
      sb: sb[frame],
    };
    for (let j = frame * every; j < k; j++) {
      const step = this.stepOf(j);
      const at = this.run.visit[j];
      const start = this.run.rows[j] * p;
      for (let f = 0; f < p; f++) {
        state.w[f] += step * X[start + f];
        state.sw[f] += step * at * X[start + f];
      }
      state.b += constant * constant * step;
      state.sb += constant * constant * step * at;
    }
    return state;
  }

  /** How many updates of the window were made in the first t visits. */
  updatesBefore(t: number): number {
    const visit = this.run.visit;
    let low = 0;
    let high = visit.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (visit[middle] < t) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Whether rows between two updates are known too. */
  get knowsVisits(): boolean {
    return this.run.order === "turn" || this.run.order === "adversary" || this.run.orders !== null;
  }

  /** The row of visit t, counted from 0. */
  rowAt(t: number): number {
    if (this.run.order === "adversary") return this.run.rows[t - this.run.from] ?? -1;
    const n = this.table.n;
    return this.run.orders ? this.run.orders[t] : t % n;
  }

  /** The first visit that can be shown: of a run without a window 0. */
  get firstVisit(): number {
    return this.run.from === 0 ? 0 : (this.run.visit[0] ?? 0);
  }
}

/** The mean of w and b over the first t visits, each vector counted as it stood after the visit. */
export function meanVector(state: Weights, t: number): { w: Float64Array; b: number } {
  if (t <= 0) return { w: state.w.slice(), b: state.b };
  return { w: state.w.map((value, f) => value - state.sw[f] / t), b: state.b - state.sb / t };
}

/** z = w.x + b of all rows. */
export function decisionValues(table: Table, w: ArrayLike<number>, b: number, out?: Float64Array): Float64Array {
  const { n, p, X } = table;
  const z = out ?? new Float64Array(n);
  for (let i = 0, at = 0; i < n; i++) {
    let sum = 0;
    for (let f = 0; f < p; f++, at++) sum += w[f] * X[at];
    z[i] = sum + b;
  }
  return z;
}

/** A mistake is y z <= 0: a tie counts. */
export function countMistakes(table: Table, z: Float64Array): number {
  let count = 0;
  for (let i = 0; i < z.length; i++) if (table.y[i] * z[i] <= 0) count++;
  return count;
}

/** The bits from the first to the last 1 of a double: how much of its 53 an entry of w takes. */
export function bitsInUse(values: ArrayLike<number>): number {
  const view = new DataView(new ArrayBuffer(8));
  let most = 0;
  for (let j = 0; j < values.length; j++) {
    if (!values[j]) continue;
    view.setFloat64(0, values[j]);
    const bits = view.getBigUint64(0);
    let mantissa = bits & 0xfffffffffffffn;
    if ((bits >> 52n) & 0x7ffn) mantissa |= 1n << 52n;
    while ((mantissa & 1n) === 0n) mantissa >>= 1n;
    most = Math.max(most, mantissa.toString(2).length);
  }
  return most;
}

/**
 * Gallant 1990 with ratchet: a vector whose run of visits without an update is longer than that of the one in the pocket
 * takes its place if it makes fewer mistakes on all rows; the run counts as one longer than that of the one before.
 * Returns after how many updates the vector in the pocket was made.
 */
export function pocketOf(replay: Replay, k: number, t: number): number {
  const { table, run } = replay;
  const z = new Float64Array(table.n);
  let best = 0;
  let least = table.n;
  let longest = 0;
  for (let j = 0; j <= k; j++) {
    const since = j === 0 ? -1 : run.visit[j - 1];
    const end = j < k ? run.visit[j] : t;
    if (end - since - 1 <= longest) continue;
    const { w, b } = replay.after(j);
    const mistakes = countMistakes(table, decisionValues(table, w, b, z));
    if (mistakes < least) [best, least, longest] = [j, mistakes, longest + 1];
  }
  return best;
}

/** Sums of votes: each vector of the run votes sign(z) as often as it survived. */
export function votes(replay: Replay, k: number, t: number, table: Table): Float64Array {
  const sums = new Float64Array(table.n);
  const z = new Float64Array(table.n);
  const visit = replay.run.visit;
  const c2 = replay.table.constant ** 2;
  const state = replay.after(0);
  for (let j = 0; j <= k; j++) {
    const start = j === 0 ? replay.firstVisit : visit[j - 1];
    const survived = (j < k ? visit[j] : Math.max(t, start)) - start;
    if (survived > 0) {
      decisionValues(table, state.w, state.b, z);
      for (let i = 0; i < table.n; i++) sums[i] += survived * (z[i] > 0 ? 1 : -1);
    }
    if (j < k) {
      const step = replay.stepOf(j);
      const row = replay.run.rows[j] * table.p;
      for (let f = 0; f < table.p; f++) state.w[f] += step * replay.table.X[row + f];
      state.b += c2 * step;
    }
  }
  return sums;
}
