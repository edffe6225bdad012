/** The rows in the plane: old line, new line, contours of z, mistakes, and w with y x on its tip. */

import { scaleLinear } from "d3-scale";
import { columnAxis, lineOf, normalised, placed, principalDirection, removePart, type Axes, type Line } from "../model/projections";
import type { Session } from "../session";
import { Canvas, coloursOf, grouped, shown, type Colours } from "./dom";
import { affine, clippedAbove, crossings, packedColour, type Place } from "./geometry";

const MANY = 3000;
const EDGE = 34;
const LEFT_OUT =
  "What is not shown is taken as 0 for the line, which is the mean of a standardised column: a row may be on its side although it does not look so.";

interface Box {
  x0: number;
  x1: number;
  y0: number;
  y1: number;
}

export class PlaneView {
  readonly canvas = new Canvas("The rows and the plane", 0.82, true);
  vectors = true;
  /** What has to be said of the picture. */
  words = "";
  contours = true;
  private places: Float64Array = new Float64Array(0);
  private axes: Axes | null = null;
  private box: Box = { x0: -1, x1: 1, y0: -1, y1: 1 };
  private key: unknown[] = [];
  private principal: { table: unknown; direction: Float64Array } | null = null;
  private toX = scaleLinear();
  private toY = scaleLinear();

  constructor(readonly session: Session) {
    this.canvas.element.tabIndex = 0;
  }

  // ------------------------------------------------------------ coordinates
  /** One column and a constant feature: the rows stand at the height of the constant, and the plane goes through 0. */
  private get isLifted(): boolean {
    return this.session.points.p === 1;
  }

  private chooseAxes(): Axes {
    const { points, axes, story } = this.session;
    const p = points.p;
    if (p <= 2) {
      const names: [string, string] = [story.columns[0] ?? "x1", p === 2 ? (story.columns[1] ?? "x2") : "the constant"];
      return { e1: columnAxis(p, 0), e2: p === 2 ? columnAxis(p, 1) : new Float64Array(1), names, faithful: true };
    }
    const pair = /^(\d+),(\d+)$/.exec(axes);
    if (pair) {
      const [i, j] = [Number(pair[1]), Number(pair[2])];
      const names: [string, string] = [story.columns[i], story.columns[j]];
      return { e1: columnAxis(p, i), e2: columnAxis(p, j), names, faithful: false };
    }
    const first = axes === "separator" && this.session.verdict.plane ? this.session.verdict.plane.w : this.session.after.w;
    const e1 = normalised(first) ?? this.firstDirection();
    const e2 = this.firstDirection().slice();
    removePart(e2, e1);
    const second = normalised(e2) ?? principalDirection(points, e1);
    const along = axes === "separator" ? "along the widest separator" : "along w";
    return { e1, e2: second, names: [along, "first principal direction"], faithful: axes !== "separator" };
  }

  private firstDirection(): Float64Array {
    if (this.principal?.table !== this.session.points) {
      this.principal = { table: this.session.points, direction: principalDirection(this.session.points) };
    }
    return this.principal.direction;
  }

  private place(): void {
    const { points: table } = this.session;
    const turning = table.p > 2 && !/,/.test(this.session.axes) && this.session.axes !== "separator";
    const key = [table, this.session.axes, turning ? this.session.after.w : this.session.verdict.plane, this.canvas.width];
    if (this.axes && key.every((value, j) => value === this.key[j])) return;
    this.key = key;
    this.axes = this.chooseAxes();
    this.places = placed(table, this.axes);
    if (this.isLifted) for (let i = 0; i < table.n; i++) this.places[2 * i + 1] = table.constant;
    this.box = this.fitted();
    this.toX = scaleLinear([this.box.x0, this.box.x1], [EDGE, this.canvas.width - 8]);
    this.toY = scaleLinear([this.box.y0, this.box.y1], [this.canvas.height - EDGE, 8]);
  }

  /** A box around all rows with room to spare; in the plane with the same scale both ways, so that angles are true. */
  private fitted(): Box {
    const low = [Infinity, Infinity];
    const high = [-Infinity, -Infinity];
    this.places.forEach((value, j) => {
      low[j % 2] = Math.min(low[j % 2], value);
      high[j % 2] = Math.max(high[j % 2], value);
    });
    if (this.session.points.p <= 2) for (const j of [0, 1]) [low[j], high[j]] = [Math.min(low[j], 0), Math.max(high[j], 0)];
    if (!Number.isFinite(low[0])) return { x0: -1, x1: 1, y0: -1, y1: 1 };
    const pads = [0, 1].map((j) => 0.12 * (high[j] - low[j]) || 1);
    let [x0, x1, y0, y1] = [low[0] - pads[0], high[0] + pads[0], low[1] - pads[1], high[1] + pads[1]];
    if (this.session.points.p > 2) return { x0, x1, y0, y1 };
    const [wide, tall] = [this.canvas.width - EDGE - 8, this.canvas.height - EDGE - 8];
    const scale = Math.max((x1 - x0) / wide, (y1 - y0) / tall);
    const [cx, cy] = [(x0 + x1) / 2, (y0 + y1) / 2];
    [x0, x1] = [cx - (scale * wide) / 2, cx + (scale * wide) / 2];
    [y0, y1] = [cy - (scale * tall) / 2, cy + (scale * tall) / 2];
    return { x0, x1, y0, y1 };
  }

  /** The line of a plane in this picture; null where w = 0, or where columns that are left out hide it. */
  lineOf(w: ArrayLike<number>, b: number): Line | null {
    if (!this.axes || this.session.lift.name !== "none") return null;
    const { table } = this.session;
    const line = this.isLifted
      ? { A: w[0], B: table.constant ? b / table.constant : 0, C: 0 }
      : lineOf(this.axes, w, b);
    return line.A || line.B ? line : null;
  }

  // ---------------------------------------------------------------- pointer
  /** The row within reach of a point of the screen, or -1. */
  rowNear(px: number, py: number): number {
    let best = -1;
    let least = 14 ** 2;
    for (let i = 0; i < this.session.table.n; i++) {
      const distance = (this.toX(this.places[2 * i]) - px) ** 2 + (this.toY(this.places[2 * i + 1]) - py) ** 2;
      if (distance < least) [best, least] = [i, distance];
    }
    return best;
  }

  /** Where coordinates of the plane are in the picture. */
  screen(x: number, y: number): [number, number] {
    return [this.toX(x), this.toY(y)];
  }

  /** A point of the screen as coordinates, on a grid of about a pixel, so that whole numbers stay short. */
  valueAt(px: number, py: number): [number, number] {
    const grid = 2 ** Math.floor(Math.log2((this.box.x1 - this.box.x0) / 400));
    const round = (value: number) => Math.round(value / grid) * grid;
    return [round(this.toX.invert(px)), round(this.toY.invert(py))];
  }

  /** How far an arrow key moves a row. */
  get keyStep(): number {
    return 2 ** Math.floor(Math.log2((this.box.x1 - this.box.x0) / 50));
  }

  // ---------------------------------------------------------------- drawing
  draw(): void {
    if (!this.canvas.fit()) return;
    this.place();
    this.words = this.axes?.faithful === false ? LEFT_OUT : "";
    const colours = coloursOf(this.canvas.element);
    const { before, after } = this.session;
    const step = this.session.step;
    const old = step?.moved ? this.lineOf(before.w, before.b) : null;
    const line = this.lineOf(after.w, after.b);
    // The ground is that of the vector that judged the row: on it a mistaken row lies on the wrong side.
    const judge = step?.moved ? before : after;
    if (this.session.lift.name !== "none") this.drawCurvedGround(colours);
    else this.drawGround(step?.moved ? old : line, judge.b, colours);
    this.drawAxes(colours);
    if (this.contours && line) this.drawContours(line, colours);
    this.drawRows(colours);
    if (old) this.drawLine(old, colours.old, [6, 5], 2);
    for (const [j, plane] of this.session.drawn().entries()) {
      const its = this.lineOf(plane.w, plane.b);
      const colour = j % 2 ? colours.other : colours.averaged;
      if (its) this.drawLine(its, colour, [[2, 3], [8, 3, 2, 3], [12, 4], [1, 4]][j % 4], 2.5, plane.name);
    }
    if (line) this.drawLine(line, colours.ink, [], 2.5);
    if (line && this.isLifted) this.drawThreshold(colours);
    if (this.vectors && this.session.table.p <= 2 && this.session.lift.name === "none") this.drawVectors(colours);
    this.canvas.element.setAttribute("aria-label", this.description());
  }

  private description(): string {
    const { table, mistakes, story } = this.session;
    const at = this.axes ? ` by ${this.axes.names.join(" and ")}` : "";
    return `${grouped(table.n)} rows${at}; ${grouped(mistakes)} on the wrong side; blue circles are ${story.classes[0]}, orange triangles ${story.classes[1]}.`;
  }

  private drawGround(line: Line | null, b: number, colours: Colours): void {
    const { context, width, height } = this.canvas;
    if (!line) {
      // With w = 0 the sign of b decides for all rows; with b = 0 too they all tie.
      context.fillStyle = b > 0 ? colours.positiveGround : b < 0 ? colours.negativeGround : colours.ground;
      context.fillRect(0, 0, width, height);
      return;
    }
    const value = (px: number, py: number) => line.A * this.toX.invert(px) + line.B * this.toY.invert(py) + line.C;
    context.fillStyle = colours.negativeGround;
    context.fillRect(0, 0, width, height);
    context.fillStyle = colours.positiveGround;
    context.beginPath();
    for (const [px, py] of clippedAbove(value, width, height)) context.lineTo(px, py);
    context.fill();
  }

  /** The ground where z is no plane over the picture: the sign at the middle of each small square. */
  private drawCurvedGround(colours: Colours): void {
    const { context, width, height } = this.canvas;
    const size = 4;
    const [across, down] = [Math.ceil(width / size), Math.ceil(height / size)];
    const p = this.session.points.p;
    const places = new Float64Array(across * down * p);
    for (let r = 0, at = 0; r < down; r++) {
      for (let q = 0; q < across; q++, at += p) {
        places[at] = this.toX.invert((q + 0.5) * size);
        if (p > 1) places[at + 1] = this.toY.invert((r + 0.5) * size);
      }
    }
    const z = this.session.valuesAt(places);
    for (let cell = 0; cell < z.length; cell++) {
      const [q, r] = [cell % across, Math.floor(cell / across)];
      const turns = (q + 1 < across && z[cell] > 0 !== z[cell + 1] > 0) || (r + 1 < down && z[cell] > 0 !== z[cell + across] > 0);
      context.fillStyle = turns ? colours.ink : z[cell] > 0 ? colours.positiveGround : z[cell] < 0 ? colours.negativeGround : colours.ground;
      context.fillRect(q * size, r * size, size, size);
    }
  }

  private drawAxes(colours: Colours): void {
    const { context, width, height } = this.canvas;
    context.font = "11px system-ui, sans-serif";
    context.fillStyle = context.strokeStyle = colours.faint;
    context.lineWidth = 1;
    context.textAlign = "center";
    for (const tick of this.toX.ticks(6)) context.fillText(shown(tick), this.toX(tick), height - 18);
    context.textAlign = "right";
    for (const tick of this.toY.ticks(6)) context.fillText(shown(tick), EDGE - 5, this.toY(tick) + 4);
    if (this.session.points.p <= 2) {
      context.beginPath();
      context.moveTo(this.toX(0), 8);
      context.lineTo(this.toX(0), height - EDGE);
      context.moveTo(EDGE, this.toY(0));
      context.lineTo(width - 8, this.toY(0));
      context.stroke();
    }
    const names = this.axes?.names ?? ["", ""];
    context.textAlign = "right";
    context.fillText(names[0], width - 8, height - 5);
    context.textAlign = "left";
    context.fillText(names[1], 4, 12);
  }

  /** z = 0, ±l, ±2 l, ... with one l for the whole run, by its longest w: lines draw nearer as w grows. */
  private drawContours(line: Line, colours: Colours): void {
    const size = this.session.longest * Math.max(this.box.x1 - this.box.x0, this.box.y1 - this.box.y0);
    const level = size / 8;
    if (!(level > 0) || !Number.isFinite(level)) return;
    for (let j = 1; j <= 8; j++) {
      for (const C of [line.C + j * level, line.C - j * level]) this.drawLine({ ...line, C }, colours.faint, [], 0.6);
    }
  }

  private drawRows(colours: Colours): void {
    const { table } = this.session;
    if (table.n > MANY) this.drawManyRows(colours);
    else for (let i = 0; i < table.n; i++) this.drawRow(i, colours);
    const step = this.session.step;
    const context = this.canvas.context;
    for (const [row, colour, radius] of [
      [step?.row ?? -1, colours.ink, 11],
      [this.session.selected ?? -1, colours.averaged, 14],
    ] as [number, string, number][]) {
      if (row < 0 || row >= table.n) continue;
      context.strokeStyle = colour;
      context.lineWidth = 2;
      context.beginPath();
      context.arc(this.toX(this.places[2 * row]), this.toY(this.places[2 * row + 1]), radius, 0, 7);
      context.stroke();
    }
    for (const row of this.session.verdict.witness?.rows ?? []) this.drawMark(row, colours.wrong);
  }

  private drawRow(i: number, colours: Colours): void {
    const { table, z, zBefore } = this.session;
    const { context } = this.canvas;
    const [px, py] = [this.toX(this.places[2 * i]), this.toY(this.places[2 * i + 1])];
    const size = table.n <= 60 ? 6 : table.n <= 400 ? 4.2 : 3;
    const wrong = table.y[i] * z[i] <= 0;
    const was = table.y[i] * zBefore[i] <= 0;
    if (wrong && !was) {
      context.fillStyle = colours.wrong;
      context.globalAlpha = 0.45;
      context.beginPath();
      context.arc(px, py, size + 7, 0, 7);
      context.fill();
      context.globalAlpha = 1;
    }
    context.beginPath();
    if (table.y[i] > 0) {
      context.moveTo(px, py - size * 1.2);
      context.lineTo(px + size * 1.15, py + size * 0.9);
      context.lineTo(px - size * 1.15, py + size * 0.9);
      context.closePath();
    } else context.arc(px, py, size, 0, 7);
    context.fillStyle = table.y[i] > 0 ? colours.positive : colours.negative;
    context.fill();
    context.strokeStyle = wrong ? colours.wrong : colours.ink;
    context.lineWidth = wrong ? 2.2 : 0.6;
    context.stroke();
    if (table.n <= 12) {
      context.fillStyle = colours.ink;
      context.font = "11px system-ui, sans-serif";
      context.textAlign = "left";
      context.fillText(String(i + 1), px + size + 4, py - size);
    }
  }

  /** Many rows as squares of two pixels; mistakes are drawn last. */
  private drawManyRows(colours: Colours): void {
    const { table, z } = this.session;
    const { context, element, ratio } = this.canvas;
    const image = context.getImageData(0, 0, element.width, element.height);
    const pixels = new Uint32Array(image.data.buffer);
    const side = Math.max(2, Math.round(2 * ratio));
    const [negative, positive, wrong] = [colours.negative, colours.positive, colours.wrong].map(packedColour);
    const [ax, bx] = affine(this.toX, ratio);
    const [ay, by] = affine(this.toY, ratio);
    for (const pass of [false, true]) {
      for (let i = 0; i < table.n; i++) {
        const isWrong = table.y[i] * z[i] <= 0;
        if (isWrong !== pass) continue;
        const px = (ax * this.places[2 * i] + bx) | 0;
        const py = (ay * this.places[2 * i + 1] + by) | 0;
        if (px < 0 || py < 0 || px + side > element.width || py + side > element.height) continue;
        const colour = isWrong ? wrong : table.y[i] > 0 ? positive : negative;
        for (let r = 0; r < side; r++) pixels.fill(colour, (py + r) * element.width + px, (py + r) * element.width + px + side);
      }
    }
    context.putImageData(image, 0, 0);
  }

  /** A row of the witness: a square around it. */
  private drawMark(row: number, colour: string): void {
    if (row >= this.session.table.n) return;
    const { context } = this.canvas;
    context.strokeStyle = colour;
    context.lineWidth = 1.5;
    context.setLineDash([3, 2]);
    context.strokeRect(this.toX(this.places[2 * row]) - 11, this.toY(this.places[2 * row + 1]) - 11, 22, 22);
    context.setLineDash([]);
  }

  private drawLine(line: Line, colour: string, dash: number[], wide: number, name = ""): void {
    const { context, width, height } = this.canvas;
    const value = (px: number, py: number) => line.A * this.toX.invert(px) + line.B * this.toY.invert(py) + line.C;
    const ends = crossings(value, width, height - EDGE + 10);
    if (ends.length < 2) return;
    context.strokeStyle = colour;
    context.lineWidth = wide;
    context.setLineDash(dash);
    context.beginPath();
    context.moveTo(ends[0][0], ends[0][1]);
    context.lineTo(ends[1][0], ends[1][1]);
    context.stroke();
    context.setLineDash([]);
    if (name) this.drawName(name, ends[0], ends[1], colour);
  }

  /** The name of a line, near the higher of its ends. */
  private drawName(name: string, one: Place, other: Place, colour: string): void {
    const { context, width } = this.canvas;
    const [from, to] = one[1] < other[1] ? [one, other] : [other, one];
    const length = Math.hypot(to[0] - from[0], to[1] - from[1]) || 1;
    const [x, y] = [0, 1].map((j) => from[j] + (Math.min(40, length / 2) / length) * (to[j] - from[j]));
    context.font = "bold 12px system-ui, sans-serif";
    const wide = context.measureText(name).width + 6;
    const left = Math.min(Math.max(x - wide / 2, EDGE), width - wide - 4);
    context.fillStyle = coloursOf(this.canvas.element).ground;
    context.fillRect(left, y - 8, wide, 16);
    context.fillStyle = colour;
    context.textAlign = "left";
    context.fillText(name, left + 3, y + 4);
  }

  /** w from the origin, and y x on its tip: their sum is the new w. All at true length. */
  private drawVectors(colours: Colours): void {
    const { before, after, step, table } = this.session;
    const second = (w: ArrayLike<number>, b: number) => (this.isLifted ? (table.constant ? b / table.constant : 0) : w[1]);
    const old: [number, number] = [before.w[0] ?? 0, second(before.w, before.b)];
    const tip: [number, number] = [after.w[0] ?? 0, second(after.w, after.b)];
    if (step?.moved) {
      this.drawArrow([0, 0], old, colours.old, "w before");
      const name = `${step.size < 0 ? "− " : "+ "}x${step.row + 1}`;
      this.drawArrow(old, tip, colours.wrong, name, 0.5);
    }
    this.drawArrow([0, 0], tip, colours.ink, "w");
    const [x, y] = [this.toX(tip[0]), this.toY(tip[1])];
    const { width, height } = this.canvas;
    if (x < 0 || y < 0 || x > width || y > height) {
      this.words = `w has the length ${shown(Math.hypot(...tip))} and ends outside this picture; it is a point of the other one.`;
    }
  }

  /** Where the plane meets the height of the rows: z changes its sign at x = -b / w. */
  private drawThreshold(colours: Colours): void {
    const { after, table } = this.session;
    const { context, width } = this.canvas;
    if (!table.constant || !after.w[0]) return;
    const [px, py] = [this.toX(-after.b / after.w[0]), this.toY(table.constant)];
    if (!(px > 0 && px < width)) return;
    context.fillStyle = colours.ink;
    context.fillRect(px - 1.5, py - 16, 3, 32);
    context.font = "12px system-ui, sans-serif";
    context.textAlign = "center";
    context.fillText(`threshold ${shown(-after.b / after.w[0])}`, px, py + 30);
  }

  private drawArrow(from: [number, number], to: [number, number], colour: string, name: string, at = 1): void {
    const { context, width, height } = this.canvas;
    const [ax, ay, bx, by] = [this.toX(from[0]), this.toY(from[1]), this.toX(to[0]), this.toY(to[1])];
    const length = Math.hypot(bx - ax, by - ay);
    if (!(length > 3)) return;
    context.strokeStyle = context.fillStyle = colour;
    context.lineWidth = 1.6;
    context.beginPath();
    context.moveTo(ax, ay);
    context.lineTo(bx, by);
    context.stroke();
    const [ux, uy] = [(bx - ax) / length, (by - ay) / length];
    context.beginPath();
    context.moveTo(bx, by);
    context.lineTo(bx - 9 * ux + 4 * uy, by - 9 * uy - 4 * ux);
    context.lineTo(bx - 9 * ux - 4 * uy, by - 9 * uy + 4 * ux);
    context.fill();
    const [tx, ty] = [ax + at * (bx - ax), ay + at * (by - ay)];
    if (tx > 0 && tx < width && ty > 0 && ty < height) {
      context.font = "12px system-ui, sans-serif";
      context.textAlign = "left";
      context.fillText(name, tx + 5, ty + 12);
    }
  }
}
