"use strict";
// Headers become buttons only where they can do something: without scripts the page is whole as it is.
for (const table of document.querySelectorAll("table")) {
  const heads = Array.from(table.tHead.rows[0].cells);
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    head.setAttribute("aria-sort", "none");
    button.addEventListener("click", () => {
      const up = head.getAttribute("aria-sort") !== "ascending";
      for (const other of heads) other.setAttribute("aria-sort", "none");
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const body = table.tBodies[0];
      const rows = Array.from(body.rows).sort((a, b) => (up ? 1 : -1) * compare(a.cells[column], b.cells[column]));
      body.append(...rows);
    });
  });
}
function compare(a, b) {
  const numbers = a.dataset.number !== undefined && b.dataset.number !== undefined;
  return numbers ? a.dataset.number - b.dataset.number : a.textContent.localeCompare(b.textContent);
}
