"""Check what a VIPR file of linsep says about a CSV table. Python's standard library alone.

    python compare_vipr.py proof.vipr table.csv LABEL [CLASS]

Its constraints are made again from the table: `R<i>` is data row i, counted from 0, times 1 or -1 by its label (CLASS,
or the label of the first row, against all others). Columns may be multiplied by any number but 0: that changes no
answer. A plane is tried on each row, and weights of rows have to add up to 0 >= 1. At last the file is written again
from the table and these numbers, and has to be the same text: so every checker of VIPR reads in it what is said here.
`table.csv` holds numbers only, beside the labels; or it is the `.design.json` beside the proof.
"""

from __future__ import annotations

import csv
import json
import re
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

Row = dict[int, Fraction]
CELL = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,4})?")


def table(path: str, label: str) -> tuple[list[list[Fraction]], list[str]]:
    """Numbers and labels: of a CSV file exactly as they are written, of a design the doubles."""
    if path.endswith(".json"):
        design = json.loads(Path(path).read_text(encoding="utf-8"), object_pairs_hook=once)
        keys = [str(j) for j in range(len(design["names"]))]
        rows = [row if isinstance(row, dict) else dict(zip(keys, row, strict=True)) for row in design["X"]]
        require({type(v) for row in rows for v in row.values()} <= {int, float}, "it holds more than numbers")
        require(all(row.keys() <= {*keys} for row in rows), "a row has columns without a name")
        require(len({*map(type, design["y"])}) == 1, "its labels are of several types")
        return [[Fraction(row.get(key, 0)) for key in keys] for row in rows], list(map(str, design["y"]))
    with open(path, encoding="utf-8-sig", newline="") as file:
        header, *lines = csv.reader(file, strict=True)
    rows = [once(zip(header, line, strict=True)) for line in lines]
    labels = [row.pop(label) for row in rows]
    require(all(CELL.fullmatch(cell) for row in rows for cell in row.values()), "a cell is no plain number")
    return [list(map(Fraction, row.values())) for row in rows], labels


def once(pairs: Any) -> dict[str, Any]:
    kept = list(pairs)
    require(len(dict(kept)) == len(kept), "a column stands there twice")
    return dict(kept)


def require(holds: bool, what: str) -> None:
    if not holds:
        sys.exit(f"refused: {what}")


def sparse(words: list[str]) -> Row:
    require(all(re.fullmatch("-?[0-9]+(/[0-9]+)?", word) for word in words), "something is no number")
    return {int(j): Fraction(v) for j, v in zip(words[1::2], words[2::2], strict=True)}


def text(row: Row) -> str:
    return " ".join(map(str, [len(row), *(part for pair in sorted(row.items()) for part in pair)]))


def added(weights: Row, rows: list[Row]) -> Row:
    sums: Row = {}
    for k, weight in weights.items():
        for j, v in rows[k].items():
            sums[j] = sums.get(j, Fraction(0)) + weight * v
    return {j: v for j, v in sums.items() if v}


def compare(proof: str, X: list[list[Fraction]], signs: list[int]) -> tuple[list[int], bool, bool, bool]:
    """Which rows it is about; whether planes need not go through 0; whether each row, or one, is to be strictly on its
    side; and whether there is such a plane. Refused unless this is proved of this table.
    """
    head, _, claim = proof.partition("\nRTP ")
    _, _, named, _, _, _, _, *lines = head.split("\n")
    names = named.split()
    require([name for name in names if name != "b"] == [f"x{j}" for j in range(len(X[0]))], "other columns")
    require(names.count("b") < 2, "b stands twice")
    is_plane, factors, ids, rows = not lines[-1].startswith("S "), Row(), list[int](), list[Row]()
    for line in lines if is_plane else lines[:-1]:
        constraint, _, _, *words = line.split()
        i, row = int(constraint[1:]), sparse(words)
        require(0 <= i < len(X) and i not in ids and signs[i] != 0, f"{constraint} is no row, or stands there twice")
        x = [Fraction(1) if name == "b" else X[i][int(name[1:])] for name in names]
        z = {j: signs[i] * v for j, v in enumerate(x) if v}
        for j in row.keys() & z.keys():
            factors.setdefault(j, row[j] / z[j])
        rows.append({j: v * factors.get(j, 1) for j, v in z.items()})
        require(rows[-1] == row and all(row.values()), f"{constraint} is not data row {i} of the table")
        ids.append(i)
    written = [f"VER 1.0\nVAR {len(names)}\n{' '.join(names)}\nINT 0\nOBJ min\n0\nCON {len(lines)} 0"]
    written += [f"R{i} G {int(is_plane)} {text(row)}" for i, row in zip(ids, rows, strict=True)]
    least = [int(is_plane)] * len(rows)
    if not is_plane:
        rows, least = [*rows, added(dict.fromkeys(range(len(rows)), Fraction(1)), rows)], [*least, 1]
        written.append(f"S G 1 {text(rows[-1])}")
    possible = not claim.startswith("infeas")
    if possible:
        d = sparse(claim.partition("\nd ")[2].partition("\n")[0].split())
        sides = [sum((v * d.get(j, 0) for j, v in row.items()), Fraction(0)) for row in rows]
        require(all(a >= b for a, b in zip(sides, least, strict=True)), "its plane has a row on the wrong side")
        written.append(f"RTP range -inf 0\nSOL 1\nd {text(d)}\nDER 0\n")
    else:
        weights = sparse(claim.partition(" lin ")[2].partition(" }")[0].split())
        right = sum((v * least[k] for k, v in weights.items()), Fraction(0))
        require(min([right, *weights.values()]) > 0 and not added(weights, rows), "its rows do not add up to 0 >= 1")
        written.append(f"RTP infeas\nSOL 0\nDER 1\nD G {right} 0 {{ lin {text(weights)} }} -1\n")
    require("\n".join(written) == proof, "it is not written as linsep writes it")
    return sorted(ids), "b" in names, is_plane, possible


def sentence(n_rows: int, rows: list[int], intercept: bool, is_plane: bool, possible: bool) -> str:
    of = f"all {n_rows} rows" if len(rows) == n_rows else f"data rows {', '.join(map(str, rows))} (counted from 0)"
    where = "each of them on its right side" if is_plane else "none of them on its wrong side, and one not on it"
    return f"Of {of}: {'a' if possible else 'no'} plane{'' if intercept else ' through 0'} has {where}."


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    sys.set_int_max_str_digits(0)
    file, path, label, *positive = sys.argv[1:]
    try:
        numbers, labels = table(path, label)
        if all(CELL.fullmatch(name) for name in labels if name):  # 1 and 1.0 are one class
            labels, positive = ([name and str(Fraction(name)) for name in given] for given in (labels, positive))
        one = positive[0] if positive else labels[0]
        require(one in labels, "no row has the label named")
        signs = [0 if not y.strip() else 1 if y == one else -1 for y in labels]
        said = compare(Path(file).read_text(encoding="ascii"), numbers, signs)
    except (
        OSError,
        csv.Error,
        LookupError,
        AttributeError,
        TypeError,
        ValueError,
        ArithmeticError,
        StopIteration,
    ) as error:
        sys.exit(f"refused: {file} and {path} cannot be read, see the head of this program: {error!r}")
    print("Proved of this table, and any checker of VIPR reads the same:")
    print(sentence(sum(map(bool, signs)), *said))
