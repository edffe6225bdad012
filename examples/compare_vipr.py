"""Say what a VIPR file of linsep proves about a CSV table, if a checker of VIPR accepts it. Python's library alone.

    python compare_vipr.py proof.vipr table.csv LABEL [CLASS]

The constraints of the file are made again from the table: `R<i>` is data row i, counted from 0, times 1 or -1 by its
label (CLASS, or the label of the first row, against all others). Columns may be multiplied by any number but 0: that
changes no answer. `table.csv` holds numbers only, beside the labels; or it is the `.design.json` beside the proof.
"""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

Row = dict[int, Fraction]


def table(path: str, label: str) -> tuple[list[list[Fraction]], list[str]]:
    """Numbers and labels of a table, exactly as they are written."""
    if path.endswith(".json"):
        design = json.loads(Path(path).read_text(encoding="utf-8"), parse_float=Fraction)
        width = len(design["names"])
        rows = [row if isinstance(row, list) else [row.get(str(j), 0) for j in range(width)] for row in design["X"]]
        return [list(map(Fraction, row)) for row in rows], list(map(str, design["y"]))
    with open(path, encoding="utf-8-sig", newline="") as file:
        lines = list(csv.DictReader(file))
    labels = [line.pop(label) for line in lines]
    return [[Fraction(cell) for cell in line.values()] for line in lines], labels


def row_of(words: Iterator[str]) -> Row:
    pairs = [(int(next(words)), Fraction(next(words))) for _ in range(int(next(words)))]
    require(len(dict(pairs)) == len(pairs), "a constraint has a column twice")
    return dict(pairs)


def require(holds: bool, what: str) -> None:
    if not holds:
        sys.exit(f"refused: {what}")


def compare(proof: str, X: list[list[Fraction]], signs: list[int]) -> tuple[list[int], bool, bool, bool]:
    """Which rows it is about; whether planes need not go through 0; whether each row, or one, is to be strictly on its
    side; and whether there is such a plane. Refused unless its constraints are those of this table.
    """
    head, _, end = proof.partition("\nCON ")
    names = head.split("\n")[2].split()
    require(head.split() == ["VER", "1.0", "VAR", str(len(names)), *names, "INT", "0", "OBJ", "min", "0"], "its head")
    columns = [f"x{j}" for j in range(len(X[0]))]
    require([name for name in names if name != "b"] == columns and names.count("b") < 2, "its columns are others")
    constraints, _, claim = end.partition("\nRTP ")
    words = iter(constraints.split())
    count, _ = int(next(words)), next(words)
    found = [(next(words), next(words), next(words), row_of(words)) for _ in range(count)]
    require(next(words, None) is None, "there are more constraints than it says")
    is_plane = found[-1][0] != "S"
    total: Row = {}
    factors: Row = {}
    seen = set[int]()
    for name, sense, least, row in found[: count if is_plane else -1]:
        i = int(name.removeprefix("R"))
        require(name == f"R{i}" and 0 <= i < len(X) and i not in seen, f"{name} is no row, or stands there twice")
        require((sense, least) == ("G", str(int(is_plane))), f"{name} asks for something else than the others")
        x = [Fraction(1) if name == "b" else X[i][int(name[1:])] for name in names]
        made = {j: signs[i] * v for j, v in enumerate(x) if v}
        same = row.keys() == made.keys() and all(
            factors.setdefault(j, row[j] / v) == row[j] / v for j, v in made.items()
        )
        require(same, f"{name} is not data row {i} of the table")
        total = {j: total.get(j, Fraction(0)) + row.get(j, 0) for j in total | row}
        seen.add(i)
    require(is_plane or found[-1] == ("S", "G", "1", {j: v for j, v in total.items() if v}), "S is not their sum")
    none = claim.startswith(
        "infeas\nSOL 0\nDER 1\nD "
    )  # without a derivation a checker may accept what it has not seen
    if not none:  # tried here: a checker may do so on some constraints only
        require(claim.startswith("range -inf 0\nSOL 1\nd "), "it claims something else")
        d = row_of(iter(claim.split()[6:]))
        sides = [sum((v * d.get(j, 0) for j, v in row.items()), Fraction(0)) - int(least) for *_, least, row in found]
        require(min(sides) >= 0, "its plane has a row on the wrong side")
    return sorted(seen), "b" in names, is_plane, not none


def sentence(n_rows: int, rows: list[int], intercept: bool, is_plane: bool, possible: bool) -> str:
    of = f"all {n_rows} rows" if len(rows) == n_rows else f"data rows {', '.join(map(str, rows))} (counted from 0)"
    where = "each of them on its right side" if is_plane else "none of them on its wrong side, and one not on it"
    return f"Of {of}: {'a' if possible else 'no'} plane{'' if intercept else ' through 0'} has {where}."


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    file, path, label, *positive = sys.argv[1:]
    try:
        numbers, labels = table(path, label)
        one = positive[0] if positive else labels[0]
        said = compare(Path(file).read_text(encoding="ascii"), numbers, [1 if y == one else -1 for y in labels])
    except (OSError, LookupError, AttributeError, TypeError, ValueError, ZeroDivisionError, StopIteration) as error:
        sys.exit(f"refused: {file} and {path} cannot be read, see the head of this program: {error!r}")
    print("The constraints are those of the table. If a checker accepts the file, it is proved:")
    print(sentence(len(numbers), *said))
