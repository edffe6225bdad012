/** The rows in the plane: old line, new line, contours of z, mistakes, and w with y x on its tip. */

import type { Line } from "../model/projections";
import type { Session } from "../session";
import { Canvas, coloursOf, grouped, shown, type Colours } from "./dom";
import { affine, along, clipped, cornersOf, crossings, packedColour, Words, type Place } from "./geometry";
import { Placement } from "./placement";

const MANY = 3000;
/** How the planes beside the last one are drawn: no two alike. */
const LOOKS: Record<string, [keyof Colours, number[]]> = {
  averaged: ["averaged", [2, 3]],
  pocket: ["other", [8, 3, 2, 3]],
  margin: ["accent", [12, 4]],
  rocchio: ["other", [2, 5]],
};
const OF_SEPARATORS: [keyof Colours, number[]] = ["averaged", [14, 4]];
const LEFT_OUT =
  "The line is drawn for rows with 0 in all columns that are not shown; 0 is the mean of a standardised column. So a row may look wrong although it is right.";

export class PlaneView {
  readonly canvas = new Canvas("The rows and the plane", true);
  /** Where the plane may go next: drawn while the reader guesses. */
  candidates: { name: string; w: ArrayLike<number>; b: number }[] = [];
  /** What has to be said of the picture. */
  words = "";
  readonly at: Placement;
  private texts = new Words([0, 0], [0, 0]);
  private named: { name: string; places: Place[]; colour: string }[] = [];

  constructor(readonly session: Session) {
    this.canvas.element.tabIndex = 0;
    this.at = new Placement(session, this.canvas);
  }

  // ---------------------------------------------------------------- drawing
  draw(): void {
    if (!this.canvas.fit()) return;
    this.at.place();
    this.named = [];
    const { width, height, edge } = this.canvas;
    this.texts = new Words([edge, 14], [width - 4, height - edge + 10]);
    this.words = this.at.axes?.faithful === false ? LEFT_OUT : "";
    const colours = coloursOf(this.canvas.element);
    const { before, after } = this.session;
    const step = this.session.step;
    const old = step?.moved ? this.at.lineOf(before.w, before.b) : null;
    const line = this.at.lineOf(after.w, after.b);
    if (this.session.lift.name !== "none") this.drawCurvedGround(colours);
    else this.drawGround(line, after.b, colours);
    this.canvas.axes(this.at.toX, this.at.toY, this.at.axes?.names ?? ["", ""], this.session.points.p <= 2, colours.faint);
    if (this.session.contours && line) this.drawContours(line, colours);
    this.drawRows(colours);
    if (old) this.drawLine(old, colours.old, [6, 5], 2);
    for (const { name, w, b } of this.session.drawn()) {
      const its = this.at.lineOf(w, b);
      const [colour, dash] = LOOKS[name] ?? OF_SEPARATORS;
      if (its) this.drawLine(its, colours[colour], dash, 2.5, name);
    }
    if (line) this.drawLine(line, colours.ink, [], 2.5);
    for (const { name, w, b } of this.candidates) {
      const its = this.at.lineOf(w, b);
      if (its) this.drawLine(its, colours.wrong, [3, 4], 1.6, name);
    }
    for (const { name, places, colour } of this.named) this.write(name, places, colour, colours.ground);
    if (line && this.at.isLifted) this.drawThreshold(colours);
    if (this.session.vectors && this.session.table.p <= 2 && this.session.lift.name === "none") this.drawVectors(colours);
    this.canvas.element.setAttribute("aria-label", this.description());
  }

  private description(): string {
    const { table, mistakes, story, selected } = this.session;
    const chosen = selected === null ? "" : ` Row ${selected + 1} is chosen.`;
    const at = this.at.axes ? ` by ${this.at.axes.names.join(" and ")}` : "";
    return `${grouped(table.n)} rows${at}; ${grouped(mistakes)} on the wrong side; blue circles are ${story.classes[0]}, orange triangles ${story.classes[1]}.${chosen}`;
  }

  private drawGround(line: Line | null, b: number, colours: Colours): void {
    const { context, width, height } = this.canvas;
    if (!line) {
      // With w = 0 the sign of b decides for all rows; with b = 0 too they all tie.
      context.fillStyle = b > 0 ? colours.positiveGround : b < 0 ? colours.negativeGround : colours.ground;
      context.fillRect(0, 0, width, height);
      return;
    }
    const value = (px: number, py: number) => line.A * this.at.toX.invert(px) + line.B * this.at.toY.invert(py) + line.C;
    context.fillStyle = colours.negativeGround;
    context.fillRect(0, 0, width, height);
    context.fillStyle = colours.positiveGround;
    context.beginPath();
    for (const [px, py] of clipped(value, cornersOf(width, height))) context.lineTo(px, py);
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
        places[at] = this.at.toX.invert((q + 0.5) * size);
        if (p > 1) places[at + 1] = this.at.toY.invert((r + 0.5) * size);
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

  /** z = 0, ±l, ±2 l, ... with one l for the whole run, by its longest w: lines draw nearer as w grows. */
  private drawContours(line: Line, colours: Colours): void {
    const size = this.session.longest * Math.max(this.at.box.x1 - this.at.box.x0, this.at.box.y1 - this.at.box.y0);
    const level = size / 8;
    if (!(level > 0) || !Number.isFinite(level)) return;
    for (let j = 1; j <= 8; j++) {
      for (const C of [line.C + j * level, line.C - j * level]) this.drawLine({ ...line, C }, colours.faint, [], 0.6);
    }
  }

  private drawRows(colours: Colours): void {
    const { table } = this.session;
    if (table.n > MANY && this.canvas.context instanceof CanvasRenderingContext2D) this.drawManyRows(colours);
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
      context.arc(this.at.toX(this.at.places[2 * row]), this.at.toY(this.at.places[2 * row + 1]), radius, 0, 7);
      context.stroke();
    }
    for (const row of this.session.witness?.rows ?? []) this.drawMark(row, colours.wrong);
    this.drawMeeting(colours);
  }

  /** With an intercept the weights of a witness make the same point of both classes: there their hulls meet. */
  private drawMeeting(colours: Colours): void {
    const { witness, table, lift } = this.session;
    if (!witness || !table.constant || lift.name !== "none") return;
    let [x, y, whole] = [0, 0, 0];
    witness.rows.forEach((row, j) => {
      if (table.y[row] < 0) return;
      const share = witness.shares[j];
      x += share * this.at.places[2 * row];
      y += share * this.at.places[2 * row + 1];
      whole += share;
    });
    if (!whole) return;
    const { context } = this.canvas;
    const [px, py] = [this.at.toX(x / whole), this.at.toY(y / whole)];
    context.font = "bold 22px system-ui, sans-serif";
    context.textAlign = "center";
    context.fillStyle = colours.wrong;
    context.fillText("✶", px, py + 8);
  }

  private drawRow(i: number, colours: Colours): void {
    const { table, z, zBefore } = this.session;
    const { context } = this.canvas;
    const [px, py] = [this.at.toX(this.at.places[2 * i]), this.at.toY(this.at.places[2 * i + 1])];
    this.texts.keep([px, py], 16, 16);
    const size = table.n <= 60 ? 6 : table.n <= 400 ? 4.2 : table.n <= MANY ? 3 : 1.2;
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
    if (table.n <= 12 || i === this.session.selected || i === this.session.step?.row) {
      context.fillStyle = colours.ink;
      context.font = "11px system-ui, sans-serif";
      context.textAlign = "left";
      context.fillText(String(i + 1), px + size + 4, py - size);
      this.texts.keep([px + size + 8, py - size - 4], 12, 12);
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
    const [ax, bx] = affine(this.at.toX, ratio);
    const [ay, by] = affine(this.at.toY, ratio);
    for (const pass of [false, true]) {
      for (let i = 0; i < table.n; i++) {
        const isWrong = table.y[i] * z[i] <= 0;
        if (isWrong !== pass) continue;
        const px = (ax * this.at.places[2 * i] + bx) | 0;
        const py = (ay * this.at.places[2 * i + 1] + by) | 0;
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
    context.strokeRect(this.at.toX(this.at.places[2 * row]) - 11, this.at.toY(this.at.places[2 * row + 1]) - 11, 22, 22);
    context.setLineDash([]);
  }

  private drawLine(line: Line, colour: string, dash: number[], wide: number, name = ""): void {
    const { context, width, height } = this.canvas;
    const value = (px: number, py: number) => line.A * this.at.toX.invert(px) + line.B * this.at.toY.invert(py) + line.C;
    const ends = crossings(value, width, height - this.canvas.edge + 10);
    if (ends.length < 2) return;
    context.strokeStyle = colour;
    context.lineWidth = wide;
    context.setLineDash(dash);
    context.beginPath();
    context.moveTo(ends[0][0], ends[0][1]);
    context.lineTo(ends[1][0], ends[1][1]);
    context.stroke();
    context.setLineDash([]);
    // The name stands near the higher end.
    const [high, low] = ends[0][1] < ends[1][1] ? ends : [ends[1], ends[0]];
    if (name) this.named.push({ name, places: along(high, low), colour });
  }

  /** A name at the best of these places; that of a line stands on the ground, on the line or close beside it. */
  private write(name: string, places: Place[], colour: string, ground = ""): void {
    const { context } = this.canvas;
    context.font = `${ground ? "bold " : ""}12px system-ui, sans-serif`;
    const wide = context.measureText(name).width + 6;
    const beside = ground ? [0, wide / 2 + 6, -wide / 2 - 6] : [0];
    const place = this.texts.put(wide, 16, beside.flatMap((aside) => places.map(([x, y]): Place => [x + aside, y])));
    if (!place) return;
    const [x, y] = place;
    context.fillStyle = ground;
    if (ground) context.fillRect(x - wide / 2, y - 8, wide, 16);
    context.fillStyle = colour;
    context.textAlign = "center";
    context.fillText(name, x, y + 4);
  }

  /** w from the origin, and y x on its tip: their sum is the new w. All at true length. */
  private drawVectors(colours: Colours): void {
    const { before, after, step, table } = this.session;
    const second = (w: ArrayLike<number>, b: number) => (this.at.isLifted ? (table.constant ? b / table.constant : 0) : w[1]);
    const old: [number, number] = [before.w[0] ?? 0, second(before.w, before.b)];
    const tip: [number, number] = [after.w[0] ?? 0, second(after.w, after.b)];
    if (step?.moved) {
      this.drawArrow([0, 0], old, colours.old, "w before");
      const name = `${step.size < 0 ? "− " : "+ "}x${step.row + 1}`;
      this.drawArrow(old, tip, colours.wrong, name, 0.5);
    }
    const name = this.at.isLifted ? "(w, b)" : "w";
    this.drawArrow([0, 0], tip, colours.ink, name);
    const [x, y] = [this.at.toX(tip[0]), this.at.toY(tip[1])];
    const { width, height } = this.canvas;
    if (x < 0 || y < 0 || x > width || y > height) {
      this.words = `${name} is ${shown(Math.hypot(...tip))} long and ends outside this picture.`;
    }
  }

  /** Where the plane meets the height of the rows: z changes its sign at x = -b / w. */
  private drawThreshold(colours: Colours): void {
    const { after, table } = this.session;
    const { context, width } = this.canvas;
    if (!table.constant || !after.w[0]) return;
    const [px, py] = [this.at.toX(-after.b / after.w[0]), this.at.toY(table.constant)];
    if (!(px > 0 && px < width)) return;
    context.fillStyle = colours.ink;
    context.fillRect(px - 1.5, py - 16, 3, 32);
    context.font = "12px system-ui, sans-serif";
    context.textAlign = "center";
    const text = `threshold ${shown(-after.b / after.w[0])}`;
    const room = context.measureText(text).width / 2 + 4;
    context.fillText(text, Math.max(room, Math.min(px, width - room)), py + 30);
  }

  private drawArrow(from: [number, number], to: [number, number], colour: string, name: string, at = 1): void {
    const { context, width, height } = this.canvas;
    const [ax, ay, bx, by] = [this.at.toX(from[0]), this.at.toY(from[1]), this.at.toX(to[0]), this.at.toY(to[1])];
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
      const aside = context.measureText(name).width / 2 + 7;
      this.write(name, [8, -10, 24, -26].flatMap((down): Place[] => [[tx + aside, ty + down], [tx - aside, ty + down]]), colour);
    }
  }
}
