/** The space of the weights: each row is a half-plane, where all of them meet is the cone of separators. */

import { scaleLinear } from "d3-scale";
import { normalised, remainder } from "../model/projections";
import type { Weights } from "../model/replay";
import type { Session } from "../session";
import { Canvas, coloursOf, shown, type Colours } from "./dom";
import { EDGE } from "./placement";

const FINE_GRID = 150;
const COARSE_GRID = 64;
const FEW_ROWS = 150;
const MOST_ROWS = 1000;
const MOST_LINES = 60;
const FEW_TO_NAME = 12;

/** The picture is the plane o + s e1 + t e2 in the space of (w, b/c). */
interface Slice {
  o: Float64Array;
  e1: Float64Array;
  e2: Float64Array;
  names: [string, string];
  words: string;
}

const dot = (a: ArrayLike<number>, b: ArrayLike<number>) => {
  let sum = 0;
  for (let f = 0; f < a.length; f++) sum += a[f] * b[f];
  return sum;
};

export class WeightView {
  readonly canvas = new Canvas("The space of the weights", 0.82);
  words = "";

  constructor(readonly session: Session) {}

  private lifted(state: { w: ArrayLike<number>; b: number }): Float64Array {
    const { p, constant } = this.session.table;
    const v = new Float64Array(p + (constant ? 1 : 0));
    for (let f = 0; f < p; f++) v[f] = state.w[f];
    if (constant) v[p] = state.b / constant;
    return v;
  }

  private slice(): Slice {
    const { table, story, verdict, lift } = this.session;
    const columns = lift.columns(story.columns);
    const v = this.lifted(this.session.after);
    const axis = (j: number) => Float64Array.from({ length: v.length }, (_, f) => (f === j ? 1 : 0));
    const zero = new Float64Array(v.length);
    const second = table.p === 1 ? "b" : `weight of ${columns[1]}`;
    const names: [string, string] = [`weight of ${columns[0]}`, second];
    if (v.length === 1) {
      return { o: zero, e1: axis(0), e2: zero, names: [names[0], ""], words: "There is one weight." };
    }
    if (v.length === 2) {
      return { o: zero, e1: axis(0), e2: axis(1), names, words: "Every half-plane has 0 on its border." };
    }
    if (v.length === 3) {
      const o = zero.slice();
      o[2] = v[2];
      return { o, e1: axis(0), e2: axis(1), names, words: `A slice at b = ${shown(this.session.after.b)}: the lines move when b does.` };
    }
    const e1 = (verdict.u && normalised(verdict.u)) ?? normalised(v) ?? axis(0);
    // Where w is a multiple of u, any second direction will do.
    const e2 = remainder(v, e1) ?? remainder(axis(0), e1) ?? axis(1);
    const along = verdict.u ? "along the separator u" : "along w";
    return { o: zero, e1, e2, names: [along, "the rest of w"], words: `A slice of the ${v.length} dimensions that holds w.` };
  }

  /** Rows (x, c) times y, as numbers of the slice: row i is on its side where o_i + s a_i + t b_i > 0. */
  private halfPlanes(slice: Slice): { o: Float64Array; a: Float64Array; b: Float64Array; rows: number[] } {
    const { n, p, X, y, constant } = this.session.table;
    const every = Math.max(1, Math.ceil(n / MOST_ROWS));
    const rows = Array.from({ length: Math.ceil(n / every) }, (_, j) => j * every);
    const [o, a, b] = [slice.o, slice.e1, slice.e2].map((direction) =>
      Float64Array.from(rows, (i) => {
        let sum = constant ? constant * direction[p] : 0;
        for (let f = 0; f < p; f++) sum += X[i * p + f] * direction[f];
        return y[i] * sum;
      }),
    );
    return { o, a, b, rows };
  }

  /** The updates whose weights are drawn as a path: the last few hundred. */
  private path(slice: Slice): [number, number][] {
    const { replay, k } = this.session;
    const from = Math.max(0, k - 200);
    const places: [number, number][] = [];
    for (let j = from; j <= k; j++) places.push(this.at(slice, replay.after(j)));
    return places;
  }

  /** Where w is at some moments of the whole run, so that the picture keeps its scale. */
  private sampled(slice: Slice): [number, number][] {
    const { replay } = this.session;
    const every = Math.max(1, Math.ceil(replay.updates / 64));
    const ks = Array.from({ length: Math.floor(replay.updates / every) }, (_, j) => j * every);
    return [...ks, replay.updates].map((k) => this.at(slice, replay.after(k)));
  }

  private at(slice: Slice, state: Weights): [number, number] {
    const v = this.lifted(state);
    return [dot(v, slice.e1), dot(v, slice.e2)];
  }

  draw(): void {
    if (!this.canvas.fit()) return;
    const colours = coloursOf(this.canvas.element);
    const slice = this.slice();
    const path = this.path(slice);
    const { width, height } = this.canvas;
    const [wide, tall] = [width - EDGE - 8, height - EDGE - 8];
    const reach = 1.25 * Math.max(1e-12, ...[...path, ...this.sampled(slice)].flat().map(Math.abs));
    const scale = Math.max((2 * reach) / wide, (2 * reach) / tall);
    const toX = scaleLinear([(-scale * wide) / 2, (scale * wide) / 2], [EDGE, width - 8]);
    const toY = scaleLinear([(-scale * tall) / 2, (scale * tall) / 2], [height - EDGE, 8]);
    const planes = this.halfPlanes(slice);
    const hasGreen = this.shade(planes, toX.invert, toY.invert, colours);
    this.drawAxes(slice, toX, toY, colours);
    if (planes.rows.length <= MOST_LINES) this.drawBorders(planes, toX, toY, colours);
    this.drawPath(path, toX, toY, colours);
    const isHidden = !hasGreen && this.session.verdict.verdict === "separable";
    this.words = isHidden ? `${slice.words} There are separators, but none in this part of the picture.` : slice.words;
    if (planes.rows.length <= FEW_TO_NAME) this.words += " Each number stands on the good side of its row's border.";
    const wrong = this.session.mistakes;
    const label = wrong ? `w is on the wrong side of ${wrong} of them` : "w is inside all of them: it separates";
    this.canvas.element.setAttribute("aria-label", `Weights: each row is a half-plane; ${label}.`);
  }

  /** Darker where more rows are wrong; where none is, the colour of the cone. */
  private shade(
    planes: { o: Float64Array; a: Float64Array; b: Float64Array },
    sOf: (px: number) => number,
    tOf: (py: number) => number,
    colours: Colours,
  ): boolean {
    const { context, width, height } = this.canvas;
    const n = planes.o.length;
    let hasGreen = false;
    const grid = n <= FEW_ROWS ? FINE_GRID : COARSE_GRID;
    const [dx, dy] = [width / grid, height / grid];
    for (let r = 0; r < grid; r++) {
      for (let q = 0; q < grid; q++) {
        const [s, t] = [sOf((q + 0.5) * dx), tOf((r + 0.5) * dy)];
        let wrong = 0;
        for (let i = 0; i < n; i++) if (planes.o[i] + s * planes.a[i] + t * planes.b[i] <= 0) wrong++;
        hasGreen ||= wrong === 0;
        context.fillStyle = wrong ? colours.ink : colours.averaged;
        context.globalAlpha = wrong ? 0.04 + 0.3 * (wrong / n) : 0.4;
        const [left, top] = [Math.round(q * dx), Math.round(r * dy)];
        context.fillRect(left, top, Math.round((q + 1) * dx) - left, Math.round((r + 1) * dy) - top);
      }
    }
    context.globalAlpha = 1;
    return hasGreen;
  }

  private drawAxes(slice: Slice, toX: Scale, toY: Scale, colours: Colours): void {
    const { context, width, height } = this.canvas;
    context.strokeStyle = context.fillStyle = colours.faint;
    context.font = "11px system-ui, sans-serif";
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(toX(0), 8);
    context.lineTo(toX(0), height - EDGE);
    context.moveTo(EDGE, toY(0));
    context.lineTo(width - 8, toY(0));
    context.stroke();
    context.textAlign = "center";
    for (const tick of toX.ticks(6)) context.fillText(shown(tick), toX(tick), height - 18);
    context.textAlign = "right";
    for (const tick of toY.ticks(6)) context.fillText(shown(tick), EDGE - 5, toY(tick) + 4);
    context.fillText(slice.names[0], width - 8, height - 5);
    context.textAlign = "left";
    context.fillText(slice.names[1], 4, 12);
  }

  private drawBorders(
    planes: { o: Float64Array; a: Float64Array; b: Float64Array; rows: number[] },
    toX: Scale,
    toY: Scale,
    colours: Colours,
  ): void {
    const { context } = this.canvas;
    const { table, step, verdict } = this.session;
    const inWitness = new Set(verdict.witness?.rows);
    const far = 4 * Math.max(...toX.domain().map(Math.abs), ...toY.domain().map(Math.abs));
    planes.rows.forEach((row, j) => {
      const [a, b, o] = [planes.a[j], planes.b[j], planes.o[j]];
      const length = Math.hypot(a, b);
      if (!length) return;
      const [fx, fy] = [(-o * a) / length ** 2, (-o * b) / length ** 2];
      const [ux, uy] = [-b / length, a / length];
      context.strokeStyle = table.y[row] > 0 ? colours.positive : colours.negative;
      context.lineWidth = row === step?.row ? 3 : 1;
      if (inWitness.has(row)) context.strokeStyle = colours.wrong;
      context.setLineDash(inWitness.has(row) ? [6, 4] : []);
      context.beginPath();
      context.moveTo(toX(fx - far * ux), toY(fy - far * uy));
      context.lineTo(toX(fx + far * ux), toY(fy + far * uy));
      context.stroke();
      if (planes.rows.length <= FEW_TO_NAME) this.nameBorder(row, [fx, fy], [ux, uy], [a / length, b / length], toX, toY);
    });
    context.setLineDash([]);
  }

  /** The number of a row on the good side of its border, near the edge of the picture. */
  private nameBorder(row: number, foot: Pair, along: Pair, good: Pair, toX: Scale, toY: Scale): void {
    const { context, width, height } = this.canvas;
    const unit = toX(1) - toX(0);
    const inside = (s: number) => {
      const [x, y] = [toX(foot[0] + s * along[0]), toY(foot[1] + s * along[1])];
      return x > EDGE + 12 && x < width - 20 && y > 20 && y < height - EDGE - 12;
    };
    let reach = 0;
    for (let s = 0; s < width / unit; s += 4 / unit) if (inside(row % 2 ? s : -s)) reach = row % 2 ? s : -s;
    if (!inside(reach)) return;
    const [x, y] = [toX(foot[0] + reach * along[0]), toY(foot[1] + reach * along[1])];
    context.fillStyle = context.strokeStyle;
    context.font = "bold 12px system-ui, sans-serif";
    context.textAlign = "center";
    context.fillText(String(row + 1), x + 11 * good[0], y - 11 * good[1] + 4);
  }

  private drawPath(path: [number, number][], toX: Scale, toY: Scale, colours: Colours): void {
    const { context } = this.canvas;
    context.strokeStyle = context.fillStyle = colours.ink;
    context.lineWidth = 1.2;
    context.beginPath();
    for (const [s, t] of path) context.lineTo(toX(s), toY(t));
    context.stroke();
    path.forEach(([s, t], j) => {
      const isLast = j === path.length - 1;
      if (!isLast && path.length > 60) return;
      context.fillStyle = isLast ? colours.wrong : colours.ink;
      context.beginPath();
      context.arc(toX(s), toY(t), isLast ? 5.5 : 2, 0, 7);
      context.fill();
    });
    const [s, t] = path[path.length - 1];
    context.fillStyle = colours.ink;
    context.font = "12px system-ui, sans-serif";
    context.textAlign = "left";
    context.fillText("w", toX(s) + 8, toY(t) - 6);
  }
}

type Pair = [number, number];

interface Scale {
  (value: number): number;
  ticks(count: number): number[];
  domain(): number[];
  invert(value: number): number;
}
