/** The visit in words and numbers, and the question that comes before it. */

import type { Session, Step } from "../session";
import { button, counted, fill, from, grouped, h, shown } from "./dom";

const MOST_FEATURES = 4;

export class StepPanel {
  readonly element = h("section", { class: "card step", "aria-label": "This step" });
  readonly live = h("p", { class: "live", "aria-live": "polite", role: "status" });
  private readonly words = h("div");
  private readonly question = h("div", { class: "question" });
  predict = false;
  private asked = 0;
  private right = 0;
  private answer: { mistake: boolean; way: string } | null = null;

  constructor(readonly session: Session) {
    const check = h("input", { type: "checkbox", id: "predict", onchange: () => this.toggle(check.checked) });
    this.element.append(
      h("h2", {}, "This step"),
      h("label", { class: `switch ${from(2)}` }, check, " Predict first: what will happen?"),
      this.question,
      this.words,
    );
  }

  private toggle(on: boolean): void {
    this.predict = on;
    this.session.tell();
  }

  private get name(): (row: number) => string {
    return (row) => `row ${grouped(row + 1)}`;
  }

  draw(): void {
    const { session } = this;
    const step = session.step;
    this.drawQuestion();
    const label = (row: number) => session.story.classes[session.table.y[row] > 0 ? 1 : 0];
    if (!step) {
      this.live.textContent = this.beginning();
      this.words.replaceChildren(h("p", { class: from(2) }, `The rule: ${session.formula}.`), h("p", {}, "Press “row ▶” to visit a row."));
      return;
    }
    const sign = session.table.y[step.row] > 0 ? "+1" : "−1";
    const row = `${this.name(step.row)}, ${label(step.row)} (y = ${sign}), y z = ${shown(step.margin)}`;
    this.live.textContent = `${this.heading(step.visit)}${row}. ${this.judgement(step)} ${this.ended()}`;
    fill(
      this.words,
      h("p", { class: "sum" }, this.workedOut(step.row)),
      step.moved ? h("p", { class: "sum" }, this.moved(step.row, step.size)) : h("p", {}, this.current()),
      this.changes(),
    );
  }

  private beginning(): string {
    const { run, replay, table, chapter } = this.session;
    if (chapter === 1) return run.from ? "This is a late moment of a long run." : "At first w = 0, and there is no plane yet.";
    if (run.from) return `The page has the last ${grouped(replay.updates)} updates. It begins after ${grouped(run.from)}.`;
    return `At first w = 0${table.constant ? " and b = 0" : ""}: z is 0 for every row, and a tie counts as a mistake.`;
  }

  private judgement({ margin, moved }: Step): string {
    if (margin > 0) return `Right.${moved ? " But its margin is too small, so w moves." : " w stays as it is."}`;
    return `Mistake.${margin === 0 ? " A tie counts as a mistake." : ""} ${moved ? "w moves." : "w stays as it is."}`;
  }

  private heading(visit: number): string {
    const { session } = this;
    if (session.chapter === 1) return "Here comes ";
    if (session.run.order === "adversary") return `Visit ${grouped(visit + 1)}: `;
    return `Pass ${grouped(session.epoch)}, visit ${grouped((visit % session.table.n) + 1)} of ${grouped(session.table.n)}: `;
  }

  private ended(): string {
    const { atEnd, run, chapter, mistakes } = this.session;
    if (!atEnd) return "";
    if (chapter === 1) return mistakes ? "This is the end." : "This is the end: every row is right.";
    return `The run ends here: ${run.stop}.`;
  }

  /** z = w1 x1 + w2 x2 + b with the numbers put in. */
  private workedOut(row: number): string {
    const { table, before } = this.session;
    const { p, X, y, constant } = table;
    const z = y[row] * this.session.marginOf(row, before);
    if (p > MOST_FEATURES) return `z = w·x${constant ? " + b" : ""} = ${shown(z)}, a sum of ${grouped(p)} products.`;
    const terms = Array.from({ length: p }, (_, f) => `(${shown(before.w[f])})(${shown(X[row * p + f])})`);
    if (constant) terms.push(`(${shown(before.b)})`);
    return `z = w·x${constant ? " + b" : ""} = ${terms.join(" + ")} = ${shown(z)};  y z = ${shown(y[row] * z)}`;
  }

  private moved(row: number, size: number): string {
    const { table, before, after } = this.session;
    const name = `${shown(size)} x${row + 1}`.replace(/^1 /, "+ ").replace(/^−1 /, "− ");
    if (table.p > MOST_FEATURES) return `w becomes w ${name.startsWith("−") || name.startsWith("+") ? "" : "+ "}${name}; b = ${shown(after.b)}`;
    const vector = (w: ArrayLike<number>) => `(${Array.from(w, (value) => shown(value)).join(", ")})`;
    const x = Array.from(table.X.subarray(row * table.p, (row + 1) * table.p));
    const b = table.constant ? `;  b = ${shown(before.b)} → ${shown(after.b)}` : "";
    return `w = ${vector(before.w)} ${size < 0 ? "−" : "+"} ${Math.abs(size) === 1 ? "" : `${shown(Math.abs(size))} `}${vector(x)} = ${vector(after.w)}${b}`;
  }

  private current(): string {
    const { after, table } = this.session;
    if (table.p > MOST_FEATURES) return `‖w‖ = ${shown(Math.hypot(...after.w))}, b = ${shown(after.b)}`;
    return `w = (${Array.from(after.w, (value) => shown(value)).join(", ")})${table.constant ? `, b = ${shown(after.b)}` : ""}`;
  }

  /** Rows that changed their side. */
  private changes(): HTMLElement | null {
    const { table, z, zBefore } = this.session;
    let worse = 0;
    let better = 0;
    for (let i = 0; i < table.n; i++) {
      const [was, is] = [table.y[i] * zBefore[i] <= 0, table.y[i] * z[i] <= 0];
      if (is && !was) worse++;
      if (was && !is) better++;
    }
    if (!worse && !better) return null;
    const now = this.session.mistakes;
    return h("p", {}, `${counted(better, "row")} became right, ${grouped(worse)} became wrong: ${grouped(now)} of ${grouped(table.n)} are wrong now.`);
  }

  // ------------------------------------------------------------ predict first
  /** Bring the question into sight. */
  ask(): void {
    this.session.panel = "step";
    this.session.tell();
    this.question.scrollIntoView({ block: "nearest" });
    this.question.querySelector("button")?.focus();
  }

  /** True where the next visit has to be guessed first. */
  get waits(): boolean {
    return this.predict && this.session.replay.knowsVisits && !this.session.atEnd;
  }

  /** The planes after w + x and w - x for the row that comes next. */
  get candidates(): { name: string; w: Float64Array; b: number }[] {
    if (!this.waits || this.session.run.rule.kind !== "perceptron") return [];
    const { table, after, replay, t } = this.session;
    const row = replay.rowAt(t);
    const x = table.X.subarray(row * table.p, (row + 1) * table.p);
    return [1, -1].map((sign) => ({
      name: sign > 0 ? "w + x" : "w − x",
      w: after.w.map((value, f) => value + sign * x[f]),
      b: after.b + sign * table.constant ** 2,
    }));
  }

  private drawQuestion(): void {
    if (!this.waits) {
      fill(this.question);
      return;
    }
    const row = this.session.replay.rowAt(this.session.t);
    const label = this.session.story.classes[this.session.table.y[row] > 0 ? 1 : 0];
    const guess = (mistake: boolean, way: string) => () => this.reveal({ mistake, way });
    fill(
      this.question,
      h("p", {}, `Next: ${this.name(row)}, ${label}. Is it a mistake, and where will the plane go?`),
      button("Right, w stays", "I think the row is right and w stays", guess(false, "stays")),
      button("Mistake, w + x", "I think it is a mistake and x is added", guess(true, "+")),
      button("Mistake, w − x", "I think it is a mistake and x is taken away", guess(true, "−")),
      this.asked ? h("p", { class: "score" }, `${this.judged()} ${this.right} of ${this.asked} guesses were right.`) : null,
    );
  }

  private judged(): string {
    if (!this.answer) return "";
    return this.wasRight ? "Yes." : "No: look at y z below.";
  }

  private wasRight = false;

  private reveal(answer: { mistake: boolean; way: string }): void {
    this.answer = answer;
    this.asked++;
    const { session } = this;
    session.goToVisit(session.t + 1);
    const step = session.step;
    const way = step?.moved ? (step.size < 0 ? "−" : "+") : "stays";
    this.wasRight = way === answer.way;
    if (this.wasRight) this.right++;
    this.draw();
  }
}
