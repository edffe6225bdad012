/** The explorer: one module, mounted in a page of its own or in a served page. */

import { verdictOf } from "./model/exact";
import { learn } from "./model/learn";
import { Session, type Ask } from "./session";
import type { PackedStory } from "./model/story";
import { restore, stateOf } from "./state";
import { Controls } from "./views/controls";
import { Course } from "./views/course";
import { button, from, h } from "./views/dom";
import { Editing } from "./views/editing";
import { Header } from "./views/header";
import { Ledger } from "./views/ledger";
import { Meter } from "./views/meter";
import { Panel } from "./views/panel";
import { PlaneView } from "./views/plane_view";
import { RowsView } from "./views/rows_view";
import { Share } from "./views/share";
import { StepPanel } from "./views/step_panel";
import { VerdictPanel } from "./views/verdict_panel";
import { WeightView } from "./views/weight_view";

const EDITING =
  " In the picture of the rows: click to add a row, drag to move it; n adds one, [ and ] choose, arrows move, t turns it into the other class, Delete takes it away.";

/** How long the address waits for the next change, in milliseconds: browsers refuse too many. */
const PAUSE = 300;

/** Build the explorer inside an element; keys are heard by the document. */
function mount(element: HTMLElement, story: PackedStory, ask: Ask | null): { session: Session; plane: PlaneView } {
  const session = new Session(story, ask);
  element.classList.add("linsep-explorer");
  element.replaceChildren();
  document.title = story.title;
  return { session, plane: build(element, session) };
}

function build(element: HTMLElement, session: Session): PlaneView {
  const plane = new PlaneView(session);
  const weights = new WeightView(session);
  const step = new StepPanel(session);
  const controls = new Controls(session, step);
  const editing = new Editing(session, plane);
  const head = new Header(session, (name) => start(name, session, element));
  const panel = new Panel(session, {
    step: [step],
    proof: [new Meter(session)],
    verdict: [new VerdictPanel(session)],
    margins: [new RowsView(session)],
    updates: [new Ledger(session), new Course(session)],
    options: [{ element: controls.choices, draw: () => undefined }],
    link: [new Share(session, { rows: plane, weights })],
  });
  const slice = h("p", { class: `hint slice ${from(2)}` });
  const view = h("p", { class: "hint view" });
  element.append(
    head.element,
    h("div", { class: `moment ${from(1)}` }, controls.element, step.live, controls.others, controls.message),
    h("div", { class: "pictures" }, picture("The rows and the plane", plane, 0), picture("Weights: lines are rows", weights, 2), editing.element, view, slice),
    panel.element,
    legend(session),
  );
  let due = 0;
  const draw = () => {
    due = 0;
    element.dataset.chapter = String(session.chapter);
    plane.candidates = step.candidates;
    for (const view of [head, controls, editing, plane, weights, step, panel]) view.draw();
    slice.textContent = weights.words;
    view.textContent = plane.words;
  };
  session.onChange(() => {
    if (!due) due = requestAnimationFrame(draw);
  });
  keepAddress(element, session);
  const resized = new ResizeObserver(() => session.tell());
  for (const { canvas } of [plane, weights]) resized.observe(canvas.element);
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => session.tell());
  // Paper is white: what is printed by night has the colours of the day.
  for (const [event, isPrinted] of [["beforeprint", true], ["afterprint", false]] as const) {
    window.addEventListener(event, () => {
      element.classList.toggle("printed", isPrinted);
      draw();
    });
  }
  whileThere(element, controls.element, document, "keydown", (event) => keys(event as KeyboardEvent, session, controls));
  draw();
  return plane;
}

/** A picture with its name, and a button that gives it the room of both, which a telephone shows. */
function picture(title: string, { canvas }: PlaneView | WeightView, chapter: number): HTMLElement {
  const figure = h("figure", { class: from(chapter) });
  const grow = button("⤢", `Larger or smaller: ${title}`, () => figure.classList.toggle("large"), { class: "plain" });
  figure.append(h("figcaption", {}, title, grow), h("div", { class: "frame" }, canvas.element));
  return figure;
}

/** Listen until another table takes this place. */
function whileThere(element: HTMLElement, inner: HTMLElement, target: EventTarget, name: string, run: (event: Event) => void): void {
  const listen = (event: Event) => {
    if (element.isConnected && element.contains(inner)) run(event);
    else target.removeEventListener(name, listen);
  };
  target.addEventListener(name, listen);
}

/** The address says what is seen, and what it says when it is changed by hand is shown. */
function keepAddress(element: HTMLElement, session: Session): void {
  const inner = element.firstElementChild as HTMLElement;
  let timer = 0;
  const write = () => {
    timer = 0;
    if (!inner.isConnected) return;
    try {
      history.replaceState(null, "", `#${stateOf(session)}`);
    } catch {
      // A page inside another one may have no address of its own.
    }
  };
  session.onChange(() => {
    timer ||= window.setTimeout(write, PAUSE);
  });
  whileThere(element, inner, window, "hashchange", () => restore(session, location.hash.slice(1)));
}

/** Ask Python for another table and show it, as a link says or from the beginning. */
async function start(name: string, session: Session, element: HTMLElement, said = ""): Promise<void> {
  if (!name || !session.ask) return;
  try {
    const found = (await session.ask({ preset: name })) as PackedStory;
    show(element, { ...found, presets: session.story.presets }, session.ask, said);
  } catch {
    session.message = "Python does not answer any more. Start `linsep explore` again.";
    session.tell();
  }
}

/** Mount a story at the moment that a link names; a served page fetches the table of the link first. */
function show(element: HTMLElement, story: PackedStory, ask: Ask | null, said: string): void {
  const { session, plane } = mount(element, story, ask);
  // For the console of the browser, and for tests.
  Object.assign(window, { linsep: { session, verdictOf, learn, screen: (x: number, y: number) => plane.at.screen(x, y) } });
  const wanted = new URLSearchParams(said).get("preset");
  const isOffered = story.presets?.some((preset) => preset.name === wanted);
  if (wanted && wanted !== story.preset && isOffered && ask) void start(wanted, session, element, said);
  else if (said) restore(session, said);
}

function legend(session: Session): HTMLElement {
  const [negative, positive] = session.story.classes;
  const item = (kind: string, text: string, chapter = 1) => h("span", { class: `key ${from(chapter)}` }, h("span", { class: `sign ${kind}`, "aria-hidden": "true" }), text);
  return h(
    "details",
    { class: `legend ${from(1)}`, open: window.innerWidth >= 1000 },
    h("summary", {}, "Signs and keys"),
    item("negative", `${negative} (y = −1)`),
    item("positive", `${positive} (y = +1)`),
    item("wrong", "on the wrong side"),
    item("new-wrong", "just became wrong"),
    item("visited", "just visited"),
    item("old", "plane before"),
    item("new", "plane now"),
    item("witness", "in the witness", 3),
    h("span", { class: "keys" }, "Rows are counted from 1. ", h("span", {}, "Keys: ← → by row, Page Up and Page Down by change of w, Home, End, space to play.", session.story.editable ? EDITING : "")),
  );
}

/** Keys that work everywhere but where something else takes them. */
function keys(event: KeyboardEvent, session: Session, controls: Controls): void {
  const target = event.target as HTMLElement;
  if (!session.chapter || event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName)) return;
  if (target.tagName === "BUTTON" && event.key === " ") return;
  const moves: Record<string, () => void> = {
    ArrowRight: () => controls.next(),
    ArrowLeft: () => session.go(-1),
    PageDown: () => session.hop(1),
    PageUp: () => session.hop(-1),
    Home: () => session.goToUpdate(0),
    End: () => session.toEnd(),
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

let begun = false;

/** A page holds the story beside the place where it is shown. */
function begin(): void {
  if (begun) return;
  begun = true;
  const place = document.getElementById("linsep-explorer");
  const text = document.getElementById("linsep-story")?.textContent;
  if (!place || !text) return;
  const server = place.dataset.server;
  const main = h("main");
  place.replaceChildren(main);
  const story = JSON.parse(text) as PackedStory;
  show(main, story, server ? askServer(server) : null, location.hash.slice(1) || (story.state ?? ""));
}

// The title is painted first: unpacking a long run takes a moment. A frame off the screen may never be painted, and begins later.
if (typeof document !== "undefined") {
  requestAnimationFrame(() => setTimeout(begin));
  setTimeout(begin, 300);
}
