"""A verdict on two classes in words, as text and as a table for notebooks, and that rounding could change a verdict."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from linsep.markup import count, rounded_down, rounded_up, table_html
from linsep.types import Array

_SHOWN = 8  # rows that are listed


def summary_of(found: Any, first: int = 0) -> str:
    """The verdict and its reason; the first row has the number `first`."""
    where = "" if found.fit_intercept else " (no intercept)"
    return with_mark(f"{about_of(found)}{found.verdict}{where}: {_why(found, first)}", found.fragile)


def about_of(found: Any) -> str:
    """Which class a certificate that was read sets against the rest: whoever wrote it chose that."""
    negative, positive = found.classes or ("", "")
    if not found.digest or negative != f"not {positive}":
        return ""
    return f"{positive if positive.isprintable() else repr(positive)} against the rest: "


def exists_near(within: float) -> str:
    """What is proved of weights that are not exact.

    Examples
    --------
    >>> exists_near(1e-9)
    'some positive weights within 1e-09 of those given make the weighted sum exactly 0'
    """
    return f"some positive weights within {one_digit(within)} of those given make the weighted sum exactly 0"


def one_digit(within: float) -> str:
    """A share with one digit: the double itself where that is one, as in JSON, or else rounded up.

    Examples
    --------
    >>> one_digit(1e-9), one_digit(0.0149)
    ('1e-09', '0.02')
    """
    near = f"{within:.0e}"
    return near if float(near) == within else rounded_up(within, 1)


def _why(found: Any, first: int = 0) -> str:
    if found.verdict == "separable":
        return f"a hyperplane puts each of the {found.n_rows:,} rows on the side of its class, checked exactly"
    said, witness = _listed(found, found.witness.rows if found.witness else (), first), found.witness
    proof = f"{exists_near(witness.within)}, checked exactly" if witness and witness.within else ""
    left = found.rows_left.size
    taken = found.n_rows - left
    some, side = count(taken, "row"), "its" if taken == 1 else "their"
    if found.verdict == "quasi-separable":
        if found.maximal:
            some = f"a hyperplane has {some} on {side} side and {left:,} exactly on it"
        else:
            some = f"a hyperplane has at least {some} on {side} side, and at most {left:,} exactly on it"
        why = f"; {found.reason}" if found.reason else ""
        return f"{some}, and no hyperplane separates {said}{': ' if proof else ''}{proof}{why}"
    if found.verdict == "inseparable":
        return f"even {said} alone cannot be separated{': ' if proof else ', '}{proof or 'checked exactly'}"
    if found.verdict == "not-separable":
        return (
            f"no hyperplane separates {said}, checked exactly; whether part of the rows can be separated was "
            f"not decided: {found.reason}"
        )
    return f"{found.reason}; a hyperplane separates at least {some}" if found.proof.directions else found.reason


def _listed(found: Any, rows: tuple[int, ...], first: int) -> str:
    shown = ", ".join(map(str, (found.in_file(rows[:_SHOWN]) + first).tolist()))
    too = ", rows left out too" if found.left_out else ""
    return f"the {len(rows)} rows {shown}{', ...' if len(rows) > _SHOWN else ''} (counted from {first}{too})"


def html_of(found: Any) -> str:
    """The same as a table, with the first rows of the witness and their shares of its weight."""
    rows: list[tuple[object, ...]] = [("because", with_mark(_why(found), found.fragile))]
    if found.margin is not None:
        lower, upper = rounded_down(found.margin.lower), rounded_up(found.margin.upper)
        rows.append(("margin of this plane", f"at least {lower}; that of the best plane at most {upper}"))
    if found.witness is not None:
        weights, total = found.witness.weights[:_SHOWN], sum(found.witness.weights)
        shown = zip(found.in_file(found.witness.rows[:_SHOWN]), weights, strict=True)
        more = ", ..." if len(found.witness.rows) > _SHOWN else ""
        head = "weights near exact ones: rows" if found.witness.within else "witness: rows"
        text = ", ".join(f"{row} ({100 * weight / total:.3g} %)" for row, weight in shown)
        rows.append((f"{head} counted from 0 (share of all weights)", text + more))
    title = about_of(found) + (found.verdict if found.fit_intercept else f"{found.verdict} (no intercept)")
    return table_html(title if found.verified or not found.digest else f"{title}, as read, not verified", rows)


FRAGILE = "Fragile: rounding the numbers that are not integers could change this answer"
REMEDY = (
    "; `linsep check` and open_data read decimals in a file as they are written; or give an array of Fractions, or "
    "leave out a column that depends on others"
)


def with_mark(said: str, fragile: bool) -> str:
    """A sentence, and that the verdict is fragile where it is.

    Examples
    --------
    >>> with_mark("separable", False)
    'separable'
    """
    return f"{said.removesuffix('.')}{'. ' if said else ''}{FRAGILE}{REMEDY}" if fragile else said


def rows_of_file(rows: npt.ArrayLike, left_out: npt.ArrayLike | None) -> Array:
    """Return the numbers that rows have among all rows, given their numbers without those left out.

    Row r is number r + k of the file, where k of the rows left out stand before it: those with L_j - j <= r, if L is
    their sorted list.

    Parameters
    ----------
    rows : array-like of int
        Rows, counted from 0 without those left out.
    left_out : array-like of int, or None
        The rows left out, in ascending order, counted from 0 among all; None if there are none.

    Returns
    -------
    ndarray of int
        The same rows, counted from 0 among all.

    Examples
    --------
    >>> rows_of_file([0, 1, 2], [1, 2, 4]).tolist()
    [0, 3, 5]
    """
    own = np.asarray(rows, dtype=np.int64)
    if left_out is None:
        return own
    gone = np.asarray(left_out, dtype=np.int64)
    return own + np.searchsorted(gone - np.arange(len(gone)), own, side="right")
