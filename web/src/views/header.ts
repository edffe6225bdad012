/** What is shown and what is asked, where the chapter around it does not ask; notes with the answer come when the run of these rows has ended. */

import { WHOLE, type Session } from "../session";
import { from, h } from "./dom";

export class Header {
  readonly element = h("header");
  private readonly notes: HTMLElement;

  constructor(
    readonly session: Session,
    start: (preset: string) => Promise<void>,
  ) {
    const { title, about, presets, preset } = session.story;
    const choose = h("select", { "aria-label": "Examples", onchange: () => void start(choose.value) }, h("option", { value: "" }, "examples …"));
    for (const { name, title } of presets ?? []) choose.append(h("option", { value: name, selected: name === preset }, title));
    this.notes = h("details", { class: `about ${from(2)}` }, h("summary", {}, "What you could see"), h("div", {}, ...about.slice(1, -1).map((text) => h("p", {}, text))));
    this.element.append(h("div", { class: "title" }, h("h1", {}, title), session.ask && presets?.length ? choose : "", this.notes));
    if (about.length) this.element.append(h("p", { class: `task ${from(WHOLE)}` }, about.length > 1 ? `${about[0]} ` : "", h("strong", {}, about[about.length - 1])));
  }

  draw(): void {
    this.notes.hidden = this.session.story.about.length < 3 || !this.session.hasEnded || this.session.edited || !this.session.answers;
  }
}
