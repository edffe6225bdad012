"""`linsep.explore`: the page of a run, as a file or served to this machine alone, where moved points are proved."""

from __future__ import annotations

import json
import os
import secrets
import sys
import webbrowser
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from typing import Any
from urllib.parse import parse_qs, urlsplit

from linsep.explorer.presets import names_and_titles, points_of_preset, preset
from linsep.explorer.story import as_json, points_of, tell, verdict_of
from linsep.files import write_whole
from linsep.markup import frame_html
from linsep.types import DataError

HOST = "127.0.0.1"
_MOST_BYTES = 20_000_000  # of a request
# What a request that makes no sense leads to.
_WRONG = (DataError, ValueError, TypeError, KeyError, OverflowError, RecursionError)


_STATIC = files("linsep.explorer") / "static"
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data: blob:"


def page_of(story: dict[str, Any], server: str | None = None) -> str:
    """The page of a story; `server` is the path at which a local server answers, where one does.

    Examples
    --------
    >>> page_of({"title": "a < b"}).count("a &lt; b")
    2
    """
    script, style = ((_STATIC / name).read_text(encoding="utf-8") for name in ("explore.js", "explore.css"))
    policy = _POLICY if server is None else f"{_POLICY}; connect-src 'self'"
    told = "" if server is None else f' data-server="{escape(server)}"'
    inner = script.replace("</script", "<\\/script").replace("<!--", "<\\!--")
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(story['title'])}</title>"
        f'<meta http-equiv="Content-Security-Policy" content="{escape(policy, quote=True)}">'
        f"<style>{style}</style></head><body>"
        # The title is seen at once: unpacking a long run takes a moment.
        f'<div id="linsep-explorer"{told}><h1 style="font-family: system-ui">{escape(story["title"])}</h1></div>'
        f'<script type="application/json" id="linsep-story">{as_json(story).replace("<", chr(92) + "u003c")}</script>'
        f'<script type="module">{inner}</script></body></html>\n'
    )


def listen(story: dict[str, Any], token: str, port: int) -> ThreadingHTTPServer:
    """A server on the loopback; port 0 takes a free one."""
    told = {**story, "presets": names_and_titles()}
    try:
        return ThreadingHTTPServer((HOST, port), partial(_Answer, told, token))
    except OSError as error:
        said = f"port {port} of this machine cannot be used ({error.strerror}): give another one, or 0 for a free one"
        raise OSError(error.errno, said) from error


class _Answer(BaseHTTPRequestHandler):
    """What answers under /TOKEN/; everything else is not found, and other hosts than this machine are refused."""

    def __init__(self, story: dict[str, Any], token: str, *connection: Any) -> None:
        self.story, self.token = story, token
        super().__init__(*connection)

    def do_GET(self) -> None:
        asked = urlsplit(self.path)
        if self._is_found(asked.path, f"/{self.token}/", f"/{self.token}/story"):
            if asked.path.endswith("/"):
                self._send(200, "text/html; charset=utf-8", page_of(self.story, f"/{self.token}"))
            else:
                self._answer(lambda: of_name(parse_qs(asked.query).get("preset", [""])[0]))

    def do_POST(self) -> None:
        if self._is_found(self.path, f"/{self.token}/verdict"):
            self._answer(lambda: verdict_of_points(json.loads(self._body())))

    def _is_found(self, path: str, *known: str) -> bool:
        """Whether the path is known; a name of this machine that a page elsewhere has given it is refused, too."""
        if urlsplit(f"//{self.headers['Host']}").hostname not in (HOST, "localhost"):
            self.send_error(400)
        elif path not in known:
            self.send_error(404)
        else:
            return True
        return False

    def _body(self) -> bytes:
        length = int(self.headers["Content-Length"] or 0)
        body = self.rfile.read(min(length, _MOST_BYTES))
        if length > _MOST_BYTES:
            raise DataError(f"the points are more than {_MOST_BYTES:,} bytes: show fewer rows")
        return body

    def _answer(self, make: Callable[[], dict[str, Any]]) -> None:
        try:
            self._send(200, "application/json", as_json(make()))
        except _WRONG as error:
            self._send(400, "application/json", as_json({"error": sentence_of(error)}))

    def _send(self, status: int, kind: str, text: str) -> None:
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Say nothing of requests."""


def sentence_of(error: Exception) -> str:
    """Say what is wrong with a request.

    Examples
    --------
    >>> len(sentence_of(KeyError("X")))
    21
    """
    if isinstance(error, KeyError):
        return f"the request lacks {error}"
    return str(error) if isinstance(error, DataError) else f"the request cannot be used: {error}"


def of_name(name: str) -> dict[str, Any]:
    """The story of a preset, beside the names of all.

    Examples
    --------
    >>> len(of_name("exclusive-or")["presets"])
    9
    """
    return {**of_preset(name).story, "presets": names_and_titles()}


def verdict_of_points(asked: Mapping[str, Any]) -> dict[str, Any]:
    """The verdict on points that were changed by hand, as the page sends them: {"X", "y", "constant"}.

    Examples
    --------
    >>> verdict_of_points({"X": [[-1.0], [2.0]], "y": [-1, 1], "constant": 1})["verdict"]
    'separable'
    """
    if not isinstance(asked, Mapping):
        raise DataError("the points are sent as one JSON object")
    y = list(asked["y"])
    if not set(y) <= {-1, 1}:
        raise DataError("y has to be -1 or 1 in each row")
    return verdict_of(points_of(asked["X"], y, constant=float(asked.get("constant", 1.0))).setting)


@dataclass(frozen=True, repr=False)
class Exploration:
    """A run that can be looked at: as a file, in the browser, or in a notebook.

    Attributes
    ----------
    story : dict
        All that the page shows, as plain values: rows, runs with their updates, verdict.
    """

    story: dict[str, Any]

    def at(self, link: str) -> Exploration:
        """The same run, shown first as a link of the page says: changed rows, options, the moment and the panel.

        Parameters
        ----------
        link : str
            A link, or what stands behind its "#".

        Returns
        -------
        Exploration
            What a link says that does not fit this table is told on the page.

        Examples
        --------
        >>> explore(preset="line").at("page.html#visit=3&card=proof").story["state"]
        'visit=3&card=proof'
        """
        return Exploration({**self.story, "state": link.rpartition("#")[2]})

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to one HTML file, which opens without a network and without linsep.

        Parameters
        ----------
        path : str or PathLike
            Where to write; an earlier file there is replaced in one step.

        Raises
        ------
        DataError, OSError
            The path cannot be written; an earlier file there is unchanged.
        """
        write_whole(path, page_of(self.story).encode(), "the page")

    def serve(self, *, port: int = 0, browser: bool = True) -> None:
        """Show the page in the browser until Ctrl-C; points that are changed there are proved anew.

        Parameters
        ----------
        port : int, default=0
            The port on this machine; 0 takes a free one.
        browser : bool, default=True
            Whether to open the browser.

        Raises
        ------
        OSError
            The port is taken.
        """
        token = secrets.token_urlsafe(24)
        with listen(self.story, token, port) as server:
            address = f"http://{HOST}:{server.server_port}/{token}/"
            sys.stderr.write(f"The page is {address} (this machine alone). Ctrl-C ends it.\n")
            if browser:  # connections wait in the queue of the socket, which listens already
                webbrowser.open(address)
            with suppress(KeyboardInterrupt):  # the way to end it
                server.serve_forever()
        sys.stderr.write("The page is closed.\n")

    def __repr__(self) -> str:
        run = self.story["runs"][0]
        shape = f"{self.story['n']:,} x {self.story['p']:,} rows"
        return f"<Exploration of {shape}: {run['label']}, {run['total']:,} updates; save(path), serve()>"

    def _repr_html_(self) -> str:
        return frame_html("linsep explorer", page_of(self.story), "48rem")


def explore(
    X: Any = None,
    y: Any = None,
    *,
    preset: str | None = None,
    learner: str | None = None,
    order: str | None = None,
    seed: int | None = None,
    max_iter: int | None = 1000,
    fit_intercept: bool = True,
    intercept_scaling: float = 1.0,
    columns: Any = None,
) -> Exploration:
    """Make a run that can be looked at, update by update, beside the theorem that bounds it.

    The run starts from w = 0 and keeps the log of its updates, from which the page replays it; of more than a million
    updates it shows the last million. Beside it stand the other rules and orders of the rows, and what is proved:
    separable with (R / gamma)^2, or the witness that no plane separates.

    Parameters
    ----------
    X : array, SciPy sparse matrix or dataframe, shape (n_samples, n_features), optional
        The rows as the learner gets them: at most 10,000,000 numbers.
    y : array-like of shape (n_samples,), optional
        Two labels; the second in sorted order is the positive class.
    preset : str, optional
        In place of X and y, a table that is there already, with its own intercept and limits: "six-points",
        "semicircle", "line", "exclusive-or", "cycling", "orthonormal", "drift", "breast-cancer" or
        "overfitting-votes".
    learner : str, optional
        What is shown first: "perceptron" (unless given), "averaged", "voted", "pocket", "margin", "pa", "pa1", "pa2",
        "sgd" or "rocchio".
    order : {"turn", "random", "adversary"}, optional
        The order of the rows; in turn unless given. The adversary updates at the mistaken row for which w grows most.
    seed : int, optional
        Seed of the random order; 0 unless given.
    max_iter : int or None, default=1000
        Largest number of epochs; None goes on until a pass is clean. A run ends after 5 seconds.
    fit_intercept : bool, default=True
        Whether to learn b.
    intercept_scaling : float, default=1.0
        c, the constant feature behind b.
    columns : list of str, optional
        Names of the columns, where X has none.

    Returns
    -------
    Exploration
        `save(path)` writes it, `serve()` opens the browser; a notebook shows it.

    Raises
    ------
    DataError
        Rows or labels cannot be used, or the learner or the order is unknown.

    Examples
    --------
    >>> found = explore([[0.0, 1.0], [1.0, 0.0], [3.0, 4.0], [4.0, 3.0]], ["no", "no", "yes", "yes"])
    >>> found.story["verdict"]["verdict"], found.story["runs"][0]["total"]
    ('separable', 5)
    """
    asked: dict[str, Any] = {"learner": learner, "order": order, "seed": seed}
    chosen = {name: value for name, value in asked.items() if value is not None}
    if preset is not None:
        if X is not None or y is not None:
            raise DataError("a preset has rows of its own: leave out X and y, or leave out preset")
        return of_preset(preset, **chosen)
    if X is None or y is None:
        raise DataError("give the rows and their labels, X and y, or the name of a preset")
    points = points_of(X, y, constant=fit_intercept * float(intercept_scaling), columns=columns)
    return Exploration(tell(points, max_iter=max_iter, **chosen))


def of_preset(name: str, **chosen: Any) -> Exploration:
    """A preset with its own learner and order, where no other is chosen.

    Examples
    --------
    >>> of_preset("six-points").story["runs"][0]["total"]
    2
    """
    return Exploration(tell(points_of_preset(name), **{**preset(name).run(), **chosen}))
