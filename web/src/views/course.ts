/** Mistakes on all rows after each update, and a line at this moment; a click goes there. */

import uPlot from "uplot";
import { countMistakes, decisionValues } from "../model/replay";
import type { Session } from "../session";
import { coloursOf, h } from "./dom";

const WHOLE = Array.from({ length: 24 }, (_, j) => [1, 2, 5][j % 3] * 10 ** Math.floor(j / 3));
const MOST_POINTS = 300;
const MOST_CELLS = 3e7;

export class Course {
  readonly element = h("section", { class: "card course", "aria-label": "The course of the run" });
  private readonly place = h("div", { class: "plot", role: "img" });
  private plot: uPlot | null = null;
  private run: unknown = null;
  private dark = "";

  constructor(readonly session: Session) {
    this.element.append(h("h2", {}, "Mistakes on all rows after each update"), this.place);
  }

  /** Updates at which the mistakes are counted: all of them, or some hundred. */
  private sampled(): { ks: number[]; mistakes: number[] } {
    const { table, replay } = this.session;
    const cells = table.n * (table.p + 1);
    const points = Math.max(2, Math.min(MOST_POINTS, Math.floor(MOST_CELLS / cells), replay.updates + 1));
    const ks = Array.from({ length: points }, (_, j) => Math.round((j * replay.updates) / (points - 1)));
    const z = new Float64Array(table.n);
    const mistakes = ks.map((k) => {
      const { w, b } = replay.after(k);
      return countMistakes(table, decisionValues(table, w, b, z));
    });
    return { ks, mistakes };
  }

  draw(): void {
    const width = this.place.clientWidth;
    if (!width) return;
    const colours = coloursOf(this.place);
    if (this.run !== this.session.run || this.plot?.width !== width || this.dark !== colours.ink) {
      this.run = this.session.run;
      this.dark = colours.ink;
      this.build(width, colours);
    }
    this.plot?.redraw(false);
    this.place.setAttribute("aria-label", `${this.session.mistakes} rows are wrong after update ${this.session.k}.`);
  }

  private build(width: number, colours: { ink: string; faint: string; wrong: string }): void {
    this.plot?.destroy();
    const { ks, mistakes } = this.sampled();
    const from = this.session.run.from;
    const axis = { stroke: colours.ink, grid: { stroke: colours.faint, width: 0.5 }, ticks: { stroke: colours.faint } };
    const options: uPlot.Options = {
      width,
      height: 120,
      legend: { show: false },
      cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
      scales: { x: { time: false }, y: { range: (_plot, _low, high) => [0, Math.max(1, high * 1.08)] } },
      axes: [{ ...axis, incrs: WHOLE, space: 78 }, { ...axis, incrs: WHOLE, size: 52 }],
      series: [{}, { stroke: colours.wrong, width: 1.5, points: { show: ks.length < 40 } }],
      hooks: { draw: [(plot) => this.mark(plot, colours.ink)] },
    };
    this.plot = new uPlot(options, [ks.map((k) => k + from), mistakes], this.place);
    this.plot.over.addEventListener("click", (event) => {
      const k = this.plot!.posToVal(event.offsetX, "x") - from;
      this.session.goToUpdate(Math.round(k));
    });
  }

  private mark(plot: uPlot, colour: string): void {
    const x = plot.valToPos(this.session.k + this.session.run.from, "x", true);
    plot.ctx.save();
    plot.ctx.strokeStyle = colour;
    plot.ctx.lineWidth = 2;
    plot.ctx.beginPath();
    plot.ctx.moveTo(x, plot.bbox.top);
    plot.ctx.lineTo(x, plot.bbox.top + plot.bbox.height);
    plot.ctx.stroke();
    plot.ctx.restore();
  }
}
