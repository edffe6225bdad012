/** What is looked at: rows, a run, and a moment of it. Views are told when it changes. */

import { learn, rocchioOf, type Asked } from "./model/learn";
import { verdictOf, verdictOfGaussian } from "./model/exact";
import { gaussian, kernelWidth, LIFTS, squares, type Lift, type LiftName } from "./model/lift";
import { countMistakes, decisionValues, meanVector, pocketOf, Replay, votes, type Weights } from "./model/replay";
import { unpack, type PackedStory, type Run, type Story, type Table, type Verdict, type Witness } from "./model/story";

/** The visit that was made last: its row, y z before it, and whether it moved w. */
export interface Step {
  visit: number;
  row: number;
  margin: number;
  size: number;
  moved: boolean;
}

export interface Drawn {
  name: string;
  label: string;
  w: ArrayLike<number>;
  b: number;
  mistakes: number;
}

/** Asks Python: {preset} for its story, {X, y, constant} for the verdict on these points. */
export type Ask = (request: object) => Promise<object>;

/** Of `chapter`: nothing is left out. */
export const WHOLE = 4;

const MOST_PASSES = 1000;
const MOST_CELLS_OF_VOTES = 2e7;
const MOST_CELLS_TO_LEARN = 2e6;
const MOST_COLUMNS_HERE = 5;
const MOST_ROWS_HERE = 500;

const unknown = (R: number): Verdict => ({ verdict: "undecided", line: "", plane: null, u: null, gamma: 0, R, bound: null, witness: null, support: [] });

export class Session {
  readonly story: Story;
  /** The rows as they are shown, and as the learner gets them: the same but with a kernel. */
  points!: Table;
  table!: Table;
  lift!: Lift;
  run!: Run;
  replay!: Replay;
  verdict!: Verdict;
  /** Visits made, and updates of the window among them. */
  t = 0;
  k = 0;
  before!: Weights;
  after!: Weights;
  /** y z of all rows before the last visit, and after it. */
  zBefore!: Float64Array;
  z!: Float64Array;
  selected: number | null = null;
  overlays = new Set<string>();
  axes = "auto";
  vectors = true;
  contours = true;
  /** The card of the panel that is open, and the speed of play: 1 is two rows a second. */
  panel = "step";
  speed = 1;
  /** The chapter of the course that this page is a part of: words and panels of later ones are left out. At 0 there is no run yet, only rows and a plane. */
  chapter = WHOLE;
  edited = false;
  /** Whether the page says at the end what could be seen; an edition for a class does not. */
  answers = true;
  /** Whether the end of this run was seen: before that the page does not tell how it ends. */
  hasEnded = false;
  asked: Asked;
  message = "";
  private longestOf: { run: Run; length: number } | null = null;
  private isAsking = false;
  private marginRun: { table: Table; end: Weights } | null = null;
  private listeners: (() => void)[] = [];

  constructor(
    readonly packed: PackedStory,
    readonly ask: Ask | null,
  ) {
    this.story = unpack(packed);
    this.asked = { name: "perceptron", order: "turn", seed: 1, epochs: this.story.max_iter ?? MOST_PASSES };
    this.reset();
  }

  /** The rows, the options and the moment with which the page began. */
  reset(): void {
    const { table, verdict, vector, runs } = this.story;
    this.points = this.table = table;
    this.lift = LIFTS[0];
    this.verdict = verdict;
    this.selected = null;
    this.overlays = new Set(vector && vector !== "last" ? [vector] : []);
    this.axes = "auto";
    this.vectors = this.contours = true;
    this.edited = false;
    this.message = "";
    this.show(runs[0]);
  }

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  tell(): void {
    for (const listener of this.listeners) listener();
  }

  // ------------------------------------------------------------------ a moment
  /** The moment after k updates of the window. */
  goToUpdate(k: number): void {
    const { visit } = this.run;
    this.k = Math.max(0, Math.min(k, visit.length));
    this.t = this.k > 0 ? visit[this.k - 1] + 1 : this.replay.firstVisit;
    this.moved();
  }

  /** The moment after t visits. */
  goToVisit(t: number): void {
    this.t = Math.max(this.replay.firstVisit, Math.min(t, this.lastVisit));
    this.k = this.replay.updatesBefore(this.t);
    this.moved();
  }

  get lastVisit(): number {
    const { visit, visits } = this.run;
    return Math.max(visits, visit.length ? visit[visit.length - 1] + 1 : 0);
  }

  /** One visit on or back; where only updates are known, one update. */
  go(by: number): void {
    if (this.replay.knowsVisits) this.goToVisit(this.t + by);
    else this.goToUpdate(this.k + by);
  }

  /**
   * On or back to the next moment at which w was moved, or to the beginning or the end of the run. One on and one back
   * from such a moment lead to it again.
   */
  hop(by: 1 | -1): void {
    const { visit } = this.run;
    const isThere = this.t === (this.k > 0 ? visit[this.k - 1] + 1 : this.replay.firstVisit);
    if (by < 0) this.goToUpdate(isThere ? this.k - 1 : this.k);
    else if (this.k < visit.length) this.goToUpdate(this.k + 1);
    else this.toEnd();
  }

  toEnd(): void {
    if (this.replay.knowsVisits) this.goToVisit(this.lastVisit);
    else this.goToUpdate(this.replay.updates);
  }

  get atEnd(): boolean {
    return this.replay.knowsVisits ? this.t >= this.lastVisit : this.k >= this.replay.updates;
  }

  private moved(): void {
    this.after = this.replay.after(this.k);
    const step = this.step;
    this.before = step?.moved ? this.replay.after(this.k - 1) : this.after;
    this.z = decisionValues(this.table, this.after.w, this.after.b);
    this.zBefore = step?.moved ? decisionValues(this.table, this.before.w, this.before.b) : this.z;
    this.hasEnded ||= this.atEnd;
    this.tell();
  }

  /** The last visit, if there was one in the window. */
  get step(): Step | null {
    if (!this.chapter || this.t <= this.replay.firstVisit) return null;
    const visit = this.t - 1;
    const moved = this.k > 0 && this.run.visit[this.k - 1] === visit;
    const row = moved ? this.run.rows[this.k - 1] : this.replay.knowsVisits ? this.replay.rowAt(visit) : -1;
    if (row < 0 || row >= this.table.n) return null;
    const state = moved ? this.replay.after(this.k - 1) : this.after;
    return { visit, row, margin: this.marginOf(row, state), size: moved ? this.replay.stepOf(this.k - 1) : 0, moved };
  }

  /** The largest ||w|| at some moments of the whole run. */
  get longest(): number {
    if (this.longestOf?.run !== this.run) {
      const every = Math.max(1, Math.ceil(this.replay.updates / 64));
      let length = 0;
      for (let k = this.replay.updates; k >= 0; k -= every) length = Math.max(length, Math.hypot(...this.replay.after(k).w));
      this.longestOf = { run: this.run, length };
    }
    return this.longestOf.length;
  }

  marginOf(row: number, state: Weights): number {
    const { p, X, y } = this.table;
    let z = 0;
    for (let f = 0; f < p; f++) z += state.w[f] * X[row * p + f];
    return y[row] * (z + state.b);
  }

  /** What a row is where b is the weight of a constant feature: (x, 1), or x alone without an intercept. */
  get rowName(): string {
    const { constant } = this.table;
    return constant === 0 ? "x" : constant === 1 ? "(x, 1)" : "(x, c)";
  }

  /** The rule in plain signs, for this constant feature. */
  get formula(): string {
    const { constant } = this.table;
    const plain = constant === 0 ? this.run.formula.replace(/, b \+= [^ ]* ?y/, "").replaceAll(" + c^2", "") : this.run.formula;
    const known = constant === 1 ? plain.replaceAll("c^2 y", "y").replaceAll("c^2", "1") : plain;
    return known.replaceAll("<=", "≤").replaceAll("c^2", "c²").replaceAll("|x|^2", "‖x‖²");
  }

  get epoch(): number {
    return this.table.n ? Math.floor(Math.max(0, this.t - 1) / this.table.n) + 1 : 1;
  }

  /** The witness that is marked in the pictures: it tells the answer, so it waits for the end or for who asks. */
  get witness(): Witness | null {
    return this.chapter >= 3 && (this.hasEnded || this.edited || this.panel === "verdict") ? this.verdict.witness : null;
  }

  get mistakes(): number {
    return countMistakes(this.table, this.z);
  }

  // ------------------------------------------------------------- other vectors
  /** The vectors that are shown beside the last one. */
  drawn(): Drawn[] {
    const found: Drawn[] = [];
    const add = (name: string, label: string, w: ArrayLike<number>, b: number) => {
      if (this.overlays.has(name)) {
        found.push({ name, label, w, b, mistakes: countMistakes(this.table, decisionValues(this.table, w, b)) });
      }
    };
    const mean = meanVector(this.after, this.t);
    if (this.run.from === 0) add("averaged", "mean of the vectors", mean.w, mean.b);
    if (this.overlays.has("pocket") && this.canJudge) {
      const pocket = this.replay.after(pocketOf(this.replay, this.k, this.t));
      add("pocket", "pocket", pocket.w, pocket.b);
    }
    if (this.overlays.has("margin") && this.canLearn) {
      const { w, b } = this.endOfMargin();
      add("margin", "margin perceptron, at the end of its run", w, b);
    }
    const rocchio = this.overlays.has("rocchio") ? rocchioOf(this.table) : this.after;
    add("rocchio", "Rocchio: between the means", rocchio.w, rocchio.b);
    const { plane } = this.verdict;
    if (plane) add("widest", "widest margin", plane.w, plane.b);
    // While rows are moved w may be 0 or wrong: the plane of the verdict is shown at once.
    if (plane && this.edited && this.mistakes && !this.overlays.has("widest")) found.push({ name: "a separator", label: "a separator", ...plane, mistakes: 0 });
    return found;
  }

  /** Where the margin perceptron ends on these rows. */
  private endOfMargin(): Weights {
    if (this.marginRun?.table !== this.table) {
      const known = this.edited ? undefined : this.story.runs.find((run) => run.name === "margin");
      const run = known ?? learn(this.table, { ...this.asked, name: "margin", order: "turn" });
      this.marginRun = { table: this.table, end: new Replay(this.table, run).after(run.rows.length) };
    }
    return this.marginRun.end;
  }

  /** Whether a vector can be known: the mean and the votes need the whole run, the widest margin a separator. */
  canDraw(name: string): boolean {
    if (name === "widest") return this.verdict.plane !== null;
    if (name === "margin") return this.canLearn;
    return name === "rocchio" || this.run.from === 0;
  }

  /** Whether all vectors so far can be judged on all rows quickly. */
  private get canJudge(): boolean {
    const { n, p } = this.table;
    return this.run.from === 0 && this.k * n * (p + 1) <= MOST_CELLS_OF_VOTES;
  }

  /** Mistakes of the vote of all vectors so far, where they can be counted quickly. */
  mistakesOfVotes(): number | null {
    if (!this.canJudge) return null;
    return countMistakes(this.table, votes(this.replay, this.k, this.t, this.table));
  }

  // --------------------------------------------------------------------- runs
  show(run: Run): void {
    this.run = run;
    this.asked = { ...this.asked, name: run.name, order: run.order, seed: run.seed ?? this.asked.seed };
    this.replay = new Replay(this.table, run);
    this.hasEnded = false;
    this.goToUpdate(0);
  }

  get canLearn(): boolean {
    return this.table.n * (this.table.p + 1) <= MOST_CELLS_TO_LEARN;
  }

  /** Another rule or order: a run that came with the rows, or one that is made here. */
  learnAs(asked: Partial<Asked>): void {
    this.asked = { ...this.asked, ...asked };
    const { name, order } = this.asked;
    const known = this.edited ? undefined : this.story.runs.find((run) => run.name === name && run.order === order);
    if (known) return this.show(known);
    if (!this.canLearn) {
      this.message = "This table is too large to try another rule or order here. Choose them when you make the page.";
      return this.tell();
    }
    this.message = "";
    this.show(learn(this.table, this.asked));
  }

  /** Rows that were moved, added, turned or taken away, or another constant feature. */
  change(points: Table): void {
    if (!this.lift.fits(points)) this.lift = LIFTS[0];
    this.points = points;
    this.table = this.lift.table(points);
    this.edited = true;
    this.selected = this.selected !== null && this.selected < points.n ? this.selected : null;
    this.message = "";
    // Who changes a row asks whether there is a separator now.
    if (this.panel === "step") this.panel = "verdict";
    const k = this.k;
    const wasAtEnd = this.atEnd;
    this.learnAs({});
    if (wasAtEnd) this.goToVisit(this.lastVisit);
    else this.goToUpdate(k);
    void this.prove();
  }

  /** The same points by other features. */
  liftBy(name: LiftName): void {
    this.lift = LIFTS.find((lift) => lift.name === name) ?? LIFTS[0];
    this.change(this.points);
  }

  /** z at places of the plane (one after the other, as many numbers each as the points have columns). */
  valuesAt(places: Float64Array): Float64Array {
    const { p } = this.points;
    const { w, b } = this.after;
    const n = places.length / p;
    if (this.lift.name === "none") return decisionValues({ ...this.points, n, X: places }, w, b);
    if (this.lift.name === "quadratic") {
      return Float64Array.from({ length: n }, (_, i) => {
        const features = squares(places.subarray(i * p, (i + 1) * p));
        return features.reduce((sum, value, f) => sum + value * w[f], b);
      });
    }
    const width = kernelWidth(this.points);
    const terms = [...this.counts()].map(([row, count]) => ({ x: this.points.X.subarray(row * p, (row + 1) * p), count }));
    return Float64Array.from({ length: n }, (_, i) => {
      const x = places.subarray(i * p, (i + 1) * p);
      return terms.reduce((sum, term) => sum + term.count * gaussian(term.x, x, width), b);
    });
  }

  /** w as a sum of rows: how often each was added (or, if negative, taken away) in the updates of the window. */
  counts(): Map<number, number> {
    const counts = new Map<number, number>();
    for (let j = 0; j < this.k; j++) {
      const row = this.run.rows[j];
      counts.set(row, (counts.get(row) ?? 0) + this.replay.stepOf(j));
    }
    for (const [row, count] of counts) if (count === 0) counts.delete(row);
    return counts;
  }

  /** The verdict on the rows as they are now: in the page where it takes a moment, otherwise by Python. */
  private async prove(): Promise<void> {
    if (this.ask === null || this.lift.name !== "none" || new Set(this.table.y).size < 2) {
      this.verdict = this.proveHere();
      return this.tell();
    }
    this.verdict = { ...unknown(this.verdict.R), line: "asking Python …" };
    this.tell();
    if (this.isAsking) return;
    this.isAsking = true;
    // While Python works rows may be moved again: only the last ones are asked about.
    for (let asked: Table | null = null; asked !== this.table && this.ask !== null; ) {
      asked = this.table;
      const verdict = await this.answerOf(asked, this.ask);
      if (asked === this.table) this.verdict = verdict;
    }
    this.isAsking = false;
    this.tell();
  }

  private async answerOf(table: Table, ask: Ask): Promise<Verdict> {
    const { n, p, X, constant } = table;
    const rows = Array.from({ length: n }, (_, i) => Array.from(X.subarray(i * p, (i + 1) * p)));
    try {
      return (await ask({ X: rows, y: Array.from(table.y), constant })) as Verdict;
    } catch (error) {
      return { ...unknown(this.verdict.R), line: `Python did not answer: ${error instanceof Error ? error.message : String(error)}` };
    }
  }

  private proveHere(): Verdict {
    const { n, p } = this.table;
    if (this.lift.name === "rbf") return verdictOfGaussian(this.points, this.table);
    if (p <= MOST_COLUMNS_HERE && n <= MOST_ROWS_HERE) return verdictOf(this.table);
    return { ...unknown(this.verdict.R), line: "not decided in the page, which can prove this for small tables only. `linsep check` takes large ones" };
  }
}
