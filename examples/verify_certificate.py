"""Check a certificate that linsep wrote, with nothing but Python's standard library and no code of linsep.

    linsep check table.csv --target kind --certificate proof.json     (or linsep separation)
    python verify_certificate.py proof.json table.csv

The data are the CSV file given to the command, whose numbers are the decimals that are written there. Where its cells
are not all plain (dates, units, decimal commas, missing values ...) the command writes what it read of them beside the
certificate, as proof.design.json, and the proof is about that: {"X": [[1, 0.5], ...], "y": ["a", ...]} of doubles and
whole numbers. A row of X may be an object {column: value}; beside y there may be "trials", "weights", "event",
"strata", "entry", and the "names" of the columns. The program reads the data again, compares their SHA-256 with that of
the certificate, and checks its proofs. It prints what follows from these; exit status 0: proved, 1: not.

Everything is a question about rows z of whole numbers, some of which are equalities: a row is separated if z.d > 0 for
some d with z.d >= 0 on every row, and = 0 on equalities. For two classes z = s (x, 1) with s = 1 or -1; what the rows
of a regression are is derived on the page theory/separation-families of linsep.
"""

import argparse
import csv
import hashlib
import io
import json
import math
import re
import struct
import sys
from collections import Counter
from fractions import Fraction
from itertools import pairwise
from math import lcm
from operator import mul
from typing import NamedTuple

FORMAT = "linsep certificate 1"
NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
MISSING = re.compile(r"(na|n/a|#n/a|nan|null|#null!|none|\?|--?)?")
PRIMES = (2**61 - 1, 2**61 - 31, 2**31 - 1)
OF_TWO = ("logit", "probit", "cloglog", "cauchit")
LINKS = {"logistic": OF_TWO, "binomial": OF_TWO, "cumulative": OF_TWO, "continuation": OF_TWO}
LINKS |= dict.fromkeys(("multinomial", "adjacent"), ("logit",))
LINKS |= dict.fromkeys(("poisson", "negative-binomial", "gamma", "inverse-gaussian", "cox"), ("log",))
ORDERED = ("cumulative", "adjacent", "continuation")
LABELLED = ("logistic", "multinomial", *ORDERED)
BESIDE = {"trials": ("binomial",), "weights": tuple(LINKS), "event": ("cox",), "strata": ("cox",), "entry": ("cox",)}
INTERCEPT = "(Intercept)"
FINITE, UNSIGNED = "finite", "infinite, sign not decided"
UNDETERMINED, UNIDENTIFIED = "undetermined sign", "not identified"
OTHER = "the SHA-256 is another: other data, classes or options"
TINY = 2.0**-900  # far more than underflow takes from a sum of products
MOST_COLUMNS = 1_000_000
SHOWN = 40  # names in a line


class NotProvedError(Exception):
    """What is wrong, and where."""


def require(holds, what):
    """Stop unless a condition holds."""
    if not holds:
        raise NotProvedError(what)


# ------------------------------------------------------------------ reading
def read_json(path):
    """The JSON of a file; a key that stands twice in one object, and NaN, are refused."""

    def once(pairs):
        require(len(dict(pairs)) == len(pairs), "a key stands twice in one object")
        return dict(pairs)

    def no_number(name):
        raise NotProvedError(f"{name} is not a number of JSON")

    with open(path, encoding="utf-8") as file:
        return json.load(file, object_pairs_hook=once, parse_constant=no_number)


def whole(value):
    """An integer of the certificate: those beyond 2^53 are hexadecimal text."""
    if isinstance(value, str) and re.fullmatch("-?0x[0-9a-f]+", value):
        return int(value, 16)
    require(type(value) is int, f"{value!r:.40} is not an integer")
    return value


def numbers_of(values, count, what):
    """A list of different rows or columns, which lie in 0..count-1."""
    require(isinstance(values, list), f"{what} is no list")
    require(all(type(v) is int and 0 <= v < count for v in values), f"{what} names one that is not there")
    require(len(set(values)) == len(values), f"{what} names one twice")
    return values


def vectors_of(part, width):
    """Vectors column -> integer without zeros: unit vectors by their columns, then the others."""
    units = [{j: 1} for (j,) in (numbers_of([j], width, "a unit vector") for j in part["units"])]
    pairs = zip(part["columns"], part["values"], strict=True)
    rest = [dict(zip(numbers_of(a, width, "a vector"), map(whole, b), strict=True)) for a, b in pairs]
    return units + [{j: v for j, v in vector.items() if v} for vector in rest]


def weights_of(part, count):
    """Row -> integer."""
    rows = numbers_of(part["rows"], count, "a list of rows with weights")
    return dict(zip(rows, map(whole, part["values"]), strict=True))


class Table(NamedTuple):
    """Rows {column: number, zeros left out}; "y" and what stands beside it; names of the columns; where rows stand."""

    rows: list
    beside: dict
    names: list
    effects: dict  # column -> the fixed effect that it belongs to
    places: list


def read_table(path, claim):
    """The data of a CSV or JSON file."""
    width = claim.get("rest", claim)["question"].get("columns", 0)
    require(type(width) is int and width <= MOST_COLUMNS, f"this program looks at no more than {MOST_COLUMNS} columns")
    if not path.endswith(".json"):
        return read_csv(path, claim)
    data, rows = read_json(path), []
    for row in data["X"]:
        require(isinstance(row, dict) or len(row) == width, "a row has more or fewer numbers than there are columns")
        entries = dict(row.items() if isinstance(row, dict) else enumerate(row))
        plain = all(type(v) in (int, float) and str(int(j)) == str(j) for j, v in entries.items())
        require(plain, "an entry is no number, or its column is not")  # "0" and "00" would be one column
        rows.append({int(j): v for j, v in entries.items() if v})
    beside = {role: data[role] for role in ("y", *BESIDE) if data.get(role) is not None}
    names = data.get("names", [f"x{j + 1}" for j in range(width)])
    return Table(rows, beside, names, data.get("effects", {}), data.get("rows", range(len(rows))))


def read_csv(path, claim):
    """The same of a plain CSV file: UTF-8, commas, a header, as many cells in each line, one number or text in each."""
    require("columns" in claim and "target" in claim, "the certificate does not say what the columns of a CSV file are")
    columns = claim["columns"]
    for column in columns:
        require(column.keys() in ({"column", "level"}, {"column", "exponent"}), "a column is no number and no level")
        fits = type(column.get("level", "")) is str and type(power := column.get("exponent", 0)) is int
        require(fits and abs(power) <= 10_000, "a level is no text, or an exponent is no small integer")
    own = {*BESIDE, "offset"} if claim["question"]["about"] == "regression" else set()
    require(set(claim.get("beside", {})) <= own, "columns stand beside the target that do not belong to the question")
    roles = {**claim.get("beside", {}), "y": claim["target"]}
    used = [(column["column"], column.get("level")) for column in columns]
    twice = len(set(used)) < len(used) or {name for name, _ in used} & set(roles.values())
    require(not twice, "a column stands twice in the question")
    with open(path, encoding="utf-8-sig", newline="") as file:
        text = file.read()
    require(not re.search("\r(?!\n)|\0", text), "a line ends without a line feed, or there is a NUL")
    header, *lines = csv.reader(io.StringIO(text, newline=""), strict=True)
    fits = len(set(header)) == len(header) and all(len(line) == len(header) for line in lines)
    require(fits, "two columns have one name, or a line has more or fewer cells than the header: give the design")
    at = {name: k for k, name in enumerate(header)}
    rows = [[value_of(column, line[at[column["column"]]]) for column in columns] for line in lines]
    beside = {role: in_one_way([line[at[roles[role]]] for line in lines]) for role in ("y", *BESIDE) if role in roles}
    rows = [{j: value for j, value in enumerate(row) if value} for row in rows]
    return Table(rows, beside, [name_of(column) for column in columns], {}, range(len(rows)))


def value_of(column, cell):
    """What a cell counts as: whether it is the level, or the number."""
    if "level" in column:
        return int(cell == column["level"])
    plain = NUMBER.fullmatch(cell) and not re.search("[eE][+-]?[0-9]{5}", cell)
    require(plain, f"{cell!r:.40} is no plain number: give the design of the table")
    return Fraction(cell) * Fraction(10) ** column["exponent"]


def in_one_way(cells):
    """Labels and what stands beside them: numbers in their shortest text if every cell is one, and else text."""
    require(all(cell.strip() for cell in cells), "a label, or what stands beside it, is missing")
    if not all(map(NUMBER.fullmatch, cells)):
        words = [cell for cell in cells if not NUMBER.fullmatch(cell)]
        missing = len(words) < len(cells) and all(map(MISSING.fullmatch, map(str.lower, words)))
        require(not missing, "a label, or what stands beside it, is missing among numbers")
        return cells
    values = [int(cell) if cell.lstrip("-").isdigit() else float(cell) for cell in cells]
    for value, cell in zip(values, cells, strict=True):
        require(str(value) == cell, f"{cell:.40} is not the shortest text of a number: give the design of the table")
    return values


def name_of(column):
    """What the coefficient of a column of a CSV file is called."""
    return f"{column['column']}={column['level']}" if "level" in column else column["column"]


# ----------------------------------------------------------------- the hash
def digest(claim, rows, names, response):
    """The SHA-256 of the question, of the entries that are not 0 row by row, and of the response.

    The question is the text "linsep data 2\\n", "n p\\n", "1\\n" with an intercept or "0\\n" without, the number of
    names and a newline, and the names as UTF-8, each after the number of its bytes and a newline. An entry is row,
    column (signed 64-bit) and value (double), little-endian; where doubles cannot hold all numbers it is the text
    "row column numerator/denominator\\n".
    """
    asked = claim["question"]
    n, p, constant = asked["rows"], asked["columns"], asked["intercept"]
    require(claim["format"] == FORMAT, f"not a certificate of the format {FORMAT!r}")
    require(type(n) is int and type(p) is int and type(constant) is bool, "a count or an option is none")
    require(len(rows) == n, f"the certificate is about {n} rows, the data have {len(rows)}")
    require(all(0 <= j < p for row in rows for j in row), f"the data have more than {p} columns")
    out = hashlib.sha256(f"linsep data 2\n{n} {p}\n{int(constant)}\n{len(names)}\n".encode())
    for name in map(str.encode, names):
        out.update(b"%d\n%b" % (len(name), name))
    doubles = all(is_double(v) for row in rows for v in row.values())
    require(claim["numbers"] == ("doubles" if doubles else "rationals"), "the hash is of other numbers")
    for i, row in enumerate(rows):
        for j in sorted(row):
            if doubles:
                out.update(struct.pack("<qqd", i, j, row[j]))
            else:
                out.update("{} {} {}/{}\n".format(i, j, *row[j].as_integer_ratio()).encode())
    out.update(response)
    return out.hexdigest()


def is_double(value):
    """Whether a double is exactly this number."""
    try:
        return float(value) == value
    except OverflowError:
        return False


# ------------------------------------------------------------------- a cone
class Cone:
    """Rows z = {column: integer} without zeros, and those of them that are equalities."""

    def __init__(self, Z, width, equal=(), total=None):
        self.Z, self.width, self.equal = Z, width, set(equal)
        self.total = total  # a row that counts with whatever positive weight
        self.at = {}  # column -> the rows that have an entry there
        for i, row in enumerate(Z):
            for j in row:
                self.at.setdefault(j, []).append(i)

    def products(self, vector, rows):
        """Row -> its product with a vector, for those of some rows where that is not 0."""
        touched = rows & {i for j in vector for i in self.at.get(j, ())}
        found = {i: sum(v * vector[j] for j, v in self.Z[i].items() if j in vector) for i in touched}
        return {i: v for i, v in found.items() if v}

    def left_by(self, directions):
        """The rows that directions leave, each of which is >= 0 on those that the ones before it left."""
        left = set(range(len(self.Z)))
        for k, d in enumerate(directions):
            found = self.products(d, left)
            require(all(v > 0 for v in found.values()), f"direction {k} is negative at a row")
            require(not self.equal & found.keys(), f"direction {k} is not 0 on an equality")
            left -= found.keys()
        return left

    def combined(self, weights):
        """The sum of weights times rows, without zeros."""
        sums = Counter()
        for i, k in weights.items():
            for j, v in self.Z[i].items():
                sums[j] += k * v
        return {j: v for j, v in sums.items() if v}

    def check_sum(self, weights, left):
        """Rows left, with positive weights unless they are equalities, add up to 0."""
        require(weights.keys() <= left, "a row has a weight, and a direction separates it")
        require(all(k > 0 or i in self.equal for i, k in weights.items()), "a weight is not positive")
        sums = self.combined({i: k for i, k in weights.items() if i != self.total})
        if self.total in weights:  # a row that is as long as is needed
            row = self.Z[self.total]
            first = next(iter(row), None)
            share = Fraction(-sums.get(first, 0), row[first]) if row else 1
            require(share > 0 and sums == {j: -share * v for j, v in row.items()}, "weighted rows do not add up to 0")
        else:
            require(not sums, "the weighted rows do not add up to 0")

    def columns_beside(self, null, rows):
        """The columns without one of its own for each null vector, once these are orthogonal to the rows."""
        often, own = Counter(j for v in null for j in v), set()
        for v in null:
            alone = [j for j in v if often[j] == 1]
            require(alone, "a null vector has no column of its own")
            require(not self.products(v, rows), f"the null vector of columns {list(v)[:5]} is not orthogonal")
            own.add(alone[0])
        return [j for j in range(self.width) if j not in own]

    def check_rank(self, rows, columns, rank):
        """These rows have at least this rank on these columns, as they have it modulo a prime."""
        kept = set(columns)
        parts = [{j: v for j, v in self.Z[i].items() if j in kept} for i in rows]
        require(any(rank_modulo(parts, q) >= rank for q in PRIMES), "the rows of a basis do not span all")

    def check(self, part):
        """The rows left, the directions and the null vectors; whether it is proved that no row left is separated.

        Let u be the weights. For d in the cone the sum of u_i z_i.d is 0 and no term is negative, so z.d = 0 on the
        rows with weights, on the basis, and on all rows left, which the basis spans: these are orthogonal to the null
        vectors, so their rank is at most the number of other columns, and the basis has that rank.
        """
        n, within, basis = len(self.Z), part["within"], part["basis"]
        require(type(part["rows"]) is int and part["rows"] == n, "the proof is about another number of rows")
        directions, null = (vectors_of(part[name], self.width) for name in ("directions", "null"))
        left, named = self.left_by(directions), [name for name in ("left", "separated") if name in part]
        require(len(named) == 1, "it must name either the rows left or those separated")
        rows = set(numbers_of(part[named[0]], n, named[0]))
        require(left == (rows if named == ["left"] else set(range(n)) - rows), "the directions leave other rows")
        weights = weights_of(part["weights"], n)
        if basis is None:
            require(within == 0 and not null, "a part of the proof stands there without a basis")
            self.check_sum(weights, left)
            return left, directions, null, left <= self.equal
        columns = self.columns_beside(null, left)
        numbers_of(basis, n, "a basis")
        require(set(basis) <= weights.keys() | (left & self.equal), "a row of a basis has no weight")
        if within == 0:
            self.check_sum(weights, left)
            self.check_rank(basis, columns, len(columns))
        else:
            require(weights.keys() <= left and min(weights.values()) > 0, "a weight is not positive, or of a row gone")
            require(not self.equal, "weights near exact ones are of inequalities alone")
            self.check_near(weights, basis, columns, within)
        return left, directions, null, True

    def check_near(self, u, basis, columns, within):
        """Weights exist that add the rows up to 0 and differ from u by this share at most; the basis is independent.

        Let C have the columns u_k z_k, k in the basis, r = sum u_i z_i, R any matrix, and |x| the largest size in x. If
        every row of I - R C has sizes that add up to 1/2 at most, C x = 0 gives |x| = |(I - R C) x| <= |x| / 2: C is
        regular. Let C t = r: t = R r + (I - R C) t, so |t| <= 2 |R r| <= within < 1, and the weights u_k (1 - t_k) are
        positive and exact. R is what floats give for the inverse. A sum of p products of floats is off by at most p /
        2^52 times the sum of their sizes, in whatever order, and by TINY where products underflow.
        """
        require(type(within) is float and 0 < within < 1, "weights within 1 of those given need not be positive")
        p, sums = len(columns), self.combined(u)
        require(len(basis) == p > 0, "the basis has not as many rows as columns")
        C, r = [], []  # each column over a power of two
        for j in columns:
            entries = [u[i] * self.Z[i].get(j, 0) for i in basis]
            unit = 1 << max(map(abs, entries)).bit_length()
            C.append([v / unit for v in entries])
            r.append(abs(sums.get(j, 0)) / unit + TINY)
        size = [sum(map(abs, row)) for row in C]
        across = list(zip(*C, strict=True))
        for k, row in enumerate(inverse(C)):
            sizes = list(map(abs, row))
            off = sum(abs(sum(map(mul, row, column)) - (k == at)) for at, column in enumerate(across))
            off += (p + 8) * 2.0**-52 * sum(map(mul, sizes, size)) + TINY * (1 + sum(sizes))
            require(off * 1.001 <= 0.5, "rounding leaves open whether the rows of the basis are independent")
            require(2.002 * sum(map(mul, sizes, r)) <= within, "exact weights may be farther away than it says")


def inverse(matrix):
    """The inverse as well as floats give it, by Gauss and Jordan."""
    p = len(matrix)
    rows = [[*row, *(float(i == k) for k in range(p))] for i, row in enumerate(matrix)]
    for k in range(p):
        best = max(range(k, p), key=lambda i: abs(rows[i][k]))
        rows[k], rows[best] = rows[best], rows[k]
        pivot = rows[k][k]
        require(pivot, "the rows of the basis are not independent")
        rows[k] = chosen = [v / pivot for v in rows[k]]
        for i in range(p):
            if i != k and (factor := rows[i][k]):
                rows[i] = [a - factor * b for a, b in zip(rows[i], chosen, strict=True)]
    return [row[p:] for row in rows]


def rank_modulo(rows, prime):
    """Rank modulo a number without small factors: never more than the rank of the integer rows."""
    pivots = {}
    for row in rows:
        rest = {j: v % prime for j, v in row.items() if v % prime}
        while rest:
            j = min(rest)
            if j not in pivots:
                inverted = pow(rest[j], -1, prime)
                pivots[j] = {k: v * inverted % prime for k, v in rest.items()}
                break
            factor = rest[j]
            for k, v in pivots[j].items():
                rest[k] = (rest.get(k, 0) - factor * v) % prime
                if not rest[k]:
                    del rest[k]
    return len(pivots)


def as_integers(rows, some=None):
    """Rows times the least number that makes all of them whole, and that number; with `some`, each column by itself."""
    if some is None:
        one = lcm(*{v.as_integer_ratio()[1] for row in rows.values() for v in row.values()})
        units = dict.fromkeys({j for row in rows.values() for j in row}, one)
    else:
        one, units = 1, {}
        for j, v in ((j, v) for row in some for j, v in row.items()):
            units[j] = lcm(units.get(j, 1), v.as_integer_ratio()[1])
    ratios = {i: {j: v.as_integer_ratio() for j, v in row.items()} for i, row in rows.items()}
    return {i: {j: a * units[j] // b for j, (a, b) in row.items()} for i, row in ratios.items()}, one


# -------------------------------------------------------------- two classes
def signs_of(labels, classes):
    """1 for the second class, -1 for the first ("not a" stands for all but "a")."""
    negative, positive = classes
    known = set(labels) <= {negative, positive} or negative == f"not {positive}"
    both = positive in labels and len(set(labels)) >= 2
    require(known and both, f"the labels are not those of the classes {negative} and {positive}")
    return [1 if label == positive else -1 for label in labels]


def cone_of_classes(rows, signs, asked):
    """The rows s (x, 1), without the 1 if there is no intercept."""
    require(all(0 <= j < asked["columns"] for row in rows for j in row), "the data have more columns")
    X, one = as_integers(dict(enumerate(rows)))
    full = [{**X[i], **({asked["columns"]: one} if asked["intercept"] else {})} for i in X]
    Z = [{j: s * v for j, v in row.items()} for s, row in zip(signs, full, strict=True)]
    return Cone(Z, asked["columns"] + asked["intercept"])


def prove_classes(claim, rows, labels):
    """The verdict that a certificate proves, the rows that are separated, and whether no more are."""
    asked = claim["question"]
    require(asked["about"] == "classes", "it is not about two classes")
    signs = signs_of(labels, asked["classes"])
    require(digest(claim, rows, asked["classes"], bytes(s % 256 for s in signs)) == claim["sha256"], OTHER)
    left, _, _, maximal = cone_of_classes(rows, signs, asked).check(claim["proof"])
    if left:
        known = claim["proof"]["basis"] is not None or claim["proof"]["weights"]["rows"]
        require(known, "undecided: nothing to prove")
    verdict = "quasi-separable" if len(left) < len(rows) else "inseparable" if maximal else "not-separable"
    return verdict if left else "separable", set(range(len(rows))) - left, maximal


def prove_rows(few, rows, labels, classes):
    """How many rows have to go: at most those after which the rest is separable, at least as many as are proved."""
    asked, rest = few["question"], few["rest"]
    require(few["format"] == FORMAT and asked["about"] == "fewest rows", "it is not about the fewest rows")
    require(rest["question"]["classes"] == classes, "the rows left are about other classes")
    require(rest["question"]["intercept"] is asked["intercept"], "one part has an intercept, and another has none")
    require(len(rows) == asked["rows"], f"it is about {asked['rows']} rows, the data have {len(rows)}")
    gone = set(numbers_of(few["removed"], len(rows), "the list of rows removed"))
    kept = [i for i in range(len(rows)) if i not in gone]
    found, _, _ = prove_classes(rest, [rows[i] for i in kept], [labels[i] for i in kept])
    require(found == "separable", "the rows left are not separable")
    cone = cone_of_classes(rows, signs_of(labels, classes), rest["question"])
    witnesses = [weights_of(part, len(rows)) for part in few["witnesses"]]
    for weights in witnesses:
        require(weights, "a witness has no rows")
        cone.check_sum(weights, set(range(len(rows))))
    least, most = at_least(few["proof"], list(map(set, witnesses)), frozenset()), len(gone)
    bounds = f"exactly {most}" if least == most else f"at least {least} and at most {most}"
    return f"proved: {bounds} of {len(rows)} rows {'has' if least == most == 1 else 'have'} to go"


def at_least(proof, witnesses, gone):
    """How many rows have to go beside those that have gone: each witness, a set of rows, has to lose one.

    Weights of witnesses that are together at most 1 at each row add up to a number of rows that have to go; or the rows
    of one witness are tried in turn, with a proof about the rows that are then left.
    """

    def intact(k):
        require(type(k) is int and 0 <= k < len(witnesses), f"there is no witness {k!r:.40}")
        require(not witnesses[k] & gone, f"witness {k} has a row that has gone")
        return witnesses[k]

    if "witness" in proof:
        rows = sorted(intact(proof["witness"]))
        require(len(proof["without"]) == len(rows), "a branch needs one part for each row of its witness")
        return 1 + min(at_least(part, witnesses, gone | {i}) for i, part in zip(rows, proof["without"], strict=True))
    unit, weights, load = whole(proof["unit"]), list(map(whole, proof["weights"])), Counter()
    require(min([unit, *weights]) > 0, "a weight of a witness is not positive")
    numbers = numbers_of(proof["witnesses"], len(witnesses), "the proof")
    for k, v in zip(numbers, weights, strict=True):
        load.update(dict.fromkeys(intact(k), v))
    require(max(load.values(), default=0) <= unit, "the witnesses of a row have a weight above 1 together")
    return -(-sum(weights) // unit)


def prove_columns(behind, claim, table, labels, verdict):
    """What is proved of some columns of the table alone."""
    asked, rows, names = claim["question"], table.rows, table.names

    def proved(one):
        """What the proof about some columns shows, and these columns in words."""
        places = numbers_of(one["places"], asked["columns"], "a list of columns")
        where = {j: k for k, j in enumerate(places)}
        some, proof = [{where[j]: v for j, v in row.items() if j in where} for row in rows], one["certificate"]
        for part in ("classes", "intercept"):
            require(proof["question"][part] == asked[part], f"what is said of columns is about other {part}")
        require(proof["question"]["columns"] == len(places), "what is said of columns is about others")
        return *prove_classes(proof, some, labels), shown([names[j] for j in places])

    for one in behind["needed"]:
        found, _, _, _ = proved(one)
        weaker = ("inseparable", "not-separable", "quasi-separable")[: 3 if verdict == "separable" else 1]
        require(found in weaker and verdict != found, "a column that is needed changes nothing")
        yield f"proved: {found} without {shown([name for j, name in enumerate(names) if j not in one['places']])}"
    for one in (one for one in (*behind["alone"], *behind["few"]) if one["certificate"]):
        found, separated, _, alone = proved(one)
        require(found in ("separable", verdict), "columns that separate do not")
        some = "separable" if found == "separable" else f"{len(separated)} rows separated"
        yield f"proved: {some} by {alone} alone"


# -------------------------------------------------------------- regressions
class Model(NamedTuple):
    """What is asked of a regression; `codes` are the classes of the rows, or their numbers; `kept`: rows that count."""

    family: str
    constant: bool
    names: list
    classes: list
    codes: list
    beside: dict
    kept: list


def double(value):
    """A number beside the features, which is one double; no two of these are equal by rounding."""
    require(type(value) in (int, float) and abs(value) < math.inf, f"{value!r:.40} beside the features is no number")
    require(is_double(value), f"{value!r:.40} has more digits than double precision holds")
    return float(value)


def label(cell, kind):
    """A label as the certificate writes it, whose type is that of the label."""
    known = {str: ("str",), bool: ("bool",), int: ("int", "float"), float: ("float",)}.get(type(cell), ())
    require(kind in known, f"the label {cell!r:.40} is not of the type {kind!r:.10}")
    return str(double(cell)) if kind == "float" else str(cell)


def class_names(cells):
    """The labels of two classes as text; numbers as whole ones if all are."""
    kinds = {type(cell) for cell in cells}
    alike = kinds in ({str}, {bool}) or kinds <= {
        int,
        float,
    }  # 1 beside "1", and null beside "None", would be one class
    require(alike, "the labels are not all text, all numbers, or all true and false")
    return [label(cell, "float") for cell in cells] if float in kinds else list(map(str, cells))


def model_of(claim, table):
    """The regression that is asked about, once its hash is that of the certificate."""
    asked, given, n = claim["question"], table.beside, len(table.rows)
    family, link = asked["family"], asked["link"]
    require(link in LINKS.get(family, ()), f"this program does not check the family {family!r:.40} with that link")
    require(len(table.names) == asked["columns"] == len(set(table.names)), "the names of the columns are others")
    for role, column in given.items():
        require(role == "y" or family in BESIDE[role], f"{role} do not belong to the family {family}")
        require(len(column) == n, f"{role} are not one for each row")
    beside = {role: list(map(double, given[role])) for role in given if role not in ("y", "strata")}
    kept = [i for i in range(n) if all(beside[role][i] > 0 for role in ("trials", "weights") if role in beside)]
    labelled, order = family in LABELLED, {"int": int, "float": float}.get(asked.get("class_type"), str)
    y = [label(cell, asked["class_type"]) for cell in given["y"]] if labelled else list(map(double, given["y"]))
    labels, present = sorted(set(y), key=order) if labelled else [], {y[i] for i in kept}
    classes = asked["classes"] if family in ORDERED else [name for name in labels if name in present]
    fits = not labelled or (set(classes) == present and len(classes) == len(present) > 1)
    require(kept and fits and asked["classes"] == classes, "the classes are not those of the labels")
    require(family != "logistic" or len(classes) == 2, "a logistic regression has two classes")
    check_response(family, y, beside)
    at = {name: k for k, name in enumerate(labels)}
    codes = [at[name] for name in y] if labelled else y
    beside |= {"strata": numbered(given["strata"])} if "strata" in given else {}
    found = {role: beside[role] for role in BESIDE if role in given}
    same = digest(claim, table.rows, *hashed(family, link, labels, classes, codes, found)) == claim["sha256"]
    require(same, OTHER)
    codes = [classes.index(v) if v in present else None for v in y] if labelled else y
    return Model(family, asked["intercept"], table.names, classes, codes, found, kept)


def check_response(family, y, beside):
    """The response is one that the family may have."""
    most = beside.get("trials", [1.0] * len(y)) if family == "binomial" else y
    require(min(beside.get("weights", [0])) >= 0, "a weight is below 0")
    require(set(beside.get("event", [1])) <= {0, 1}, "an event is neither 1 nor 0")
    require(all(a < y[i] for i, a in enumerate(beside.get("entry", ()))), "an entry is not before its time")
    if family not in (*LABELLED, "cox"):
        fits = all(0 <= value <= m for value, m in zip(y, most, strict=True))
        require(fits and (family != "inverse-gaussian" or min(y) > 0), "a response is not one of this family")


def numbered(strata):
    """The place of the stratum of each row among all, in the order in which they come."""
    require(len({isinstance(name, str) for name in strata}) == 1, "some strata are text, and others are numbers")
    place = {name: float(k) for k, name in enumerate(dict.fromkeys(strata))}
    return tuple(place[name] for name in strata)


def hashed(family, link, labels, classes, codes, beside):
    """The names and the response that the hash is of.

    Of a logistic regression with logit link the response is a byte a row (1 or 255), of a multinomial one the number of
    the class (32-bit), of a Poisson one the count (double); the names are those of the classes. Of all others, and
    where something stands beside the response, the names are "family", its name, "link", its name, "columns", what
    stands beside the response, "classes", their names (and "order", the same in their order), and the response and the
    other columns are doubles, one column after the other.
    """
    n = len(codes)
    if beside or (family, link) not in (("logistic", "logit"), ("poisson", "log"), ("multinomial", "logit")):
        names = ["family", family, "link", link, "columns", *beside, "classes", *labels]
        names += ["order", *classes] if family in ORDERED else []
        return names, b"".join(struct.pack(f"<{n}d", *column) for column in (codes, *beside.values()))
    kind = {"logistic": "b", "multinomial": "i"}.get(family, "d")
    return labels, struct.pack(f"<{n}{kind}", *([2 * code - 1 for code in codes] if kind == "b" else codes))


def inequalities(model, X, one):
    """(z, equality, row of the data) of a regression; X has whole numbers, in which 1 became `one`.

    Columns are the intercept or the thresholds, then those of the data; of a multinomial model so for each class but
    the first. Rows of a gamma regression with a response of 0 have one inequality together, which is the last.
    """
    heads = heads_of(model)
    if model.family == "cox":
        return list(risk_rows(model, X))
    rows = {i: {j + len(heads): v for j, v in X[i].items()} for i in model.kept}
    rows = {i: {0: one, **row} for i, row in rows.items()} if heads == [INTERCEPT] else rows
    width, found, total = len(heads) + len(model.names), [], Counter()
    for i in model.kept:
        for thresholds, blocks, equal in shares(model, i):
            z = {k: v * one for k, v in thresholds.items()}
            for block, times in blocks.items():
                z |= {block * width + j: times * v for j, v in rows[i].items()}
            found.append((z, equal, i))
    if model.family == "gamma" and len(found) < len(rows):
        weights = {i: model.beside["weights"][i] if "weights" in model.beside else 1.0 for i in model.kept}
        weights = weights if len(set(weights.values())) > 1 else dict.fromkeys(weights, 1.0)
        common = lcm(*(w.as_integer_ratio()[1] for w in weights.values()))
        for i in model.kept:
            for j, v in rows[i].items():
                total[j] -= int(weights[i] * common) * v
        total = {j: v for j, v in total.items() if v}
        return [*((z, False, i) for z, _, i in found), (total, False, None)]
    return found


def heads_of(model):
    """The coefficients that stand before those of the columns."""
    if model.family in ORDERED:
        return [f"{low}|{high}" for low, high in pairwise(model.classes)]
    return [INTERCEPT] if model.constant and model.family != "cox" else []


def shares(model, i):
    """The inequalities of a row: thresholds, how often the row counts in which block, and whether it is an equality.

    Of ordered classes let e_k be the slope of threshold k less that of x.b. Cumulative: e_own >= 0 and e_(own-1) <= 0.
    Continuation: e_own >= 0, and e_k <= 0 for every k below. Adjacent: sums of e from the own class up to each one
    above are >= 0, those from each one below up to the own are <= 0.
    """
    family, own, last = model.family, model.codes[i], len(model.classes) - 1
    if family in ORDERED:
        lowest = max(0, own - 1) if family == "cumulative" else 0
        above, below = [range(own, min(own + 1, last))] * (own < last), [range(k, k + 1) for k in range(lowest, own)]
        if family == "adjacent":
            above, below = [range(own, k) for k in range(own + 1, last + 1)], [range(k, own) for k in range(own)]
        for sign, some in [(1, some) for some in above] + [(-1, some) for some in below]:
            yield dict.fromkeys(some, sign), {0: -sign * len(some)}, False
    elif family == "multinomial":  # the first class has no block
        for other in (k for k in range(last + 1) if k != own):
            yield {}, {k - 1: times for k, times in ((own, 1), (other, -1)) if k}, False
    elif family in ("gamma", "inverse-gaussian"):
        if own > 0:
            yield {}, {0: 1}, True
    else:
        trials = model.beside.get("trials", [1] * len(model.codes))
        most = trials[i] if family in ("logistic", "binomial") else None
        yield {}, {0: 1 if own else -1}, own not in (0, most)


def risk_rows(model, X):
    """x_i - x_j of events i and rows j at risk: each event against the next one among the rows at risk with it and
    against those that leave between them; tied events against each other."""
    time, beside = model.codes, model.beside
    event, entry = beside.get("event", [1.0] * len(time)), beside.get("entry", [float("-inf")] * len(time))
    strata = beside.get("strata", [0.0] * len(time))

    def line(i, j, equal):
        z = {k: X[i].get(k, 0) - X[j].get(k, 0) for k in X[i].keys() | X[j].keys()}
        return {k: v for k, v in z.items() if v}, equal, i

    for stratum in sorted({strata[i] for i in model.kept}):
        members = [i for i in model.kept if strata[i] == stratum]
        order = sorted(members, key=lambda i: (time[i], event[i] == 0))
        at = 0
        while at < len(order):
            now = time[order[at]]
            tied = [i for i in order[at:] if time[i] == now and event[i]] if event[order[at]] else []
            at += max(1, len(tied))
            if len(tied) > 1:
                yield from (line(i, j, True) for i, j in pairwise([*tied, tied[0]]))
            for j in order[at:] if tied else ():
                if entry[j] < now:
                    yield line(tied[0], j, False)
                    if event[j]:
                        break


class Estimates:
    """What a proof says of each coefficient, once its other parts are checked."""

    def __init__(self, cone, proof):
        self.cone, self.proof, every = cone, proof, set(range(len(cone.Z)))
        self.left, self.directions, self.null, maximal = cone.check(proof["cone"])
        require(maximal, "it is not shown that no more rows are separated")
        if proof["bases"]:
            self.check_bases(proof["bases"])
            self.unidentified, self.rank = set(range(cone.width)), len(cone.Z)
            return
        require(proof["cone"]["basis"] is not None, "the vectors orthogonal to the rows left are not given")
        null = vectors_of(proof["null"], cone.width)
        columns = cone.columns_beside(null, every)
        cone.check_rank(numbers_of(proof["basis"], len(cone.Z), "the whole basis"), columns, len(columns))
        self.unidentified, self.rank = {j for v in null for j in v}, len(columns)
        # With one dimension beyond the null vectors of all rows, the cone is a ray beside them.
        self.is_ray = len(self.null) <= len(null) + 1
        self.main = first_signs(self.directions)
        self.touching = {}  # column -> the null vectors of the rows left that have an entry there
        for k, j in ((k, j) for k, v in enumerate(self.null) for j in v):
            self.touching.setdefault(j, []).append(k)

    def check_bases(self, bases):
        """As many columns as rows, of full rank, and no column in all of these: each is a sum of others."""
        n = len(self.cone.Z)
        require(self.left <= self.cone.equal, "a row left is no equality")
        for basis in bases:
            require(len(numbers_of(basis, self.cone.width, "a basis of columns")) == n, "a basis has other columns")
            self.cone.check_rank(range(n), basis, n)
        require(not set.intersection(*map(set, bases)), "a column is in every basis")

    def of(self, j):
        """What is proved of coefficient j."""
        if j in self.unidentified:
            return UNIDENTIFIED
        if j not in self.touching:
            return FINITE
        way, opposite = self.main.get(j, 0), self.proof["opposite"]
        if way == 0:  # a small multiple of a null vector of the rows left may be added either way
            return UNDETERMINED
        if j in self.proof["unsigned"]:
            return UNSIGNED
        if str(j) in opposite["columns"]:
            directions = vectors_of(opposite["directions"][whole(opposite["columns"][str(j)])], self.cone.width)
            self.cone.left_by(directions)
            require(first_signs(directions).get(j) == -way, f"coefficient {j} has one sign only")
            return UNDETERMINED
        if not self.is_ray:
            self.check_sign(j, way)
        return "+inf" if way > 0 else "-inf"

    def check_sign(self, j, way):
        """On the cone, where d is a combination of null vectors of the rows left, a sum of rows is t way d_j, t > 0."""
        weights = weights_of(self.proof["signs"][str(j)], len(self.cone.Z))
        fits = all(k >= 0 and i not in self.left for i, k in weights.items())
        require(fits, f"a weight for coefficient {j} is not >= 0, or of a row that is not separated")
        sums, null = Counter(), self.null
        for column, v in self.cone.combined(weights).items():
            for k in self.touching.get(column, ()):
                sums[k] += v * null[k][column]
        first = self.touching[j][0]
        same = all(sums[k] * null[first][j] == sums[first] * null[k].get(j, 0) for k in [*sums, *self.touching[j]])
        require(same and sums[first] * null[first][j] * way > 0, f"the sign of coefficient {j} is not proved")


def first_signs(directions):
    """Sign of each entry of the directions added with weights falling fast: that of the first which has one there."""
    return {j: 1 if v > 0 else -1 for d in reversed(directions) for j, v in d.items()}


def prove_regression(claim, table):
    """Sentences on what a certificate of a regression proves."""
    model = model_of(claim, table)
    require(claim["proof"] is not None, "undecided: nothing to prove")
    require(model.constant or model.family not in (*ORDERED, "cox"), "the family has no intercept to leave out")
    names = [*heads_of(model), *model.names]
    blocks = model.classes[1:] if model.family == "multinomial" else [None]
    rows, refused = {i: table.rows[i] for i in model.kept}, None
    for some in (None, table.rows, rows.values()):  # the proof may be about columns multiplied to whole numbers
        lines = inequalities(model, *as_integers(rows, some))
        require(lines, "the data make no inequality")
        total = len(lines) - 1 if lines[-1][2] is None else None
        equal = [k for k, line in enumerate(lines) if line[1]]
        try:
            found = Estimates(Cone([line[0] for line in lines], len(names) * len(blocks), equal, total), claim["proof"])
            separated = [k for k in range(len(lines)) if k not in found.left]
            unbounded = total in separated  # without an upper bound of the likelihood nothing has a limit
            said = [UNIDENTIFIED if j in found.unidentified else UNDETERMINED for j in range(found.cone.width)]
            said = said if unbounded else list(map(found.of, range(found.cone.width)))
            break
        except NotProvedError as error:
            refused = refused or error
    else:
        raise refused
    partly = {lines[k][2] for k in found.left}
    whole_rows = {line[2] for line in lines} - partly - {None}
    whole_rows |= {i for i in model.kept if model.codes[i] == 0} if unbounded else set()
    verdict = "overlap" if not separated else "quasi-complete" if found.left else "complete"
    yield f"{len(lines) - len(equal)} inequalities and {len(equal)} equalities; the rank is {found.rank} of {len(said)}"
    yield f"proved: {verdict}, {len(whole_rows)} of {len(table.rows)} rows are separated"
    groups = {"separated rows": [table.places[i] for i in sorted(whole_rows)]} if whole_rows else {}
    for (block, name), value in zip(((b, name) for b in blocks for name in names), said, strict=True):
        effect = f" ({table.effects[name]})" if name in table.effects else ""
        groups.setdefault(f"{value}{effect}", []).append(name if block is None else f"{name} of class {block}")
    yield from (f"{value}: {shown(some)}" for value, some in groups.items())


# ----------------------------------------------------------------- what is asked
def shown(names):
    """Names in a line; of many the first ones."""
    rest = f", ... ({len(names)} in all)" if len(names) > SHOWN else ""
    return ", ".join(map(str, names[:SHOWN])) + rest


def question(claim, table, of_table):
    """What is asked, in words: whoever wrote the certificate chose that. No name is left out that he could choose."""
    asked = claim.get("rest", claim)["question"]
    words = [f"{asked['family']} regression, link {asked['link']}" if "family" in asked else "a separator"]
    words += [f"classes {shown(asked['classes'])}"] if asked["classes"] else []
    if of_table:
        words.append(f"{claim['target']} by {', '.join(table.names) or 'no column'}")
        words += [f"{role} {name}" for role, name in claim.get("beside", {}).items()]
    words += [f"{'with' if asked['intercept'] else 'without'} an intercept"]
    return f"the question: {'; '.join(words)}"


def prove(claim, path, classes=None):
    """Check one certificate with what stands beside it; `classes` are all labels, of one class against the rest."""
    table = read_table(path, claim)
    about = claim["question"]["about"]
    labels = class_names(table.beside["y"])
    require(claim["format"] == FORMAT, f"not a certificate of the format {FORMAT!r}")
    yield question(claim, table, not path.endswith(".json"))
    if about == "fewest rows":
        yield prove_rows(claim, table.rows, labels, claim["rest"]["question"]["classes"])
        return
    if about == "regression":
        yield from prove_regression(claim, table)
        return
    require(classes is None or set(labels) == classes, "the labels are not those of the classes")
    verdict, separated, maximal = prove_classes(claim, table.rows, labels)
    least = "" if maximal else "at least "
    yield f"proved: {verdict}, {least}{len(separated)} of {len(labels)} rows are separated"
    if "fewest_rows" in claim:
        constant = claim["fewest_rows"]["question"]["intercept"]
        require(constant is claim["question"]["intercept"], "one part has an intercept, and another has none")
        yield prove_rows(claim["fewest_rows"], table.rows, labels, claim["question"]["classes"])
    if claim.get("columns_behind"):
        yield from prove_columns(claim["columns_behind"], claim, table, labels, verdict)


def prove_all(claim, path):
    """Check all certificates of a file; return sentences on what they prove."""
    table = path.endswith(".json") or "design" not in claim
    require(table, f"the certificate is about its design: give {claim.get('design')!r}, which was written beside it")
    if "one_against_rest" not in claim:
        return list(prove(claim, path))
    said, every = [], claim["one_against_rest"]
    require(len(every) >= 3, "one against the rest is about three classes or more")
    for name, one in every.items():
        require(one["question"]["classes"] == [f"not {name}", name], f"the certificate of {name} is not about it")
        beside = {
            key: claim[key]["one_against_rest"].get(name) for key in ("fewest_rows", "columns_behind") if key in claim
        }
        said += [f"{name} against the rest: {line}" for line in prove({**one, **beside}, path, set(every))]
    return said


def main(given=None):
    """Check the certificate named on the command line, or in `given`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("certificate", help="JSON file")
    parser.add_argument("data", help="CSV or JSON file")
    arguments = parser.parse_args(given)
    try:
        lines, status = prove_all(read_json(arguments.certificate), arguments.data), 0
    except NotProvedError as error:
        lines, status = [f"not proved: {error}"], 1
    except (
        LookupError,
        TypeError,
        ValueError,
        ArithmeticError,
        AttributeError,
        RecursionError,
        OSError,
        csv.Error,
    ) as error:
        lines, status = [f"not proved: cannot read the certificate or the data: {error!r}"], 1
    for line in lines:
        print(line if line.isprintable() else ascii(line)[1:-1])
    return status


if __name__ == "__main__":
    sys.exit(main())
