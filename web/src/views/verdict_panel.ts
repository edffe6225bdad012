/** Is there a separator at all: the verdict, and the witness where there is none. */

import type { Session } from "../session";
import { fill, from, grouped, h, shown } from "./dom";

const SHOWN = 8;

export class VerdictPanel {
  readonly element = h("section", { class: "card verdict", "aria-label": "Is there a separator?", "aria-live": "polite" });

  private written: unknown = null;

  constructor(readonly session: Session) {}

  /** Read aloud when it changes, so it is written when it changes alone. */
  draw(): void {
    const { verdict } = this.session;
    if (verdict === this.written) return;
    this.written = verdict;
    const parts: (HTMLElement | null)[] = [h("h2", {}, "Is there a separator?"), h("p", { class: verdict.verdict }, this.line())];
    if (verdict.witness) parts.push(h("div", { class: from(3) }, ...this.witness()));
    else if (verdict.u) {
      parts.push(h("p", { class: from(2) }, this.margin()));
    }
    fill(this.element, ...parts);
  }

  /** Rows are counted from 1 here, so the rows of a witness are named below and not in the words of the proof. */
  private line(): string {
    const { chapter, table } = this.session;
    const { verdict, line } = this.session.verdict;
    if (line.startsWith("quasi") && chapter >= 3) return "Not separable, checked exactly. But a plane can have every row on its side or on the plane itself: this is called quasi-separable.";
    const plane = table.constant ? "plane" : "plane through the origin";
    if (verdict === "inseparable") return `Not separable, checked exactly: no ${plane} has every row on the side of its class.`;
    if (verdict === "separable" && !chapter) return `Separable, checked exactly: a ${plane} has every row on the side of its class.`;
    return sentence(line);
  }

  private margin(): string {
    const { session } = this;
    const among = session.table.constant ? ` among the rows ${session.rowName}` : "";
    return `The best plane that was found, which need not be the one on the screen, has the margin γ = ${shown(session.verdict.gamma)}${among}.`;
  }

  /** The rows of the witness with their weights, and what their sum is. */
  private witness(): HTMLElement[] {
    const { table, story, verdict } = this.session;
    const witness = verdict.witness!;
    const rows = witness.rows.slice(0, SHOWN).map((row, j) =>
      h("tr", {}, h("th", { scope: "row" }, grouped(row + 1)), h("td", {}, story.classes[table.y[row] > 0 ? 1 : 0]), h("td", { title: witness.weights[j] }, shortened(witness.weights[j])), h("td", {}, shown(witness.shares[j], 3))),
    );
    const more = witness.rows.length > SHOWN ? ` and ${grouped(witness.rows.length - SHOWN)} more rows` : "";
    return [
      h("p", {}, `The witness: multiply each row ${this.session.rowName} by its label y and its weight. The sum is exactly 0. So for every plane the sum of the weights times y z is 0, too. A separator has only positive y z, and that sum would be positive.`),
      h("div", { class: "scrolls", tabindex: 0, role: "region", "aria-label": "The witness" },
        h("table", {}, h("thead", {}, h("tr", {}, ...["row", "class", "weight", "share"].map((name) => h("th", { scope: "col" }, name)))), h("tbody", {}, ...rows))),
      h("p", {}, `These rows${more} have a dashed square in the picture.${table.constant ? " The star lies between rows of one class and also between rows of the other." : ""}`),
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
