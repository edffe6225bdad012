"""The page of a story, and the local page: served to this machine alone; points that are changed are proved anew."""

from __future__ import annotations

import json
import secrets
import sys
import webbrowser
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from typing import Any
from urllib.parse import parse_qs, urlsplit

from linsep.explorer.presets import names_and_titles, points_of_preset, preset
from linsep.explorer.story import as_json, points_of, tell, verdict_of
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


def serve(story: dict[str, Any], *, port: int = 0, browser: bool = True) -> None:
    """Serve a story on this machine until Ctrl-C, and say where.

    Raises
    ------
    OSError
        The port is taken.
    """
    token = secrets.token_urlsafe(24)
    with listen(story, token, port) as server:
        address = f"http://{HOST}:{server.server_port}/{token}/"
        sys.stderr.write(f"The page is {address} (this machine alone). Ctrl-C ends it.\n")
        if browser:  # connections wait in the queue of the socket, which listens already
            webbrowser.open(address)
        with suppress(KeyboardInterrupt):  # the way to end it
            server.serve_forever()
    sys.stderr.write("The page is closed.\n")


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
    return {**tell(points_of_preset(name), **preset(name).run()), "presets": names_and_titles()}


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
