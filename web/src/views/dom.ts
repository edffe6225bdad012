/** Small helpers for elements, canvases and colours. */

import { Sheet } from "./sheet";

/** The room for the name of an axis, in which no number stands. */
const NAME = 20;

export interface Scale {
  (value: number): number;
  ticks(count: number): number[];
  invert(value: number): number;
}

type Child = Node | string | null | undefined | false;
type Attributes = Record<string, string | number | boolean | null | undefined | ((event: never) => void)>;

/** An element with attributes, listeners (onclick: ...) and children. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value as EventListener);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, String(value));
  }
  for (const child of children) if (child) element.append(child);
  return element;
}

/** The class of what the course explains in this chapter: the style sheet hides it in a page of an earlier one. */
export const from = (chapter: number) => `from-${chapter}`;

/** Put these children, and no others, into an element; the focus stays on the control of the same name. */
export function fill(element: Element, ...children: Child[]): void {
  const focused = element.contains(document.activeElement) ? nameOf(document.activeElement!) : null;
  element.replaceChildren(...children.filter((child): child is Node | string => Boolean(child)));
  if (focused === null) return;
  const controls = [...element.querySelectorAll<HTMLElement>("button, select, input")];
  (controls.find((control) => nameOf(control) === focused) ?? controls[0])?.focus({ preventScroll: true });
}

const nameOf = (element: Element) => element.getAttribute("title") ?? element.getAttribute("aria-label") ?? "";

/** A button whose words are its name; where it shows a sign or a number, the label is. */
export function button(text: string, label: string, run: () => void, extra: Attributes = {}): HTMLButtonElement {
  const name = /[a-z]/i.test(text) ? null : label;
  return h("button", { type: "button", "aria-label": name, title: label, onclick: run, ...extra }, text);
}

/** A canvas that knows its size in CSS pixels and is sharp on any screen. */
export class Canvas {
  readonly element: HTMLCanvasElement;
  context: CanvasRenderingContext2D;
  width = 0;
  height = 0;
  ratio = 1;

  constructor(label: string, readsPixels = false) {
    this.element = h("canvas", { role: "img", "aria-label": label });
    this.context = this.element.getContext("2d", { willReadFrequently: readsPixels })!;
  }

  /** Fit the canvas to its box, whose size the style sheet gives; false where it has none yet. */
  fit(): boolean {
    const { clientWidth: width, clientHeight: height } = this.element;
    if (!width || !height) return false;
    this.ratio = window.devicePixelRatio || 1;
    [this.width, this.height] = [width, height];
    for (const [side, size] of [["width", width], ["height", height]] as const) {
      const pixels = Math.round(size * this.ratio);
      if (this.element[side] !== pixels) this.element[side] = pixels;
    }
    this.context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    this.context.clearRect(0, 0, width, height);
    return true;
  }

  /** The room for numbers at the left and below; a small picture has none. */
  get edge(): number {
    return this.width < 240 ? 18 : 42;
  }

  /** Numbers and names of both axes, and with `cross` the lines through 0. */
  axes(toX: Scale, toY: Scale, names: [string, string], cross: boolean, colour: string): void {
    const { context, width, height, edge } = this;
    context.font = "11px system-ui, sans-serif";
    context.fillStyle = context.strokeStyle = colour;
    context.lineWidth = 1;
    const count = edge > NAME ? 6 : 0;
    if (cross) {
      context.beginPath();
      context.moveTo(toX(0), 8);
      context.lineTo(toX(0), height - edge);
      context.moveTo(edge, toY(0));
      context.lineTo(width - 8, toY(0));
      context.stroke();
    }
    context.textAlign = "center";
    for (const tick of toX.ticks(count)) context.fillText(shown(tick), toX(tick), height - 18);
    context.textAlign = "right";
    for (const tick of toY.ticks(count)) if (toY(tick) > NAME) context.fillText(shown(tick), edge - 5, toY(tick) + 4);
    context.fillText(names[0], width - 8, height - 5);
    context.textAlign = "left";
    context.fillText(names[1], 4, 12);
  }

  /** The picture as SVG: drawn once more, onto a sheet that writes down what is drawn. */
  svg(draw: () => void): string {
    const screen = this.context;
    const sheet = new Sheet(screen);
    this.context = sheet as unknown as CanvasRenderingContext2D;
    try {
      draw();
    } finally {
      this.context = screen;
    }
    const words = this.element.getAttribute("aria-label") ?? "";
    return sheet.text(this.width, this.height, coloursOf(this.element).ground, words);
  }
}

/** The colours of the style sheet, which differ by day and by night. */
export interface Colours {
  ink: string;
  faint: string;
  ground: string;
  negative: string;
  positive: string;
  negativeGround: string;
  positiveGround: string;
  wrong: string;
  old: string;
  averaged: string;
  other: string;
  accent: string;
}

export function coloursOf(element: Element): Colours {
  const style = getComputedStyle(element);
  const read = (name: string) => style.getPropertyValue(`--${name}`).trim();
  return {
    ink: read("ink"),
    faint: read("faint"),
    ground: read("ground"),
    negative: read("negative"),
    positive: read("positive"),
    negativeGround: read("negative-ground"),
    positiveGround: read("positive-ground"),
    wrong: read("wrong"),
    old: read("old"),
    averaged: read("averaged"),
    other: read("other"),
    accent: read("accent"),
  };
}

/** A number as people read it: four digits. */
export function shown(value: number, digits = 4): string {
  if (value === 0) return "0";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : value < 0 ? "−∞" : "–";
  if (Number.isInteger(value) && Math.abs(value) < 1e6) return grouped(value);
  const text = Math.abs(value) >= 1e6 || (value !== 0 && Math.abs(value) < 1e-3)
    ? value.toExponential(digits - 1)
    : String(Number(value.toPrecision(digits)));
  return text.replaceAll("-", "−");
}

export function grouped(value: number): string {
  return Math.round(value).toLocaleString("en-US").replace("-", "−");
}

/** "1 row", "2 rows". */
export function counted(count: number, what: string): string {
  return `${grouped(count)} ${what}${count === 1 ? "" : "s"}`;
}

export function save(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = h("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  URL.revokeObjectURL(url);
}
