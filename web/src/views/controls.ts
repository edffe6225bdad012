/** Buttons and the slider above the pictures, and the card of choices. */

import { RULES } from "../model/learn";
import { LIFTS, type LiftName } from "../model/lift";
import type { Order } from "../model/story";
import type { Session } from "../session";
import { button, grouped, h } from "./dom";
import type { StepPanel } from "./step_panel";

const ORDERS: [Order, string][] = [
  ["turn", "rows in turn"],
  ["random", "rows in random order"],
  ["adversary", "an adversary chooses the row"],
];
const OVERLAYS: [string, string][] = [
  ["averaged", "mean of the vectors"],
  ["pocket", "pocket"],
  ["voted", "vote"],
  ["margin", "margin perceptron"],
  ["rocchio", "Rocchio"],
  ["widest", "widest margin"],
];

const SPEEDS = [1, 3, 10, 30, 100];
/** Milliseconds between two pictures of play, and between two rows at the speed 1. */
const FRAME = 50;
const ROW = 500;
/** Visits of a run from which on rows that move nothing are passed over. */
const LONG = 600;

export class Controls {
  readonly element = h("div", { class: "controls", role: "group", "aria-label": "Moments of the run" });
  readonly choices = h("section", { class: "card choices", "aria-label": "What is run and shown" });
  readonly message = h("p", { class: "message", role: "status" });
  private readonly slider: HTMLInputElement;
  private readonly place = h("span", { class: "place" });
  private readonly play: HTMLButtonElement;
  readonly others = h("p", { class: "others" });
  private timer = 0;
  private due = 0;
  private readonly selects: (() => void)[] = [];

  constructor(
    readonly session: Session,
    readonly step: StepPanel,
  ) {
    this.slider = h("input", {
      type: "range",
      min: 0,
      step: 1,
      "aria-label": "Updates made",
      oninput: () => session.goToUpdate(Number(this.slider.value)),
    });
    this.play = button("▶", "Play the run", () => this.toggle());
    this.element.append(
      button("|◀", "Go to the beginning", () => session.goToUpdate(0)),
      button("◀◀", "Back to where w changed before", () => session.hop(-1)),
      button("◀ row", "One row back", () => session.go(-1)),
      this.play,
      button("row ▶", "Visit the next row", () => this.next(), { class: "next" }),
      button("▶▶", "On to where w changes next", () => session.hop(1)),
      button("▶|", "Go to the end", () => session.toEnd()),
      this.select("Speed", SPEEDS.map((speed) => [String(speed), `${speed}x`]), () => String(session.speed), (speed) => (session.speed = Number(speed))),
      button("reset", "Take back all changes and begin again", () => session.reset()),
      this.slider,
      this.place,
    );
    this.choices.append(h("h2", {}, "Options"), ...this.chooseRun(), ...this.chooseView());
  }

  next(): void {
    if (!this.step.waits) this.session.go(1);
    else this.step.ask();
  }

  // -------------------------------------------------------------------- play
  toggle(): void {
    if (this.timer) this.stop();
    else {
      if (this.session.atEnd) this.session.goToUpdate(0);
      this.due = ROW;
      this.timer = window.setInterval(() => this.tick(), FRAME);
      this.name("❚❚", "Stop the run");
    }
  }

  private tick(): void {
    if (this.session.atEnd || !this.element.isConnected) return this.stop();
    const { session } = this;
    this.due += FRAME * session.speed;
    const steps = Math.floor(this.due / ROW);
    this.due -= steps * ROW;
    if (!steps) return;
    // Long runs are played update by update, short ones row by row.
    if (session.lastVisit <= LONG) session.go(steps);
    else if (session.k + steps <= session.replay.updates) session.goToUpdate(session.k + steps);
    else session.toEnd();
  }

  private stop(): void {
    window.clearInterval(this.timer);
    this.timer = 0;
    this.name("▶", "Play the run");
  }

  private name(text: string, label: string): void {
    this.play.textContent = text;
    this.play.title = label;
    this.play.setAttribute("aria-label", label);
  }

  // ----------------------------------------------------------------- choices
  private select(label: string, options: [string, string][], value: () => string, run: (value: string) => void): HTMLElement {
    const select = h("select", { onchange: () => run(select.value) });
    for (const [name, text] of options) select.append(h("option", { value: name }, text));
    this.selects.push(() => {
      select.value = value();
    });
    return h("label", {}, `${label} `, select);
  }

  private chooseRun(): HTMLElement[] {
    const { session } = this;
    const rules = new Map<string, string>(RULES.map((rule) => [rule.name, rule.label]));
    for (const run of session.story.runs) rules.set(run.name, run.label);
    const bias = h("input", { type: "checkbox", onchange: () => session.change({ ...session.points, constant: bias.checked ? session.story.constant || 1 : 0 }) });
    this.selects.push(() => {
      bias.checked = session.table.constant > 0;
      bias.disabled = !session.canLearn || (!session.ask && session.table.n > 2000);
    });
    return [
      this.select("Rule", [...rules], () => session.asked.name, (name) => session.learnAs({ name })),
      this.select("Order", ORDERS, () => session.asked.order, (order) => session.learnAs({ order: order as Order })),
      session.story.editable
        ? this.select("Features", LIFTS.map((lift) => [lift.name, lift.label]), () => session.lift.name, (name) => session.liftBy(name as LiftName))
        : null,
      h("label", { class: "switch" }, bias, " intercept b"),
    ].filter((element) => element !== null);
  }

  private chooseView(): HTMLElement[] {
    const { session } = this;
    const found: HTMLElement[] = [];
    const switches: [string, () => boolean, (on: boolean) => void][] = [
      ["vectors", () => session.vectors, (on) => (session.vectors = on)],
      ["contours of z", () => session.contours, (on) => (session.contours = on)],
    ];
    for (const [name, value, set] of switches) {
      const box = h("input", { type: "checkbox", onchange: () => (set(box.checked), session.tell()) });
      this.selects.push(() => {
        box.checked = value();
        box.disabled = session.table.p > 2 && name === "vectors";
      });
      found.push(h("label", { class: "switch" }, box, ` ${name}`));
    }
    const beside = h("fieldset", {}, h("legend", {}, "Show beside the last vector"));
    for (const [name, text] of OVERLAYS) {
      const box = h("input", { type: "checkbox", onchange: () => this.overlay(name, box.checked) });
      this.selects.push(() => {
        box.checked = session.overlays.has(name);
        box.disabled = !session.canDraw(name);
      });
      beside.append(h("label", { class: "switch" }, box, ` ${text}`));
    }
    found.push(beside);
    if (session.points.p > 2) found.push(this.chooseAxes());
    return found;
  }

  private overlay(name: string, on: boolean): void {
    if (on) this.session.overlays.add(name);
    else this.session.overlays.delete(name);
    this.session.tell();
  }

  private chooseAxes(): HTMLElement {
    const { session } = this;
    const { columns } = session.story;
    const axes = h("span", { class: "axes" });
    const columnsOf = (value: number) => {
      const select = h("select", {}, ...columns.map((name, j) => h("option", { value: j, selected: j === value }, name)));
      select.addEventListener("change", () => apply());
      return select;
    };
    const [first, second] = [columnsOf(0), columnsOf(1)];
    first.setAttribute("aria-label", "Column across");
    second.setAttribute("aria-label", "Column up");
    const apply = () => {
      session.axes = view.value === "columns" ? `${first.value},${second.value}` : view.value;
      session.tell();
    };
    const view = h(
      "select",
      { onchange: apply },
      h("option", { value: "auto" }, "along w and the first principal direction"),
      h("option", { value: "separator" }, "along the widest separator"),
      h("option", { value: "columns" }, "two columns"),
    );
    this.selects.push(() => {
      const pair = session.axes.split(",");
      axes.hidden = pair.length < 2;
      view.value = pair.length < 2 ? session.axes : "columns";
      if (pair.length > 1) [first.value, second.value] = pair;
    });
    axes.append(first, second);
    return h("label", {}, "View ", view, axes);
  }

  draw(): void {
    const { session } = this;
    this.slider.max = String(session.replay.updates);
    this.slider.value = String(session.k);
    const { from, total } = session.run;
    const k = grouped(from + session.k);
    // How many updates there are is what questions ask for: it stands here once the end was seen.
    const told = session.hasEnded || session.edited;
    const all = told ? ` of ${grouped(total)}` : "";
    const name = session.chapter === 1 ? "changes of w:" : "update";
    const verdict = told ? ` · ${session.verdict.verdict.replace("in", "not ")}` : "";
    this.slider.setAttribute("aria-valuetext", `${name} ${k}${all}, ${session.mistakes} rows wrong`);
    this.place.textContent = `${name} ${k}${all} · ${grouped(session.mistakes)} of ${grouped(session.table.n)} wrong${verdict}`;
    for (const update of this.selects) update();
    const lines = session.drawn().filter(({ name }) => session.overlays.has(name)).map((plane) => `${plane.label}: ${grouped(plane.mistakes)} wrong`);
    if (session.overlays.has("voted")) {
      const wrong = session.mistakesOfVotes();
      lines.push(`vote of all vectors: ${wrong === null ? "too many to count here" : `${grouped(wrong)} wrong`}`);
    }
    this.others.textContent = lines.length ? `last vector: ${grouped(session.mistakes)} wrong · ${lines.join(" · ")}` : "";
    this.message.textContent = session.message;
  }
}
