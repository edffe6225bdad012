/** What Python sends: rows, labels, runs as logs of updates, and what is proved of the rows. */

export interface Packed {
  dtype: "float64" | "int32" | "int8";
  base64: string;
}

export interface Rule {
  kind: "perceptron" | "margin" | "pa" | "pa1" | "pa2" | "sgd";
  /** A row moves w where y z is at most this. */
  margin: number;
  /** C of the passive-aggressive rules; of "sgd" the step. */
  C: number | null;
}

export type Order = "turn" | "random" | "adversary";

interface PackedRun {
  name: string;
  label: string;
  formula: string;
  rule: Rule;
  order: Order;
  seed: number | null;
  epochs: number;
  visits: number;
  total: number;
  from: number;
  rows: Packed;
  steps: Packed | null;
  visit: Packed;
  orders: Packed | null;
  keyframes: { every: number; w: Packed; b: Packed; sw: Packed; sb: Packed };
  exact: boolean;
  tolerance: number;
  stop: string;
}

export interface Keyframes {
  every: number;
  w: Float64Array;
  b: Float64Array;
  /** Sums of step * visit * x and of step * visit * c^2, of which the mean of the vectors is made. */
  sw: Float64Array;
  sb: Float64Array;
}

/** A run: w += a x and b += c^2 a at each update, where a is the step. */
export interface Run extends Omit<PackedRun, "rows" | "steps" | "visit" | "orders" | "keyframes"> {
  rows: Int32Array;
  steps: Float64Array | null;
  visit: Float64Array;
  orders: Int32Array | null;
  keyframes: Keyframes;
}

export interface Plane {
  w: number[];
  b: number;
}

export interface Witness {
  rows: number[];
  weights: string[];
  shares: number[];
}

export interface Verdict {
  verdict: "separable" | "inseparable" | "undecided";
  line: string;
  plane: Plane | null;
  /** A separator of length 1 in the space of (x, c), its margin there, and the longest row. */
  u: number[] | null;
  gamma: number;
  R: number;
  bound: number | null;
  witness: Witness | null;
  support: number[];
}

interface StoryHead {
  format: number;
  title: string;
  about: string[];
  columns: string[];
  classes: [string, string];
  target: string | null;
  n: number;
  p: number;
  constant: number;
  editable: boolean;
  /** The limit on passes, which runs made in the page have too. */
  max_iter: number | null;
  verdict: Verdict;
  /** What is shown first: "last", or the name of a vector beside it. */
  vector?: string;
  presets?: { name: string; title: string }[];
  preset?: string | null;
  /** What the page shows first, as a link says it. */
  state?: string;
}

export interface PackedStory extends StoryHead {
  X: Packed;
  y: Packed;
  runs: PackedRun[];
}

/** Rows x_i, row after row, and their labels -1 or +1. */
export interface Table {
  n: number;
  p: number;
  X: Float64Array;
  y: Int8Array;
  /** c of the constant feature behind b; 0 where b stays 0. */
  constant: number;
}

export interface Story extends StoryHead {
  table: Table;
  runs: Run[];
}

function bytesOf(packed: Packed): ArrayBuffer {
  const text = atob(packed.base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes.buffer;
}

const floats = (packed: Packed) => new Float64Array(bytesOf(packed));
const integers = (packed: Packed) => new Int32Array(bytesOf(packed));

export function unpackRun(run: PackedRun): Run {
  const frames = run.keyframes;
  return {
    ...run,
    rows: integers(run.rows),
    steps: run.steps && floats(run.steps),
    visit: floats(run.visit),
    orders: run.orders && integers(run.orders),
    keyframes: {
      every: frames.every,
      w: floats(frames.w),
      b: floats(frames.b),
      sw: floats(frames.sw),
      sb: floats(frames.sb),
    },
  };
}

export function unpack(packed: PackedStory): Story {
  const table: Table = {
    n: packed.n,
    p: packed.p,
    X: floats(packed.X),
    y: new Int8Array(bytesOf(packed.y)),
    constant: packed.constant,
  };
  return { ...packed, table, runs: packed.runs.map(unpackRun) };
}
