"""The local page: served to this machine alone, behind a token; points that are changed are proved anew."""

from __future__ import annotations

import json
import secrets
import socket
import sys
import webbrowser
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from linsep.explorer.page import page_of
from linsep.explorer.presets import names_and_titles, points_of_preset, preset
from linsep.explorer.story import as_json, points_of, tell
from linsep.explorer.verdict import verdict_of
from linsep.types import DataError

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

HOST = "127.0.0.1"
_MOST_BYTES = 20_000_000  # of a request
_LOCAL = (HOST, "localhost")
# What a request that makes no sense leads to.
WRONG = (DataError, ValueError, TypeError, KeyError, OverflowError, RecursionError)


def serve(story: dict[str, Any], *, port: int = 0, browser: bool = True) -> None:
    """Serve a story on this machine until Ctrl-C, and say where.

    Raises
    ------
    ImportError
        The extra `explore` is not installed.
    OSError
        The port is taken.
    """
    check_extra()
    import uvicorn

    listening = listen(port)
    token = secrets.token_urlsafe(24)
    address = f"http://{HOST}:{listening.getsockname()[1]}/{token}/"
    server = uvicorn.Server(uvicorn.Config(application(story, token), log_level="error", access_log=False))
    say = sys.stderr.write
    say(f"The page is {address} (this machine alone). Ctrl-C ends it.\n")
    if browser:  # connections wait in the queue of the socket, which listens already
        webbrowser.open(address)
    try:
        server.run(sockets=[listening])
    except KeyboardInterrupt:
        pass  # the way to end it
    finally:
        listening.close()
    say("The page is closed.\n")


def check_extra() -> None:
    """Raise ImportError now if what serves the page is not installed."""
    try:
        for package in ("starlette", "uvicorn"):
            import_module(package)
    except ImportError as error:
        raise ImportError(
            "the page is served with Starlette and uvicorn, which are not installed: pip install 'linsep[explore]'; "
            "as a file it needs neither"
        ) from error


def listen(port: int) -> socket.socket:
    """A socket that listens on the loopback; port 0 takes a free one."""
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((HOST, port))
        listening.listen()
    except OSError as error:
        listening.close()
        told = f"port {port} of this machine cannot be used ({error.strerror}): give another one, or 0 for a free one"
        raise OSError(error.errno, told) from error
    return listening


def application(story: dict[str, Any], token: str) -> Starlette:
    """What answers under /TOKEN/; everything else is not found, and other hosts than this machine are refused."""
    from starlette.applications import Starlette
    from starlette.concurrency import run_in_threadpool
    from starlette.middleware import Middleware
    from starlette.middleware.trustedhost import TrustedHostMiddleware
    from starlette.responses import HTMLResponse, Response
    from starlette.routing import Route

    told = {**story, "presets": names_and_titles()}

    def answer(body: str, status: int = 200) -> Response:
        headers = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
        return Response(body, status, headers, "application/json")

    async def page(request: Request) -> Response:
        return HTMLResponse(page_of(told, f"/{token}"), headers={"Cache-Control": "no-store"})

    async def stories(request: Request) -> Response:
        return await answered(of_name, request.query_params.get("preset", ""))

    async def verdicts(request: Request) -> Response:
        try:
            asked = await _body(request)
        except WRONG as error:
            return answer(as_json({"error": sentence_of(error)}), 400)
        return await answered(verdict_of_points, asked)

    async def answered(make: Callable[[Any], dict[str, Any]], asked: Any) -> Response:
        try:
            return answer(as_json(await run_in_threadpool(make, asked)))
        except WRONG as error:
            return answer(as_json({"error": sentence_of(error)}), 400)

    routes = [
        Route(f"/{token}/", page, methods=["GET"]),
        Route(f"/{token}/story", stories, methods=["GET"]),
        Route(f"/{token}/verdict", verdicts, methods=["POST"]),
    ]
    return Starlette(routes=routes, middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=list(_LOCAL))])


async def _body(request: Request) -> Any:
    """The JSON of a request, unless it is too long."""
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > _MOST_BYTES:
            raise DataError(f"the points are more than {_MOST_BYTES:,} bytes: show fewer rows")
        parts.append(part)
    return json.loads(b"".join(parts))


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
