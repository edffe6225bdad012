"""Headers of earlier formats, changed into those of today: the only place that knows them."""

from __future__ import annotations

from typing import Any

import numpy as np

from linsep.jsonable import from_jsonable, to_jsonable
from linsep.model_files.container import unpack_labels
from linsep.types import Array

# Parameters in files of format 1 -> their names now.
_RENAMED = {"max_seconds": "time_limit", "which": "average"}


def from_format_1(header: dict[str, Any], arrays: dict[str, Array]) -> None:
    """Change the header of format 1 into one of format 2, and the arrays with it.

    There the names of the classes of a table stood in place of those that the learner was trained on.
    """
    header["parameters"] = {_RENAMED.get(name, name): value for name, value in header["parameters"].items()}
    if "stream" in header:
        header["extra"] = to_jsonable({"stream": from_jsonable(header.pop("stream"))}, "extra")
    if "encoder" not in header:
        return
    names = unpack_labels("classes", header["classes"], arrays)
    positive = str(names[1]) if len(names) == 2 and names[0] == f"not {names[1]}" else None
    coded = positive is not None or names.dtype.kind == "f" or not np.array_equal(np.unique(names), names)
    header["table"] = {"names": header["classes"], "positive": positive}
    if names.dtype.kind in "biuf":
        arrays["names"] = names
    if coded:
        arrays["classes"] = np.arange(len(names))
        header["classes"] = {"dtype": None}
