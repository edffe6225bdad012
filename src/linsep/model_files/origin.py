"""Where a model comes from: versions, time, what it was told and what it saw. No part of its state."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

import numpy as np

from linsep.declared import ValueSpec, check_values
from linsep.jsonable import to_jsonable
from linsep.types import DataError

# What a caller may tell, beside what is found out here.
TOLD = ("command", "data", "data_sha256", "data_hash", "rows_seen")
_TEXT, _MAYBE = ValueSpec("text"), ValueSpec("text", needed=False)
_FIELDS = {
    **dict.fromkeys(("linsep", "numpy", "python", "time"), _TEXT),
    **dict.fromkeys(("command", "data", "data_sha256", "data_hash"), _MAYBE),
    "rows_seen": ValueSpec(needed=False),
}
_HASHES = {"data_sha256": "SHA-256", "data_hash": "running hash"}


def origin_now(rows_seen: int | None, told: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return what a file says of where it comes from; SOURCE_DATE_EPOCH sets the time, so that files can be equal.

    Parameters
    ----------
    rows_seen : int, optional
        Visits to rows, each row once a pass.
    told : mapping, optional
        More, under the names of `TOLD`.

    Raises
    ------
    DataError
        `told` has another name or value.
    """
    found = {
        "linsep": version("linsep"),
        "numpy": np.__version__,
        "python": platform.python_version(),
        "time": _now(),
        **({} if rows_seen is None else {"rows_seen": int(rows_seen)}),
    }
    told = dict(told or {})
    if strange := sorted(told.keys() - set(TOLD)):
        raise DataError(f"origin has no entry {strange[0]!r}: its entries are {', '.join(TOLD)}")
    found |= {name: value for name, value in told.items() if value is not None}
    check_values(found, _FIELDS)
    return dict(to_jsonable(found, "origin"))


def check_origin(found: Any) -> None:
    """Raise DataError unless this is what `origin_now` may give; entries of later versions are let through."""
    check_values(found, _FIELDS, others=True)


def in_words(found: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Labels and texts for people, of what `linsep.read_origin` returns.

    Examples
    --------
    >>> for line in in_words({"linsep": "0.9", "rows_seen": 1200}):
    ...     print(line)
    ('saved by', 'linsep 0.9')
    ('rows seen', '1,200 visits to rows (each row once for every epoch that counts)')
    """
    programs = (("linsep", "linsep"), ("numpy", "NumPy"), ("python", "Python"))
    data = [found.get("data"), *(f"{name} {found[key]}" for key, name in _HASHES.items() if key in found)]
    lines = {
        "saved by": ", ".join(f"{name} {found[key]}" for key, name in programs if key in found),
        "saved at": found.get("time"),
        "by the command": found.get("command"),
        "training data": ", ".join(filter(None, data)),
        "rows seen": f"{found['rows_seen']:,} visits to rows (each row once for every epoch that counts)"
        if "rows_seen" in found
        else None,
        "state": f"SHA-256 {found['state_sha256']}" if "state_sha256" in found else None,
    }
    return [(label, text) for label, text in lines.items() if text]


def _now() -> str:
    given = os.environ.get("SOURCE_DATE_EPOCH", "")
    when = datetime.fromtimestamp(int(given), UTC) if given.isdecimal() else datetime.now(UTC)
    return when.isoformat(timespec="seconds").replace("+00:00", "Z")
