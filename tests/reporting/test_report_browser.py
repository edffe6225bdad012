"""The report in a real browser: nothing fails, pictures have sizes, tables sort, text is not run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from browser import CHROMIUM, Browser
from linsep import Perceptron, report

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here (Debian: apt-get install chromium)")

NASTY = "<script>document.title = 'run'; alert(1)</script><img src=x onerror=alert(2)>"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    y = np.where(X[:, 0] + 0.8 * rng.normal(size=40) > 0, NASTY, "no")
    with pytest.warns(ConvergenceWarning):
        model = Perceptron(max_iter=3, random_state=0).fit(X, y)
    model.feature_names_in_ = np.array([NASTY, "b", "c"], dtype=object)
    path = tmp_path_factory.mktemp("report") / "run.html"
    report(model, X, y).save(path)
    return path


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with Browser(tmp_path_factory.mktemp("chromium")) as browser:
        yield browser


@pytest.mark.parametrize(("width", "mobile"), [(375, True), (1200, False)])
def test_it_opens_without_a_complaint_and_fits(browser: Browser, page: Path, width: int, mobile: bool) -> None:
    browser.open(page, width, mobile=mobile)
    assert browser.complaints() == []
    assert browser.requests() == [page.as_uri()]
    assert browser.ask("document.documentElement.scrollWidth") <= width
    sizes = browser.ask(
        "Promise.all([...document.images].map(i => i.decode().then(() => [i.naturalWidth, i.width, i.height])))"
    )
    assert len(sizes) >= 3
    assert all(natural > 300 and 250 < wide <= width and high > 150 for natural, wide, high in sizes)
    assert browser.ask("[...document.images].every(i => i.alt.length > 20)")


def test_markup_in_names_is_shown_and_not_run(browser: Browser, page: Path) -> None:
    browser.open(page)
    assert NASTY in browser.ask("document.body.innerText")
    assert browser.ask("document.scripts.length") == 1
    assert browser.ask("document.title") != "run"
    assert not browser.ask("[...document.images].some(i => i.getAttribute('src') === 'x')")
    # Even a script that got into the page would not be run: the page allows its own only.
    browser.ask("s = document.createElement('script'); s.textContent = 'window.ran = 1'; document.body.append(s)")
    assert browser.ask("window.ran === undefined")


COLUMN = """(() => {
  const table = [...document.querySelectorAll("table")].find(t => t.tHead.innerText.includes("margin"));
  window.head = [...table.tHead.rows[0].cells].find(c => c.innerText.trim() === "margin");
  window.column = () => [...table.tBodies[0].rows].map(r => Number(r.cells[head.cellIndex].dataset.number));
  head.scrollIntoView();
  const box = head.querySelector("button").getBoundingClientRect();
  return [box.x + box.width / 2, box.y + box.height / 2];
})()"""


def test_a_click_on_a_header_sorts_by_number(browser: Browser, page: Path) -> None:
    browser.open(page)
    x, y = browser.ask(COLUMN)
    before = browser.ask("column()")
    assert browser.ask("head.getAttribute('aria-sort')") == "none"
    orders = []
    for _ in range(2):
        for kind in ("mousePressed", "mouseReleased"):
            browser.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
        orders.append((browser.ask("head.getAttribute('aria-sort')"), browser.ask("column()")))
    assert orders == [("ascending", sorted(before)), ("descending", sorted(before, reverse=True))]
    assert browser.complaints() == []


def test_so_does_the_keyboard_and_text_sorts_as_text(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.ask("document.querySelector('th button').focus()")
    browser.press("Enter", 13, "\r")
    assert browser.ask("document.activeElement.parentElement.getAttribute('aria-sort')") == "ascending"
    told = browser.ask("[...document.querySelector('table').tBodies[0].rows].map(r => r.cells[0].textContent)")
    assert [name[:20] for name in told] == [NASTY[:20], "b", "c"]
    browser.press("Tab", 9)
    browser.press(" ", 32, " ")
    assert browser.ask("document.activeElement.textContent") == "weight"
    assert browser.ask("document.querySelectorAll('[aria-sort=ascending]').length") == 1


def test_it_prints(browser: Browser, page: Path, tmp_path: Path) -> None:
    browser.open(page)
    browser.print(tmp_path / "run.pdf")
    assert (tmp_path / "run.pdf").read_bytes().startswith(b"%PDF")
