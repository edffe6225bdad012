/** The link to what is seen, the page as a file, and the pictures as SVG. */

import type { Session } from "../session";
import { stateOf } from "../state";
import { button, h, save } from "./dom";

interface Picture {
  canvas: { svg(draw: () => void): string };
  draw(): void;
}

export class Share {
  readonly element = h("section", { class: "card share", "aria-label": "Link, file and pictures" });
  private readonly link = h("input", { readonly: true, "aria-label": "Link to what you see", onfocus: () => this.link.select() });
  private readonly words = h("p", { class: "hint", role: "status" });
  private readonly plain = h("input", { type: "checkbox" });

  constructor(
    readonly session: Session,
    pictures: Record<string, Picture>,
  ) {
    this.element.append(
      h("h2", {}, "Link, file and pictures"),
      h("p", {}, "The link shows what you see now: the rows that you changed, the options, the moment and this panel. The address of this page does the same."),
      h("p", {}, this.link, button("copy link", "Copy the link", () => void this.copy())),
      this.words,
      h("p", {}, button("save page", "Save this page, as you see it, as one HTML file", () => save("explorer.html", "text/html", this.page()))),
      h("label", { class: "switch" }, this.plain, " without the notes that tell the answer"),
      h(
        "p",
        {},
        ...Object.entries(pictures).map(([name, picture]) =>
          button(`${name} as SVG`, `Save the picture of the ${name} as SVG`, () => save(`${name}.svg`, "image/svg+xml", picture.canvas.svg(() => picture.draw()))),
        ),
      ),
    );
  }

  private async copy(): Promise<void> {
    this.link.select();
    try {
      await navigator.clipboard.writeText(this.link.value);
      this.words.textContent = "The link is copied.";
    } catch {
      this.words.textContent = "Press Ctrl-C to copy the link.";
    }
  }

  /** This page anew, which opens without a network and without linsep. */
  page(): string {
    const { packed } = this.session;
    const about = this.plain.checked ? packed.about.filter((_, j) => j === 0 || j === packed.about.length - 1) : packed.about;
    const story = JSON.stringify({ ...packed, about, presets: [], state: stateOf(this.session) });
    const page = document.documentElement.cloneNode(true) as HTMLElement;
    const place = page.querySelector("#linsep-explorer")!;
    place.replaceChildren();
    place.removeAttribute("data-server");
    page.querySelector("#linsep-story")!.textContent = story.replaceAll("<", "\\u003c");
    const policy = page.querySelector("meta[http-equiv]");
    policy?.setAttribute("content", policy.getAttribute("content")!.replace(/; connect[^;]*/, ""));
    return `<!doctype html>${page.outerHTML}\n`;
  }

  draw(): void {
    const place = /^(?:https?|file):/.test(location.href) ? location.href.split("#")[0] : "";
    this.link.value = `${place}#${stateOf(this.session)}`;
  }
}
