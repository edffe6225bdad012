/** The updates as a ledger, as CSV, and as Python that makes the same additions. */

import { bitsInUse } from "../model/replay";
import type { Session } from "../session";
import { button, fill, grouped, h, save, shown } from "./dom";

const SHOWN = 6;
const MOST_EXPORTED = 200_000;
const MOST_WEIGHTS_EXPORTED = 40;

const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;

export class Ledger {
  readonly element = h("section", { class: "card ledger", "aria-label": "The list of updates" });
  private readonly table = h("table");
  private readonly sum = h("p", { class: "sum" });

  constructor(readonly session: Session) {
    this.element.append(
      h("h2", {}, "The list of updates"),
      this.sum,
      h("div", { class: "scrolls", tabindex: 0, role: "region", "aria-label": "Updates around this moment" }, this.table),
      h(
        "p",
        {},
        button("Save as CSV", "Save the updates as CSV", () => save("updates.csv", "text/csv", this.csv())),
        button("Save as Python", "Save the updates as Python code", () => save("replay.py", "text/x-python", this.python())),
      ),
    );
  }

  draw(): void {
    const { session } = this;
    this.sum.textContent = this.asSum();
    const first = Math.max(0, Math.min(session.k - SHOWN + 2, session.replay.updates - SHOWN));
    const last = Math.min(session.replay.updates, first + SHOWN);
    const few = session.table.p <= 2;
    const head = ["k", "pass", "row", "y", "step", ...(few ? ["w"] : ["‖w‖"]), "b", "bits"];
    const rows = [];
    for (let j = first; j < last; j++) rows.push(this.row(j, few));
    fill(
      this.table,
      h("caption", {}, this.caption()),
      h("thead", {}, h("tr", {}, ...head.map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, ...rows),
    );
  }

  private caption(): string {
    const { run, replay } = this.session;
    const window = run.from ? `, of which the last ${grouped(replay.updates)} are here` : "";
    const digits = run.exact ? "w and b are exactly those of the run" : `w and b are those of the run to within ${run.tolerance.toPrecision(1)}`;
    const all = this.session.hasEnded ? `${grouped(run.total)} updates in all${window}; ` : "";
    return `${all}${digits}.`;
  }

  private row(j: number, few: boolean): HTMLElement {
    const { session } = this;
    const { run, table, replay } = session;
    const state = replay.after(j + 1);
    const row = run.rows[j];
    const w = few ? `(${Array.from(state.w, (value) => shown(value)).join(", ")})` : shown(Math.hypot(...state.w));
    const epoch = run.order === "adversary" ? "–" : grouped(Math.floor(run.visit[j] / table.n) + 1);
    const cells = [grouped(run.from + j + 1), epoch, grouped(row + 1), table.y[row] > 0 ? "+1" : "−1"];
    cells.push(shown(replay.stepOf(j)), w, shown(state.b), String(bitsInUse([...state.w, state.b])));
    const current = j + 1 === session.k;
    const go = () => session.goToUpdate(j + 1);
    const [k, ...rest] = cells;
    return h(
      "tr",
      { class: current ? "current" : j + 1 > session.k ? "later" : "", "aria-current": current ? "step" : null },
      h("th", { scope: "row" }, button(k, `Go to update ${k}`, go, { class: "plain" })),
      ...rest.map((text) => h("td", {}, text)),
    );
  }

  /** w as a sum of rows: how often each was added or taken away. */
  private asSum(): string {
    if (this.session.run.from) return "";
    const terms = [...this.session.counts()].sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]) || a[0] - b[0]);
    if (!terms.length) return "w = 0";
    const shownTerms = terms.slice(0, 12).map(([row, count]) => {
      const size = Math.abs(count) === 1 ? "" : `${shown(Math.abs(count))} `;
      return `${count < 0 ? "−" : "+"} ${size}x${row + 1}`;
    });
    const more = terms.length > 12 ? ` … and ${terms.length - 12} more rows` : "";
    return `w = ${shownTerms.join(" ").replace(/^\+ /, "").replace(/^− /, "−")}${more}`;
  }

  csv(): string {
    const { run, table, replay } = this.session;
    const { story, lift } = this.session;
    const few = table.p <= MOST_WEIGHTS_EXPORTED;
    const names = few ? Array.from({ length: table.p }, (_, f) => quoted(`w ${lift.columns(story.columns)[f] ?? f + 1}`)) : [];
    const lines = [["update", "visit", "row (from 0)", "y", "step", "b", "bits", ...names].join(",")];
    for (let j = 0; j < Math.min(replay.updates, MOST_EXPORTED); j++) {
      const row = run.rows[j];
      const { w, b } = replay.after(j + 1);
      const about = [run.from + j + 1, run.visit[j], row, table.y[row], replay.stepOf(j), b, bitsInUse([...w, b])];
      lines.push([...about, ...(few ? w : [])].join(","));
    }
    return `${lines.join("\n")}\n`;
  }

  python(): string {
    const { run, table, replay, k } = this.session;
    const start = replay.after(0);
    const end = replay.after(k);
    const list = (values: Iterable<number>) => `[${Array.from(values, String).join(", ")}]`;
    const used = Array.from(new Set(run.rows.subarray(0, k)));
    const rows = used.map((row) => `    ${row}: ${list(table.X.subarray(row * table.p, (row + 1) * table.p))},`);
    const steps = Array.from({ length: Math.min(k, MOST_EXPORTED) }, (_, j) => `(${run.rows[j]}, ${replay.stepOf(j)})`);
    return [
      `# The first ${k} updates: w += step * x and b += ${table.constant ** 2} * step. Rows count from 0.`,
      "rows = {",
      ...rows,
      "}",
      `updates = [${steps.join(", ")}]`,
      `w, b = ${list(start.w)}, ${start.b}`,
      "for row, step in updates:",
      "    w = [value + step * x for value, x in zip(w, rows[row])]",
      `    b += ${table.constant ** 2} * step`,
      `print("w =", w)  # ${list(end.w)}`,
      `print("b =", b)  # ${end.b}`,
      "",
    ].join("\n");
  }
}
