"""The page as a widget of a notebook."""

from __future__ import annotations

from typing import Any

from linsep.explorer.page import bundle
from linsep.explorer.presets import names_and_titles
from linsep.explorer.serve import WRONG, of_name, sentence_of, verdict_of_points


def widget_of(story: dict[str, Any]) -> Any:
    """A widget with the story, which answers the page.

    The page sends {"preset": NAME} or {"points": POINTS} as a message, and gets {"story": STORY}, {"verdict": VERDICT}
    or {"error": SENTENCE}.

    Raises
    ------
    ImportError
        The extra `explore` is not installed.
    """
    try:
        import anywidget
        import traitlets
    except ImportError as error:
        raise ImportError(
            "the widget needs anywidget, which is not installed: pip install 'linsep[explore]'"
        ) from error
    script, style = bundle()
    kind = type(
        "Explorer",
        (anywidget.AnyWidget,),
        {"_esm": script, "_css": style, "story": traitlets.Dict().tag(sync=True)},
    )
    widget = kind(story={**story, "presets": names_and_titles()})

    def answer(_: Any, content: Any, buffers: Any) -> None:
        widget.send(reply(content))

    widget.on_msg(answer)
    return widget


def reply(content: Any) -> dict[str, Any]:
    """What the page is answered.

    Examples
    --------
    >>> reply({"preset": "moon"})["error"][:26]
    "no preset is called 'moon'"
    >>> reply({"preset": "line"})["story"]["n"]
    6
    """
    try:
        if "preset" in content:
            return {"story": of_name(content["preset"])}
        return {"verdict": verdict_of_points(content["points"])}
    except WRONG as error:
        return {"error": sentence_of(error)}
