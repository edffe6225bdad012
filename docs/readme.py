"""Run every block of Python in a Markdown file, in one namespace: `python docs/readme.py README.md`."""

from __future__ import annotations

import re
import sys
from pathlib import Path


def main(page: str) -> None:
    """Run the blocks in order; a block that imports an extra that is not installed is left out and named."""
    names: dict[str, object] = {"__name__": "__main__"}
    for block in re.findall(r"^```python\n(.*?)^```", Path(page).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
        try:
            exec(compile(block, page, "exec"), names)
        except ImportError as error:
            if str(error.name).split(".")[0] == "linsep":
                raise
            print(f"left out, needs an extra: {error}")


if __name__ == "__main__":
    main(sys.argv[1])
