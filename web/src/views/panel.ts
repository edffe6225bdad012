/** One panel with a card for each question; of the cards one is open. */

import { WHOLE, type Session } from "../session";
import { fill, from, h } from "./dom";

interface View {
  element: HTMLElement;
  draw(): void;
}

/** What its tab is called, and the views on it. */
export type Cards = Record<string, View[]>;

/** The chapter of the course that explains a card; the rest wait for the last. */
const CHAPTERS: Record<string, number> = { verdict: 0, step: 1, margins: 1, proof: 2, updates: 2 };
const chapterOf = (name: string) => CHAPTERS[name] ?? WHOLE;

export class Panel {
  readonly element = h("div", { class: "panel" });
  private readonly tabs: HTMLButtonElement[];
  private readonly body = h("div", { class: "body", id: "linsep-card", role: "tabpanel", tabindex: 0 });
  private open = "";

  constructor(
    readonly session: Session,
    private readonly cards: Cards,
  ) {
    const names = Object.keys(cards);
    this.tabs = names.map((name) => h("button", { type: "button", role: "tab", class: from(chapterOf(name)), id: `linsep-tab-${name}`, "aria-controls": "linsep-card", onclick: () => this.show(name) }, name));
    const turn = (event: KeyboardEvent) => {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!by) return;
      event.preventDefault();
      event.stopPropagation();
      const offered = names.filter((name) => this.isOffered(name));
      const next = offered[(offered.indexOf(session.panel) + by + offered.length) % offered.length];
      this.show(next);
      this.tabs[names.indexOf(next)].focus();
    };
    const list = h("div", { class: "tabs", role: "tablist", "aria-label": "What the panel shows", onkeydown: turn }, ...this.tabs);
    this.element.append(list, this.body);
  }

  private isOffered(name: string): boolean {
    return name in this.cards && chapterOf(name) <= this.session.chapter;
  }

  private show(name: string): void {
    this.session.panel = name;
    this.session.tell();
  }

  /** Only what is seen is drawn. */
  draw(): void {
    if (!this.isOffered(this.session.panel)) this.session.panel = Object.keys(this.cards).find((name) => this.isOffered(name))!;
    const views = this.cards[this.session.panel];
    if (this.open !== this.session.panel) {
      this.open = this.session.panel;
      for (const tab of this.tabs) {
        const isOpen = tab.textContent === this.open;
        tab.setAttribute("aria-selected", String(isOpen));
        tab.tabIndex = isOpen ? 0 : -1;
      }
      this.body.setAttribute("aria-labelledby", `linsep-tab-${this.open}`);
      fill(this.body, ...views.map((view) => view.element));
      this.body.scrollTop = 0;
    }
    for (const view of views) view.draw();
  }
}
