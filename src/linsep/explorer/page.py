"""The page: one HTML file with its script, its style and its story, which asks no other machine for anything."""

from __future__ import annotations

from html import escape
from importlib.resources import files
from typing import Any

from linsep.explorer.story import as_json

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
