"""The course: explorers inside pages, formulas as MathML, and each chapter as a notebook.

`python docs/course.py OUT` writes the presets of the explorer into the folder OUT, a page each.
"""

import json
import re
import sys
from pathlib import Path
from typing import Any

# A preset, and what its link says, as `chapter=1 card=margins`: a page of chapter 1 leaves out what later ones explain.
EXPLORE = re.compile(r"<!-- explore: ([a-z-]+)((?: [a-z]+=\w+)*) -->")
# An exponent belongs to all that stands between bars, not to the last bar.
BARS = re.compile(r"\\lVert(.*?)\\rVert(?=[\^_])", re.S)
# What pymdownx.arithmatex leaves of \( ... \) and \[ ... \].
FORMULA = re.compile(r'<(span|div) class="arithmatex">\s*(\\\(|\\\[)(.*?)(\\\)|\\\])\s*</\1>', re.S)
ANSWER = re.compile(r"<details markdown><summary>Answer</summary>.*?</details>\n*", re.S)
BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:\n*^```text\n(.*?)^```\n)?", re.M | re.S)


def write_presets(folder: Path) -> None:
    """A page for each preset of the explorer; one that its clock ended is refused."""
    from linsep.explorer.explore import of_preset
    from linsep.explorer.presets import names_and_titles
    from linsep.types import StopReason

    folder.mkdir(parents=True, exist_ok=True)
    for preset in names_and_titles():
        made = of_preset(preset["name"])
        stops = [run["stop"] for run in made.story["runs"]]
        if StopReason.TIME_BUDGET.sentence in stops or made.story["verdict"]["verdict"] == "undecided":
            raise SystemExit(f"the clock ended the preset {preset['name']}: its page is not written")
        made.save(folder / f"{preset['name']}.html")


def with_explorers(markdown: str, url: str) -> str:
    """Put an explorer where a page says `<!-- explore: NAME chapter=1 card=CARD -->`; `url` is that of the page."""
    up = "../" * url.count("/")
    own = ["answers=no"] * ("-exercises" in url)  # the edition for a class
    return EXPLORE.sub(lambda found: explorer(found[1], "&".join([*found[2].split(), *own]), up), markdown)


def explorer(name: str, view: str, up: str) -> str:
    """A preset as a frame, which loads with its page so that it can be printed, and a link that opens it alone."""
    path = f"{up}explore/{name}.html" + (f"#{view}" if view else "")
    return (
        f'<iframe class="explorer" src="{path}" title="Explorer: {name.replace("-", " ")}"></iframe>\n'
        f'<p class="explorer-link"><a href="{path}" target="_blank" rel="noopener">Open it in a window of its own</a>'
        f" or type <code>linsep explore --preset {name}</code></p>\n"
    )


def with_formulas(html: str) -> str:
    """Replace TeX by MathML, which browsers draw without a script."""
    from html import unescape

    from latex2mathml.converter import convert

    def drawn(found: re.Match[str]) -> str:
        formula = BARS.sub(r"{\\lVert\1\\rVert}", unescape(found[3]).strip())
        return convert(formula, display="block" if found[1] == "div" else "inline")

    return FORMULA.sub(drawn, html)


def without_answers(markdown: str) -> str:
    """A chapter for a class: its exercises and questions without their answers."""
    plain = re.sub(r"\]\(([a-z-]+)\.ipynb\)", r"](\1-exercises.ipynb)", ANSWER.sub("", markdown))
    return re.sub(r"^# (.*)$", r"# \1, without answers", plain, count=1, flags=re.M)


def notebook(markdown: str) -> str:
    """A page as a notebook whose cells have the output that stands under them on the page.

    The tests of the documentation run every block of every page and compare what it prints.
    """
    text = EXPLORE.sub(r'*In a notebook of your own:* `linsep.explore(preset="\1")` *shows it here.*', markdown)
    text = text.replace("\\(", "$").replace("\\)", "$").replace("\\[", "$$").replace("\\]", "$$")
    cells: list[dict[str, Any]] = []
    end = 0
    for block in BLOCK.finditer(text):
        cells += _prose(text[end : block.start()])
        cells.append(_code(block[1], block[2], count=len(cells), folded=_in_answer(text, block.start())))
        end = block.end()
    cells += _prose(text[end:])
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    about = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    return json.dumps({"cells": cells, "metadata": about, "nbformat": 4, "nbformat_minor": 5}, indent=1) + "\n"


def _in_answer(text: str, place: int) -> bool:
    return text.rfind("<details", 0, place) > text.rfind("</details>", 0, place)


def _prose(text: str) -> list[dict[str, Any]]:
    """What stands between two cells of code; of an answer each cell folds its own part."""
    text = text.replace("<details markdown>", "<details>").strip().removeprefix("</details>").strip()
    if "</details>" in text.partition("<details>")[0]:
        text = f"<details><summary>Answer</summary>\n\n{text}"
    if _in_answer(text, len(text)):
        text += "\n\n</details>"
    return [{"cell_type": "markdown", "metadata": {}, "source": text}] if text else []


def _code(source: str, shown: str | None, count: int, *, folded: bool) -> dict[str, Any]:
    printed = [] if shown is None else [{"output_type": "stream", "name": "stdout", "text": shown}]
    about = {"jupyter": {"source_hidden": True, "outputs_hidden": True}} if folded else {}
    cell = {"cell_type": "code", "metadata": about, "execution_count": count + 1}
    return cell | {"source": source.rstrip("\n"), "outputs": printed}


if __name__ == "__main__":
    write_presets(Path(sys.argv[1]))
