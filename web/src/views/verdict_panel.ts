/** Is there a separator at all: the verdict, and the witness where there is none. */

import type { Session } from "../session";
import { fill, grouped, h, shown } from "./dom";

const SHOWN = 8;

export class VerdictPanel {
  readonly element = h("section", { class: "card verdict", "aria-label": "Is there a separator?", "aria-live": "polite" });

  private told: unknown = null;

  constructor(readonly session: Session) {}

  /** Read aloud when it changes, so it is written when it changes alone. */
  draw(): void {
    const { verdict } = this.session;
    if (verdict === this.told) return;
    this.told = verdict;
    const parts: (HTMLElement | null)[] = [h("h2", {}, "Is there a separator?"), h("p", { class: verdict.verdict }, this.line())];
    if (verdict.witness) parts.push(...this.witness());
    else if (verdict.u) {
      parts.push(h("p", {}, `Its margin is γ = ${shown(verdict.gamma)} in the space of ${this.session.rowName}: no row is nearer than that to the plane through 0 there.`));
    }
    fill(this.element, ...parts);
  }

  /** Rows are counted from 1 here, so the rows of a witness are named below and not in the words of the proof. */
  private line(): string {
    const { verdict, line } = this.session.verdict;
    if (line.startsWith("quasi")) return "Quasi-separable, proved exactly: a plane has no row on its wrong side, but some rows can only lie on it.";
    if (verdict === "inseparable") return "Not separable, proved exactly: no plane has every row on its side.";
    return sentence(line);
  }

  /** The rows of the witness with their weights, and what they add up to. */
  private witness(): HTMLElement[] {
    const { table, story, verdict } = this.session;
    const witness = verdict.witness!;
    const rows = witness.rows.slice(0, SHOWN).map((row, j) =>
      h("tr", {}, h("th", { scope: "row" }, grouped(row + 1)), h("td", {}, story.classes[table.y[row] > 0 ? 1 : 0]), h("td", { title: witness.weights[j] }, shortened(witness.weights[j])), h("td", {}, shown(witness.shares[j], 3))),
    );
    const more = witness.rows.length > SHOWN ? ` and ${grouped(witness.rows.length - SHOWN)} more rows` : "";
    return [
      h("p", {}, `The witness: weights, none negative, with which the rows y ${this.session.rowName} add up to exactly 0. A separator would have to be on the positive side of each of them, and so of their sum; but the sum is 0.`),
      h("div", { class: "scrolls", tabindex: 0, role: "region", "aria-label": "The witness" },
        h("table", {}, h("thead", {}, h("tr", {}, ...["row", "class", "weight", "share"].map((name) => h("th", { scope: "col" }, name)))), h("tbody", {}, ...rows))),
      h("p", {}, `These rows${more} have a dashed square in the picture${table.constant ? ", and the hulls of both classes meet at the star" : ""}.`),
    ];
  }
}

/** A long whole number as its first digits and its size; all of it is in the tip of the cell. */
function shortened(weight: string): string {
  return weight.length <= 12 ? weight : `${weight[0]}.${weight.slice(1, 4)}… · 10^${weight.length - 1}`;
}

function sentence(text: string): string {
  const first = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.…]$/.test(first) ? first : `${first}.`;
}
