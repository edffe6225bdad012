"""Check a certificate that linsep wrote, with nothing but Python's standard library and no code of linsep.

    linsep check table.csv --target kind --certificate proof.json     (or linsep separation)
    python verify_certificate.py proof.json table.csv

The data are the CSV file given to the command, whose numbers are the decimals that are written there. Where its cells
are not all plain (dates, units, decimal commas, missing values ...) the proof is about what the command read of them
and wrote beside the certificate, as proof.design.json: {"X": [[1, 0.5], ...], "y": ["a", ...]} of doubles and whole
numbers. A row of X may be an object {column: value}; beside y there may be "trials", "weights", "event", "strata",
"entry", and the "names" of the columns. The program reads the data again, compares their SHA-256 with that of the
certificate, checks its proofs, and prints what follows from these. Exit status 0: proved, 1: not.

Everything is a question about rows z of whole numbers, some of which are equalities: a row is separated if z.d > 0 for
some d with z.d >= 0 on every row, and = 0 on equalities. For two classes z = s (x, 1) with s = 1 or -1; what the rows
of a regression are is derived on the page theory/separation-families of linsep.
"""

import argparse
import csv
import hashlib
import io
import json
import re
import struct
import sys
from collections import Counter, namedtuple
from fractions import Fraction
from itertools import pairwise, product
from math import inf, lcm
from operator import mul
from pathlib import Path

FORMAT = "linsep certificate 1"
NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
MISSING = re.compile(r"(na|n/a|#n/a|[+-]?(nan|inf|infinity)|null|#null!|none|\?|--?)?")
PRIMES = (2**61 - 1, 2**61 - 31, 2**31 - 1)
ORDERED = ("cumulative", "adjacent", "continuation")
LABELLED = ("logistic", "multinomial", *ORDERED)
LINKS = dict.fromkeys(("logistic", "binomial", *ORDERED), ("logit", "probit", "cloglog", "cauchit"))
LINKS |= dict.fromkeys(("multinomial", "adjacent", "conditional"), ("logit",))
LINKS |= dict.fromkeys(("poisson", "negative-binomial", "cox"), ("log",))
WITHOUT_INTERCEPT = (*ORDERED, "cox", "conditional")
BESIDE = {"trials": 1.0, "weights": 1.0, "event": 1.0, "strata": 0.0, "entry": -inf}  # role -> where not given
INTERCEPT = "(Intercept)"

# `heads` are the coefficients before those of the columns, `names` are all; `kept` are the rows that count.
Model = namedtuple("Model", "family heads names classes y beside kept")


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

    def as_written(text):
        require(not re.search("[eE][+-]?[0-9]{4}", text), f"{text:.40} has a power of ten that no double has")
        require(
            Fraction(text) == Fraction(repr(float(text))), f"{text:.40} has more digits than double precision holds"
        )
        return float(text)

    way = {"object_pairs_hook": once, "parse_float": as_written}
    text = Path(path).read_text("utf-8")
    return json.loads(text, **way, parse_constant=lambda name: require(False, f"{name} is no number"))


def whole(value):
    """An integer of the certificate: those beyond 2^53 are hexadecimal text."""
    if isinstance(value, str) and re.fullmatch("-?0x[0-9a-f]+", value):
        return int(value, 16)
    require(type(value) is int, f"{value!r:.40} is not an integer")
    return value


def numbers_of(values, count, what):
    """A list of different rows or columns, which lie in 0..count-1."""
    there = type(values) is list and all(type(v) is int and 0 <= v < count for v in values)
    require(there and len(set(values)) == len(values), f"{what} names one that is not there, or one twice")
    return values


def weights_of(part, count):
    """Row -> integer."""
    rows = numbers_of(part["rows"], count, "a list of rows with weights")
    return dict(zip(rows, map(whole, part["values"]), strict=True))


def vectors_of(part, width):
    """Vectors column -> integer without zeros: unit vectors by their columns, then the others."""
    pairs = [*(([j], [1]) for j in part["units"]), *zip(part["columns"], part["values"], strict=True)]
    every = [zip(numbers_of(a, width, "a vector"), map(whole, b), strict=True) for a, b in pairs]
    return [{j: v for j, v in vector if v} for vector in every]


def read_data(path, claim, width):
    """The data as they are in a design, with "X" as rows {column: number that is not 0}."""
    require(type(width) is int and 0 <= width <= 10**6, "this program looks at no more than a million columns")
    data, rows = read_json(path) if path.endswith(".json") else read_csv(path, claim), []
    for row in data["X"]:
        require(isinstance(row, dict) or len(row) == width, "a row has more or fewer numbers than there are columns")
        entries = dict(row.items() if isinstance(row, dict) else enumerate(row))
        there = all(str(int(j)) == str(j) and 0 <= int(j) < width for j in entries)  # "0" and "00" would be one column
        numbers = {*map(type, entries.values())} <= {int, float, Fraction}
        require(there and numbers, "an entry is no number, or its column is not")
        rows.append({int(j): v for j, v in entries.items() if v})
    usual = {"names": [f"x{j + 1}" for j in range(width)], "effects": {}, "rows": range(len(rows))}
    data = {**usual, **data, "X": rows}
    fits = type(data["names"]) is list and len(data["names"]) == width and {*map(type, data["names"])} <= {str}
    taken = claim["question"]["about"] == "regression" and INTERCEPT in data["names"]
    require(fits and not taken, "the names of the columns are others")
    if path.endswith(".json"):  # of a CSV file that is done; other names might be taken for sentences
        safe = re.compile(r"[^\s,;:'\"]+( [^\s,;:'\"]+)*")
        data["names"] = [name if safe.fullmatch(name) else repr(name) for name in data["names"]]
        data["effects"] = {name if safe.fullmatch(name) else repr(name): e for name, e in data["effects"].items()}
    require({*map(type, data["rows"])} <= {int} and len(data["rows"]) == len(rows), "the places of the rows are others")
    return data


def read_csv(path, claim):
    """The design of a plain CSV file: UTF-8, commas, a header, as many cells in each line, a number or text in each."""
    require("columns" in claim and "target" in claim, "the certificate does not say what the columns of a CSV file are")
    columns, about = claim["columns"], claim["question"]["about"]
    for column in columns:
        level, power = column.get("level"), column.get("exponent")
        fits = type(level) is str if power is None else level is None and type(power) is int and abs(power) <= 10_000
        require(fits and len(column) == 2, "a level is no text, or an exponent is no small integer")
    require("y" not in claim.get("beside", {}), "the target stands beside itself")
    roles = {**claim.get("beside", {}), "y": claim["target"]}
    own = {"y", *BESIDE, "offset"} - {"strata"} if about == "regression" else {"y"}
    require(roles.keys() <= own, "columns stand beside the target that do not belong to the question")
    used = {(column["column"], column.get("level")) for column in columns}
    once = len(used) == len(columns) and not {name for name, _ in used} & set(roles.values())
    require(once, "a column stands twice in the question")
    text = Path(path).read_bytes().decode("utf-8-sig")
    require(not re.search("\r(?!\n)|\0", text), "a line ends without a line feed, or there is a NUL")
    header, *lines = csv.reader(io.StringIO(text, newline=""), strict=True)
    fits = len(set(header)) == len(header) and all(len(line) == len(header) for line in lines)
    require(fits, "two columns have one name, or a line has more or fewer cells than the header: give the design")
    require({*roles.values(), *(name for name, _ in used)} <= set(header), "a column of the question is not there")
    lines = [dict(zip(header, line, strict=True)) for line in lines]
    beside = {role: in_one_way([line[roles[role]] for line in lines]) for role in ("y", *BESIDE) if role in roles}
    offsets = [line[roles["offset"]] for line in lines] if "offset" in roles else []
    require(all(map(NUMBER.fullmatch, offsets)), "an offset is no plain number: give the design of the table")
    levels = {(name, level) for name, level in used if level is not None}
    of_text = sorted(dict(levels))
    require(levels <= {(name, line[name]) for name in of_text for line in lines}, "a level is not there")
    names = ["=".join(plainly(column[part]) for part in ("column", "level") if part in column) for column in columns]
    at = {(column["column"], column["level"]): j for j, column in enumerate(columns) if "level" in column}
    X = [{at[name, line[name]]: 1 for name in of_text if (name, line[name]) in at} for line in lines]
    for j, column in enumerate(columns):
        if "exponent" not in column:
            continue
        values, k = [number_in(line[column["column"]]) for line in lines], column["exponent"]
        # An honest exponent makes all of them whole, and no larger one is needed.
        bits = max((value.numerator.bit_length() + value.denominator.bit_length() for value in values), default=0)
        require(abs(k) <= bits + 320, "an exponent is larger than the numbers need")
        for row, value in zip(X, values, strict=True):
            row[j] = value * Fraction(10) ** k if k else value
    return {"X": X, "names": names, **beside}


def plainly(text):
    """A name that might be taken for several, or for other words, in quotes."""
    plain = re.fullmatch(r"[^\s,;=:'\"|]+( [^\s,;=:'\"|]+)*", text) and not re.search(" (by|of|column)( |$)", text)
    return text if plain else repr(text)


def number_in(cell):
    """The number that a cell holds, exactly."""
    plain = NUMBER.fullmatch(cell) and not re.search("[eE][+-]?[0-9]{5}", cell)
    require(plain, f"{cell!r:.40} is no plain number: give the design of the table")
    return Fraction(cell)


def in_one_way(cells):
    """Labels and what stands beside them: numbers in their shortest text if every cell is one, and else text."""
    words = [cell for cell in cells if not NUMBER.fullmatch(cell)]
    if any(any(map(str.isalpha, word)) for word in words):
        gaps = len(words) < len(cells) and all(MISSING.fullmatch(word.strip().lower()) for word in words)
        require(not gaps and all(map(str.strip, words)), "a label, or what stands beside it, is missing")
        return cells
    require(not words, f"{''.join(words[:1])!r:.40} is no plain number: give the design of the table")
    values = [int(cell) if cell.lstrip("-").isdigit() else float(cell) for cell in cells]
    for value, cell in zip(values, cells, strict=True):
        require(
            str(value + 0) == cell, f"{cell:.40} is not the shortest text of a number: give the design of the table"
        )
    return values


def is_double(value):
    """Whether a double is exactly this number."""
    return abs(value) <= sys.float_info.max and float(value) == value


def double(value):
    """A number beside the features, which is one double; no two of these are equal by rounding."""
    what = "beside the features is no number, or has more digits than double precision holds"
    require(type(value) in (int, float) and is_double(value), f"{value!r:.40} {what}")
    return float(value) + 0.0  # -0.0 is 0.0


def labels_of(cells, kind=None):
    """Labels as text: all text, all true or false, or all numbers, as doubles if one is or if the kind says so."""
    kinds = {type(cell) for cell in cells}  # 1 beside "1", and null beside "None", would be one class
    alike = kinds in ({str}, {bool}) or kinds <= {int, float}
    found = "float" if float in kinds else kinds.pop().__name__
    fits = alike and (kind in (None, found) or (kind, found) == ("float", "int"))
    require(fits, "the labels are of several types" if kind is None else f"a label is not of the type {kind!r:.10}")
    return [str(double(cell)) if (kind or found) == "float" else str(cell) for cell in cells]


def check_hash(claim, rows, names, response):
    """The SHA-256 is that of the question, of the entries that are not 0 row by row, and of the response."""
    n, p, constant = (claim["question"][name] for name in ("rows", "columns", "intercept"))
    require(claim["format"] == FORMAT, f"not a certificate of the format {FORMAT!r}")
    require(type(n) is type(p) is int and type(constant) is bool, "a count or an option is none")
    require(len(rows) == n, f"the certificate is about {n} rows, the data have {len(rows)}")
    doubles = all(is_double(v) for row in rows for v in row.values())
    require(claim["numbers"] == ("doubles" if doubles else "rationals"), "the hash is of other numbers")
    found = hashlib.sha256(f"linsep data 2\n{n} {p}\n{int(constant)}\n{len(names)}\n".encode())
    for name in map(str.encode, names):
        found.update(b"%d\n%b" % (len(name), name))
    for i, j, v in ((i, j, row[j]) for i, row in enumerate(rows) for j in sorted(row)):
        found.update(struct.pack("<qqd", i, j, v) if doubles else b"%d %d %d/%d\n" % (i, j, *v.as_integer_ratio()))
    found.update(response)
    require(found.hexdigest() == claim["sha256"], "the SHA-256 is another: other data, classes or options")


# --------------------------------------------------------------- arithmetic
def combined(weights, rows):
    """The sum of weights times rows, without zeros."""
    sums = Counter()
    for i, k in weights.items():
        for j, v in rows[i].items():
            sums[j] += k * v
    return {j: v for j, v in sums.items() if v}


def transposed(rows, width):
    """For each column {row: entry}."""
    columns = [{} for _ in range(width)]
    for i, row in enumerate(rows):
        for j, v in row.items():
            columns[j][i] = v
    return columns


def multiple(vector, other):
    """The number t with vector = t times another one, which is not 0; or 0 if there is none."""
    first = next(iter(other))
    t = Fraction(vector.get(first, 0), other[first])
    return t if vector == {j: t * v for j, v in other.items()} else 0


def as_integers(rows, some=None):
    """Rows times the least number that makes all of them whole, and that number; with `some`, each column by itself."""
    units = {}  # column -> what makes it whole
    for row in rows.values() if some is None else some:
        for j, v in row.items():
            units[j] = lcm(units.get(j, 1), v.as_integer_ratio()[1])
    one = lcm(*units.values()) if some is None else 1
    units = dict.fromkeys(units, one) if some is None else units
    ratios = {i: {j: v.as_integer_ratio() for j, v in row.items()} for i, row in rows.items()}
    return {i: {j: a * units[j] // b for j, (a, b) in row.items()} for i, row in ratios.items()}, one


def rank_modulo(rows, prime):
    """Rank modulo a number without small factors: never more than the rank of the integer rows."""
    pivots = {}
    for row in rows:
        rest = {j: v % prime for j, v in row.items() if v % prime}
        while rest and (j := min(rest)) in pivots:
            factor = rest[j]
            for k, v in pivots[j].items():
                rest[k] = (rest.get(k, 0) - factor * v) % prime
            rest = {k: v for k, v in rest.items() if v}
        if rest:
            inverted = pow(rest[j], -1, prime)
            pivots[j] = {k: v * inverted % prime for k, v in rest.items()}
    return len(pivots)


def inverse(matrix):
    """The inverse as well as floats give it, by Gauss and Jordan."""
    p = len(matrix)
    rows = [[*row, *(float(i == k) for k in range(p))] for i, row in enumerate(matrix)]
    for k in range(p):
        best = max(range(k, p), key=lambda i: abs(rows[i][k]))
        rows[k], rows[best] = rows[best], rows[k]
        require(rows[k][k], "the rows of the basis are not independent")
        chosen = [v / rows[k][k] for v in rows[k]]
        rows = [[a - row[k] * b for a, b in zip(row, chosen, strict=True)] if row[k] else row for row in rows]
        rows[k] = chosen
    return [row[p:] for row in rows]


# ------------------------------------------------------------------- a cone
class Cone:
    """Rows z = {column: integer} without zeros, and those of them that are equalities."""

    def __init__(self, Z, width, equal=()):
        self.Z, self.width, self.equal = Z, width, set(equal)
        self.columns = transposed(Z, width)

    def left_by(self, directions, idle=0):
        """The rows that directions leave, each of which is >= 0 on those that the ones before it left."""
        left = set(range(len(self.Z)))
        for k, d in enumerate(directions):
            found = {i: v for i, v in combined(d, self.columns).items() if i in left}
            fits = all(v > 0 and i not in self.equal for i, v in found.items())
            idle -= not found  # so many may take no row away
            require(fits and idle >= 0, f"direction {k} takes no row away, is negative at one, or not 0 on an equality")
            left -= found.keys()
        return left

    def check_sum(self, weights, left, within=0):
        """Rows left, with positive weights unless they are equalities, add up to 0, or nearly so: see `check_near`."""
        fits = all(i in left and (k > 0 or i in self.equal) for i, k in weights.items())
        require(fits, "a weight is not positive, or of a row that a direction separates")
        require(within or not combined(weights, self.Z), "the weighted rows do not add up to 0")

    def columns_beside(self, null, rows):
        """The columns without one of its own for each null vector, all of which are orthogonal to the rows."""
        often = Counter(j for v in null for j in v)
        own = {next((j for j in v if often[j] == 1), None) for v in null}
        fits = None not in own and all(rows.isdisjoint(combined(v, self.columns)) for v in null)
        require(fits, "a null vector has no column of its own, or is not orthogonal to the rows")
        return [j for j in range(self.width) if j not in own]

    def check_rank(self, rows, columns):
        """The rank of these rows on these columns is the number of these, as it is modulo a prime."""
        kept = set(columns)
        parts = [{j: v for j, v in self.Z[i].items() if j in kept} for i in rows]
        require(any(rank_modulo(parts, q) == len(kept) for q in PRIMES), "the rows of a basis do not span all")

    def check(self, part):
        """The rows left, the directions and the null vectors; whether it is proved that no row left is separated.

        Let u be the weights. For d in the cone the sum of u_i z_i.d is 0 and no term is negative, so z.d = 0 on the
        rows with weights, on the basis, and on all rows left, which the basis spans: these are orthogonal to the null
        vectors, so their rank is at most the number of other columns, and the basis has that rank.
        """
        n, within, basis = len(self.Z), part["within"], part["basis"]
        require(type(part["rows"]) is int and part["rows"] == n, "the proof is about another number of rows")
        directions, null = (vectors_of(part[name], self.width) for name in ("directions", "null"))
        left, weights = self.left_by(directions), weights_of(part["weights"], n)
        (name,) = part.keys() & {"left", "separated"}
        named = set(numbers_of(part[name], n, name))
        require(named == (left if name == "left" else set(range(n)) - left), "the directions leave other rows")
        self.check_sum(weights, left, within)
        if basis is None:
            require(within == 0 and not null, "a part of the proof stands there without a basis")
            return left, directions, null, left <= self.equal
        require(weights or self.equal or not left, "rows are left, and none has a weight")
        columns = self.columns_beside(null, left)
        known = set(numbers_of(basis, n, "a basis")) <= weights.keys() | (left & self.equal)
        require(known, "a row of a basis has no weight")
        if within == 0:
            self.check_rank(basis, columns)
        else:
            self.check_near(weights, basis, columns, within)
        return left, directions, null, True

    def check_near(self, u, basis, columns, within):
        """Weights exist that add the rows up to 0 and differ from u by this share at most; the basis is independent.

        Let C have the columns u_k z_k, k in the basis, r = sum u_i z_i, R any matrix, and |x| the largest size in x. If
        every row of I - R C has sizes that add up to 1/2 at most, C x = 0 gives |x| = |(I - R C) x| <= |x| / 2: C is
        regular. Let C t = r: t = R r + (I - R C) t, so |t| <= 2 |R r| <= within < 1, and the weights u_k (1 - t_k) are
        positive and exact. R is what floats give for the inverse, as fractions, which are not rounded any more.
        """
        require(type(within) is float and 0 < within < 1, "weights within 1 of those given need not be positive")
        require(len(basis) == len(columns) > 0, "the basis has not as many rows as columns")
        require(not self.equal, "weights near exact ones are of inequalities alone")
        C = [[u[i] * self.Z[i].get(j, 0) for i in basis] for j in columns]
        sums, across = combined(u, self.Z), list(zip(*C, strict=True))
        r, units = [sums.get(j, 0) for j in columns], [1 << max(map(abs, row)).bit_length() for row in C]
        for k, row in enumerate(inverse([[v / unit for v in row] for row, unit in zip(C, units, strict=True)])):
            shares = [Fraction(v) / unit for v, unit in zip(row, units, strict=True)]
            one = lcm(*(v.denominator for v in shares))
            exact = [int(v * one) for v in shares]
            off = sum(abs(sum(map(mul, exact, column)) - one * (k == at)) for at, column in enumerate(across))
            require(2 * off <= one, "it is open whether the rows of the basis are independent")
            change = Fraction(2 * abs(sum(map(mul, exact, r))), one)
            require(change <= within, "exact weights may be farther away than it says")


# -------------------------------------------------------------- two classes
def cone_of_classes(rows, labels, asked):
    """Rows s (x, 1), without the 1 if there is no intercept, and s: 1 for the second class, -1 for the first."""
    (negative, positive), p, constant = asked["classes"], asked["columns"], asked["intercept"]
    known = set(labels) <= {negative, positive} or negative == f"not {positive}"  # all but that
    both = positive in labels and len(set(labels)) >= 2
    require(known and both, f"the labels are not those of the classes {negative} and {positive}")
    signs = [1 if label == positive else -1 for label in labels]
    X, one = as_integers(dict(enumerate(rows)))
    last = {p: one} if constant else {}
    Z = [{j: s * v for j, v in {**row, **last}.items()} for s, row in zip(signs, X.values(), strict=True)]
    return Cone(Z, p + len(last)), signs


def prove_classes(claim, rows, labels):
    """The verdict that a certificate proves, the rows that are separated, and whether no more are."""
    asked, proof = claim["question"], claim["proof"]
    require(asked["about"] == "classes", "it is not about two classes")
    cone, signs = cone_of_classes(rows, labels, asked)
    check_hash(claim, rows, asked["classes"], struct.pack(f"{len(signs)}b", *signs))
    left, _, _, maximal = cone.check(proof)
    require(not left or proof["basis"] is not None or proof["weights"]["rows"], "undecided: nothing to prove")
    verdict = "quasi-separable" if len(left) < len(rows) else "inseparable" if maximal else "not-separable"
    return verdict if left else "separable", set(range(len(rows))) - left, maximal


def prove_rows(few, rows, labels, asked):
    """How many rows have to go: at most those after which the rest is separable, at least as many as are proved."""
    about, rest, n = few["question"], few["rest"], len(rows)
    fits = few["format"] == FORMAT and about["about"] == "fewest rows" and about["rows"] == n
    require(fits, f"it is not about the fewest of {n} rows")
    same = all(rest["question"][name] == asked[name] for name in ("classes", "columns", "intercept"))
    require(same and about["intercept"] is asked["intercept"], "the parts of the certificate ask other questions")
    keep = about.get("keep", 0)
    require(type(keep) is int and keep in (0, 1, -1), "keep is not the sign of a class")
    gone = set(numbers_of(few["removed"], n, "the list of rows removed"))
    kept = [i for i in range(n) if i not in gone]
    found, _, _ = prove_classes(rest, [rows[i] for i in kept], [labels[i] for i in kept])
    require(found == "separable", "the rows left are not separable")
    cone, signs = cone_of_classes(rows, labels, asked)
    stay = {i for i, sign in enumerate(signs) if sign == keep}
    require(not gone & stay, "a row removed is of the class that keeps its rows")
    witnesses = [weights_of(part, n) for part in few["witnesses"]]
    every = set(range(n))
    for weights in {tuple(sorted(one.items())): one for one in witnesses}.values():
        require(weights, "a witness has no rows")
        cone.check_sum(weights, every)
    losing = [set(one) - stay for one in witnesses]
    require(all(losing), "a witness has no row that may go")
    least, most = at_least(few["proof"], losing, frozenset()), len(gone)
    bounds = f"exactly {most}" if least == most else f"at least {least} and at most {most}"
    where = f", if all of {plainly(asked['classes'][keep > 0])} stay" if keep else ""
    return f"proved: {bounds} of {n} rows must be removed{where}"


def at_least(proof, witnesses, gone):
    """How many rows have to go beside those that have gone: each witness, a set of rows, has to lose one.

    Weights of witnesses that are together at most 1 at each row add up to a number of rows that have to go; or the rows
    of one witness are tried in turn, with a proof about the rows that are then left.
    """
    named = [proof["witness"]] if "witness" in proof else proof["witnesses"]
    lost = [k for k in numbers_of(named, len(witnesses), "the proof") if witnesses[k] & gone]
    require(not lost, f"witnesses have a row that has gone: {lost}")
    if "witness" in proof:
        rows = sorted(witnesses[proof["witness"]])
        require(len(proof["without"]) == len(rows), "a branch needs one part for each row of its witness")
        return 1 + min(at_least(part, witnesses, gone | {i}) for i, part in zip(rows, proof["without"], strict=True))
    unit, weights = whole(proof["unit"]), dict(zip(named, map(whole, proof["weights"]), strict=True))
    require(min([unit, *weights.values()]) > 0, "a weight of a witness is not positive")
    load = combined(weights, [dict.fromkeys(witness, 1) for witness in witnesses])
    require(max(load.values(), default=0) <= unit, "the witnesses of a row have a weight above 1 together")
    return -(-sum(weights.values()) // unit)


# -------------------------------------------------------------- regressions
def model_of(claim, data):
    """The regression that is asked about, once its hash is that of the certificate."""
    asked, names, n = claim["question"], data["names"], len(data["X"])
    given = {role: data[role] for role in ("y", *BESIDE) if data.get(role) is not None}
    family, kind, labelled = asked["family"], asked["class_type"], asked["family"] in LABELLED
    require(kind in ("str", "int", "float", "bool"), "the type of the classes is none that labels have")
    known = asked["link"] in LINKS.get(family, ()) and (asked["intercept"] or family not in WITHOUT_INTERCEPT)
    require(known, f"this program does not check the family {family!r:.40} with that link and intercept")
    require(len(names) == asked["columns"] == len(set(names)), "the names of the columns are others")
    for role, column in given.items():
        own = role in ("y", "weights") or family == ("binomial" if role == "trials" else "cox")
        own = own or (role, family) == ("strata", "conditional")
        require(own and len(column) == n, f"{role} do not belong to the family {family}, or are not one for each row")
    numbers = {role: list(map(double, given[role])) for role in given if role not in ("y", "strata")}
    if "strata" in given:  # numbered in the order in which they come
        strata = labels_of(given["strata"])
        place = {name: float(k) for k, name in enumerate(dict.fromkeys(strata))}
        numbers["strata"] = [place[name] for name in strata]
    beside = {role: numbers.get(role, [usual] * n) for role, usual in BESIDE.items()}
    y = labels_of(given["y"], kind) if labelled else list(map(double, given["y"]))
    require(min(beside["weights"]) >= 0 and set(beside["event"]) <= {0, 1}, "a weight or an event is none")
    for value, trials, entry in () if labelled else zip(y, beside["trials"], beside["entry"], strict=True):
        least = value > entry if family == "cox" else value >= 0
        least = least and (family != "conditional" or value in (0, 1))
        require(least and (value <= trials or family != "binomial"), f"{value} is no response of the family {family}")
    kept = [i for i in range(n) if beside["trials"][i] > 0 and beside["weights"][i] > 0]
    labels = sorted(set(y), key={"int": int, "float": float}.get(kind, str)) if labelled else []
    present = {y[i] for i in kept} if labelled else set()
    classes = asked["classes"] if family in ORDERED else [name for name in labels if name in present]
    fits = set(classes) == present and len(classes) == len(present) and (len(classes) > 1 or not labelled)
    require(kept and fits and asked["classes"] == classes, "the classes are not those of the labels")
    require(family != "logistic" or len(classes) == 2, "a logistic regression has two classes")
    columns = {role: beside[role] for role in BESIDE if role in given}
    check_hash(claim, data["X"], *hashed(family, asked["link"], labels, classes, y, columns))
    many = (len(classes) - 1 if family == "multinomial" else 1) * (len(names) + 1)
    require(many <= 10**6, "this program looks at no more than a million coefficients")
    heads = [f"{low}|{high}" for low, high in pairwise(map(plainly, classes))] if family in ORDERED else [INTERCEPT]
    heads = heads if asked["intercept"] and family not in ("cox", "conditional") else []
    require(set(heads).isdisjoint(names), "a threshold is called like a column")
    return Model(family, heads, [*heads, *names], classes, y, beside, kept)


def hashed(family, link, labels, classes, y, columns):
    """The names and the response that the hash is of, with the columns beside it; three questions have a form alone."""
    codes = [labels.index(name) for name in y] if labels else y
    kind = {("logistic", "logit"): "b", ("multinomial", "logit"): "i", ("poisson", "log"): "d"}.get((family, link))
    if kind and not columns:
        return labels, struct.pack(f"<{len(codes)}{kind}", *([2 * k - 1 for k in codes] if kind == "b" else codes))
    names = ["family", family, "link", link, "columns", *columns, "classes", *labels]
    names += ["order", *classes] if family in ORDERED else []
    return names, b"".join(struct.pack(f"<{len(codes)}d", *column) for column in (codes, *columns.values()))


def inequalities(model, X, one):
    """(z, equality, row of the data) of a regression; X has whole numbers, in which 1 became `one`.

    Columns are the intercept or the thresholds, then those of the data; of a multinomial model so for each class but
    the first.
    """
    if model.family in ("cox", "conditional"):
        pairs = pairs_at_risk(model) if model.family == "cox" else pairs_of_cases(model)
        return [(combined({i: 1, j: -1}, X), equal, i) for i, j, equal in pairs]
    first = {0: one} if model.heads == [INTERCEPT] else {}
    rows = {i: {**first, **{j + len(model.heads): v for j, v in X[i].items()}} for i in model.kept}
    return [(z, equal, i) for i, x in rows.items() for z, equal in lines_of(model, i, x, one)]


def lines_of(model, i, x, one):
    """The inequalities of row i, whose numbers are x, each with whether it is an equality.

    Of ordered classes let e_k be the slope of threshold k less that of x.b. Cumulative: e_own >= 0 and e_(own-1) <= 0.
    Continuation: e_own >= 0, and e_k <= 0 for every k below. Adjacent: sums of e from the own class up to each one
    above are >= 0, those from each one below up to the own are <= 0.
    """
    family, last, width = model.family, len(model.classes) - 1, len(model.names)
    own = model.classes.index(model.y[i]) if model.classes else model.y[i]
    if family in ORDERED:
        sums = {
            "cumulative": [(own, own + 1), (own - 1, own)],
            "continuation": [(own, own + 1), *((k, k + 1) for k in range(own))],
            "adjacent": [(own, k) for k in range(own + 1, last + 1)] + [(k, own) for k in range(own)],
        }
        for start, end in sums[family]:
            if start >= 0 and end <= last:
                sign = 1 if start == own else -1
                slopes = {j: -sign * (end - start) * v for j, v in x.items()}
                yield {**dict.fromkeys(range(start, end), sign * one), **slopes}, False
    elif family == "multinomial":
        for other in (k for k in range(last + 1) if k != own):
            blocks = [(k - 1, sign) for k, sign in ((own, 1), (other, -1)) if k]  # the first class has none
            yield {block * width + j: sign * v for block, sign in blocks for j, v in x.items()}, False
    else:
        most = model.beside["trials"][i] if family in ("logistic", "binomial") else 0
        yield x if own else {j: -v for j, v in x.items()}, own not in (0, most)


def pairs_of_cases(model):
    """Cases i and the other rows j of their stratum, of which x_i - x_j counts; none is an equality."""
    strata = model.beside["strata"]
    for stratum in sorted({strata[i] for i in model.kept}):
        members = [i for i in model.kept if strata[i] == stratum]
        yield from ((i, j, False) for i in members if model.y[i] for j in members if not model.y[j])


def pairs_at_risk(model):
    """Events i and rows j at risk, of which x_i - x_j counts, and whether as an equality.

    Each event stands against the next one among the rows at risk with it, and against those that leave between them;
    tied events stand against each other.
    """
    time, (event, strata, entry) = model.y, (model.beside[role] for role in ("event", "strata", "entry"))
    for stratum in sorted({strata[i] for i in model.kept}):
        order = sorted((i for i in model.kept if strata[i] == stratum), key=lambda i: (time[i], event[i] == 0))
        start = 0
        while start < len(order):
            stop = start
            while stop < len(order) and event[order[stop]] and time[order[stop]] == time[order[start]]:
                stop += 1
            tied = order[start:stop]
            start += len(tied) or 1
            if len(tied) > 1:
                yield from ((i, j, True) for i, j in pairwise([*tied, tied[0]]))
            for j in map(order.__getitem__, range(start, len(order)) if tied else ()):
                if entry[j] < time[tied[0]]:
                    yield tied[0], j, False
                    if event[j]:
                        break


def estimates(cone, proof):
    """The rows left, the rank, and what a proof says of each coefficient."""
    n, width = len(cone.Z), cone.width
    left, directions, null, maximal = cone.check(proof["cone"])
    require(maximal, "it is not shown that no more rows are separated")
    if proof["bases"]:  # as many columns as rows, of full rank; those that are not in all of them are sums of others
        require(left <= cone.equal and len(proof["bases"]) <= 64, "a row left is no equality, or bases are too many")
        for basis in proof["bases"]:
            require(len(numbers_of(basis, width, "a basis of columns")) == n, "a basis has other columns")
            cone.check_rank(range(n), basis)
        require(not set.intersection(*map(set, proof["bases"])), "a column is in every basis")
        return left, n, ["not identified"] * width
    require(proof["cone"]["basis"] is not None, "the vectors orthogonal to the rows left are not given")
    of_all = vectors_of(proof["null"], width)
    columns = cone.columns_beside(of_all, set(range(n)))
    cone.check_rank(numbers_of(proof["basis"], n, "the whole basis"), columns)
    unidentified, ways, touching = {j for v in of_all for j in v}, first_signs(directions), transposed(null, width)
    # With one dimension beyond the null vectors of all rows, the cone is a ray beside them.
    is_ray = len(null) <= len(of_all) + 1

    checked = {}  # number of directions -> the signs that they have; many coefficients share them

    def of(j):
        way, opposite = ways.get(j, 0), proof["opposite"]
        if j in unidentified:
            return "not identified"
        if not touching[j]:
            return "finite"
        if way == 0:  # a small multiple of a null vector of the rows left may be added either way
            return "undetermined sign"
        if j in proof["unsigned"]:
            return "sign or limit not decided"
        if str(j) in opposite["columns"]:
            if (k := whole(opposite["columns"][str(j)])) not in checked:
                others = vectors_of(opposite["directions"][k], width)
                cone.left_by(others, idle=1)
                checked[k] = first_signs(others)
            require(checked[k].get(j) == -way, f"coefficient {j} has one sign only")
            return "undetermined sign"
        if not is_ray:  # d is a combination of null vectors of the rows left: a sum of rows is t way d_j, t > 0
            weights = weights_of(proof["signs"][str(j)], n)
            fits = all(k > 0 and i not in left for i, k in weights.items())
            require(fits, f"a weight for coefficient {j} is not > 0, or of a row that is not separated")
            products = combined(combined(weights, cone.Z), touching)  # null vector -> its product with the sum
            require(multiple(products, touching[j]) * way > 0, f"the sign of coefficient {j} is not proved")
        return "+inf" if way > 0 else "-inf"

    return left, len(columns), list(map(of, range(width)))


def first_signs(directions):
    """Sign of each entry of the directions added with weights falling fast: that of the first which has one there."""
    return {j: 1 if v > 0 else -1 for d in reversed(directions) for j, v in d.items()}


def prove_regression(claim, data):
    """Sentences on what a certificate of a regression proves."""
    model, proof, refused = model_of(claim, data), claim["proof"], None
    require(proof is not None, "undecided: nothing to prove")
    of_class = [f" of class {plainly(name)}" for name in model.classes[1:]] if model.family == "multinomial" else [""]
    names, kept = list(product(of_class, model.names)), {i: data["X"][i] for i in model.kept}
    for some in (None, data["X"], kept.values()):  # the proof may be about columns multiplied to whole numbers
        Z, is_equal, owners = zip(*inequalities(model, *as_integers(kept, some)), strict=True)
        equal = [k for k, holds in enumerate(is_equal) if holds]
        try:
            left, rank, said = estimates(Cone(Z, len(names), equal), proof)
            break
        except NotProvedError as error:
            refused = refused or error
    else:
        raise refused
    separated = set(owners) - {owners[k] for k in left}
    places = [data["rows"][i] for i in sorted(separated)]
    verdict = "overlap" if len(left) == len(Z) else "quasi-complete" if left else "complete"
    yield f"{len(Z) - len(equal)} inequalities and {len(equal)} equalities; the rank is {rank} of {len(said)}"
    yield f"proved: {verdict}, {len(places)} of {len(data['X'])} rows are separated"
    groups = {"separated rows": places} if places else {}
    for (block, name), value in zip(names, said, strict=True):
        effect = f" ({plainly(str(data['effects'][name]))})" if name in data["effects"] else ""
        groups.setdefault(value + effect, []).append(name + block)
    yield from (f"{value}: {shown(some)}" for value, some in groups.items())


# ----------------------------------------------------------------- what is asked
def shown(names, most=40):
    """Names in a line; of many the first ones."""
    return ", ".join(map(str, names[:most])) + (f", ... ({len(names)} in all)" if len(names) > most else "")


def prove(claim, path, every=None):
    """Check one certificate with what stands beside it; `every` are all labels, of one class against the rest."""
    about = claim["question"]["about"]
    asked = (claim["rest"] if about == "fewest rows" else claim)["question"]
    data = read_data(path, claim, asked["columns"])
    # Whoever wrote the certificate chose the question: no name is left out that he could choose.
    words = [f"{asked['family']} regression, link {asked['link']}" if about == "regression" else "a separator"]
    words += [f"classes {', '.join(map(plainly, asked['classes']))}"] if asked["classes"] else []
    if not path.endswith(".json"):
        words.append(f"{plainly(claim['target'])} by {', '.join(data['names']) or 'no column'}")
        words += [f"{role} {plainly(name)}" for role, name in claim.get("beside", {}).items()]
    of_design = BESIDE if about == "regression" and path.endswith(".json") else ()
    words += [f"{role} of the design" for role in of_design if data.get(role) is not None]
    has_own = about == "regression" and asked["family"] in WITHOUT_INTERCEPT  # thresholds, a baseline or strata
    words += [] if has_own else [f"{'with' if asked['intercept'] else 'without'} an intercept"]
    yield f"the question: {'; '.join(words)}"
    if about == "regression":
        yield from prove_regression(claim, data)
        return
    labels = labels_of(data["y"])
    if about == "fewest rows":
        yield prove_rows(claim, data["X"], labels, asked)
        return
    require(every is None or set(labels) == every, "the labels are not those of the classes")
    verdict, separated, maximal = prove_classes(claim, data["X"], labels)
    yield f"proved: {verdict}, {'' if maximal else 'at least '}{len(separated)} of {len(labels)} rows are separated"
    if "fewest_rows" in claim:
        yield prove_rows(claim["fewest_rows"], data["X"], labels, asked)


def prove_all(claim, path):
    """Check all certificates of a file; return sentences on what they prove."""
    design = claim.get("design")
    require(design is None or path.endswith(".json"), f"the certificate is about its design: give {design!r}")
    own = design is None or hashlib.sha256(Path(path).read_bytes()).hexdigest() == claim["design_sha256"]
    require(own, f"the design is not the one that was written as {design!r}: its SHA-256 is another")
    if "one_against_rest" not in claim:
        return list(prove(claim, path))
    said, every = [], claim["one_against_rest"]
    require(len(every) >= 3, "one against the rest is about three classes or more")
    for name, one in every.items():
        about = (one["question"]["about"], one["question"]["classes"])
        require(about == ("classes", [f"not {name}", name]), f"the certificate of {name} is not about it")
        fewest = claim["fewest_rows"]["one_against_rest"] if "fewest_rows" in claim else {}
        require(fewest.keys() <= every.keys(), "a part is about a class that is not there")
        more = {"fewest_rows": fewest[name]} if name in fewest else {}
        said += [f"{plainly(name)} against the rest: {line}" for line in prove({**one, **more}, path, set(every))]
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
    except Exception as error:  # whatever is wrong, nothing is proved
        lines, status = [f"not proved: cannot read the certificate or the data: {error!r}"], 1
    for line in lines:
        line = line.encode(sys.stdout.encoding or "utf-8", "backslashreplace").decode(sys.stdout.encoding or "utf-8")
        print(line if line.isprintable() else ascii(line)[1:-1])
    return status


if __name__ == "__main__":
    sys.exit(main())
