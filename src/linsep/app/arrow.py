"""Arrow, kept from loading pandas: it does so with its first value where there is one, for half a second.

No command asks Arrow for a pandas table. A file that is imported before a command reads a table imports this one.
"""

from __future__ import annotations

import sys
from typing import Any

import pyarrow as pa


class _Absent:
    """Finds no pandas."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> None:
        if name == "pandas":
            raise ModuleNotFoundError(name)


if "pandas" not in sys.modules:
    sys.meta_path.insert(0, _Absent)
    pa.scalar("")
    sys.meta_path.remove(_Absent)
