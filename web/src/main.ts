/** The explorer: one module, mounted in a page of its own or in a served page. */

import { verdictOf } from "./model/exact";
import { learn } from "./model/learn";
import { Session, type Ask } from "./session";
import type { PackedStory } from "./model/story";
import { Controls } from "./views/controls";
import { Course } from "./views/course";
import { h } from "./views/dom";
import { Editing } from "./views/editing";
import { Ledger } from "./views/ledger";
import { Meter } from "./views/meter";
import { PlaneView } from "./views/plane_view";
import { RowsView } from "./views/rows_view";
import { StepPanel } from "./views/step_panel";
import { VerdictPanel } from "./views/verdict_panel";
import { WeightView } from "./views/weight_view";

/** Numbers and updates from which on it pays to draw only what is in sight. */
const LARGE = 30_000;

/** Build the explorer inside an element; keys are heard by the document. */
function mount(element: HTMLElement, story: PackedStory, ask: Ask | null): { session: Session; plane: PlaneView } {
  const session = new Session(story, ask);
  element.classList.add("linsep-explorer");
  element.replaceChildren();
  return { session, plane: build(element, session) };
}

function build(element: HTMLElement, session: Session): PlaneView {
  const plane = new PlaneView(session);
  const weights = new WeightView(session);
  const step = new StepPanel(session);
  const controls = new Controls(session, step, plane);
  const editing = new Editing(session, plane);
  const meter = new Meter(session);
  const verdict = new VerdictPanel(session);
  const course = new Course(session);
  const ledger = new Ledger(session);
  const rows = new RowsView(session);
  const slice = h("p", { class: "hint" });
  const view = h("p", { class: "hint" });
  const views = [plane, weights, step, controls, editing, meter, verdict, course, ledger, rows];
  element.append(
    header(session),
    h("div", { class: "moment" }, controls.element, step.live, controls.message),
    h(
      "div",
      { class: "pictures" },
      h("figure", {}, h("figcaption", {}, "The rows and the plane"), plane.canvas.element, view, editing.element),
      h("figure", {}, h("figcaption", {}, "The weights: a half-plane for each row; green where all meet"), weights.canvas.element, slice),
    ),
    legend(session),
    h("div", { class: "panels" }, step.element, meter.element),
    controls.choices,
    h("div", { class: "panels" }, verdict.element, course.element, ledger.element, rows.element),
  );
  let due = 0;
  const hidden = outOfSight([ledger, rows, course], session, () => session.tell());
  const draw = () => {
    due = 0;
    plane.candidates = step.candidates;
    for (const view of views) if (!hidden.has(view)) view.draw();
    slice.textContent = weights.words;
    view.textContent = plane.words;
  };
  session.onChange(() => {
    if (!due) due = requestAnimationFrame(draw);
  });
  new ResizeObserver(() => session.tell()).observe(element);
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => session.tell());
  const listen = (event: Event) => {
    if (element.isConnected && element.contains(controls.element)) keys(event as KeyboardEvent, session, controls);
    else document.removeEventListener("keydown", listen);
  };
  document.addEventListener("keydown", listen);
  draw();
  return plane;
}

interface Panel {
  element: HTMLElement;
  draw(): void;
}

/** The panels that nobody sees now: of a large run they are drawn when they come into sight, or are printed. */
function outOfSight(panels: Panel[], session: Session, shown: () => void): Set<unknown> {
  const hidden = new Set<unknown>();
  const { n, p } = session.table;
  if (n * (p + 1) + session.replay.updates < LARGE) return hidden;
  const observer = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      const panel = panels.find(({ element }) => element === target);
      if (isIntersecting) hidden.delete(panel);
      else hidden.add(panel);
    }
    shown();
  });
  for (const { element } of panels) observer.observe(element);
  window.addEventListener("beforeprint", () => {
    for (const panel of panels) panel.draw();
  });
  return hidden;
}

function header(session: Session): HTMLElement {
  const { story } = session;
  const title = h("h1", {}, story.title);
  // Inside another page, and on a telephone, the pictures come first.
  const open = window.self === window.top && window.innerWidth >= 700;
  const about = h("details", { class: "about", open }, h("summary", {}, "What to do and to look at"), ...story.about.map((text) => h("p", {}, text)));
  const parts: HTMLElement[] = [title];
  if (story.presets && session.ask) {
    const choose = h("select", { "aria-label": "Examples", onchange: () => void start(choose.value) });
    choose.append(h("option", { value: "" }, "examples …"));
    for (const preset of story.presets) {
      choose.append(h("option", { value: preset.name, selected: preset.name === story.preset }, preset.title));
    }
    const start = async (name: string) => {
      if (!name || !session.ask) return;
      let found: PackedStory;
      try {
        found = (await session.ask({ preset: name })) as PackedStory;
      } catch {
        session.message = "Python does not answer any more: start `linsep explore` again.";
        return session.tell();
      }
      const place = choose.closest<HTMLElement>(".linsep-explorer");
      if (place) mount(place, { ...found, presets: story.presets }, session.ask);
    };
    parts.push(choose);
  }
  return h("header", {}, h("div", { class: "title" }, ...parts), story.about.length ? about : null);
}

function legend(session: Session): HTMLElement {
  const [negative, positive] = session.story.classes;
  const item = (kind: string, text: string) => h("span", { class: "key" }, h("span", { class: `sign ${kind}`, "aria-hidden": "true" }), text);
  return h(
    "p",
    { class: "legend" },
    item("negative", `${negative} (y = −1)`),
    item("positive", `${positive} (y = +1)`),
    item("wrong", "wrong side"),
    item("new-wrong", "became wrong"),
    item("visited", "visited"),
    item("old", "plane before"),
    item("new", "plane now"),
    item("witness", "in the witness"),
  );
}

/** Keys that work everywhere but where something else takes them. */
function keys(event: KeyboardEvent, session: Session, controls: Controls): void {
  const target = event.target as HTMLElement;
  if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName)) return;
  if (target.tagName === "BUTTON" && event.key === " ") return;
  const moves: Record<string, () => void> = {
    ArrowRight: () => controls.next(),
    ArrowLeft: () => session.go(-1),
    PageDown: () => session.goToUpdate(session.k + 1),
    PageUp: () => session.goToUpdate(session.k - 1),
    Home: () => session.goToUpdate(0),
    End: () => session.goToVisit(session.lastVisit),
    " ": () => controls.toggle(),
  };
  const move = moves[event.key];
  if (!move) return;
  event.preventDefault();
  move();
}

function askServer(prefix: string): Ask {
  const headers = { "Content-Type": "application/json" };
  const asked = (request: object) =>
    "preset" in request
      ? fetch(`${prefix}/story?preset=${encodeURIComponent(String(request.preset))}`)
      : fetch(`${prefix}/verdict`, { method: "POST", headers, body: JSON.stringify(request) });
  return async (request) => {
    const answer = await asked(request);
    const found = (await answer.json()) as { error?: string };
    if (!answer.ok) throw new Error(found.error ?? answer.statusText);
    return found;
  };
}

/** A page holds the story beside the place where it is shown. */
function start(): void {
  const place = document.getElementById("linsep-explorer");
  const story = document.getElementById("linsep-story");
  if (!place || !story?.textContent) return;
  const server = place.dataset.server;
  const main = h("main");
  place.replaceChildren(main);
  const { session, plane } = mount(main, JSON.parse(story.textContent) as PackedStory, server ? askServer(server) : null);
  // For the console of the browser, and for tests.
  Object.assign(window, { linsep: { session, verdictOf, learn, screen: (x: number, y: number) => plane.at.screen(x, y) } });
}

// The title is painted first: unpacking a long run takes a moment.
if (typeof document !== "undefined") requestAnimationFrame(() => setTimeout(start));
