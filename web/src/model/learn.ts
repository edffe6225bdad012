/** Runs made in the page: of points that were moved, of another order, another rule, without b. */

import type { Keyframes, Order, Rule, Run, Table } from "./story";

const MOST_UPDATES = 20_000;
const MOST_VISITS = 2_000_000;
const EVERY = 256;

/** mulberry32: 32 bits of state, the same numbers for the same seed. */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** The step size tau of a rule where y z = m, of a row with ||(x, c)||^2 = norm2. */
export function stepSize(rule: Rule, m: number, norm2: number): number {
  if (rule.kind === "perceptron" || rule.kind === "margin") return m <= rule.margin ? 1 : 0;
  if (rule.kind === "sgd") return m < 1 ? (rule.C ?? 1) : 0;
  const loss = 1 - m;
  if (loss <= 0 || norm2 === 0) return 0;
  const C = rule.C ?? 1;
  if (rule.kind === "pa2") return loss / (norm2 + 1 / (2 * C));
  return rule.kind === "pa1" ? Math.min(C, loss / norm2) : loss / norm2;
}

export const RULES: { name: string; label: string; formula: string; rule: Rule }[] = [
  {
    name: "perceptron",
    label: "Perceptron",
    formula: "w += y x, b += c^2 y where y z <= 0: a tie is a mistake",
    rule: { kind: "perceptron", margin: 0, C: null },
  },
  {
    name: "margin",
    label: "Margin perceptron",
    formula: "w += y x, b += c^2 y where y z <= 1",
    rule: { kind: "margin", margin: 1, C: null },
  },
  {
    name: "pa",
    label: "Passive-aggressive (PA)",
    formula: "w += τ y x, τ = (1 − y z) / (|x|^2 + c^2) where y z < 1",
    rule: { kind: "pa", margin: 1, C: null },
  },
  {
    name: "pa1",
    label: "Passive-aggressive (PA-I)",
    formula: "w += τ y x, τ = min(C, (1 − y z) / (|x|^2 + c^2)) where y z < 1; C = 1",
    rule: { kind: "pa1", margin: 1, C: 1 },
  },
  {
    name: "pa2",
    label: "Passive-aggressive (PA-II)",
    formula: "w += τ y x, τ = (1 − y z) / (|x|^2 + c^2 + 1 / (2 C)) where y z < 1; C = 1",
    rule: { kind: "pa2", margin: 1, C: 1 },
  },
  {
    name: "sgd",
    label: "Gradient descent on the hinge loss",
    formula: "w += η y x where y z < 1, with the same step η for every row",
    rule: { kind: "sgd", margin: 1, C: null },
  },
];

class Recorder {
  rows: number[] = [];
  steps: number[] = [];
  visit: number[] = [];
  frames = { w: [] as number[], b: [] as number[], sw: [] as number[], sb: [] as number[] };
  readonly w: Float64Array;
  readonly sw: Float64Array;
  b = 0;
  sb = 0;

  constructor(readonly table: Table) {
    this.w = new Float64Array(table.p);
    this.sw = new Float64Array(table.p);
    this.frame();
  }

  margin(i: number): number {
    const { p, X, y } = this.table;
    let z = 0;
    for (let f = 0; f < p; f++) z += this.w[f] * X[i * p + f];
    return y[i] * (z + this.b);
  }

  update(i: number, tau: number, at: number): void {
    const { p, X, y, constant } = this.table;
    const step = tau * y[i];
    for (let f = 0; f < p; f++) {
      this.w[f] += step * X[i * p + f];
      this.sw[f] += step * at * X[i * p + f];
    }
    this.b += constant * constant * step;
    this.sb += constant * constant * step * at;
    this.rows.push(i);
    this.steps.push(step);
    this.visit.push(at);
    if (this.rows.length % EVERY === 0) this.frame();
  }

  private frame(): void {
    this.frames.w.push(...this.w);
    this.frames.b.push(this.b);
    this.frames.sw.push(...this.sw);
    this.frames.sb.push(this.sb);
  }

  keyframes(): Keyframes {
    const { w, b, sw, sb } = this.frames;
    return {
      every: EVERY,
      w: Float64Array.from(w),
      b: Float64Array.from(b),
      sw: Float64Array.from(sw),
      sb: Float64Array.from(sb),
    };
  }
}

function squaredNorms(table: Table): Float64Array {
  const { n, p, X, constant } = table;
  return Float64Array.from({ length: n }, (_, i) => {
    let sum = constant * constant;
    for (let f = 0; f < p; f++) sum += X[i * p + f] ** 2;
    return sum;
  });
}

export interface Asked {
  name: string;
  order: Order;
  seed: number;
  epochs: number;
}

/** Passes over the rows until one is clean or the budget of epochs, visits or updates ends. */
export function learn(table: Table, asked: Asked): Run {
  const { label, formula, rule: plain } = RULES.find((known) => known.name === asked.name) ?? RULES[0];
  const recorder = new Recorder(table);
  const norm2 = squaredNorms(table);
  // As in linsep, eta is 1 over the mean of ||(x, c)||^2.
  const rule = plain.kind === "sgd" ? { ...plain, C: table.n / (norm2.reduce((sum, value) => sum + value, 0) || 1) } : plain;
  const made =
    asked.order === "adversary"
      ? byAdversary(recorder, norm2, rule, asked.epochs * table.n)
      : byEpochs(recorder, norm2, rule, rule.kind === "sgd" ? { ...asked, epochs: Math.min(10, asked.epochs) } : asked);
  const unit = rule.kind === "perceptron" || rule.kind === "margin";
  return {
    name: asked.name,
    label,
    formula,
    rule,
    order: asked.order,
    seed: asked.order === "random" ? asked.seed : null,
    epochs: made.epochs,
    visits: made.visits,
    total: recorder.rows.length,
    from: 0,
    rows: Int32Array.from(recorder.rows),
    steps: unit ? null : Float64Array.from(recorder.steps),
    visit: Float64Array.from(recorder.visit),
    orders: made.orders,
    keyframes: recorder.keyframes(),
    exact: true,
    tolerance: 0,
    stop: made.stop,
  };
}

interface Made {
  epochs: number;
  visits: number;
  orders: Int32Array | null;
  stop: string;
}

function byEpochs(recorder: Recorder, norm2: Float64Array, rule: Rule, asked: Asked): Made {
  const n = recorder.table.n;
  const random = randomNumbers(asked.seed);
  const orders: number[][] = [];
  for (let epoch = 0; epoch < asked.epochs; epoch++) {
    const order = asked.order === "random" ? shuffled(n, random) : null;
    if (order) orders.push(order);
    const before = recorder.rows.length;
    for (let t = 0; t < n; t++) {
      const i = order ? order[t] : t;
      const tau = stepSize(rule, recorder.margin(i), norm2[i]);
      if (tau > 0) recorder.update(i, tau, epoch * n + t);
    }
    const visits = (epoch + 1) * n;
    const done = { epochs: epoch + 1, visits, orders: order ? Int32Array.from(orders.flat()) : null };
    if (recorder.rows.length === before) return { ...done, stop: "a whole pass in which no row moved w" };
    if (recorder.rows.length >= MOST_UPDATES) {
      return { ...done, stop: `${recorder.rows.length.toLocaleString("en-US")} updates were made, and no pass was clean` };
    }
    if (visits >= MOST_VISITS || epoch + 1 === asked.epochs) {
      return { ...done, stop: `w still moved in the ${epoch ? `last of the ${epoch + 1} passes` : "one pass"} allowed` };
    }
  }
  return { epochs: 0, visits: 0, orders: null, stop: "there are no rows" };
}

/** Each time the mistaken row is visited for which ||(w, b/c)||^2 grows most, of equals the first. */
function byAdversary(recorder: Recorder, norm2: Float64Array, rule: Rule, most: number): Made {
  const n = recorder.table.n;
  for (let t = 0; t < Math.min(most, MOST_UPDATES); t++) {
    let best = -1;
    let growth = -Infinity;
    for (let i = 0; i < n; i++) {
      const m = recorder.margin(i);
      const tau = stepSize(rule, m, norm2[i]);
      const grown = tau * (2 * m + tau * norm2[i]);
      if (tau > 0 && grown > growth) [best, growth] = [i, grown];
    }
    if (best < 0) return { epochs: 1, visits: t, orders: null, stop: "no row is a mistake any more" };
    recorder.update(best, stepSize(rule, recorder.margin(best), norm2[best]), t);
  }
  return { epochs: 1, visits: recorder.rows.length, orders: null, stop: "the largest number of updates was made" };
}

/** Fisher and Yates' shuffle. */
function shuffled(n: number, random: () => number): number[] {
  const order = Array.from({ length: n }, (_, i) => i);
  for (let i = n - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order;
}

/** The plane half way between the means of the two classes, at right angles to the line from one to the other. */
export function rocchioOf(table: Table): { w: Float64Array; b: number } {
  const { n, p, X, y, constant } = table;
  const counts = [0, 0];
  const means = [new Float64Array(p), new Float64Array(p)];
  for (let i = 0; i < n; i++) {
    const side = y[i] > 0 ? 1 : 0;
    counts[side]++;
    for (let f = 0; f < p; f++) means[side][f] += X[i * p + f];
  }
  means.forEach((mean, side) => mean.forEach((value, f) => (mean[f] = value / Math.max(1, counts[side]))));
  const w = means[1].map((value, f) => value - means[0][f]);
  const length2 = (v: Float64Array) => v.reduce((sum, value) => sum + value * value, 0);
  return { w, b: constant ? (length2(means[0]) - length2(means[1])) / 2 : 0 };
}
