/** Distances of the rows from the plane: a histogram, and a table to filter and sort. */

import { scaleLinear } from "d3-scale";
import type { Session } from "../session";
import { button, Canvas, coloursOf, fill, grouped, h, shown } from "./dom";

const BINS = 40;
const PAGE = 10;
/** Pixels of a column of the table, and of row, class and margin before it. */
const COLUMN = 76;
const BEFORE = 185;

type Filter = "all" | "wrong" | "negative" | "positive";

export class RowsView {
  readonly element = h("section", { class: "card rows", "aria-label": "The rows and their margins" });
  private readonly canvas = new Canvas("Histogram of margins");
  private readonly table = h("table");
  private readonly words = h("p");
  private readonly others = button("other columns", "Show the next columns", () => this.turnColumns());
  private readonly place = h("div", { class: "scrolls", tabindex: 0, role: "region", "aria-label": "Rows" }, this.table);
  private filter: Filter = "all";
  private ascending = true;
  private byMargin = true;
  private page = 0;
  private firstColumn = 0;

  constructor(readonly session: Session) {
    const choose = h("select", { "aria-label": "Rows to list", onchange: () => this.choose(choose.value as Filter) });
    for (const [value, text] of [["all", "all rows"], ["wrong", "rows on the wrong side"], ["negative", "the negative class"], ["positive", "the positive class"]]) {
      choose.append(h("option", { value }, text));
    }
    this.element.append(
      h("h2", {}, "Margins"),
      h("div", { class: "frame" }, this.canvas.element),
      h("p", { class: "row-controls" }, choose, button("earlier", "Earlier rows", () => this.turn(-1)), button("later", "Later rows", () => this.turn(1)), this.others, this.words),
      this.place,
    );
  }

  private choose(filter: Filter): void {
    this.filter = filter;
    this.page = 0;
    this.draw();
  }

  private turn(by: number): void {
    this.page = Math.max(0, this.page + by);
    this.draw();
  }

  /** How many columns of the rows find room beside each other. */
  private get fitting(): number {
    return Math.max(1, Math.floor((this.place.clientWidth - BEFORE) / COLUMN));
  }

  private turnColumns(): void {
    const next = this.firstColumn + this.fitting;
    this.firstColumn = next < this.session.story.columns.length ? next : 0;
    this.draw();
  }

  private sortBy(margin: boolean): void {
    this.ascending = this.byMargin === margin ? !this.ascending : true;
    this.byMargin = margin;
    this.page = 0;
    this.draw();
  }

  /** y z / ||w||: the distance from the plane, negative on the wrong side. */
  private margins(): Float64Array {
    const { table, z, after } = this.session;
    const length = Math.hypot(...after.w) || 1;
    return z.map((value, i) => (table.y[i] * value) / length);
  }

  draw(): void {
    const margins = this.margins();
    this.drawHistogram(margins);
    const { table, story } = this.session;
    const wanted = (i: number) =>
      this.filter === "all" ||
      (this.filter === "wrong" && margins[i] <= 0) ||
      (this.filter === "negative" && table.y[i] < 0) ||
      (this.filter === "positive" && table.y[i] > 0);
    const numbers = Array.from({ length: table.n }, (_, i) => i).filter(wanted);
    const sign = this.ascending ? 1 : -1;
    numbers.sort((i, j) => sign * (this.byMargin ? margins[i] - margins[j] || i - j : i - j));
    this.page = Math.min(this.page, Math.max(0, Math.ceil(numbers.length / PAGE) - 1));
    const page = numbers.slice(this.page * PAGE, this.page * PAGE + PAGE);
    const columns = story.columns.slice(this.firstColumn, this.firstColumn + this.fitting);
    const all = story.columns.length;
    this.others.hidden = columns.length === all;
    const seen = this.others.hidden ? "" : `; columns ${this.firstColumn + 1} to ${this.firstColumn + columns.length} of ${all}`;
    this.words.textContent = `${grouped(numbers.length)} rows, ${grouped(this.page * PAGE + Math.min(1, page.length))} to ${grouped(this.page * PAGE + page.length)} here${seen}`;
    const head = [
      h("th", { scope: "col" }, button("row", "Sort by the number of the row", () => this.sortBy(false), { class: "plain" })),
      h("th", { scope: "col" }, "class"),
      h("th", { scope: "col" }, button("margin", "Sort by the distance from the plane", () => this.sortBy(true), { class: "plain" })),
      ...columns.map((name) => h("th", { scope: "col" }, name)),
    ];
    fill(this.table, h("thead", {}, h("tr", {}, ...head)), h("tbody", {}, ...page.map((i) => this.row(i, margins[i], columns.length))));
  }

  private row(i: number, margin: number, columns: number): HTMLElement {
    const { table, points, story, selected, after } = this.session;
    const select = () => {
      this.session.selected = i;
      this.session.tell();
    };
    const values = Array.from({ length: columns }, (_, f) => h("td", {}, shown(points.X[i * points.p + this.firstColumn + f])));
    return h(
      "tr",
      { class: `${margin <= 0 ? "wrong" : ""} ${selected === i ? "current" : ""}` },
      h("th", { scope: "row" }, button(grouped(i + 1), `Show row ${i + 1} in the picture`, select, { class: "plain" })),
      h("td", {}, story.classes[table.y[i] > 0 ? 1 : 0]),
      // With w = 0 there is no plane.
      h("td", {}, after.w.some(Boolean) ? shown(margin) : "–"),
      ...values,
    );
  }

  private drawHistogram(margins: Float64Array): void {
    if (!this.canvas.fit()) return;
    const colours = coloursOf(this.canvas.element);
    const { context, width, height } = this.canvas;
    let [low, high] = [0, 0];
    for (const value of margins) [low, high] = [Math.min(low, value), Math.max(high, value)];
    if (high === low) [low, high] = [-1, 1];
    const bins = [new Float64Array(BINS), new Float64Array(BINS)];
    margins.forEach((value, i) => {
      const bin = Math.min(BINS - 1, Math.floor(((value - low) / (high - low)) * BINS));
      bins[this.session.table.y[i] > 0 ? 1 : 0][bin]++;
    });
    const most = Math.max(1, ...bins[0].map((count, j) => count + bins[1][j]));
    const toX = scaleLinear([low, high], [8, width - 8]);
    const toY = scaleLinear([0, most], [height - 18, 6]);
    for (let j = 0; j < BINS; j++) {
      const x = toX(low + (j / BINS) * (high - low));
      const wide = (width - 16) / BINS - 0.5;
      let base = 0;
      for (const [side, colour] of [[0, colours.negative], [1, colours.positive]] as const) {
        const count = bins[side][j];
        context.fillStyle = colour;
        context.fillRect(x, toY(base + count), wide, toY(base) - toY(base + count));
        base += count;
      }
    }
    context.strokeStyle = context.fillStyle = colours.ink;
    context.setLineDash([4, 3]);
    context.beginPath();
    context.moveTo(toX(0), 0);
    context.lineTo(toX(0), height - 18);
    context.stroke();
    context.setLineDash([]);
    context.font = "11px system-ui, sans-serif";
    context.textAlign = "center";
    for (const tick of toX.ticks(7)) context.fillText(shown(tick), toX(tick), height - 4);
    const wrong = margins.reduce((count, value) => count + (value <= 0 ? 1 : 0), 0);
    this.canvas.element.setAttribute("aria-label", `Distances from the plane from ${shown(low)} to ${shown(high)}; ${grouped(wrong)} rows are at 0 or below, on the wrong side.`);
  }
}
