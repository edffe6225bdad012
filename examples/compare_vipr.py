"""Check what a VIPR file of linsep says about two classes of a table. Python's standard library alone, from 3.10 on.

    python compare_vipr.py proof.vipr table.csv LABEL [CLASS]
    python compare_vipr.py proof.vipr proof.design.json - [CLASS]

The table holds numbers only, beside the column LABEL; of another one linsep writes the design. CLASS, or the first
label, is set against all other labels; rows without a label are left out. The constraints are made again from the
table: `R<i>` is row i, counted from 0, times 1 or -1 by its label. Columns may be multiplied by any number but 0:
that changes no answer. A plane is tried on each row, and weights of rows have to add up to 0 >= 1. At last the file is
written again from the table and these numbers, and has to be the same text: so every checker of VIPR reads in it what
is said here.
"""

from __future__ import annotations

import csv
import json
import re
import sys
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

USAGE = "usage: python compare_vipr.py proof.vipr table.csv LABEL [CLASS]"
NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?([0-9]+))?")
DIGITS = 4  # of an exponent, at most
Row = dict[int, Fraction]


class Table(NamedTuple):
    """Its columns, and of each row by its number the numbers that are not 0, and the label; and what it is."""

    width: int
    rows: dict[int, Row]
    labels: dict[int, str]
    noun: str = "rows"


def read_table(path: str, label: str) -> Table:
    """Numbers and labels: of a CSV file exactly as they are written, of a design the doubles."""
    return of_design(path) if path.endswith(".json") else of_csv(path, label)


def of_csv(path: str, label: str) -> Table:
    with open(path, encoding="utf-8-sig", newline="") as file:
        header, *lines = csv.reader(file, strict=True)
    rows = [once(zip(header, line, strict=True)) for line in lines]
    labels = [row.pop(label) for row in rows]
    require(all(is_number(cell) for row in rows for cell in row.values()), "a cell is no plain number")
    named = {text for text in labels if text.strip()}
    values = {Fraction(text) if is_number(text) else text for text in map(str.strip, named)}
    require(len(named) == len(values), "a label is written in two ways")
    numbers = [{j: v for j, cell in enumerate(row.values()) if (v := Fraction(cell))} for row in rows]
    return Table(len(header) - 1, dict(enumerate(numbers)), dict(enumerate(labels)))


def is_number(cell: str) -> bool:
    found = NUMBER.fullmatch(cell)
    require(found is None or len(found[4] or "") <= DIGITS, "an exponent is too long")
    return found is not None


def of_design(path: str) -> Table:
    design = json.loads(Path(path).read_text(encoding="utf-8"), object_pairs_hook=once)
    X, y, names = design["X"], design["y"], design["names"]
    ids = design.get("rows", [*range(len(y))])  # places in the table, of which the design leaves out some
    require(all(isinstance(part, list) for part in (X, y, names, ids)), "a part of the design is no list")
    kinds, finite = {*map(type, y)}, all(-1e999 < v < 1e999 for v in y if isinstance(v, float))
    require(len(kinds) == 1 and kinds <= {str, int, bool, float} and finite, "its labels are of several types, or odd")
    require({*map(type, ids)} == {int}, "its places are no whole numbers")
    labels = [str(v + 0.0 if isinstance(v, float) else v) for v in y]
    at = {str(j): j for j in range(len(names))}
    rows = []
    for row in X:
        cells = row if isinstance(row, dict) else dict(zip(at, row, strict=True))
        require({*map(type, cells.values())} <= {int, float}, "it holds more than numbers")
        rows.append({k: Fraction(v) for k, v in [(at[j], v) for j, v in cells.items()] if v})
    require(len({*ids}) == len(ids) and min(ids) >= 0, "a place stands there twice")
    placed, named = dict(zip(ids, rows, strict=True)), dict(zip(ids, labels, strict=True))
    return Table(len(names), placed, named, "rows of the design")


def once(pairs: Any) -> dict[str, Any]:
    kept = list(pairs)
    require(len(dict(kept)) == len(kept), "a column stands there twice")
    return dict(kept)


def require(holds: bool, what: str) -> None:
    if not holds:
        sys.exit(f"refused: {what}")


def sparse(words: Sequence[str], below: int) -> Row:
    require(all(re.fullmatch("-?[0-9]+(/[0-9]+)?", word) for word in words), "something is no number")
    found = {int(j): Fraction(v) for j, v in zip(words[1::2], words[2::2], strict=True)}
    require(all(0 <= j < below for j in found), "a number has no column or row")
    return found


def text(row: Row) -> str:
    return " ".join(map(str, [len(row), *(part for pair in sorted(row.items()) for part in pair)]))


def added(weights: Row, rows: Sequence[Row]) -> Row:
    sums: Row = {}
    for k, weight in weights.items():
        for j, v in rows[k].items():
            sums[j] = sums.get(j, Fraction(0)) + weight * v
    return {j: v for j, v in sums.items() if v}


def compare(proof: str, table: Table, signs: Mapping[int, int]) -> tuple[list[int], bool, bool, bool]:
    """Which rows it is about; whether planes need not go through 0; whether each row, or one, is to be strictly on its
    side; and whether there is such a plane. Refused unless this is proved of the rows that have a sign.
    """
    head, _, claim = proof.partition("\nRTP ")
    _, _, named, _, _, _, _, *lines = head.split("\n")
    names = named.split()
    at = {name: j for j, name in enumerate(names)}
    require([name for name in names if name != "b"] == [f"x{j}" for j in range(table.width)], "other columns")
    require(len(at) == len(names), "b stands twice")
    is_plane, factors, ids, rows = not lines[-1].startswith("S "), Row(), dict[int, None](), list[Row]()
    for line in lines if is_plane else lines[:-1]:
        constraint, _, _, *words = line.split()
        i, row = int(constraint[1:]), sparse(words, len(names))
        require(i in signs and i not in ids, f"{constraint} is no row with a label, or stands there twice")
        z = {at[f"x{j}"]: signs[i] * v for j, v in table.rows[i].items()}
        z |= {at["b"]: Fraction(signs[i])} if "b" in at else {}
        for j in row.keys() & z.keys():
            factors.setdefault(j, row[j] / z[j])
        rows.append({j: v * factors.get(j, 1) for j, v in z.items()})
        require(rows[-1] == row and all(row.values()), f"{constraint} is not row {i} of the table")
        ids[i] = None
    require(bool(ids), "it is about no row")
    written = [f"VER 1.0\nVAR {len(names)}\n{' '.join(names)}\nINT 0\nOBJ min\n0\nCON {len(lines)} 0"]
    written += [f"R{i} G {int(is_plane)} {text(row)}" for i, row in zip(ids, rows, strict=True)]
    least = [int(is_plane)] * len(rows)
    if not is_plane:
        rows, least = [*rows, added(dict.fromkeys(range(len(rows)), Fraction(1)), rows)], [*least, 1]
        written.append(f"S G 1 {text(rows[-1])}")
    possible = not claim.startswith("infeas")
    if possible:
        d = sparse(claim.partition("\nd ")[2].partition("\n")[0].split(), len(names))
        sides = [sum((v * d.get(j, 0) for j, v in row.items()), Fraction(0)) for row in rows]
        require(all(a >= b for a, b in zip(sides, least, strict=True)), "its plane has a row on the wrong side")
        written.append(f"RTP range -inf 0\nSOL 1\nd {text(d)}\nDER 0\n")
    else:
        weights = sparse(claim.partition(" lin ")[2].partition(" }")[0].split(), len(rows))
        right = sum((v * least[k] for k, v in weights.items()), Fraction(0))
        require(min([right, *weights.values()]) > 0 and not added(weights, rows), "its rows do not add up to 0 >= 1")
        written.append(f"RTP infeas\nSOL 0\nDER 1\nD G {right} 0 {{ lin {text(weights)} }} -1\n")
    require("\n".join(written) == proof, "it is not written as linsep writes it")
    return sorted(ids), "b" in at, is_plane, possible


def sentence(noun: str, n_rows: int, rows: list[int], intercept: bool, is_plane: bool, possible: bool) -> str:
    of = f"all {n_rows} {noun}" if len(rows) == n_rows else f"rows {', '.join(map(str, rows))} (counted from 0)"
    plane = f"plane{'' if intercept else ' through 0'}"
    if is_plane:
        return f"Of {of}: {'a' if possible else 'no'} {plane} has each of them on its right side."
    if possible:
        return f"Of {of}: a {plane} has none of them on its wrong side, and not all of them on it."
    return f"Of {of}: a {plane} that has none of them on its wrong side has all of them on it."


def main(proof: str, path: str, label: str, chosen: str | None = None) -> None:
    """Print what is proved, or end with the reason why nothing is."""
    table = read_table(path, label)
    labelled = {i: name for i, name in table.labels.items() if name.strip()}
    one = next(iter(labelled.values())) if chosen is None else chosen
    others = sorted({*labelled.values()} - {one})
    require(one in labelled.values() and bool(others) and table.width > 0, "it has not two classes and a column")
    signs = {i: 1 if name == one else -1 for i, name in labelled.items()}
    said = compare(Path(proof).read_bytes().decode("ascii"), table, signs)
    more = f" and {len(others) - 5} more" if len(others) > 5 else ""
    left = f" (rows without a label, which are left out: {len(table.rows) - len(signs)})"
    left *= len(signs) < len(table.rows)
    classes = f"{one!a} is set against {', '.join(map(ascii, others[:5]))}{more}{left}."
    proved = "Proved of this table, and any checker of VIPR reads the same:"
    print(f"{proved}\n{classes}\n{sentence(table.noun, len(signs), *said)}")


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5):
        sys.exit(USAGE)
    sys.set_int_max_str_digits(0)
    faults = (OSError, csv.Error, LookupError, AttributeError, TypeError, ValueError, ArithmeticError, StopIteration)
    try:
        main(*sys.argv[1:])
    except (*faults, RecursionError, MemoryError) as error:
        sys.exit(f"refused: it cannot be read, see the head of this program: {error!r:.300}")
