/** What is looked at as a line of text: the rows if they were changed, options, the moment and the card that is open. */

import { RULES, type Asked } from "./model/learn";
import { LIFTS } from "./model/lift";
import type { Order, Table } from "./model/story";
import { WHOLE, type Session } from "./session";

const ORDERS: Order[] = ["turn", "random", "adversary"];
const MOST_ROWS = 500;

/** The part of a link behind "#". Only what differs from the page as it was made is named. */
export function stateOf(session: Session): string {
  const { story, points, asked, run } = session;
  const first = story.runs[0];
  const parts = new URLSearchParams();
  const put = (name: string, value: string | number, known: string | number) => {
    if (value !== known) parts.set(name, String(value));
  };
  put("preset", story.preset ?? "", "");
  if (isChanged(session)) parts.set("rows", written(points));
  put("c", points.constant, story.table.constant);
  put("features", session.lift.name, "none");
  put("rule", asked.name, first.name);
  put("order", asked.order, first.order);
  if (run.seed !== null) put("seed", run.seed, first.seed ?? NaN);
  put("beside", [...session.overlays].join("."), story.vector === "last" ? "" : (story.vector ?? ""));
  put("axes", session.axes, "auto");
  put("vectors", session.vectors ? "yes" : "no", "yes");
  put("contours", session.contours ? "yes" : "no", "yes");
  put("chapter", session.chapter, WHOLE);
  put("answers", session.answers ? "yes" : "no", "yes");
  put("speed", session.speed, 1);
  put("card", session.panel, "step");
  if (session.replay.knowsVisits) parts.set("visit", String(session.t));
  else parts.set("update", String(session.k));
  return parts.toString();
}

const isChanged = ({ points, story: { table } }: Session) => points.X !== table.X || points.y !== table.y;

/** Rows as "x1_x2_p": p for the positive class and n for the negative one. */
function written({ n, p, X, y }: Table): string {
  const row = (i: number) => [...X.subarray(i * p, (i + 1) * p), y[i] > 0 ? "p" : "n"].join("_");
  return Array.from({ length: n }, (_, i) => row(i)).join("~");
}

function read(text: string, like: Table): Table {
  const rows = text.split("~").map((row) => row.split("_"));
  const X = rows.flatMap((row) => row.slice(0, -1).map((cell) => (cell ? Number(cell) : NaN)));
  const isRow = (row: string[]) => row.length === like.p + 1 && /^[pn]$/.test(row[like.p]);
  if (rows.length > MOST_ROWS || !rows.every(isRow) || !X.every(Number.isFinite)) throw new Error("its rows do not fit this page");
  return { ...like, n: rows.length, X: Float64Array.from(X), y: Int8Array.from(rows, (row) => (row[like.p] === "p" ? 1 : -1)) };
}

/** Show what a link says; what it does not name is as in the page at first. */
export function restore(session: Session, text: string): void {
  session.reset();
  try {
    takeUp(session, new URLSearchParams(text));
  } catch (error) {
    session.reset();
    session.message = `The link cannot be used: ${error instanceof Error ? error.message : String(error)}.`;
  }
  session.tell();
}

function takeUp(session: Session, said: URLSearchParams): void {
  const { story } = session;
  const number = (name: string, otherwise: number) => {
    const value = said.get(name) === null ? otherwise : Number(said.get(name));
    if (!Number.isFinite(value) || value < 0) throw new Error(`${name} has to be a number that is not negative`);
    return value;
  };
  const one = (name: string, known: readonly string[], otherwise: string) => {
    const value = said.get(name) ?? otherwise;
    if (!known.includes(value)) throw new Error(`${name} cannot be "${value}"`);
    return value;
  };
  if ((said.get("preset") ?? story.preset ?? "") !== (story.preset ?? "")) throw new Error(`it is for another table, "${said.get("preset")}"`);
  const lift = one("features", LIFTS.map(({ name }) => name), "none");
  const rules = [...RULES, ...story.runs].map(({ name }) => name);
  const asked: Partial<Asked> = {
    name: one("rule", rules, story.runs[0].name),
    order: one("order", ORDERS, story.runs[0].order) as Order,
    seed: number("seed", session.asked.seed),
  };
  const rows = said.get("rows");
  const points = { ...(rows === null ? story.table : read(rows, story.table)), constant: number("c", story.table.constant) };
  session.asked = { ...session.asked, ...asked };
  session.lift = LIFTS.find(({ name }) => name === lift) ?? LIFTS[0];
  if (rows !== null || lift !== "none" || points.constant !== story.table.constant) session.change(points);
  else if (asked.name !== session.run.name || asked.order !== session.run.order) session.learnAs({});
  session.overlays = new Set((said.get("beside") ?? [...session.overlays].join(".")).split(".").filter(Boolean));
  session.axes = axesOf(said.get("axes") ?? "auto", story.p);
  session.vectors = said.get("vectors") !== "no";
  session.contours = said.get("contours") !== "no";
  session.chapter = Math.min(WHOLE, number("chapter", WHOLE));
  session.answers = said.get("answers") !== "no";
  session.speed = Math.max(1, Math.min(100, number("speed", 1)));
  session.panel = said.get("card") ?? "step";
  if (said.has("update")) session.goToUpdate(number("update", 0));
  else session.goToVisit(number("visit", 0));
}

function axesOf(text: string, p: number): string {
  const isPair = /^\d+,\d+$/.test(text) && text.split(",").every((column) => Number(column) < p);
  if (!isPair && text !== "auto" && text !== "separator") throw new Error(`axes cannot be "${text}"`);
  return text;
}
