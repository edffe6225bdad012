"""The words that name tables of a benchmark, and the figures of a page that a run is compared with."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

NAMES = ["iris", "Vehicle", "Vowel", "20 Newsgroups", "Brown, genres"]


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.syspath_prepend(str(Path(__file__).parent.parent))
    yield lambda name: import_module(f"benchmarks.{name}")
    for name in [name for name in sys.modules if name.partition(".")[0] == "benchmarks"]:
        del sys.modules[name]


@pytest.fixture
def meant(bench: Any) -> Any:
    return bench("defaults").meant


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], NAMES),
        (["20news", "brown"], ["20 Newsgroups", "Brown, genres"]),
        (["v"], ["Vehicle", "Vowel"]),
        (["IRIS", "iris"], ["iris"]),
    ],
)
def test_tables_are_meant_by_how_their_names_begin(meant: Any, words: list[str], expected: list[str]) -> None:
    assert meant(words, NAMES) == expected


@pytest.mark.parametrize("word", ["news", "-", "irises"])
def test_a_word_without_a_table_is_refused_with_their_names(meant: Any, word: str) -> None:
    with pytest.raises(ValueError, match=f"no table begins with '{word}': choose from iris, Vehicle"):
        meant(["iris", word], NAMES)


PAGE = """# Speed

| work | linsep | peer | ratio | note |
|---|---|---|---|---|
| in order | 1 s | scikit-learn: 2 s | 2.00 x |  |
| in order | 1 s | River: 0.5 s | 0.50 x, fell from 0.90 x |  |

Text | with a bar.

| table | ratio |
|---|---|
| in order | 9.00 x |
"""


def test_figures_of_a_page_are_read_by_work_and_peer(bench: Any, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(PAGE, encoding="utf-8")
    found = bench("last").last_ratios([page])
    assert found == {("in order", "scikit-learn"): 2.0, ("in order", "River"): 0.5}


def test_every_page_is_read(bench: Any) -> None:
    last = bench("last")
    found = last.last_ratios(sorted(last.DOCS.glob("*.md")))
    assert len(found) >= 15 and all(ratio > 0 for ratio in found.values())


@pytest.mark.parametrize(
    ("before", "ratio", "pairs", "expected"),
    [
        (None, 1.0, [1.0], False),  # a new row
        (2.0, 1.5, [1.4, 1.5, 1.6], True),
        (2.0, 1.5, [1.4, 1.5, 2.1], False),  # one pair was as good as the page
        (2.0, 1.9, [1.8, 1.9, 1.95], False),  # within noise
    ],
)
def test_a_ratio_fell_if_no_pair_of_the_run_reaches_it(
    bench: Any, before: float | None, ratio: float, pairs: list[float], expected: bool
) -> None:
    assert bench("last").fell(before, ratio, pairs) is expected


def test_what_fell_is_marked_in_the_table(bench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    timing = bench("timing")
    monkeypatch.setattr(timing, "in_turn", lambda works: [[1.0] * 5, [1.5] * 5])
    report = timing.Report({("old", "peer"): 2.0, ("good", "peer"): 1.6})
    for work in ("old", "good", "new"):
        report.compare(work, int, "peer", int)
    assert report.fallen == ["old: 1.50 x, on the page 2.00 x"]
    assert [line.split(" | ")[3] for line in report.lines[-3:]] == ["1.50 x, fell from 2.00 x", "1.50 x", "1.50 x"]
