"""The page as a widget of a notebook."""

from __future__ import annotations

from typing import Any

from linsep.explorer.page import bundle
from linsep.explorer.serve import WRONG, of_name, of_points, sentence_of


def widget_of(story: dict[str, Any]) -> Any:
    """A widget with the story; what the page sends is answered with a story made anew, or with an error.

    The page sends {"preset": NAME} or {"points": POINTS} as a message, and gets {"story": STORY}
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
    widget = kind(story=story)

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
        made = of_name(content["preset"]) if "preset" in content else of_points(content["points"])
    except WRONG as error:
        return {"error": sentence_of(error)}
    return {"story": made}
