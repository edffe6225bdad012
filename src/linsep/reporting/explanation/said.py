"""One thing that is said of columns: a line of a table."""

from __future__ import annotations

from typing import NamedTuple

from linsep.theory.separability.certificate import Separability


class Said(NamedTuple):
    """What columns do.

    Attributes
    ----------
    kind : str
        "alone", "pair", "needed", "part", "nearly" or "missing".
    columns : tuple of str
        The columns that it is said of together.
    text : str
        The sentence.
    proof : Separability or None
        Its certificate, where it has one.
    """

    kind: str
    columns: tuple[str, ...]
    text: str
    proof: Separability | None = None
