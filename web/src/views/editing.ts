/** Rows that are added, moved, turned into the other class or taken away: by mouse, by touch and by keys. */

import type { Table } from "../model/story";
import type { Session } from "../session";
import { button, h } from "./dom";
import type { PlaneView } from "./plane_view";

/** Pixels. */
const SHAKE = 4;

export class Editing {
  readonly element = h("div", { class: "editing", role: "group", "aria-label": "Change the rows" });
  private dragged: { row: number; from: [number, number]; moved: boolean } | null = null;
  private side = 1;

  constructor(
    readonly session: Session,
    readonly plane: PlaneView,
  ) {
    const { element } = plane.canvas;
    const add = h("select", { "aria-label": "Class of new rows", onchange: () => (this.side = add.value === "1" ? 1 : -1) });
    add.append(h("option", { value: 1 }, `add ${session.story.classes[1]}`), h("option", { value: -1 }, `add ${session.story.classes[0]}`));
    this.element.append(
      add,
      button("other class", "Turn the row chosen into the other class", () => this.relabel()),
      button("take away", "Take the row chosen away", () => this.remove()),
    );
    // A finger on a row moves it; elsewhere it scrolls the page.
    element.addEventListener("touchstart", (event) => this.holdPage(event), { passive: false });
    element.addEventListener("pointerdown", (event) => this.down(event));
    element.addEventListener("pointermove", (event) => this.move(event));
    element.addEventListener("pointerup", (event) => this.up(event));
    element.addEventListener("pointercancel", () => this.release());
    element.addEventListener("keydown", (event) => this.key(event));
  }

  get isOn(): boolean {
    return this.session.story.editable && this.session.points.p <= 2;
  }

  draw(): void {
    this.element.hidden = !this.isOn;
    this.plane.canvas.element.classList.toggle("editable", this.isOn);
  }

  private holdPage(event: TouchEvent): void {
    const touch = event.touches[0];
    if (this.isOn && touch && this.plane.at.rowNear(...this.point(touch)) >= 0) event.preventDefault();
  }

  private point(event: { clientX: number; clientY: number }): [number, number] {
    const box = this.plane.canvas.element.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  private down(event: PointerEvent): void {
    const from = this.point(event);
    const row = this.plane.at.rowNear(...from);
    if (row >= 0) this.session.selected = row;
    if (!this.isOn) return this.session.tell();
    this.plane.canvas.element.focus({ preventScroll: true });
    this.plane.canvas.element.setPointerCapture(event.pointerId);
    this.dragged = { row, from, moved: false };
    this.plane.at.isHeld = true;
    this.session.tell();
  }

  private move(event: PointerEvent): void {
    if (!this.dragged) return;
    const [x, y] = this.point(event);
    // A hand that shakes moves nothing.
    this.dragged.moved ||= Math.hypot(x - this.dragged.from[0], y - this.dragged.from[1]) > SHAKE;
    if (this.dragged.moved && this.dragged.row >= 0) this.put(this.dragged.row, this.plane.at.valueAt(...this.point(event)));
  }

  private up(event: PointerEvent): void {
    const dragged = this.dragged;
    this.release();
    if (dragged && dragged.row < 0 && !dragged.moved) this.add(this.plane.at.valueAt(...this.point(event)));
  }

  private release(): void {
    this.dragged = null;
    this.plane.at.isHeld = false;
    this.plane.at.forget();
    this.session.tell();
  }

  private key(event: KeyboardEvent): void {
    if (!this.isOn || event.ctrlKey || event.metaKey || event.altKey) return;
    const { points: table, selected } = this.session;
    const arrows: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    if (event.key === "[" || event.key === "]") this.choose(((selected ?? -1) + (event.key === "]" ? 1 : -1) + table.n) % Math.max(1, table.n));
    else if (event.key === "n") this.add([0, 0]);
    else if (event.key === "t") this.relabel();
    else if (event.key === "Delete" || event.key === "Backspace") this.remove();
    else if (event.key === "Escape") this.choose(null);
    else if (event.key in arrows && selected !== null) {
      const [dx, dy] = arrows[event.key];
      const at = [table.X[selected * table.p], table.p > 1 ? table.X[selected * 2 + 1] : 0];
      this.put(selected, [at[0] + dx * this.plane.at.keyStep, at[1] + dy * this.plane.at.keyStep]);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  private choose(row: number | null): void {
    this.session.selected = row;
    this.session.tell();
  }

  // ------------------------------------------------------------------ changes
  private put(row: number, at: [number, number]): void {
    const { points: table } = this.session;
    const X = table.X.slice();
    for (let f = 0; f < table.p; f++) X[row * table.p + f] = at[f];
    this.session.change({ ...table, X });
  }

  private add(at: [number, number]): void {
    const { points: table } = this.session;
    if (table.n >= 500) {
      this.session.message = "There are 500 rows: no more can be added here.";
      return this.session.tell();
    }
    const X = Float64Array.from([...table.X, ...at.slice(0, table.p)]);
    this.session.selected = table.n;
    this.session.change({ ...table, n: table.n + 1, X, y: Int8Array.from([...table.y, this.side]) });
  }

  private relabel(): void {
    const { points: table, selected } = this.session;
    if (selected === null) return;
    this.session.change({ ...table, y: table.y.map((sign, i) => (i === selected ? -sign : sign)) });
  }

  private remove(): void {
    const { points: table, selected } = this.session;
    if (selected === null || table.n < 2) return;
    const kept = (i: number) => i !== selected;
    const changed: Table = {
      ...table,
      n: table.n - 1,
      X: table.X.filter((_, j) => kept(Math.floor(j / table.p))),
      y: table.y.filter((_, i) => kept(i)),
    };
    this.session.selected = null;
    this.session.change(changed);
  }
}
