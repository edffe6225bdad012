"""The machinery of the course: explorers in pages, chapters as notebooks."""

from __future__ import annotations

import ast
import builtins
import json
import re
from contextlib import nullcontext
from pathlib import Path

import pytest
from course import BLOCK, EXPLORE, notebook, with_explorers, without_answers, write_presets

from linsep.explorer import presets
from linsep.explorer.presets import PRESETS, names_and_titles

CHAPTERS = sorted((Path(__file__).parents[2] / "docs" / "learn").glob("*.md"))

PAGE = """Let \\(w\\) be 0.

```python
print(1)
```

```text
1
```

<!-- explore: line -->

**1.** Why?

<details markdown><summary>Answer</summary>

So.

```python
print(2)
```

It is so.

</details>

End.
"""


def test_the_notebook_of_a_chapter_has_its_output_and_folds_answers() -> None:
    cells = json.loads(notebook(PAGE))["cells"]
    assert [cell["cell_type"] for cell in cells] == ["markdown", "code", "markdown", "code", "markdown"]
    assert cells[0]["source"] == "Let $w$ be 0." and cells[1]["source"] == "print(1)"
    assert cells[1]["outputs"] == [{"output_type": "stream", "name": "stdout", "text": "1\n"}]
    assert 'linsep.explore(preset="line")' in cells[2]["source"]
    assert cells[2]["source"].endswith("**1.** Why?\n\n<details><summary>Answer</summary>\n\nSo.\n\n</details>")
    assert cells[1]["metadata"] == {} and cells[3]["outputs"] == []
    assert cells[3]["metadata"]["jupyter"] == {"source_hidden": True, "outputs_hidden": True}
    assert cells[4]["source"] == "<details><summary>Answer</summary>\n\nIt is so.\n\n</details>\n\nEnd."
    assert len({cell["id"] for cell in cells}) == 5


@pytest.mark.parametrize(("seconds", "written"), [(1e-9, []), (1000.0, ["six-points.html"])])
def test_no_page_is_written_of_a_preset_that_its_clock_ended(
    seconds: float, written: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(presets, "PRESETS", {"six-points": PRESETS["six-points"]})
    monkeypatch.setattr(presets, "_SECONDS", seconds)
    with nullcontext() if written else pytest.raises(SystemExit, match="the clock ended the preset six-points"):
        write_presets(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == written


def test_an_explorer_is_found_from_every_depth() -> None:
    assert 'src="explore/line.html"' in with_explorers(PAGE, "index.html")
    assert 'src="../../explore/line.html"' in with_explorers(PAGE, "a/b/page.html")
    told = with_explorers(PAGE.replace("line", "line chapter=2 card=proof"), "index.html")
    assert 'src="explore/line.html#chapter=2&card=proof"' in told


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
def test_chapters_ask_for_presets_that_exist_and_make_valid_notebooks(chapter: Path) -> None:
    text = chapter.read_text(encoding="utf-8")
    known = {preset["name"] for preset in names_and_titles()}
    assert {preset for preset, _ in EXPLORE.findall(text)} <= known
    for cell in json.loads(notebook(text))["cells"]:
        assert set(cell) >= {"cell_type", "metadata", "source", "id"}
        if cell["cell_type"] == "code":
            compile(cell["source"], "cell", "exec")


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
def test_a_chapter_without_answers_gives_none_and_needs_none(chapter: Path) -> None:
    text = without_answers(chapter.read_text(encoding="utf-8"))
    assert set(re.findall(r"[a-z-]+\.ipynb", text)) <= {f"{chapter.stem}-exercises.ipynb"}
    assert "<details" not in text and "</details>" not in text
    nodes = list(ast.walk(ast.parse("\n".join(block[1] for block in BLOCK.finditer(text)))))
    names = [node for node in nodes if isinstance(node, ast.Name)]
    known = {node.id for node in names if isinstance(node.ctx, ast.Store)} | set(dir(builtins))
    known |= {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    known |= {(node.asname or node.name).partition(".")[0] for node in nodes if isinstance(node, ast.alias)}
    known |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    assert {node.id for node in names} <= known
