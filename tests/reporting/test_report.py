"""The report: one page that says what is known, shows text as text, and fetches nothing."""

from __future__ import annotations

import base64
import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

import linsep
from in_process import linsep as command
from linsep import KernelPerceptron, Perceptron, Rocchio, SequenceTagger, VotedPerceptron, load, report
from linsep.types import DataError

NASTY = "<script>alert(1)</script>"
TABLE = f'{NASTY},"a&b ""quoted""",city,sold\n1,2,Oslo,<b>yes</b>\n2,1,{NASTY},no\n3,5,Bari,no\n2,1,Oslo,<b>yes</b>\n'


class Reader(HTMLParser):
    """The parts of a page: tags with their attributes, and the text of each table row, heading and picture."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.rows: list[list[str]] = []
        self.words: dict[str, list[str]] = {}
        self.pieces: list[str] = []
        self.open: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
        if tag not in ("meta", "link", "img"):
            self.open.append(tag)
            self.words.setdefault(tag, []).append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.pieces.append(data)
        if self.open:
            self.words[self.open[-1]][-1] += data
            if self.open[-1] in ("td", "th"):
                self.rows[-1][-1] += data

    @property
    def pictures(self) -> dict[str, dict[str, str | None]]:
        images = [about for tag, about in self.tags if tag == "img"]
        return dict(zip(self.words.get("h3", []), images, strict=True))

    def text(self) -> str:
        return " ".join(part for parts in self.words.values() for part in parts)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text(TABLE)
    return tmp_path


def noisy(n: int = 40) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    return X, np.where(X[:, 0] + 0.8 * rng.normal(size=n) > 0, "yes", "no")


@pytest.fixture(scope="module")
def fitted() -> tuple[Any, Any, Any]:
    X, y = noisy()
    with pytest.warns(ConvergenceWarning):
        return Perceptron(max_iter=3, random_state=0).fit(X, y), X, y


def test_the_mistaken_rows_are_those_on_the_wrong_side_worst_first(fitted: tuple[Any, Any, Any]) -> None:
    model, X, y = fitted
    page = Reader(report(model, X, y).html)
    heads = ["row", "label", "predicted", "margin"]
    at = next(i for i, row in enumerate(page.rows) if row[:4] == heads)
    z = X @ model.coef_[0] + model.intercept_[0]
    margins = np.where(y == "yes", z, -z)
    expected = sorted(np.flatnonzero(margins <= 0), key=lambda i: float(margins[i]))
    told = page.rows[at + 1 :]
    assert [int(row[0]) - 1 for row in told] == expected
    for row, i in zip(told, expected, strict=True):
        assert row[1:3] == [y[i], model.predict(X[[i]])[0]]
        assert [float(cell) for cell in row[3:]] == pytest.approx([margins[i]], rel=1e-5)


def test_the_heaviest_weights_are_a_table(fitted: tuple[Any, Any, Any]) -> None:
    model, X, y = fitted
    frame = pd.DataFrame(X, columns=["$a_1$", "b <i>", "日本"])
    with pytest.warns(ConvergenceWarning):
        named = Perceptron(max_iter=3, random_state=0).fit(frame, y)
    rows = Reader(report(named, frame, y).html).rows
    at = rows.index(["feature", "weight"])
    order = np.argsort(-np.abs(model.coef_[0]), kind="stable")
    assert [row[0] for row in rows[at + 1 : at + 4]] == [frame.columns[j] for j in order]
    assert [float(row[1]) for row in rows[at + 1 : at + 4]] == pytest.approx(model.coef_[0][order].tolist(), rel=1e-5)


def test_one_file_that_fetches_nothing_and_comes_out_the_same(fitted: tuple[Any, Any, Any], tmp_path: Path) -> None:
    made = report(*fitted)
    assert made.html == report(*fitted).html
    page = Reader(made.html)
    for tag, about in page.tags:
        for name in ("src", "href", "srcset", "action", "data"):
            assert (about.get(name) or "data:").startswith("data:"), (tag, about)
    assert "url(" not in "".join(page.words["style"])
    made.save(tmp_path / "run.html")
    assert (tmp_path / "run.html").read_text(encoding="utf-8") == made.html
    assert len(made.html) < 1_000_000
    assert "iframe" in made._repr_html_()
    assert "<script" not in made._repr_html_()


def test_every_picture_is_svg_with_a_size_and_words(fitted: tuple[Any, Any, Any]) -> None:
    pictures = Reader(report(*fitted).html).pictures
    assert {"Boundary", "Margins"} <= pictures.keys()
    for about in pictures.values():
        assert int(about["width"] or 0) > 300
        assert int(about["height"] or 0) > 200
        assert len(about["alt"] or "") > 20
        svg = base64.b64decode(str(about["src"]).removeprefix("data:image/svg+xml;base64,"))
        assert ElementTree.fromstring(svg).tag.endswith("svg")


SMALL: dict[str, tuple[Any, Any, Any, set[str], str]] = {
    "three rows": (Perceptron(), [[0.0, 1], [1, 0], [2, 2]], [0, 0, 1], {"Boundary", "Margins"}, ""),
    "one feature": (Perceptron(), [[0.0], [1], [2], [3]], list("aabb"), {"Boundary", "Margins"}, ""),
    "exclusive-or": (
        KernelPerceptron(kernel="rbf"),
        [[0.0, 0], [0, 1], [1, 0], [1, 1]],
        [0, 1, 1, 0],
        {"Boundary", "Why no hyperplane separates them"},
        "weights: those of a kernel belong to rows",
    ),
    "votes": (VotedPerceptron(max_iter=1), [[0.0, 1, 0], [1, 0, 0], [2, 2, 1]], [0, 0, 1], {"Rows", "Margins"}, "vote"),
    "classes": (Rocchio(), [[0.0, 1, 0], [1, 0, 0], [2, 2, 1]], list("uvw"), {"Rows", "Margins"}, "3 classes"),
}


@pytest.mark.parametrize("case", SMALL)
def test_what_applies_is_drawn(case: str) -> None:
    model, X, y, titles, words = SMALL[case]
    page = Reader(report(model.fit(np.array(X), y), np.array(X), y).html)
    assert titles <= page.pictures.keys()
    assert words in page.text()


def test_without_rows_the_page_says_so(fitted: tuple[Any, Any, Any]) -> None:
    page = Reader(report(fitted[0]).html)
    assert not page.pictures
    assert "no pictures or tables of them" in page.text()


def test_a_hundred_thousand_features_and_many_classes() -> None:
    rng = np.random.default_rng(0)
    X = sp.random_array((60, 100_000), density=1e-4, random_state=rng, format="csr")
    y = np.arange(60) % 20
    made = report(Rocchio().fit(X, y), X, y)
    page = Reader(made.html)
    assert len(made.html) < 1_000_000
    assert "3 of 100,000 features of each class shown." in page.text()
    assert "Rows" in page.pictures


def test_many_rows_are_thinned_and_the_page_stays_small() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300_000, 3))
    y = np.where(X[:, 0] + rng.normal(size=len(X)) > 0, "yes", "no")
    made = report(Rocchio().fit(X, y), X, y)
    page = Reader(made.html)
    assert len(made.html) < 1_000_000
    assert re.search(r"100 of [0-9,]+ rows shown", page.text())
    svg = base64.b64decode(str(page.pictures["Boundary"]["src"]).removeprefix("data:image/svg+xml;base64,")).decode()
    assert re.search(r"[0-9,]+ of 300,000 rows shown", svg)


def test_certificates() -> None:
    X, y = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), [0, 1, 1, 0]
    page = Reader(report(linsep.separability(X, y), X, y).html)
    assert page.words["h1"] == ["Inseparable"]
    assert "Why no hyperplane separates them" in page.pictures
    at = page.rows.index(["row", "label", "weight"])
    assert page.rows[at + 1] == ["1", "0", "1"]
    page = Reader(report(linsep.separability(X, [0, 0, 1, 1]), X, [0, 0, 1, 1]).html)
    assert page.words["h1"] == ["Separable"]
    assert {"A separator"} == page.pictures.keys()
    line = np.array([[0.0], [1], [1], [2]])
    page = Reader(report(linsep.separability(line, [0, 0, 1, 1]), line, [0, 0, 1, 1]).html)
    assert {"A direction", "Why no hyperplane separates them"} <= page.pictures.keys()
    undecided = linsep.separability(X, y, time_limit=0.0)
    assert "undecided: there is nothing to draw" in Reader(report(undecided, X, y).html).text()


def test_what_has_no_report_is_told(fitted: tuple[Any, Any, Any]) -> None:
    model, X, y = fitted
    with pytest.raises(DataError, match="X and y, or neither"):
        report(model, X)
    with pytest.raises(DataError, match="a column of X is text"):
        report(model, pd.DataFrame({"a": ["p", "q"]}), y[:2])
    with pytest.raises(DataError, match="not about a SequenceTagger"):
        report(SequenceTagger())
    with pytest.raises(DataError, match="needs the rows"):
        report(linsep.separability(X, y))
    with pytest.raises(DataError, match="label maybe is not one of the classes"):
        report(model, X, ["maybe", *y[1:]])


def test_a_missing_extra_is_named(folder: Path) -> None:
    script = (
        "import sys\n"
        "sys.modules['jinja2'] = None\n"
        "import linsep\n"
        "try:\n    linsep.report(None)\n"
        "except ImportError as error:\n    print(error)\n"
        "from linsep.app import cli\n"
        "sys.argv = ['linsep', 'check', 't.csv', '--target', 'sold', '--report', 'r.html']\n"
        "cli.main()\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=folder, check=False)
    assert "pip install '.[report]'" in done.stdout
    assert "pip install '.[report]'" in done.stderr
    assert done.returncode == 2


# ------------------------------------------------------------------- commands
def test_fit_writes_a_page_on_which_markup_is_text(folder: Path) -> None:
    command("fit", "t.csv", "--target", "sold", "--report", "run it.html", "--max-iter", "5", "--json")
    page = Reader((folder / "run it.html").read_text(encoding="utf-8"))
    assert page.words["h1"] == ["AveragedPerceptron: no against <b>yes</b>"]
    assert page.words["pre"] == ["linsep fit t.csv --target sold --report 'run it.html' --max-iter 5 --json"]
    assert [tag for tag, _ in page.tags].count("script") == 1
    assert "b" not in page.words
    assert any(row[0] == NASTY for row in page.rows)
    assert load(folder / "model.linsep").encoder_ is not None


def test_mistaken_rows_of_a_table_and_of_its_model(folder: Path) -> None:
    (folder / "noisy.csv").write_text("size,city,sold\n1.50,Oslo,a\n1.50,Oslo,b\n7,Rome,b\n8,Rome,b\n")
    command("fit", "noisy.csv", *["--target", "sold", "--learner", "rocchio", "--report", "r.html"])
    rows = Reader((folder / "r.html").read_text(encoding="utf-8")).rows
    at = rows.index(["row", "label", "predicted", "margin"])
    assert rows[at + 1][:3] == ["2", "b", "a"]
    frame = pd.read_csv(folder / "noisy.csv")
    again = report(load(folder / "model.linsep"), frame.drop(columns="sold"), frame["sold"])
    assert ["2", "b", "a"] in [row[:3] for row in Reader(again.html).rows]


def test_check_and_streams_write_theirs(folder: Path) -> None:
    (folder / "kinds.csv").write_text("a,b,kind\n0.1,1,u\n0.2,2,u\n5,1,v\n6,2.5,v\n0.15,9,w\n")
    checked = command("check", "kinds.csv", "--target", "kind", "--report", "c.html", "--json")
    assert json.loads(checked.stdout)["report"] == "c.html"
    page = Reader((folder / "c.html").read_text(encoding="utf-8"))
    assert page.words["h1"] == ["3 of 3 classes are separable"]
    assert {f"{label}: A separator" for label in "uvw"} <= page.pictures.keys()
    assert ["feature", "weight"] in page.rows
    command("fit", "t.csv", *["--stream", "--target", "sold", "--set", "bits=8", "--report", "stream.html"])
    page = Reader((folder / "stream.html").read_text(encoding="utf-8"))
    assert "a stream are not kept" in page.text()
    assert "mistakes, pass 1" in page.text()


def test_check_shows_the_rows_that_have_to_go(folder: Path) -> None:
    rows = [(150 + h, 40 + 7 * h % 13, "tall" if (h > 19) != (h in (3, 30)) else "short") for h in range(40)]
    lines = ["height,weight,kind", "150,,short", *(",".join(map(str, row)) for row in rows)]
    (folder / "kinds.csv").write_text("\n".join(lines) + "\n")
    asked = "check kinds.csv --target kind --missing drop --explain --report c.html"
    command(*asked.split(), status=1)
    page = Reader((folder / "c.html").read_text(encoding="utf-8"))
    at = page.rows.index(["row", "label"])
    told = page.rows[at + 1 : at + 3]
    assert {tuple(row) for row in told} == {("5", "tall"), ("32", "short")}
    said = "column 'height' alone tells the classes apart (2 of 40 rows wrong: short up to 169.5, tall above 169.5)"
    assert said in page.text()


@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
def test_a_column_that_is_skipped_may_hold_anything(suffix: str, folder: Path) -> None:
    frame = pd.DataFrame({"geo": [{"at": "x"}] * 6, "a": [0, 1, 2, 7, 8, 9], "y": list("pppqqq")})
    table = folder / f"nested.{suffix}"
    frame.to_json(table, orient="records", lines=True) if suffix == "jsonl" else frame.to_parquet(table)
    asked = (table.name, "--target", "y", "--column", "geo=skip", "--report", "n.html")
    for name in ("fit", "check"):
        command(name, *asked)
        page = Reader((folder / "n.html").read_text(encoding="utf-8"))
        assert "geo" not in [cell for row in page.rows for cell in row]
    model = load(folder / "model.linsep")
    assert report(model, frame.drop(columns="y"), frame["y"]).html


def test_the_parts_of_the_page_are_in_the_package() -> None:
    folder = Path(linsep.__file__).parent / "reporting" / "page" / "template"
    assert {item.name for item in folder.iterdir()} == {"page.html", "page.css", "sort.js"}
