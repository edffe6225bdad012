"""Commands that search for a proof: Ctrl-C ends the search, and what is known by then is printed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from linsep.app.result import Result
from linsep.theory.rows.deadline import ended_by_ctrl_c


def until_ctrl_c(search: Callable[..., Result], *given: Any, **named: Any) -> Result:
    """Call the command; a Ctrl-C in its search ends that search, a second one the command."""
    try:
        with ended_by_ctrl_c() as ending:
            result = search(*given, **named)
    except KeyboardInterrupt:
        raise KeyboardInterrupt("interrupted before there was an answer") from None
    if ending.came:
        result.warnings.insert(0, "interrupted; this is what was known by then")
        result.interrupted = True
    return result
