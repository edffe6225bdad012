/** Novikoff's proof as bars: k gamma <= w.u <= ||w|| <= R sqrt k. */

import type { Session } from "../session";
import { grouped, h, shown } from "./dom";

interface Bar {
  name: string;
  value: number;
  words: string;
}

export class Meter {
  readonly element = h("section", { class: "card meter", "aria-label": "The proof in numbers" });

  constructor(readonly session: Session) {}

  draw(): void {
    const { session } = this;
    const title = h("h2", {}, "The proof in numbers");
    const { run, verdict } = session;
    const isPerceptron = run.rule.kind === "perceptron";
    if (!isPerceptron) {
      this.element.replaceChildren(title, h("p", {}, "The bars belong to the theorem about the perceptron. Choose the perceptron to see them."));
      return;
    }
    const k = run.from + session.k;
    const bars = this.bars(k);
    const largest = Math.max(1e-300, ...bars.map((bar) => bar.value));
    this.element.replaceChildren(
      title,
      h("p", {}, this.sentence(k)),
      ...bars.map((bar) => this.drawn(bar, largest)),
      verdict.u && verdict.bound !== null ? this.limit(k, verdict.bound) : h("p", {}, this.without()),
    );
  }

  private bars(k: number): Bar[] {
    const { verdict, after, table } = this.session;
    const v = table.constant ? [...after.w, after.b / table.constant] : [...after.w];
    const norm = Math.hypot(...v);
    const R = verdict.R;
    const bars: Bar[] = [];
    if (verdict.u) {
      const along = v.reduce((sum, value, j) => sum + value * verdict.u![j], 0);
      bars.push({ name: "k γ", value: k * verdict.gamma, words: "at least this far along u" });
      bars.push({ name: "w·u", value: Math.max(0, along), words: this.angle(along, norm) });
    }
    bars.push({ name: "‖w‖", value: norm, words: this.session.table.constant ? "the length of (w, b)" : "the length of w" });
    bars.push({ name: "R √k", value: R * Math.sqrt(k), words: "at most this long" });
    return bars;
  }

  private angle(along: number, norm: number): string {
    if (!norm) return "w is 0";
    const degrees = (Math.acos(Math.max(-1, Math.min(1, along / norm))) * 180) / Math.PI;
    return `${shown(degrees, 3)}° from u`;
  }

  private drawn(bar: Bar, largest: number): HTMLElement {
    const share = `${(100 * bar.value) / largest}%`;
    return h(
      "div",
      { class: "bar" },
      h("span", { class: "bar-name" }, bar.name),
      h("span", { class: "bar-track" }, h("span", { class: "bar-fill", style: `width:${share}` })),
      h("span", { class: "bar-value" }, `${shown(bar.value)}`),
      h("span", { class: "bar-words" }, bar.words),
    );
  }

  private limit(k: number, bound: number): HTMLElement {
    const share = Math.min(100, bound > 0 ? (100 * k) / bound : 0);
    return h(
      "div",
      { class: "limit" },
      h("div", { class: "bar-track", role: "img", "aria-label": `${k} mistakes of at most ${bound}` }, h("span", { class: "bar-fill", style: `width:${share}%` })),
      h("p", {}, `Mistakes so far: k = ${grouped(k)}. No bar can be longer than the one below it, so k ≤ (R/γ)² = ${shown(this.ratio)}: at most ${grouped(bound)} mistakes, however many rows there are.`),
    );
  }

  private get ratio(): number {
    const { R, gamma } = this.session.verdict;
    return (R / gamma) ** 2;
  }

  private sentence(k: number): string {
    const { R, u, gamma } = this.session.verdict;
    const radius = `R = ${shown(R)} is the length of the longest row ${this.session.rowName}`;
    if (!u) return `${radius}. After ${grouped(k)} mistakes:`;
    return `u is a separator of length 1 with margin γ = ${shown(gamma)}; ${radius}.`;
  }

  private without(): string {
    const { verdict } = this.session.verdict;
    if (verdict === "inseparable") return "There is no separator, so the theorem gives no limit. Without a limit on the run the mistakes never end.";
    return "The page does not know whether there is a separator u.";
  }
}
