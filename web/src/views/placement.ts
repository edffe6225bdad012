/** Where rows stand in a picture, and where a point of the picture is among them. */

import { scaleLinear } from "d3-scale";
import { columnAxis, lineOf, normalised, placed, principalDirection, remainder, type Axes, type Line } from "../model/projections";
import type { Session } from "../session";
import type { Canvas } from "./dom";

interface Box {
  x0: number;
  x1: number;
  y0: number;
  y1: number;
}

export class Placement {
  places: Float64Array = new Float64Array(0);
  axes: Axes | null = null;
  box: Box = { x0: -1, x1: 1, y0: -1, y1: 1 };
  private key: unknown[] = [];
  private principal: { table: unknown; direction: Float64Array } | null = null;
  toX = scaleLinear();
  toY = scaleLinear();
  /** While a row is dragged the picture keeps its scale, so that the row stays under the hand. */
  isHeld = false;

  constructor(
    private readonly session: Session,
    private readonly canvas: Canvas,
  ) {}

  /** One column and a constant feature: the rows stand at the height of the constant, and the plane goes through 0. */
  get isLifted(): boolean {
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
    const second = remainder(this.firstDirection(), e1) ?? principalDirection(points, e1);
    const along = axes === "separator" ? "along the widest separator" : "along w";
    return { e1, e2: second, names: [along, "first principal direction"], faithful: axes !== "separator" };
  }

  private firstDirection(): Float64Array {
    if (this.principal?.table !== this.session.points) {
      this.principal = { table: this.session.points, direction: principalDirection(this.session.points) };
    }
    return this.principal.direction;
  }

  /** Find places anew where anything has changed. */
  place(): void {
    const { points: table } = this.session;
    const turning = table.p > 2 && !/,/.test(this.session.axes) && this.session.axes !== "separator";
    const key = [table, this.session.axes, turning ? this.session.after.w : this.session.verdict.plane, this.canvas.width, this.canvas.height];
    if (this.axes && key.every((value, j) => value === this.key[j])) return;
    this.key = key;
    this.axes = this.chooseAxes();
    this.places = placed(table, this.axes);
    if (this.isLifted) for (let i = 0; i < table.n; i++) this.places[2 * i + 1] = table.constant;
    if (!this.isHeld) this.box = this.fitted();
    const { width, height, edge } = this.canvas;
    this.toX = scaleLinear([this.box.x0, this.box.x1], [edge, width - 8]);
    this.toY = scaleLinear([this.box.y0, this.box.y1], [height - edge, 8]);
  }

  /** Choose the scale anew at the next drawing. */
  forget(): void {
    this.key = [];
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
    const { width, height, edge } = this.canvas;
    const [wide, tall] = [width - edge - 8, height - edge - 8];
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
}
