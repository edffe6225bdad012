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
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2]))
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
| in order | 1 s | River: 0.5 s | 0.50 x, fell: 0.90 x before | 7.00 x |

Text | with a bar.

### Proofs, 3 x 4

| table | ratio | wanted |
|---|---|---|
| in order | at least 9.00 x (8.00 x CPU) | 5.00 x |
| alone |  | 5.00 x |

| table | linsep |
|---|---|
| in order | 9.00 x |
"""


def test_figures_of_a_page_are_read_by_table_row_and_peer(bench: Any, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(PAGE, encoding="utf-8")
    assert bench("last").last_ratios([page]) == {
        ("Speed", "in order", "scikit-learn"): 2.0,
        ("Speed", "in order", "River"): 0.9,  # what it fell from
        ("Proofs, 3 x 4", "in order", ""): 9.0,
    }


def test_figures_of_another_processor_are_compared_with_nothing(bench: Any, tmp_path: Path) -> None:
    last, page = bench("last"), tmp_path / "page.md"
    begin, end = last.MARKS
    page.write_text(
        f"{PAGE}\n{begin}\n\nB 2 (family 3, model 4), Python 3.11.7, numba 0.68.1.\n\n{end}\n", encoding="utf-8"
    )
    assert len(last.last_ratios([page], "B 2 (family 3, model 4)")) == 3
    assert last.last_ratios([page], "A") == {}
    page.write_text(f"{PAGE}\n{begin}\n{end}\nA, Python 3.11.7.\n", encoding="utf-8")
    assert len(last.last_ratios([page], "B")) == 3  # nothing printed there says which it was


@pytest.mark.parametrize(
    ("title", "rows"),
    [
        ("Speed", 66),
        ("From a file to a model, one pass", 4),
        ("From a file to a model, read whole", 4),
        ("Brown corpus, parts of speech, ten epochs", 2),
        ("Kernel perceptron, MNIST, (1 + x.y)^4, ten classes, processor time on one core", 1),
        ("Separation", 15),
        ("Certificates", 15),
        ("Margins", 4),
        ("Shards on two workers", 1),
    ],
)
def test_every_table_of_ratios_on_the_pages_is_read_under_the_title_that_its_suite_prints(
    bench: Any, title: str, rows: int
) -> None:
    last = bench("last")
    found = last.last_ratios(last.PAGES)
    assert sum(table == title for table, _, _ in found) >= rows
    assert any(f'"{title}"' in path.read_text(encoding="utf-8") for path in Path(last.__file__).parent.glob("*.py"))


@pytest.mark.parametrize(
    ("before", "ours", "theirs", "mark"),
    [
        (None, [1.0], [0.1], ""),  # a new row
        (2.0, [1.0] * 5, [1.5] * 5, ", fell: 2.00 x before"),
        (2.0, [1.0] * 5, [1.4, 1.5, 1.5, 1.6, 2.1], ", fell: 2.00 x before"),  # one lucky pair of five hides nothing
        (2.0, [1.0] * 5, [1.4, 1.5, 1.5, 2.1, 2.1], ", 2.00 x before"),  # two do, but the figure stays
        (2.0, [1.0] * 3, [1.5, 1.5, 2.1], ", 2.00 x before"),
        (2.0, [1.0] * 5, [1.81] * 5, ""),  # within noise
        (2.0, [1.0], [1.61], ", 2.00 x before"),  # one pair has more noise
        (2.0, [1.0], [1.59], ", fell: 2.00 x before"),
        (2.0, [1.0, 1.0, 1.0], [1.59], ", fell: 2.00 x before"),  # the peer ran once
        (2.0, [1.0] * 5, [3.0] * 5, ""),
    ],
)
def test_a_ratio_below_the_pages_is_marked(
    bench: Any, before: float | None, ours: list[float], theirs: list[float], mark: str
) -> None:
    assert bench("last").Ratio(ours, theirs).against(before) == mark


def test_a_peer_that_was_stopped_says_nothing_of_a_fall(bench: Any) -> None:
    ratio = bench("last").Ratio([1.0], [20.0], at_least=True, after=" (9 wanted)")
    assert f"{ratio}{ratio.against(150.0)}" == "at least 20.00 x (9 wanted), 150.00 x before"


def print_page(bench: Any, page: Path, **seconds: float) -> Any:
    """A run of five pairs a row, compared with the page and put in its place."""
    report = bench("timing").Report(bench("last").last_ratios([page]))
    for work, theirs in seconds.items():
        ratio = bench("last").Ratio([1.0] * 5, [theirs] * 5, after=" (3.00 x CPU)")
        report.row("Reading", {"work": work, "ratio": ratio, "note": "8.00 x"}, {})
    bench("__main__").put_into(page, "\n".join(report.lines))
    return report


def test_a_page_printed_again_and_again_keeps_what_a_row_fell_from(bench: Any, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("<!-- make bench printed -->\n<!-- until here -->\n", encoding="utf-8")
    marks = []
    for theirs in (2.0, 1.5, 1.3, 1.9, 1.75, 2.5, 2.2):
        report = print_page(bench, page, csv=theirs, other=1.0)
        cell = report.lines[-2].split(" | ")[1]
        marks.append(cell.removeprefix(f"{theirs:.2f} x (3.00 x CPU)"))
        assert report.fallen == ([f"Reading, csv: {cell}"] if "fell" in cell else [])
    fell = ", fell: 2.00 x before"
    assert marks == ["", fell, fell, "", "", "", ", fell: 2.50 x before"]


def test_what_fell_and_what_is_new_is_said_on_stderr(
    bench: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.md"
    page.write_text("<!-- make bench printed -->\n<!-- until here -->\n", encoding="utf-8")
    print_page(bench, page, csv=2.0, svm=2.0)
    report = print_page(bench, page, csv=1.0, svm=2.1, parquet=1.0)
    capsys.readouterr()
    report.warn()
    said = capsys.readouterr()
    assert said.out == ""
    assert [line.strip() for line in said.err.splitlines() if line] == [
        "Below the pages by more than noise:",
        "Reading, csv: 1.00 x (3.00 x CPU), fell: 2.00 x before",
        "Not on the pages, compared with nothing:",
        "Reading, parquet",
    ]


def test_works_timed_in_turn_are_compared_too(bench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    timing = bench("timing")
    monkeypatch.setattr(timing, "in_turn", lambda works: [[1.0] * 5, [1.5] * 5])
    report = timing.Report({("Speed", "old", "peer"): 2.0, ("Speed", "good", "peer"): 1.6})
    for work in ("old", "good", "new"):
        report.compare(work, int, "peer", int)
    assert [line.split(" | ")[3] for line in report.lines[-3:]] == ["1.50 x, fell: 2.00 x before", "1.50 x", "1.50 x"]
    assert report.fallen == ["Speed, old, peer: 1.50 x, fell: 2.00 x before"]
    assert report.unknown == ["Speed, new, peer"]


def test_the_first_fit_of_the_page_stands_beside_the_new_one(bench: Any, tmp_path: Path) -> None:
    module = bench("imports")
    page = tmp_path / "page.md"
    page.write_text(f"### Speed\n\n### {module.FIRST_FIT}\n\n| first fit | second fit |\n|---|---|\n| 4.75 s | 2 s |\n")
    assert module.first_fit_before(page) == "4.75 s"
    page.write_text("### Speed\n")
    assert module.first_fit_before(page) == "nothing"


def test_the_page_of_performance_has_ten_rows_of_the_figures(bench: Any) -> None:
    page = bench("page")
    found = list(page.rows())
    assert len(found) == 10
    assert page.table(found) in page.PAGE.read_text(encoding="utf-8")
