"""The explorer in a real browser: scrubbed, dragged, driven by keys; its arithmetic beside that of Python."""

from __future__ import annotations

import ast
import itertools
import json
import math
import re
import signal
import subprocess
import sys
import warnings
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from course import with_explorers

from browser import CHROMIUM, Browser
from linsep import AveragedPerceptron, Perceptron, PocketPerceptron, Rocchio, separability
from linsep.explorer.explore import explore, of_preset
from linsep.explorer.presets import names_and_titles

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here (Debian: apt-get install chromium)")

PRESETS = [preset["name"] for preset in names_and_titles()]
AXE = Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"
# Drawing happens once a frame.
DRAWN = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))"


def when(condition: str) -> str:
    """A promise in JavaScript of a condition that is not yet true."""
    return f"new Promise(done => {{ const look = () => ({condition} ? done(0) : setTimeout(look, 20)); look(); }})"


READY = when("window.linsep")


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with Browser(tmp_path_factory.mktemp("chromium")) as browser:
        yield browser


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("presets")
    found = {}
    for name in PRESETS:
        found[name] = folder / f"{name}.html"
        of_preset(name).save(found[name])
    return found


def show(browser: Browser, page: Path | str, width: int = 1200, height: int = 900, **how: bool) -> None:
    """Open a page and wait for its first picture; before that it shows its title."""
    browser.open("about:blank")  # from a page to a part of the same page a browser loads nothing
    browser.open(page, width, height, **how)
    does(browser, READY)


def drawn(browser: Browser) -> None:
    browser.ask(DRAWN)


def does(browser: Browser, expression: str) -> Any:
    """The value of an expression, whose effect is drawn."""
    found = browser.ask(expression)
    drawn(browser)
    return found


def text_of(browser: Browser, selector: str) -> str:
    """What an element says once all is drawn."""
    drawn(browser)
    return str(browser.ask(f"document.querySelector('{selector}').innerText"))


def live(browser: Browser) -> str:
    drawn(browser)
    return str(browser.ask("document.querySelector('.live').textContent"))


def card(browser: Browser, name: str) -> str:
    """Open a card of the panel and read it."""
    browser.ask(f"document.getElementById('linsep-tab-{name}').click()")
    return text_of(browser, ".panel .body")


def saved(browser: Browser, buttons: str) -> list[str]:
    """The files that buttons save, as text."""
    browser.ask(
        "window.saved = []; URL.createObjectURL = blob => { saved.push(blob); return 'data:,'; };"
        f"{buttons}.forEach(button => button.click())"
    )
    found: list[str] = browser.ask("Promise.all(saved.map(blob => blob.text()))")
    return found


def box_of(browser: Browser, selector: str) -> list[float]:
    """Left, top, width and height of an element, which is brought into the window first."""
    drawn(browser)
    box: list[float] = browser.ask(
        f"(() => {{ const e = document.querySelector('{selector}'); e.scrollIntoView({{block: 'center'}});"
        " const b = e.getBoundingClientRect(); return [b.left, b.top, b.width, b.height]; })()"
    )
    return box


# ---------------------------------------------------------------------- the page
def test_the_bundle_is_small() -> None:
    static = Path(__file__).parents[2] / "src" / "linsep" / "explorer" / "static"
    assert sum((static / name).stat().st_size for name in ("explore.js", "explore.css")) < 250_000


@pytest.mark.parametrize("name", PRESETS)
def test_each_preset_opens_without_a_complaint_and_asks_nobody(
    browser: Browser, pages: dict[str, Path], name: str
) -> None:
    # Where something has to be scrolled sideways to be seen.
    hidden = "[...document.querySelectorAll('.pictures, .body, .scrolls')].filter(e => e.scrollWidth > e.clientWidth)"
    for width, height, dark in ((390, 844, False), (730, 780, False), (1280, 800, True), (1920, 900, False)):
        show(browser, pages[name], width, height, dark=dark, mobile=width == 390)
        does(browser, "linsep.session.goToUpdate(3)")
        assert browser.complaints() == []
        assert browser.requests() == [pages[name].as_uri()]
        assert browser.ask("document.documentElement.scrollWidth") <= width
        assert browser.ask("[...document.querySelectorAll('canvas')].every(c => c.width > 100 && c.height > 60)")
        # No button hides under the panel: a finger takes a row away, too.
        bottoms = (
            "[...document.querySelectorAll('.editing:not([hidden]) *')].map(e => e.getBoundingClientRect().bottom)"
        )
        does(browser, "linsep.session.toEnd()")
        top = browser.ask("document.querySelector('.panel').getBoundingClientRect().top")
        assert max(browser.ask(bottoms), default=0) <= (top if width == 390 else height)
        # All is on one screen: both pictures, buttons, and a panel that shows most of what it holds.
        assert browser.ask("document.documentElement.scrollHeight") <= height
        assert browser.ask("document.querySelector('.panel .body').clientHeight") > 100
        card(browser, "proof")
        assert browser.ask("(body => body.clientHeight > 0.75 * body.scrollHeight)(document.querySelector('.body'))")
        for tab in ("proof", "margins", "updates"):
            card(browser, tab)
            assert browser.ask(f"{hidden}.length") == 0


@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not here: run make web")
@pytest.mark.parametrize("name", ["six-points", "exclusive-or", "breast-cancer"])
def test_axe_finds_nothing(browser: Browser, pages: dict[str, Path], name: str) -> None:
    for dark in (False, True):
        show(browser, pages[name], dark=dark)
        does(browser, "linsep.session.goToUpdate(1)")
        browser.ask(AXE.read_text(encoding="utf-8") + ";0")
        for tab in ("step", "proof", "verdict", "margins", "updates", "options", "link"):
            card(browser, tab)
            assert browser.ask("axe.run().then(r => r.violations.map(v => [v.id, v.nodes.map(n => n.html)]))") == []


# ---------------------------------------------------------------------- the run
def test_the_classroom_example_reads_as_in_the_classroom(browser: Browser, pages: dict[str, Path]) -> None:
    show(browser, pages["six-points"])
    assert "w = 0" in live(browser)
    said = []
    for _ in range(12):
        browser.press("ArrowRight", 39)
        said.append(live(browser))
    assert "row 1" in said[0]
    assert "Mistake. A tie counts as a mistake. w moves." in said[0]
    assert all("Right. w stays as it is." in said[k] for k in (1, 2, 3, 4, *range(6, 12)))
    assert "row 6" in said[5]
    assert "Mistake. w moves." in said[5]
    assert "The run ends here" in said[11]
    assert "w = −x1 + x6" in card(browser, "updates")
    browser.press("Home", 36)
    assert "At first w = 0" in live(browser)
    card(browser, "margins")
    margins = "[...document.querySelectorAll('.rows tbody tr')].map(row => row.children[2].textContent)"
    assert set(browser.ask(margins)) == {"–"}  # w is 0, and 0 / 0 is no distance


def test_every_update_has_the_bits_of_python(browser: Browser, tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(300, 3))
    y = np.where(X @ [1.0, 2.0, -1.0] + 0.1 > 0, "yes", "no")
    page = tmp_path / "run.html"
    explore(X, y, order="random", seed=3).save(page)
    show(browser, page)
    model = Perceptron(trace="updates", shuffle=True, random_state=3, max_iter=1000).fit(X, y)
    signs = np.where(y == "yes", 1.0, -1.0)
    states = [(np.zeros(3), 0.0), *((w, b) for _, w, b in model.trace_.iter_weights(X, signs))]
    assert len(states) > 30
    assert browser.ask("linsep.session.replay.updates") == len(states) - 1
    for k, (w, b) in enumerate(states):
        mistakes = int((signs * (X @ w + b) <= 0).sum())
        browser.ask(f"linsep.session.goToUpdate({k})")
        got = browser.ask("[[...linsep.session.after.w], linsep.session.after.b, linsep.session.mistakes]")
        assert got == [w.tolist(), b, mistakes]
    np.testing.assert_array_equal(model.coef_[0], states[-1][0])


def test_the_slider_scrubs_by_mouse_and_by_keys(browser: Browser, pages: dict[str, Path]) -> None:
    show(browser, pages["breast-cancer"])
    left, top, width, height = box_of(browser, "input[type=range]")
    browser.drag((left + 8, top + height / 2), (left + width / 2, top + height / 2))
    updates = browser.ask("linsep.session.replay.updates")
    assert 0.4 < browser.ask("linsep.session.k") / updates < 0.6
    browser.press("End", 35)
    assert browser.ask("linsep.session.k") == updates
    assert browser.ask("document.querySelector('input[type=range]').getAttribute('aria-valuetext')").startswith(
        "update"
    )
    drawn(browser)
    assert browser.ask("linsep.session.mistakes") == 0


def test_the_mean_rocchio_and_the_pocket_are_those_of_linsep(browser: Browser, tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(40, 2))
    y = np.where(X[:, 0] + 0.7 * rng.normal(size=40) > 0, 1, -1)
    page = tmp_path / "run.html"
    explore(X, y, max_iter=6, learner="rocchio").save(page)
    show(browser, page)
    browser.ask("['averaged', 'pocket'].forEach(name => linsep.session.overlays.add(name)); linsep.session.toEnd()")
    seen = browser.ask("linsep.session.drawn().map(d => [d.name, [...d.w, d.b], d.mistakes])")
    models: list[Any] = [AveragedPerceptron(max_iter=6, shuffle=False), PocketPerceptron(max_iter=6, shuffle=False)]
    for name, model in zip(("averaged", "pocket", "rocchio"), [*models, Rocchio()], strict=True):
        [(weights, mistakes)] = [rest for line, *rest in seen if line == name]
        model.fit(X, y)
        np.testing.assert_allclose(weights, [*model.coef_[0], *model.intercept_], rtol=1e-9)
        assert mistakes == (model.predict(X) != y).sum()


def test_the_ledger_is_exported_as_python_that_runs(browser: Browser, pages: dict[str, Path]) -> None:
    show(browser, pages["semicircle"])
    browser.ask("linsep.session.goToUpdate(12)")
    card(browser, "updates")
    csv, code = saved(
        browser, "[...document.querySelectorAll('.ledger button')].filter(b => /^Save/.test(b.textContent))"
    )
    assert csv.splitlines()[0] == 'update,visit,row (from 0),y,step,b,bits,"w x1","w x2"'
    assert len(csv.splitlines()) == 1 + browser.ask("linsep.session.replay.updates")
    found: dict[str, Any] = {}
    exec(compile(ast.parse(code.replace("print(", "(")), "replay.py", "exec"), found)
    assert [found["w"], found["b"]] == browser.ask("[[...linsep.session.after.w], linsep.session.after.b]")


# ------------------------------------------------------------------- the one screen
def test_the_page_asks_first_and_tells_at_the_end_and_play_keeps_its_speed(
    browser: Browser, pages: dict[str, Path]
) -> None:
    show(browser, pages["semicircle"])
    place = "document.querySelector('.place').textContent"
    notes = "document.querySelector('.about').hidden"
    assert browser.ask("document.querySelector('.task strong').textContent").endswith("which only the run?")
    browser.ask("linsep.session.goToUpdate(7)")
    assert "79" not in live(browser) + browser.ask(place) + card(browser, "updates")
    assert browser.ask(notes)
    # Forward and back stop at the same moments: each update, the beginning and the end.
    hops = "by => Array.from({ length: 90 }, () => (linsep.session.hop(by), linsep.session.t))"
    there, back = browser.ask(f"linsep.session.goToUpdate(0); [1, -1].map({hops})")
    assert {0, *there} == {*back, there[-1]}
    assert len({0, *there}) == 79 + 2
    drawn(browser)
    assert "of 79" in browser.ask(place) and not browser.ask(notes)
    # Play is a clock that ticks; here the test is the clock.
    browser.ask("window.setInterval = tick => { window.tick = tick; return 1; }")
    moves = []
    for speed in (1, 10, 100):
        browser.ask(f"linsep.session.speed = {speed}; linsep.session.goToUpdate(0)")
        browser.press(" ", 32)
        browser.ask("for (let j = 0; j < 20; j++) tick()")
        moves.append(browser.ask("linsep.session.k"))
        browser.press(" ", 32)
    assert moves == [3, 21, 79]
    # Reset takes back rows, options and the moment.
    browser.ask("linsep.session.change({...linsep.session.points, constant: 1}); linsep.session.learnAs({name: 'pa'})")
    browser.ask("[...document.querySelectorAll('.controls button')].find(b => b.textContent === 'reset').click()")
    told = "[linsep.session.table === linsep.session.story.table, linsep.session.run.name, linsep.session.t]"
    assert browser.ask(told) == [True, "perceptron", 0]


def test_the_region_where_all_is_right_is_seen_or_said_to_be_missing(
    browser: Browser, pages: dict[str, Path], tmp_path: Path
) -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(80, 6))
    page = tmp_path / "table.html"
    explore(X, np.where(X @ [1, 2, 0, -1, 0, 1] > 0.3, "yes", "no")).save(page)
    words = "document.querySelector('.slice').textContent"
    green = """(() => { const c = document.querySelectorAll('.pictures canvas')[1], g = c.getContext('2d');
      const { data } = g.getImageData(0, 0, c.width, c.height); let found = 0;
      for (let j = 0; j < data.length; j += 4) if (data[j + 1] > data[j] + 30 && data[j + 1] > data[j + 2] + 8) found++;
      return found / (c.width * c.height); })()"""
    for path in (page, pages["breast-cancer"]):
        show(browser, path)
        does(browser, "linsep.session.hop(1)")
        assert "Green: every row is right" in browser.ask(words)
        assert browser.ask(green) > 0.02
    show(browser, pages["exclusive-or"])
    # Before the end the words tell no answer, and afterwards they do.
    assert "Green is where every row is right." in browser.ask(words)
    assert browser.ask(green) < 0.001
    # The witness tells an answer: it is marked for who opens the verdict.
    assert browser.ask("linsep.session.witness") is None
    card(browser, "verdict")
    assert browser.ask("linsep.session.witness.rows") == [0, 1, 2, 3]
    # A row is moved, and the separator is there although w is 0.
    browser.ask("const t = linsep.session.points, X = t.X.slice(); X[0] = X[1] = 3; linsep.session.change({...t, X})")
    assert browser.ask("[...linsep.session.after.w, linsep.session.after.b]") == [0, 0, 0]
    assert browser.ask("linsep.session.drawn().map(d => [d.name, d.mistakes])") == [["a separator", 0]]
    show(browser, pages["exclusive-or"])
    does(browser, "linsep.session.toEnd()")
    assert "no w is right on all rows. In this picture the best w has 2 rows wrong" in browser.ask(words)


# ------------------------------------------------------------- learnt in the page
def tables(n_tables: int) -> Iterator[tuple[list[list[float]], list[int], float]]:
    """Small tables of small integers, many of them on the border between separable and not."""
    rng = np.random.default_rng(7)
    for _ in range(n_tables):
        n, p = int(rng.integers(2, 9)), int(rng.integers(1, 3))
        y = rng.choice([-1, 1], size=n)
        y[:2] = [-1, 1]
        # No row of zeros: without an intercept it is a mistake for ever, and linsep stops where only such are left.
        rows = rng.integers(-3, 4, size=(n, p)).astype(float)
        rows[~rows.any(axis=1)] = 1.0
        yield rows.tolist(), y.tolist(), float(rng.integers(0, 2))


IN_PAGE = """(tables => tables.map(([X, y, constant]) => {
  const table = { n: X.length, p: X[0].length, X: Float64Array.from(X.flat()), y: Int8Array.from(y), constant };
  const run = linsep.learn(table, { name: "perceptron", order: "turn", seed: 1, epochs: 40 });
  const { verdict, witness, u, bound } = linsep.verdictOf(table);
  return { verdict, witness, u, bound, rows: [...run.rows] };
}))"""


def test_verdicts_and_runs_of_the_page_are_those_of_python(browser: Browser, pages: dict[str, Path]) -> None:
    show(browser, pages["six-points"])
    asked = list(tables(150))
    kinds = set()
    for (X, y, constant), found in zip(asked, browser.ask(f"{IN_PAGE}({json.dumps(asked)})"), strict=True):
        rows = np.array(X)
        proved = separability(rows, y, fit_intercept=bool(constant))
        kinds.add(found["verdict"])
        assert (found["verdict"] == "separable") == (proved.verdict == "separable")
        if found["witness"]:
            lifted = [[Fraction(v) for v in [*row, constant]] for row in X]
            rows_of, weights = found["witness"]["rows"], [int(weight) for weight in found["witness"]["weights"]]
            assert all(weight > 0 for weight in weights)
            for j in range(len(lifted[0])):
                terms = zip(rows_of, weights, strict=True)
                assert sum(weight * y[i] * lifted[i][j] for i, weight in terms) == 0
        model = Perceptron(max_iter=40, shuffle=False, fit_intercept=bool(constant), trace="updates", verbose=0)
        with warnings.catch_warnings(action="ignore"):  # a budget that ends is no news here
            model.fit(rows, y)
        assert found["rows"] == model.trace_.update_rows.tolist()
        if found["bound"] is not None:
            assert len(found["rows"]) <= found["bound"]
    assert kinds == {"separable", "inseparable"}


# ------------------------------------------------------------------------ editing
def to_screen(browser: Browser, row: int) -> tuple[float, float]:
    """Where a row is in the window: found by asking which place of the picture is that row's."""
    left, top, width, height = box_of(browser, ".pictures canvas")
    ticks = browser.ask(f"[...linsep.session.points.X.subarray({row} * 2, {row} * 2 + 2)]")
    x, y = browser.ask(f"linsep.screen({ticks[0]}, {ticks[1]})")
    assert 0 < x < width
    assert 0 < y < height
    return left + x, top + y


def test_a_corner_of_exclusive_or_dragged_away_makes_it_separable(browser: Browser, pages: dict[str, Path]) -> None:
    show(browser, pages["exclusive-or"])
    assert "Not separable" in card(browser, "verdict")
    start = to_screen(browser, 0)
    end = to_screen(browser, 2)
    browser.drag(start, (end[0] - 12, end[1] + 12))
    drawn(browser)
    assert browser.ask("linsep.session.verdict.verdict") == "separable"
    assert "eparable" in text_of(browser, ".verdict")
    assert browser.ask("linsep.session.points.n") == 4
    assert browser.complaints() == []


def test_rows_are_added_turned_moved_and_taken_away_by_keys(browser: Browser, pages: dict[str, Path]) -> None:
    show(browser, pages["exclusive-or"])
    browser.ask("document.querySelector('canvas.editable').focus()")
    browser.press("n", 78)
    assert browser.ask("[linsep.session.points.n, linsep.session.selected]") == [5, 4]
    before = browser.ask("[...linsep.session.points.X.subarray(8)]")
    browser.press("ArrowRight", 39)
    browser.press("ArrowUp", 38)
    after = browser.ask("[...linsep.session.points.X.subarray(8)]")
    assert after[0] > before[0]
    assert after[1] > before[1]
    sign = browser.ask("linsep.session.points.y[4]")
    browser.press("t", 84)
    assert browser.ask("linsep.session.points.y[4]") == -sign
    browser.press("Delete", 46)
    assert browser.ask("linsep.session.points.n") == 4
    assert "Not separable" in card(browser, "verdict")


def test_a_run_of_moved_rows_keeps_the_limits_and_says_which_ended_it(browser: Browser, pages: dict[str, Path]) -> None:
    for name, passes in (("drift", 1), ("line", 25), ("overfitting-votes", 10)):
        show(browser, pages[name])
        browser.ask("linsep.session.toEnd(); linsep.session.change({...linsep.session.points})")
        assert f"w still moved in the {f'last of the {passes} passes' if passes > 1 else 'one pass'}" in live(browser)
        assert browser.ask("[linsep.session.run.epochs, document.querySelector('.about').hidden]") == [passes, True]
    # Without that limit the cap on updates ends the run: the sentence has the number of the counter.
    browser.ask("linsep.session.asked.epochs = 1e6; linsep.session.learnAs({}); linsep.session.toEnd()")
    assert f"ends here: {browser.ask('linsep.session.run.total'):,} updates were made, and no pass" in live(browser)
    assert browser.ask("document.querySelector('.message').textContent") == ""


def test_a_finger_moves_a_row_and_a_tap_adds_one(browser: Browser, pages: dict[str, Path]) -> None:
    show(browser, pages["exclusive-or"], 360, mobile=True)
    browser.call("Emulation.setTouchEmulationEnabled", enabled=True)
    try:
        start = to_screen(browser, 1)
        browser.touch(start, (start[0] - 10, start[1] - 20))
        moved = browser.ask("[...linsep.session.points.X.subarray(2, 4)]")
        assert moved[0] < 1
        assert moved[1] > 0
        assert browser.ask("linsep.session.points.n") == 4
        left, top, width, height = box_of(browser, ".pictures canvas")
        middle = (left + 0.5 * width, top + 0.5 * height)
        browser.touch(middle, middle)
        assert browser.ask("linsep.session.points.n") == 5
    finally:
        browser.call("Emulation.setTouchEmulationEnabled", enabled=False)


def test_squares_and_products_separate_exclusive_or(browser: Browser, pages: dict[str, Path]) -> None:
    show(browser, pages["exclusive-or"])
    does(browser, "linsep.session.liftBy('quadratic')")
    assert browser.ask("linsep.session.verdict.verdict") == "separable"
    does(browser, "linsep.session.goToVisit(linsep.session.lastVisit)")
    assert browser.ask("linsep.session.mistakes") == 0
    signs = browser.ask("[...linsep.session.valuesAt(linsep.session.points.X)].map(Math.sign)")
    assert signs == browser.ask("[...linsep.session.points.y]")
    does(browser, "linsep.session.liftBy('rbf')")
    browser.ask("linsep.session.goToVisit(linsep.session.lastVisit)")
    z = browser.ask("[...linsep.session.z]")
    # The curve is drawn from the kernel itself, the run was made on a factor of its matrix.
    np.testing.assert_allclose(browser.ask("[...linsep.session.valuesAt(linsep.session.points.X)]"), z, atol=1e-6)
    assert all(math.isfinite(value) for value in z)


def test_what_the_page_cannot_prove_is_said_at_once(browser: Browser, pages: dict[str, Path]) -> None:
    show(browser, pages["breast-cancer"])
    does(browser, "linsep.session.change({...linsep.session.points, constant: 0})")
    assert "Not decided in the page" in text_of(browser, ".verdict")
    show(browser, pages["overfitting-votes"])
    does(browser, "linsep.session.liftBy('rbf')")
    assert "the Gaussian kernel separates any rows" in text_of(browser, ".verdict")
    browser.ask(
        "const t = linsep.session.points, X = t.X.slice(), y = t.y.slice();"
        "X[2] = X[0]; X[3] = X[1]; y[1] = -y[0]; linsep.session.change({...t, X, y})"
    )
    drawn(browser)
    assert browser.ask("linsep.session.verdict.witness.rows") == [0, 1]


def test_vectors_that_a_story_shows_are_ticked_and_named(browser: Browser, pages: dict[str, Path]) -> None:
    show(browser, pages["drift"])
    card(browser, "options")
    boxes = "[...document.querySelectorAll('fieldset input')]"
    assert browser.ask(f"{boxes}.map(box => box.checked)") == [True, False, False, False, False, False]
    browser.ask(f"{boxes}[0].click()")
    assert browser.ask("linsep.session.overlays.size") == 0


def bold_words(browser: Browser, picture: int) -> list[ElementTree.Element]:
    """Names of lines and of rows in a picture that is saved: -2 has the rows, -1 the weights."""
    card(browser, "link")
    [text] = saved(browser, f"[[...document.querySelectorAll('.share button')].at({picture})]")
    root = ElementTree.fromstring(text)
    return [element for element in root.iter() if "bold 12px" in element.get("style", "")]


def test_names_of_lines_lie_apart_and_each_line_has_a_look_of_its_own(browser: Browser, pages: dict[str, Path]) -> None:
    show(browser, pages["overfitting-votes"], 1280, 800)
    names = ["averaged", "pocket", "margin", "rocchio"]
    browser.ask(f"{names}.forEach(name => linsep.session.overlays.add(name)); linsep.session.goToUpdate(200)")
    words = {text.text: (float(text.get("x", 0)), float(text.get("y", 0))) for text in bold_words(browser, -2)}
    assert sorted(words, key=str) == sorted(names)
    for (ax, ay), (bx, by) in itertools.combinations(words.values(), 2):
        assert abs(ay - by) >= 16 or abs(ax - bx) > 40
    picture = browser.ask("saved[0].text()")
    looks = re.findall(r'stroke="(\S+)" stroke-width="2.5"( stroke-dasharray="[^"]+")?', picture)
    assert len(looks) == len(set(looks)) == 5
    # The name of a separator stands on no row.
    show(browser, pages["exclusive-or"], 1280, 800)
    browser.ask("const t = linsep.session.points, X = t.X.slice(); X[0] = X[1] = 0.6; linsep.session.change({...t, X})")
    [name] = bold_words(browser, -2)
    x, y = float(name.get("x", 0)), float(name.get("y", 0))
    rows = browser.ask("[0, 1, 2, 3].map(i => linsep.screen(...linsep.session.points.X.subarray(2 * i, 2 * i + 2)))")
    assert all(abs(x - across) > 45 or abs(y - 4 - down) > 14 for across, down in rows)


def test_numbers_of_lines_that_meet_and_columns_that_find_no_room_are_still_read(
    browser: Browser, pages: dict[str, Path]
) -> None:
    show(browser, pages["orthonormal"], 1280, 800)
    browser.ask("linsep.session.goToUpdate(3)")
    bold = bold_words(browser, -1)
    assert sorted(row for text in bold for row in str(text.text).split(", ")) == list("123456789")
    heights = sorted((float(text.get("y", 0)), float(text.get("x", 0))) for text in bold)
    assert all(math.dist(one, other) > 12 for one, other in itertools.pairwise(heights))
    assert len({text.get("fill") for text in bold}) == 1  # each of the two stands for rows of both classes
    # Lines that are only near each other have a number each, in the colour of its class.
    show(browser, pages["line"], 1280, 800)
    browser.ask("linsep.session.goToUpdate(5)")
    bold = bold_words(browser, -1)
    assert {text.text: text.get("fill") for text in bold} == {
        c: "#0072b2" if c in "124" else "#e69f00" for c in "123456"
    }
    show(browser, pages["breast-cancer"], 1280, 800)
    card(browser, "margins")
    seen = browser.ask(
        "Array.from({length: 30}, () => { const names = document.querySelectorAll('.rows thead th');"
        " document.querySelector('[title=\"Show the next columns\"]').click();"
        " return [...names].map(e => e.textContent); }).flat()"
    )
    assert len(set(seen)) == 3 + 30


def test_predict_first_asks_before_it_shows(browser: Browser, pages: dict[str, Path]) -> None:
    show(browser, pages["six-points"])
    does(browser, "document.querySelector('#predict').click()")
    assert text_of(browser, ".question").startswith("Next: row 1")
    does(browser, "[...document.querySelectorAll('.question button')].at(-1).click()")
    assert browser.ask("linsep.session.t") == 1
    assert "Yes. 1 of 1" in text_of(browser, ".question")
    does(browser, "[...document.querySelectorAll('.question button')].at(-1).click()")
    assert "1 of 2" in text_of(browser, ".question")


def test_rows_options_and_moment_travel_in_a_link_a_file_and_pictures(
    browser: Browser, pages: dict[str, Path], tmp_path: Path
) -> None:
    show(browser, pages["exclusive-or"])
    browser.ask(
        "const s = linsep.session, X = s.points.X.slice(); X[0] = 0.1; X[1] = 1 / 3; s.change({...s.points, X});"
        "s.learnAs({name: 'pa', order: 'random', seed: 5}); s.overlays.add('rocchio'); s.contours = false;"
        "s.speed = 10; s.goToVisit(13)"
    )
    card(browser, "link")
    seen = (
        "(s => [[...s.points.X], [...s.points.y], s.run.name, s.run.order, s.run.seed, [...s.overlays], s.contours,"
        " s.speed, s.t, s.panel, [...s.after.w], s.after.b, s.verdict.verdict, s.message])(linsep.session)"
    )
    wanted = browser.ask(seen)
    assert wanted[0][:2] == [0.1, 1 / 3] and wanted[2:5] == ["pa", "random", 5] and wanted[8] == 13
    link = browser.ask("document.querySelector('.share input').value")
    assert link.startswith(pages["exclusive-or"].as_uri() + "#preset=exclusive-or&rows=0.1_")
    # The address of the page becomes the same link.
    asked = "decodeURIComponent(location) === decodeURIComponent(document.querySelector('.share input').value)"
    browser.ask(when(asked))
    buttons = "[...document.querySelectorAll('.share button')].filter(b => /{}/.test(b.textContent))"
    page, *pictures = saved(browser, buttons.format("^(?!.*copy)"))
    file = tmp_path / "saved.html"
    file.write_text(page, encoding="utf-8")
    for path in (link, file):
        show(browser, path)
        assert browser.ask(seen) == wanted
        assert browser.complaints() == []
    for picture in pictures:
        root = ElementTree.fromstring(picture)
        kinds = [element.tag.rpartition("}")[2] for element in root.iter()]
        assert {"svg", "title", "path", "text"} <= set(kinds) and "NaN" not in picture
    assert len(pictures) == 2
    # Of this card nothing is printed, no empty box either.
    browser.call("Emulation.setEmulatedMedia", media="print")
    assert browser.ask("document.querySelector('.panel').offsetHeight") == 0
    browser.call("Emulation.setEmulatedMedia", media="")
    # In an edition for exercises the notes stay away.
    card(browser, "link")
    browser.ask("document.querySelector('.share input[type=checkbox]').click()")
    [exercise] = saved(browser, buttons.format("^save page$"))
    story = "new DOMParser().parseFromString({}, 'text/html').querySelector('#linsep-story').textContent"
    about = json.loads(browser.ask(story.format(json.dumps(exercise))))["about"]
    assert len(about) == 2 and about[1].endswith("?")
    # What a link says wrongly is said, and the page begins as it was.
    for said in ("rows=1_2", "rows=1__p", "rule=x", "visit=-1", "axes=0,9", "preset=line", "c=x"):
        browser.ask(f"location.hash = '#{said}'")
        browser.ask(when("linsep.session.message"))
        assert browser.ask("linsep.session.message").startswith("The link cannot be used: ")
        assert not browser.ask("linsep.session.edited || (linsep.session.message = '')")


LATER = r"""\b(witness|quasi|voted?|averaged?|pocket|Rocchio|kernel|passive|adversary|hulls?)\b"""
LATER_THAN_1 = rf"""{LATER}|\b(updates?|pass|bound|epochs?|half-plane|Predict|γ)\b"""
LATER_THAN_0 = rf"""{LATER_THAN_1}|\b(w|y z|mistakes?|wrong|pass|changes|margins?|intercept|hyperplane|label)\b"""


@pytest.mark.parametrize(
    ("name", "chapter", "cards", "later"),
    [
        ("six-points", 0, ["verdict"], LATER_THAN_0),
        ("six-points", 1, ["step", "verdict", "margins"], LATER_THAN_1),
        ("line", 1, ["step", "verdict", "margins"], LATER_THAN_1),
        ("breast-cancer", 1, ["step", "verdict", "margins"], LATER_THAN_1),
        ("six-points", 2, ["step", "proof", "verdict", "margins", "updates"], LATER),
        ("semicircle", 2, ["step", "proof", "verdict", "margins", "updates"], LATER),
        ("orthonormal", 2, ["step", "proof", "verdict", "margins", "updates"], LATER),
        ("cycling", 3, ["step", "proof", "verdict", "margins", "updates"], LATER.replace("witness|", "")),
    ],
)
def test_in_the_course_the_page_has_no_words_of_later_chapters(
    browser: Browser, pages: dict[str, Path], name: str, chapter: int, cards: list[str], later: str
) -> None:
    show(browser, f"{pages[name].as_uri()}#chapter={chapter}&card=link", 1280, 800)
    seen = "[...document.querySelectorAll('[role=tab]')].filter(e => e.offsetParent).map(e => e.textContent)"
    assert browser.ask(seen) == cards
    assert browser.ask("linsep.session.panel") == cards[0]  # in place of a card that is not there
    pictures = browser.ask("[...document.querySelectorAll('figure')].filter(e => e.offsetParent).length")
    assert pictures == (1 if chapter < 2 else 2)
    assert browser.ask("document.querySelector('.task').offsetParent") is None  # the chapter asks
    moments = ["goToUpdate(0)", "goToUpdate(1)", "toEnd()"]
    if browser.ask("linsep.session.story.editable"):
        moments.append(
            "change({...linsep.session.points, y: linsep.session.points.y.map((sign, i) => i ? sign : -sign)})"
        )
    for moment in moments:
        browser.ask(f"linsep.session.{moment}")
        for tab in cards:
            card(browser, tab)
            words = browser.ask("document.querySelector('main').innerText")
            assert not re.findall(later, words, re.I), words
        assert chapter >= 3 or browser.ask("linsep.session.witness") is None
    assert browser.complaints() == []
    assert f"chapter={chapter}" in browser.ask("(linsep.session.tell(), location.hash)")
    if chapter == 0:  # the first screen of the course has a low frame
        show(browser, f"{pages[name].as_uri()}#chapter=0", 731, 318)
        assert browser.ask("document.documentElement.scrollHeight") <= 318


# ------------------------------------------------------------- inside other pages
def test_an_explorer_inside_a_page_works_from_a_file(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "explore").mkdir()
    (tmp_path / "learn").mkdir()
    of_preset("semicircle").save(tmp_path / "explore" / "semicircle.html")
    page = tmp_path / "learn" / "page.html"
    markdown = "# A chapter\n\n<!-- explore: semicircle -->\n"
    style = Path(__file__).parents[2] / "docs" / "site.css"
    # What the theme makes of its search where the index cannot be fetched.
    header = '<div class="md-header"><label for="__search">search</label><div class="md-search" hidden></div></div>'
    head = f"<!doctype html><meta charset=utf-8><link rel=stylesheet href={style.as_uri()}>{header}"
    page.write_text(f"{head}{with_explorers(markdown, 'learn/page.html')}")
    browser.open(page, 390, 844, mobile=True)
    assert browser.ask("document.querySelector('label').offsetParent") is None
    asked = browser.ask("document.querySelector('iframe').src")
    assert asked == (tmp_path / "explore" / "semicircle.html").as_uri()
    # What the reader did not scroll to is printed, too.
    assert browser.ask("document.querySelector('iframe').loading") != "lazy"
    contexts = [
        event["params"]["context"]
        for event in browser.events
        if event["method"] == "Runtime.executionContextCreated" and event["params"]["context"]["auxData"]["isDefault"]
    ]
    inside = browser.call("Runtime.evaluate", expression=READY, contextId=contexts[-1]["id"], awaitPromise=True)
    assert "exceptionDetails" not in inside
    told = "[document.title, linsep.session.table.n]"
    found = browser.call("Runtime.evaluate", expression=told, contextId=contexts[-1]["id"], returnByValue=True)
    assert found["result"]["value"] == ["Rows on a circle", 24]
    assert browser.complaints() == []


# --------------------------------------------------------------------- served
@pytest.fixture
def served() -> Iterator[str]:
    """The address of `linsep explore`, which runs in a process of its own until the test is over."""
    command = [sys.executable, "-m", "linsep", "explore", "--preset", "exclusive-or", "--set", "browser=no"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        said = next(line for line in process.stderr if "http://127.0.0.1" in line)
        try:
            yield said.split()[3]
        finally:
            process.send_signal(signal.SIGINT)
            process.stderr.read()


def test_a_served_page_asks_this_machine_alone_and_python_proves(browser: Browser, served: str) -> None:
    show(browser, served)
    assert "Not separable" in card(browser, "verdict")
    browser.ask("document.querySelector('canvas.editable').focus()")
    browser.press("]", 221)
    browser.press("t", 84)
    proved = when("!linsep.session.verdict.line.startsWith('asking')")
    does(browser, proved)
    assert browser.ask("linsep.session.verdict.verdict") == "separable"
    assert "checked exactly" in text_of(browser, ".verdict")
    # Python is asked about the last of many moves, not about each of them; one class alone needs no Python.
    before = len(browser.requests())
    browser.ask(
        "for (let k = 0; k < 40; k++) { const t = linsep.session.points, X = t.X.slice(); X[0] += 0.01;"
        " linsep.session.change({...t, X}); }"
    )
    browser.ask(proved)
    assert len(browser.requests()) - before <= 2
    does(browser, "linsep.session.change({...linsep.session.points, y: linsep.session.points.y.map(() => 1)})")
    assert browser.ask("linsep.session.verdict.verdict") == "separable"
    browser.ask(
        "const s = document.querySelector('header select'); s.value = 'line'; s.dispatchEvent(new Event('change'))"
    )
    browser.ask(when("document.querySelector('h1').textContent.includes('line')"))
    assert browser.complaints() == []
    assert browser.requests()
    assert all(url.startswith(served) for url in browser.requests() if not url.endswith("/favicon.ico"))
    # A link names its table, too.
    show(browser, f"{served}#preset=cycling&visit=5&card=updates")
    asked = "linsep.session.story.preset === 'cycling' && linsep.session.t === 5 && linsep.session.panel === 'updates'"
    browser.ask(when(asked))
