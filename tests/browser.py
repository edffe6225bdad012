"""A headless Chromium on two pipes: what a page says, shows and does when keys and clicks reach it."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any, Self

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
_FLAGS = (
    "--headless=new",
    "--no-sandbox",  # as root in a container there is none to be had
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--remote-debugging-pipe",
)
# Moves the two ends to where the browser looks for them; by way of high numbers, as one may stand in the other's place.
_MOVE = """
import fcntl, os, sys
ends = [fcntl.fcntl(int(end), fcntl.F_DUPFD, 100) for end in sys.argv[1:3]]
for place, end in enumerate(ends, start=3):
    os.dup2(end, place)
os.execv(sys.argv[3], sys.argv[3:])
"""


class Browser:
    """One page, driven by the DevTools protocol: JSON messages that end in a zero byte, written to the browser's file
    descriptor 3 and read from its 4. Reading waits for the browser, so nothing here sleeps."""

    def __init__(self, folder: Path) -> None:
        assert CHROMIUM is not None
        self.events: list[dict[str, Any]] = []
        self._number = 0
        there, self._write = os.pipe()
        self._read, here = os.pipe()
        command = [CHROMIUM, *_FLAGS, f"--user-data-dir={folder / 'profile'}", "about:blank"]
        with (folder / "chromium.log").open("wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-c", _MOVE, str(there), str(here), *command],
                pass_fds=(there, here),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        os.close(there)
        os.close(here)
        self._input = os.fdopen(self._read, "rb")
        self._session: str | None = None
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(target["targetId"] for target in targets if target["type"] == "page")
        self._session = self.call("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._session = None
        self.call("Browser.close")
        self._process.wait(timeout=60)
        os.close(self._write)
        self._input.close()

    def _receive(self) -> dict[str, Any]:
        message = bytearray()
        while (byte := self._input.read(1)) != b"\0":
            if not byte:
                raise EOFError("the browser has gone; see chromium.log")
            message += byte
        found: dict[str, Any] = json.loads(message)
        if "method" in found:
            self.events.append(found)
        return found

    def call(self, method: str, **params: Any) -> Any:
        """Ask the browser for something and wait for its answer."""
        self._number += 1
        request = {"id": self._number, "method": method, "params": params}
        if self._session is not None:
            request["sessionId"] = self._session
        os.write(self._write, json.dumps(request).encode() + b"\0")
        while (found := self._receive()).get("id") != self._number:
            pass
        if "error" in found:
            raise RuntimeError(f"{method}: {found['error']['message']}")
        return found["result"]

    def open(
        self, path: Path | str, width: int = 1200, height: int = 900, *, dark: bool = False, mobile: bool = False
    ) -> None:
        """Load a file, or an address, and wait until all of it is there."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=mobile)
        features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.call("Emulation.setEmulatedMedia", features=features)
        self.events.clear()
        self.call("Page.navigate", url=path if isinstance(path, str) else path.resolve().as_uri())
        while not any(event["method"] == "Page.loadEventFired" for event in self.events):
            self._receive()

    def ask(self, expression: str) -> Any:
        """The value of a JavaScript expression in the page; promises are waited for."""
        found = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def press(self, key: str, code: int, text: str = "") -> None:
        """Press a key and let it go."""
        about: dict[str, Any] = {"key": key, "code": key, "windowsVirtualKeyCode": code}
        self.call("Input.dispatchKeyEvent", type="keyDown", **about, **({"text": text} if text else {}))
        self.call("Input.dispatchKeyEvent", type="keyUp", **about)

    def drag(self, start: tuple[float, float], end: tuple[float, float], steps: int = 4) -> None:
        """Press the mouse at one point of the window, move to another one and let go."""
        self._mouse("mousePressed", start)
        for step in range(1, steps + 1):
            share = step / steps
            at = (start[0] + share * (end[0] - start[0]), start[1] + share * (end[1] - start[1]))
            self._mouse("mouseMoved", at)
        self._mouse("mouseReleased", end)

    def click(self, at: tuple[float, float]) -> None:
        """Click at a point of the window."""
        self.drag(at, at, steps=0)

    def _mouse(self, kind: str, at: tuple[float, float]) -> None:
        self.call("Input.dispatchMouseEvent", type=kind, x=at[0], y=at[1], button="left", buttons=1, clickCount=1)

    def touch(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """Put a finger on a point of the window, move it to another one and take it away."""
        for kind, points in (("touchStart", [start]), ("touchMove", [end]), ("touchEnd", [])):
            self.call("Input.dispatchTouchEvent", type=kind, touchPoints=[{"x": x, "y": y} for x, y in points])

    def complaints(self) -> list[str]:
        """Errors and warnings of the console, scripts that failed, and dialogs that opened."""
        said = []
        for event in self.events:
            params = event["params"]
            if event["method"] == "Runtime.exceptionThrown":
                said.append(str(params["exceptionDetails"]))
            elif event["method"] == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning"):
                said.append(str(params["args"]))
            elif event["method"] == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
                said.append(params["entry"]["text"])
            elif event["method"] == "Page.javascriptDialogOpening":
                said.append(f"a dialog: {params['message']}")
        return said

    def requests(self) -> list[str]:
        """Addresses that the page asked for, those of data left out."""
        urls = [e["params"]["request"]["url"] for e in self.events if e["method"] == "Network.requestWillBeSent"]
        return [url for url in urls if not url.startswith("data:")]

    def picture(self, path: Path) -> None:
        """Write a PNG of the whole page."""
        shot = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(shot["data"]))

    def print(self, path: Path) -> None:
        """Write the page as it would be printed, as a PDF."""
        path.write_bytes(base64.b64decode(self.call("Page.printToPDF", preferCSSPageSize=True)["data"]))
