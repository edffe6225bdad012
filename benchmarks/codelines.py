"""Lines of code by room: those that are no blank, comment or docstring.

    python -m benchmarks.codelines [FOLDER ...]

Without folders: the rooms of `src/linsep`, then the rooms of the proofs together.
"""

from __future__ import annotations

import ast
import sys
import tokenize
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROOFS = ("theory", "regression", "probing", "reporting/explanation")  # and the programs of `examples`
_NO_CODE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


def code_lines(file: Path) -> int:
    """The number of lines with code; a string that stands alone as the first statement is documentation."""
    with tokenize.open(file) as opened:
        lines = {
            line
            for token in tokenize.generate_tokens(opened.readline)
            if token.type not in _NO_CODE
            for line in range(token.start[0], token.end[0] + 1)
        }
    for node in ast.walk(ast.parse(file.read_bytes())):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if ast.get_docstring(node, clean=False) is not None:
            first = node.body[0]
            lines -= set(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    return len(lines)


def counted(files: Iterable[Path]) -> str:
    sizes = [code_lines(file) for file in files]
    return f"{sum(sizes):7,} code lines in {len(sizes):3} files"


def main(folders: list[str]) -> None:
    """Print each room, the largest first, and the sum."""
    asked = [Path(folder) for folder in folders]
    for root in asked or [ROOT / "src" / "linsep"]:
        rooms: dict[str, list[Path]] = {}
        for file in sorted(root.rglob("*.py")):
            place = file.relative_to(root).parts
            rooms.setdefault(place[0] if len(place) > 1 else "(the room itself)", []).append(file)
        sizes = Counter({room: sum(map(code_lines, files)) for room, files in rooms.items()})
        for room, _ in sizes.most_common():
            print(f"{room:24}{counted(rooms[room])}")
        print(f"{'together':24}{counted(root.rglob('*.py'))}")
    if not folders:
        houses = [ROOT / "src" / "linsep" / name for name in PROOFS]
        files = [file for house in [*houses, ROOT / "examples"] for file in house.rglob("*.py")]
        print(f"{'the proofs':24}{counted(files)}")


if __name__ == "__main__":
    main(sys.argv[1:])
