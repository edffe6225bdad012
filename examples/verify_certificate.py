"""Check a certificate of separability with nothing but Python's standard library.

    linsep check table.csv --target kind --certificate proof.json
    python verify_certificate.py proof.json table.csv

This program shares no code with linsep. It reads the data again, compares their SHA-256 with that of the certificate,
and checks every part of the proof in exact arithmetic. It prints what it proved; exit status 0: proved, 1: not.

The data are a CSV file, as given to `linsep check`, or a JSON file {"X": [[1, 0.5], ...], "y": ["a", ...]}, as given to
`linsep.separability(X, y)`. A number in CSV is the decimal that is written there, one in JSON (or, with --doubles, in
CSV) the double nearest to it. A row x with label sign s counts as the signed row s (x, 1), without the 1 if the
certificate has no intercept. Large tables take a while.
"""

import argparse
import csv
import hashlib
import json
import struct
import sys
from collections import Counter
from fractions import Fraction
from math import lcm

PRIMES = (2**61 - 1, 2**61 - 31, 2**31 - 1)


class NotProvedError(Exception):
    """What is wrong, and where."""


def require(holds, what):
    """Stop unless a condition holds."""
    if not holds:
        raise NotProvedError(what)


# ------------------------------------------------------------------ reading
def whole(value):
    """An integer of the certificate: those beyond 2^53 are hexadecimal text."""
    number = int(value, 16) if isinstance(value, str) else value
    require(type(number) is int, f"{value!r} is not an integer")
    return number


def exact(value):
    """A double or an integer of the certificate, exactly."""
    return Fraction(value) if isinstance(value, float) else Fraction(whole(value))


def vector(part, width):
    """Return {"columns": [...], "values": [...]} as column -> integer."""
    values = dict(zip(part["columns"], map(whole, part["values"]), strict=True))
    require(len(values) == len(part["columns"]), "a vector names a column twice")
    require(all(0 <= j < width for j in values), "a vector has a column that is not there")
    return {j: v for j, v in values.items() if v}


def read_table(path, claim, doubles):
    """Rows as {column: number, zeros left out}, and the labels as text."""
    if path.endswith(".json"):
        with open(path, encoding="utf-8") as file:
            data = json.load(file)
        rows = [dict(enumerate(row)) if isinstance(row, list) else row for row in data["X"]]
        rows = [{int(j): Fraction(v) for j, v in row.items() if v} for row in rows]
        return rows, [str(label) for label in data["y"]]
    require("columns" in claim and "target" in claim, "the certificate does not say what the columns of a CSV file are")
    number = (lambda text: Fraction(float(text))) if doubles else Fraction
    rows, labels = [], []
    with open(path, encoding="utf-8-sig", newline="") as file:
        for line in csv.DictReader(file):
            row = {}
            for j, column in enumerate(claim["columns"]):
                if "level" in column:
                    value = int(line[column["column"]] == column["level"])
                else:
                    value = number(line[column["column"]]) * 10 ** column["exponent"]
                if value:
                    row[j] = Fraction(value)
            rows.append(row)
            labels.append(line[claim["target"]])
    return rows, labels


def label_signs(labels, classes):
    """1 for the second class, -1 for the first ("not a" stands for all but "a")."""
    negative, positive = classes
    rest = negative == f"not {positive}"
    known = set(labels) <= {negative, positive} or rest
    require(known and len(set(labels)) >= 2, f"the labels are not those of the classes {negative} and {positive}")
    return [1 if label == positive else -1 for label in labels]


def digest(rows, signs, claim):
    """SHA-256 of the text "n p\\n", of the entries that are not 0 row by row, and of a byte a label (1 or 255).

    An entry is row, column (signed 64-bit) and value (double), little-endian; where doubles cannot hold the numbers
    it is the text "row column numerator/denominator\\n".
    """
    out = hashlib.sha256(f"{len(rows)} {claim['features']}\n".encode())
    for i, row in enumerate(rows):
        for j in sorted(row):
            if claim["numbers"] == "doubles":
                require(Fraction(float(row[j])) == row[j], f"row {i}, column {j} is not a double")
                out.update(struct.pack("<qqd", i, j, float(row[j])))
            else:
                out.update(f"{i} {j} {row[j].numerator}/{row[j].denominator}\n".encode())
    out.update(bytes(1 if sign > 0 else 255 for sign in signs))
    return out.hexdigest()


# ----------------------------------------------------------------- checking
def signed_rows(rows, signs, constant):
    """Return s (x, 1) as integers, each row times a positive integer of its own, which is the second item."""
    out = []
    for row, sign in zip(rows, signs, strict=True):
        entries = {**row, constant: Fraction(1)} if constant is not None else row
        common = lcm(*(v.denominator for v in entries.values()))
        out.append(({j: sign * v.numerator * (common // v.denominator) for j, v in entries.items()}, common))
    return out


def dot(row, v):
    """Sum over the columns of row[j] v[j]."""
    return sum(value * v[j] for j, value in row.items() if j in v)


def check_directions(Z, directions, left_named, what):
    """Each direction is >= 0 on the rows that those before it left, and takes away those on which it is > 0."""
    left = list(range(len(Z)))
    for d in directions:
        margins = [(i, dot(Z[i][0], d)) for i in left]
        bad = next((i for i, margin in margins if margin < 0), None)
        require(bad is None, f"{what} has a negative margin at row {bad}")
        left = [i for i, margin in margins if margin == 0]
    require(len(left) < len(Z) and set(left) == set(left_named), f"{what} leaves other rows than the certificate says")


def check_sum(Z, part, what):
    """Positive weights bring the signed rows to exactly 0; return them as row -> weight."""
    weights = dict(zip(part["rows"], map(whole, part["weights"]), strict=True))
    require(len(weights) == len(part["rows"]) > 0, f"the {what} names a row twice, or none")
    require(all(0 <= i < len(Z) for i in weights), f"the {what} has a row that is not there")
    require(all(k > 0 for k in weights.values()), f"a weight of the {what} is not positive")
    common = lcm(*(Z[i][1] for i in weights))
    total = {}
    for i, k in weights.items():
        row, factor = Z[i]
        for j, v in row.items():
            total[j] = total.get(j, 0) + k * (common // factor) * v
    wrong = next((j for j, v in total.items() if v), None)
    require(wrong is None, f"the {what} does not add up to 0 in column {wrong}")
    return weights


def check_span(Z, left, weights, null):
    """The weighted rows are among `left` and span them: their rank is the greatest that `null` leaves possible."""
    require(set(weights) <= set(left), "the overlap has a row that a direction separates")
    used = {j for i in left for j, v in Z[i][0].items() if v}
    own = Counter(j for v in null for j in v)
    for k, v in enumerate(null):
        require(v.keys() <= used and any(own[j] == 1 for j in v), f"null vector {k} is not independent of the others")
        require(all(dot(Z[i][0], v) == 0 for i in left), f"null vector {k} is not orthogonal to every row left")
    need = len(used) - len(null)
    ranks = (rank_modulo([Z[i][0] for i in weights], prime) for prime in PRIMES)
    require(any(rank >= need for rank in ranks), "the rows of the overlap do not span all rows left")


def rank_modulo(rows, prime):
    """Rank modulo a number that has no small factors: never more than the rank of the integer rows."""
    pivots = {}
    for row in rows:
        rest = {j: v % prime for j, v in row.items() if v % prime}
        while rest:
            j = min(rest)
            if j not in pivots:
                inverse = pow(rest[j], -1, prime)
                pivots[j] = {k: v * inverse % prime for k, v in rest.items()}
                break
            factor = rest[j]
            for k, v in pivots[j].items():
                value = (rest.get(k, 0) - factor * v) % prime
                if value:
                    rest[k] = value
                else:
                    rest.pop(k, None)
    return len(pivots)


def prove(claim, rows, labels):
    """Check one certificate; return sentences on what it proves."""
    require(claim["format"] == "linsep separability certificate 1", "not a certificate of this format")
    n, p, verdict = claim["rows"], claim["features"], claim["verdict"]
    require(len(rows) == len(labels) == n, f"the certificate is about {n} rows, the data have {len(rows)}")
    require(all(0 <= j < p for row in rows for j in row), f"the data have more than {p} columns")
    signs = label_signs(labels, claim["classes"])
    require(digest(rows, signs, claim) == claim["sha256"], "the SHA-256 of the data is another: these are other data")
    said = [f"SHA-256 {claim['sha256']} is that of the data"]
    constant = p if claim["fit_intercept"] else None
    width = p + (constant is not None)
    Z = signed_rows(rows, signs, constant)

    directions = []
    for part in claim["directions"]:
        b = whole(part["b"])
        require(b == 0 or constant is not None, "a direction has an intercept, which was not asked for")
        directions.append({**vector(part, p), **({p: b} if b else {})})
    left = set(range(n))
    if directions:
        named = "rows_left" if "rows_left" in claim else "separated_rows"
        left = set(claim[named]) if named == "rows_left" else left - set(claim[named])
        check_directions(Z, directions, left, "the list of directions")
        said.append(f"{len(directions)} directions in turn separate {n - len(left)} rows and none wrongly")
    if claim["hyperplane"]:
        w = dict(enumerate(map(exact, claim["hyperplane"]["w"])))
        b = exact(claim["hyperplane"]["b"])
        require(len(w) == p and (b == 0 or constant is not None), "the hyperplane has another width than the data")
        check_directions(Z, [{**w, p: b}], [], "the hyperplane")
        said.append(f"one hyperplane has all {n} rows strictly on their side")
    weights = None
    if claim["witness"]:
        weights = check_sum(Z, claim["witness"], "witness")
        said.append(f"{len(weights)} signed rows with positive weights add up to 0: no strict separator")
    overlap = None
    if claim["overlap"]:
        overlap = check_sum(Z, claim["overlap"], "overlap")
        check_span(Z, sorted(left), overlap, [vector(v, width) for v in claim["null"]])
        said.append(
            f"{len(overlap)} rows with positive weights add up to 0 and span: no direction moves {len(left)} rows"
        )
    complete = {
        "separable": bool(claim["hyperplane"]) or (bool(directions) and not left),
        "quasi-separable": bool(directions) and weights is not None,
        "inseparable": overlap is not None and weights is not None and not directions,
    }
    require(verdict in complete, f"the verdict is {verdict!r}: nothing to prove")
    require(complete[verdict], f"a part of the proof of {verdict!r} is missing")
    return [*said, f"proved: {verdict}"]


def main():
    """Check the certificate named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("certificate", help="JSON file")
    parser.add_argument("data", help="CSV or JSON file")
    parser.add_argument("--doubles", action="store_true", help="take the numbers of a CSV file as the nearest doubles")
    arguments = parser.parse_args()
    try:
        with open(arguments.certificate, encoding="utf-8") as file:
            claim = json.load(file)
        several = claim.get("one_against_rest", {"": claim})
        for name, one in several.items():
            rows, labels = read_table(arguments.data, one, arguments.doubles)
            for line in prove(one, rows, labels):
                print(f"{name} against the rest: {line}" if name else line)
    except NotProvedError as error:
        print(f"not proved: {error}")
        return 1
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, OSError) as error:
        print(f"not proved: cannot read the certificate or the data: {error!r}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
