"""A web server and an object store of the tests' own, in a thread, on the loopback."""

from __future__ import annotations

import hashlib
import threading
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

WHEN = "Sun, 06 Nov 1994 08:49:37 GMT"


@dataclass
class Web:
    """What is served under which path, how, and what was asked for."""

    files: dict[str, bytes]
    port: int = 0
    ranges: bool = True  # whether a part of a file may be asked for
    tells_size: bool = True
    breaks_after: int | None = None  # the connection is lost after so many bytes
    password: str | None = None
    asked: list[str] = field(default_factory=list)

    def address(self, path: str, user: str = "") -> str:
        return f"http://{user}127.0.0.1:{self.port}/{path}"


@contextmanager
def serving(files: dict[str, bytes]) -> Iterator[Web]:
    """A server of these files, which may be changed while it runs."""
    web = Web(files)

    class Handler(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            _answer(self, web)

        def do_GET(self) -> None:
            _answer(self, web)

        def log_message(self, format: str, *words: Any) -> None:
            web.asked.append(f"{self.command} {self.path} {self.headers.get('Range', '')}".strip())

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    web.port = server.server_port
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield web
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _answer(request: BaseHTTPRequestHandler, web: Web) -> None:
    parts = urlsplit(request.path)
    path, wanted = unquote(parts.path).lstrip("/"), parse_qs(parts.query)
    if web.password is not None:
        given = request.headers.get("Authorization")
        if given != "Basic " + b64encode(f"ann:{web.password}".encode()).decode():
            return _send(request, 403, b"", {})
    if "list-type" in wanted:
        listing = _listing(web, path.rstrip("/"), wanted.get("prefix", [""])[0], wanted.get("delimiter", [""])[0])
        return _send(request, 200, listing, {"Content-Type": "application/xml"})
    if path not in web.files:
        return _send(request, 404, b"", {})
    content, status, headers = web.files[path], 200, {"ETag": _tag(web.files[path]), "Last-Modified": WHEN}
    if web.ranges and "Range" in request.headers:
        first, _, last = request.headers["Range"].removeprefix("bytes=").partition("-")
        n = len(content)
        begin, end = (int(first), min(int(last or n - 1), n - 1)) if first else (n - int(last), n - 1)
        headers["Content-Range"] = f"bytes {begin}-{end}/{n}"
        content, status = content[begin : end + 1], 206
    if web.ranges:
        headers["Accept-Ranges"] = "bytes"
    _send(request, status, content, headers, web)
    return None


def _send(
    request: BaseHTTPRequestHandler, status: int, content: bytes, headers: dict[str, str], web: Web | None = None
) -> None:
    request.send_response(status)
    for name, value in headers.items():
        request.send_header(name, value)
    if web is None or web.tells_size:
        request.send_header("Content-Length", str(len(content)))
    request.send_header("Connection", "close")
    request.end_headers()
    request.close_connection = True
    if request.command == "HEAD":
        return
    request.wfile.write(content if web is None else content[: web.breaks_after])


def _tag(content: bytes) -> str:
    return f'"{hashlib.sha256(content).hexdigest()[:16]}"'


def _listing(web: Web, bucket: str, prefix: str, delimiter: str) -> bytes:
    """What S3 answers to ListObjectsV2."""
    keys = sorted(path.removeprefix(f"{bucket}/") for path in web.files if path.startswith(f"{bucket}/{prefix}"))
    folders = sorted({prefix + key[len(prefix) :].split(delimiter)[0] + delimiter for key in keys
                      if delimiter and delimiter in key[len(prefix) :]})  # fmt: skip
    files = [key for key in keys if not any(key.startswith(folder) for folder in folders)]
    body = "".join(
        f"<Contents><Key>{escape(key)}</Key><LastModified>1994-11-06T08:49:37.000Z</LastModified>"
        f"<ETag>{escape(_tag(web.files[f'{bucket}/{key}']))}</ETag><Size>{len(web.files[f'{bucket}/{key}'])}</Size>"
        "<StorageClass>STANDARD</StorageClass></Contents>"
        for key in files
    ) + "".join(f"<CommonPrefixes><Prefix>{escape(folder)}</Prefix></CommonPrefixes>" for folder in folders)
    return (
        '<?xml version="1.0" encoding="UTF-8"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">'
        f"<Name>{bucket}</Name><Prefix>{escape(prefix)}</Prefix><KeyCount>{len(files)}</KeyCount>"
        f"<MaxKeys>1000</MaxKeys><IsTruncated>false</IsTruncated>{body}</ListBucketResult>"
    ).encode()
