"""The page of a run: one file, a local server behind a token, and the command that opens them."""

from __future__ import annotations

import json
import re
import threading
import urllib.error
import urllib.request
import webbrowser
from collections.abc import Iterator
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from in_process import linsep
from linsep import explore
from linsep.explorer import explore as serving
from linsep.explorer.explore import page_of

TOKEN = "a-token"
SQUARE: dict[str, Any] = {"X": [[0, 0], [1, 1], [0, 1], [1, 0]], "y": [-1, -1, 1, 1], "constant": 1}


def story_in(page: str) -> Any:
    (found,) = re.findall(r'<script type="application/json" id="linsep-story">(.*?)</script>', page, re.S)
    return json.loads(found)


def test_the_file_holds_all_that_it_needs(tmp_path: Path) -> None:
    found = explore([[0.0, 1.0], [3.0, 4.0]], ["</script><b>no", "<!--yes"])
    found.save(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert story_in(page) == found.story
    assert "default-src &#x27;none&#x27;" in page and "connect-src" not in page
    assert not re.search(r'(?:src|href)\s*=\s*["\']', page.split("<body>")[0])
    assert page.count("</script>") == 2 and "<b>no" not in page and "<!--" not in page


def test_a_notebook_shows_the_page_in_a_frame() -> None:
    found = explore(preset="six-points")
    assert found._repr_html_().startswith('<iframe title="linsep explorer"')
    assert "&lt;!doctype html&gt;" in found._repr_html_()
    assert repr(found) == "<Exploration of 6 x 2 rows: Perceptron, 2 updates; save(path), serve()>"


class Page:
    """A served page, asked over the loopback."""

    def __init__(self, port: int) -> None:
        self.port = port

    def ask(self, path: str, body: Any = None, host: str | None = None) -> tuple[int, str]:
        raw = body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
        asked = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", raw)
        if host is not None:
            asked.add_header("Host", host)
        try:
            with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(asked, timeout=60) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    with serving.listen(explore(preset="six-points").story, TOKEN, 0) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield Page(server.server_port)
        server.shutdown()
        thread.join()


def test_the_page_is_served_with_its_presets(page: Page) -> None:
    status, text = page.ask(f"/{TOKEN}/")
    assert status == 200 and f'data-server="/{TOKEN}"' in text and "connect-src &#x27;self&#x27;" in text
    story = story_in(text)
    assert story["preset"] == "six-points" and len(story["presets"]) == 9
    assert all(set(one) == {"name", "title"} for one in story["presets"])


def test_another_token_or_host_is_not_answered(page: Page) -> None:
    assert page.ask("/")[0] == page.ask("/other/")[0] == page.ask(f"/{TOKEN}x/story")[0] == 404
    assert page.ask(f"/{TOKEN}/", host="evil.example")[0] == 400
    assert page.ask(f"/{TOKEN}/story?preset=line", host="evil.example:80")[0] == 400
    assert page.ask(f"/{TOKEN}/", host="localhost")[0] == 200


def test_points_that_were_changed_are_proved_anew(page: Page) -> None:
    status, text = page.ask(f"/{TOKEN}/verdict", SQUARE)
    assert status == 200 and json.loads(text)["witness"]["weights"] == ["1"] * 4
    moved = {**SQUARE, "X": [[0, 0], [0.4, 0.4], [0, 1], [1, 0]]}
    assert json.loads(page.ask(f"/{TOKEN}/verdict", moved)[1])["verdict"] == "separable"


def test_a_preset_is_sent_by_name(page: Page) -> None:
    status, text = page.ask(f"/{TOKEN}/story?preset=cycling")
    assert status == 200 and json.loads(text)["title"] == "A run that goes round in circles"


@pytest.mark.parametrize(
    ("place", "body", "said"),
    [
        ("story?preset=moon", None, "no preset is called 'moon'"),
        ("verdict", {"X": [[1]], "y": [1]}, "two classes are needed"),
        ("verdict", {"X": [[1], [2]]}, "the request lacks 'y'"),
        ("verdict", {**SQUARE, "y": [0, 1, 0, 1]}, "y has to be -1 or 1"),
        ("verdict", {**SQUARE, "X": [[1], [2]]}, "X has 2 rows and y 4 labels"),
        ("verdict", {**SQUARE, "X": [[1], ["a"], [2], [3]]}, "X must hold numbers"),
        ("verdict", {**SQUARE, "constant": -1}, "must be a finite number above 0"),
        ("verdict", b"{", "the request cannot be used"),
        ("verdict", b"[]", "one JSON object"),
        ("verdict", b"[" * 100_000, "the request cannot be used"),
        ("verdict", b'{"X": [[1], [NaN]], "y": [1, -1]}', "nan is not a finite number"),
    ],
)
def test_what_cannot_be_shown_is_answered_with_a_sentence(page: Page, place: str, body: Any, said: str) -> None:
    status, text = page.ask(f"/{TOKEN}/{place}", body)
    assert status == 400 and said in json.loads(text)["error"]


def test_a_request_that_is_too_long_is_refused(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "_MOST_BYTES", 100)
    status, text = page.ask(f"/{TOKEN}/verdict", {**SQUARE, "title": "x" * 200})
    assert status == 400 and "more than 100 bytes" in json.loads(text)["error"]


def test_the_server_listens_on_this_machine_alone() -> None:
    with serving.listen({}, TOKEN, 0) as server:
        host, port = server.socket.getsockname()
        assert host == "127.0.0.1"
        with pytest.raises(OSError, match=f"port {port} of this machine cannot be used"):
            serving.listen({}, TOKEN, port)


def test_serving_opens_the_browser_and_ends_in_words(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)

    def interrupted(self: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(ThreadingHTTPServer, "serve_forever", interrupted)
    explore(preset="line").serve()
    told = capsys.readouterr().err
    assert len(opened) == 1 and re.fullmatch(r"http://127\.0\.0\.1:\d+/[\w-]{32}/", opened[0])
    assert opened[0] in told and told.endswith("The page is closed.\n")
    explore(preset="line").serve(browser=False)
    assert len(opened) == 1


def test_the_command_writes_a_page_of_a_table(tmp_path: Path) -> None:
    table, out = tmp_path / "loans.csv", tmp_path / "page.html"
    table.write_text("income,job,late\n31,none,yes\n52,office,no\n24,shop,yes\n75,office,no\n40,shop,maybe\n")
    done = linsep("explore", table, "--target", "late", "--positive", "yes", "--set", "order=random", "--save", out)
    story = story_in(out.read_text(encoding="utf-8"))
    assert story["columns"] == ["income", "job=none", "job=office", "job=shop"]
    assert story["classes"] == ["not yes", "yes"] and story["target"] == "late" and story["title"] == "loans.csv"
    assert story["runs"][0]["order"] == "random" and story["about"][-1].endswith("?")
    assert f"page            {out}" in done.stdout and "verdict" in done.stdout
    linsep("explore", table, "--target", "late", "--positive", "yes", "--set", "fit_intercept=no", "--save", out)
    assert story_in(out.read_text(encoding="utf-8"))["constant"] == 0.0


def test_the_command_shows_a_preset_or_says_what_is_wrong(tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    assert "2 updates, at most 5" in linsep("explore", "--save", out).stdout
    seen = "--set", "view=file:///p.html#visit=3&card=proof"
    done = linsep("explore", "--preset", "line", "--learner", "pa1", *seen, "--save", out)
    assert "the 3 rows 1, 3, 4 (counted from 1) alone cannot be separated" in done.stdout  # as on the page
    story = story_in(out.read_text(encoding="utf-8"))
    assert story["runs"][0]["name"] == "pa1" and story["state"] == "visit=3&card=proof"
    table = tmp_path / "t.csv"
    table.write_text("x,y\n1,a\n2,b\n3,c\n")
    assert "name one of them" in linsep("explore", table, "--target", "y", "--save", out, status=2).stderr
    assert "not both" in linsep("explore", table, "--preset", "line", "--save", out, status=2).stderr
    assert "no preset is called" in linsep("explore", "--preset", "moon", "--save", out, status=2).stderr


def test_a_script_cannot_end_its_own_element() -> None:
    assert page_of({"title": "</title><script>"}).count("<script") == 2
