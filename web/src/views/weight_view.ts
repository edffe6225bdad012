/** The space of the weights: each row is a half-plane, where all of them meet is the cone of separators. */

import { scaleLinear } from "d3-scale";
import { normalised, remainder } from "../model/projections";
import type { Weights } from "../model/replay";
import type { Session } from "../session";
import { Canvas, coloursOf, counted, shown, type Colours, type Scale } from "./dom";
import { along, clipped, cornersOf, crossings, packedColour, Words, type Place } from "./geometry";

const FINE_GRID = 150;
const COARSE_GRID = 64;
const FEW_ROWS = 150;
const MOST_CELLS = 4e6;
const MOST_LAYERS = 24;
const MOST_LINES = 60;
/** The part of the picture from which on a region is seen well. */
const THIN = 0.01;
const FEW_TO_NAME = 12;

/** The picture is the plane o + s e1 + t e2 in the space of (w, b/c). */
interface Slice {
  o: Float64Array;
  e1: Float64Array;
  e2: Float64Array;
  names: [string, string];
  words: string;
  /** Whether each side has a scale of its own. */
  own?: boolean;
}

/** A row's y z in the picture: A px + B py + C. */
interface Border {
  row: number;
  A: number;
  B: number;
  C: number;
}

const dot = (a: ArrayLike<number>, b: ArrayLike<number>) => {
  let sum = 0;
  for (let f = 0; f < a.length; f++) sum += a[f] * b[f];
  return sum;
};

export class WeightView {
  readonly canvas = new Canvas("The space of the weights");
  private readonly fog = document.createElement("canvas");
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
      return { o: zero, e1: axis(0), e2: axis(1), names, words: "" };
    }
    if (v.length === 3 && !verdict.u) {
      const o = zero.slice();
      o[2] = v[2];
      return { o, e1: axis(0), e2: axis(1), names, words: `Here b = ${shown(this.session.after.b)}. When b changes, the lines move.` };
    }
    // The slice through 0, w and a separator u shows the region where all rows are right, whatever the dimension.
    const e1 = (verdict.u && normalised(verdict.u)) ?? normalised(v) ?? axis(0);
    // Where w is a multiple of u, any second direction will do.
    const e2 = remainder(v, e1) ?? remainder(axis(0), e1) ?? axis(1);
    const along = verdict.u ? "along a separator u" : "along w";
    const held = verdict.u ? "0, w and a separator u" : "0 and w";
    return { o: zero, e1, e2, names: [along, "the rest of w"], words: `A flat cut through ${v.length} dimensions; ${held} are in it.`, own: Boolean(verdict.u) };
  }

  /** Rows (x, c) times y, as numbers of the slice: row i is on its side where o_i + s a_i + t b_i > 0. */
  private halfPlanes(slice: Slice): { o: Float64Array; a: Float64Array; b: Float64Array; rows: number[] } {
    const { n, p, X, y, constant } = this.session.table;
    const every = Math.max(1, Math.ceil((n * (p + 1)) / MOST_CELLS));
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
    const { table, mistakes: wrong } = this.session;
    const slice = this.slice();
    const path = this.path(slice);
    const [toX, toY] = this.scales(slice, [...path, ...this.sampled(slice)]);
    const planes = this.halfPlanes(slice);
    // y z of each row as A px + B py + C of the screen.
    const [s0, t0] = [toX.invert(0), toY.invert(0)];
    const [ds, dt] = [toX.invert(1) - s0, toY.invert(1) - t0];
    const values = planes.rows.map((row, j) => {
      const [a, b] = [planes.a[j], planes.b[j]];
      return { row, A: a * ds, B: b * dt, C: planes.o[j] + a * s0 + b * t0 };
    });
    const fewest = this.shade(values, colours);
    const green = this.allRight(values, colours);
    this.canvas.axes(toX, toY, slice.names, true, colours.faint);
    if (values.length <= MOST_LINES) for (const value of values) this.drawBorder(value, colours);
    if (table.n <= FEW_TO_NAME) this.drawNumbers(values, colours);
    this.drawPath(path, toX, toY, colours);
    this.words = `${slice.words} ${this.saidOf(green, fewest, values.length)}`;
    const label = wrong ? `w is on the wrong side of ${wrong} of them` : "w is inside all of them: it separates";
    this.canvas.element.setAttribute("aria-label", `Weights: each row is a half-plane; ${label}.`);
  }

  private saidOf(green: number, fewest: number, drawn: number): string {
    const { verdict, table, hasEnded, edited, panel } = this.session;
    const numbers = drawn <= FEW_TO_NAME ? " Each number is on the good side of its line." : "";
    if (drawn < table.n) return `Only one of ${Math.ceil(table.n / drawn)} rows is drawn.`;
    if (green) return `Green: every row is right${green < THIN ? ". It is thin here" : ""}.${numbers}`;
    if (!(hasEnded || edited || panel === "verdict")) return `Green is where every row is right.${numbers}`;
    if (verdict.verdict === "inseparable") return `There is no green region: no w is right on all rows. In this picture the best w has ${counted(fewest, "row")} wrong.${numbers}`;
    if (verdict.verdict === "separable") return `There are separators, but none in this part of the picture.${numbers}`;
    return `No w in this picture is right on all rows.${numbers}`;
  }

  /** The same scale both ways where angles are true; in a slice of many dimensions each side is used to the full. */
  private scales(slice: Slice, places: [number, number][]): [Scale, Scale] {
    const { width, height, edge } = this.canvas;
    const across: [number, number] = [edge, width - 8];
    const up: [number, number] = [height - edge, 8];
    if (slice.own) {
      const [s, t] = [0, 1].map((j) => places.map((place) => place[j]));
      const far = Math.max(1e-12, ...s);
      const wide = Math.max(0.2 * far, ...t.map(Math.abs));
      return [
        scaleLinear([Math.min(-0.15 * far, 1.1 * Math.min(...s)), 1.2 * far], across),
        scaleLinear([Math.min(-0.4 * wide, 1.1 * Math.min(...t)), 1.2 * wide], up),
      ];
    }
    const [wide, tall] = [across[1] - across[0], up[0] - up[1]];
    const reach = 1.25 * Math.max(1e-12, ...places.flat().map(Math.abs));
    const scale = Math.max((2 * reach) / wide, (2 * reach) / tall);
    return [scaleLinear([(-scale * wide) / 2, (scale * wide) / 2], across), scaleLinear([(-scale * tall) / 2, (scale * tall) / 2], up)];
  }

  /** Darker where more rows are wrong; returns how few can be wrong in this picture. */
  private shade(values: Border[], colours: Colours): number {
    const { context, width, height } = this.canvas;
    const n = values.length;
    const grid = n <= FEW_ROWS ? FINE_GRID : Math.max(8, Math.floor(Math.min(COARSE_GRID, Math.sqrt(MOST_CELLS / n))));
    const counts = new Float64Array(grid * grid);
    for (const { A, B, C } of values) {
      for (let r = 0, cell = 0; r < grid; r++) {
        const start = (B * (r + 0.5) * height) / grid + C;
        for (let q = 0; q < grid; q++, cell++) if (start + (A * (q + 0.5) * width) / grid <= 0) counts[cell]++;
      }
    }
    const [fewest, most] = counts.reduce(([low, high], count) => [Math.min(low, count), Math.max(high, count)], [n, 0]);
    context.fillStyle = colours.ink;
    if (n <= MOST_LAYERS) {
      // Layers of half-planes have smooth edges.
      context.globalAlpha = 0.36 / n;
      for (const { A, B, C } of values) this.polygon(clipped((x, y) => -(A * x + B * y + C), cornersOf(width, height)));
    } else {
      const image = new ImageData(grid, grid);
      const ink = packedColour(colours.ink) & 0xffffff;
      new Uint32Array(image.data.buffer).set(Array.from(counts, (count) => ink | ((255 * (0.03 + (0.36 * (count - fewest)) / Math.max(1, most - fewest))) << 24)));
      this.fog.width = this.fog.height = grid;
      this.fog.getContext("2d")!.putImageData(image, 0, 0);
      context.drawImage(this.fog, 0, 0, width, height);
    }
    context.globalAlpha = 1;
    return fewest;
  }

  /** The region where every row is right, cut exactly; returns its part of the picture. */
  private allRight(values: Border[], colours: Colours): number {
    const { context, width, height } = this.canvas;
    let region = cornersOf(width, height);
    for (const { A, B, C } of values) {
      if (region.some(([x, y]) => A * x + B * y + C <= 0)) region = clipped((x, y) => A * x + B * y + C, region);
      if (!region.length) return 0;
    }
    context.fillStyle = context.strokeStyle = colours.averaged;
    context.globalAlpha = 0.4;
    this.polygon(region);
    context.globalAlpha = 1;
    context.lineWidth = 1.5;
    context.stroke();
    const area = region.reduce((sum, [x, y], j) => {
      const [nextX, nextY] = region[(j + 1) % region.length];
      return sum + (x * nextY - nextX * y) / 2;
    }, 0);
    return Math.abs(area) / (width * height);
  }

  private polygon(corners: Place[]): void {
    const { context } = this.canvas;
    if (!corners.length) return;
    context.beginPath();
    for (const [x, y] of corners) context.lineTo(x, y);
    context.closePath();
    context.fill();
  }

  private inWitness(row: number): boolean {
    return Boolean(this.session.witness?.rows.includes(row));
  }

  private colourOf(row: number, colours: Colours): string {
    return this.inWitness(row) ? colours.wrong : this.session.table.y[row] > 0 ? colours.positive : colours.negative;
  }

  private drawBorder({ row, A, B, C }: Border, colours: Colours): void {
    const { context, width, height } = this.canvas;
    const ends = crossings((px, py) => A * px + B * py + C, width, height);
    if (ends.length < 2) return;
    context.strokeStyle = this.colourOf(row, colours);
    context.lineWidth = row === this.session.step?.row ? 3 : 1;
    context.setLineDash(this.inWitness(row) ? [6, 4] : []);
    context.beginPath();
    context.moveTo(...ends[0]);
    context.lineTo(...ends[1]);
    context.stroke();
    context.setLineDash([]);
  }

  /** The number of each row on the good side of its border; rows of the same half-plane stand together. */
  private drawNumbers(values: Border[], colours: Colours): void {
    const { context, width, height, edge } = this.canvas;
    const [left, top, wide, tall] = [edge + 4, 16, width - 12 - edge, height - edge - 20];
    const groups: { A: number; B: number; C: number; rows: number[] }[] = [];
    for (const { row, A, B, C } of values) {
      const length = Math.hypot(A, B);
      const [a, b, c] = [A / length, B / length, C / length];
      const same = groups.find((group) => Math.abs(group.A - a) + Math.abs(group.B - b) < 1e-3 && Math.abs(group.C - c) < 1);
      if (same) same.rows.push(row);
      else groups.push({ A: a, B: b, C: c, rows: [row] });
    }
    context.font = "bold 12px system-ui, sans-serif";
    context.textAlign = "center";
    const words = new Words([left, top], [left + wide, top + tall]);
    for (const { A, B, C, rows } of groups) {
      const text = rows.map((row) => row + 1).join(", ");
      const size = context.measureText(text).width;
      const away = (Math.abs(A) * size + Math.abs(B) * 10) / 2 + 4;
      const ends = crossings((px, py) => A * (px + left) + B * (py + top) + C, wide, tall);
      if (ends.length < 2) continue;
      const [from, to] = [ends[rows[0] % 2], ends[1 - (rows[0] % 2)]];
      const place = words.put(size + 4, 13, along(from, to, 10).map(([px, py]) => [px + left + away * A, py + top + away * B]));
      if (!place) continue;
      const kinds = new Set(rows.map((row) => this.colourOf(row, colours)));
      context.fillStyle = kinds.size > 1 ? colours.ink : [...kinds][0];
      context.fillText(text, place[0], place[1] + 4);
    }
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
