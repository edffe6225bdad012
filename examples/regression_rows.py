"""A regression as inequalities, read from a certificate and its data: what verify_separation.py checks a proof of.

From the family of the regression and the rows of a CSV or JSON file come inequalities z.d >= 0 and equalities z.d = 0
on a direction d of the coefficients. Why these decide, and which of them Cox's model needs, is derived on the page
theory/separation-families of linsep, with which this program shares no code. Python's standard library alone.
"""

import contextlib
import struct
from collections import Counter
from fractions import Fraction
from itertools import pairwise
from math import lcm
from typing import NamedTuple

from verify_certificate import COMMA_TO_POINT, amount, hash_of, json_rows, read_csv, read_json, require

OF_TWO = ("logit", "probit", "cloglog", "cauchit")
MOST_COLUMNS = 1_000_000
LINKS = {
    "logistic": OF_TWO,
    "binomial": OF_TWO,
    "poisson": ("log",),
    "negative-binomial": ("log",),
    "gamma": ("log",),
    "inverse-gaussian": ("log",),
    "multinomial": ("logit",),
    "cumulative": OF_TWO,
    "adjacent": ("logit",),
    "continuation": OF_TWO,
    "cox": ("log",),
}
ORDERED = ("cumulative", "adjacent", "continuation")
LABELLED = ("logistic", "multinomial", *ORDERED)
BESIDE = {"trials": ("binomial",), "weights": tuple(LINKS), "event": ("cox",), "strata": ("cox",), "entry": ("cox",)}


class Data(NamedTuple):
    """Rows {column: number}, the response, what stands beside it, the names of the columns, and the lines of a CSV.

    `effects` names the fixed effect that a column belongs to, `places` where the rows stand in the whole table.
    """

    rows: list
    y: list
    beside: dict
    names: list
    lines: list
    effects: dict
    places: list


class Cone(NamedTuple):
    """Rows z as (whole numbers, the positive number that they were multiplied by), and which of them are equalities.

    `owner` is the row of the data of each (-1: of all rows of `shared`), `rival` the class that it sets against the
    observed one. `names` has a name for each column.
    """

    Z: list
    equal: list
    owner: list
    rival: list
    names: list
    shared: list


# ------------------------------------------------------------------ reading
def read_data(path, claim, doubles):
    """The data of a CSV or JSON file."""
    if path.endswith(".json"):
        data = read_json(path)
        rows, p = json_rows(data["X"]), claim["features"]
        require(type(p) is int and p <= MOST_COLUMNS, f"this program looks at no more than {MOST_COLUMNS} columns")
        names = data.get("names", [f"x{j + 1}" for j in range(p)])
        beside = {role: data[role] for role in BESIDE if data.get(role) is not None}
        return Data(rows, data["y"], beside, names, [], data.get("effects", {}), data.get("rows", range(len(rows))))
    require("design" not in claim, "the certificate is about columns that are not of a table: give its design as JSON")
    rows, lines = read_csv(path, claim, doubles)
    roles = {role: name for role, name in claim.get("beside", {}).items() if role != "offset"}
    require(set(roles) <= set(BESIDE), "a column beside the target has a part that is not known")
    marks = COMMA_TO_POINT if claim.get("decimal") == "," else {}
    beside = {
        role: [line[roles[role]].translate({} if role == "strata" else marks) for line in lines]
        for role in BESIDE
        if role in roles
    }
    effects = {name_of(column): column["effect"] for column in claim["columns"] if "effect" in column}
    gone = set(claim["rows_left_out"]) if "formula" in claim else set()
    places = [i for i in range(len(rows) + len(gone)) if i not in gone]
    of_labels = {} if claim.get("class_type") == "str" else marks
    y = [line[claim["target"]].translate(of_labels) for line in lines]
    return Data(rows, y, beside, list(map(name_of, claim["columns"])), lines, effects, places)


def name_of(column):
    """What the coefficient of a column of a CSV file is called."""
    if "factors" in column:
        return column["name"]
    name = column["column"]
    if "level" in column:
        return f"{name}={column['level']}"
    if "date" not in column:
        return name
    way = column["date"]
    in_seconds = way == "datetime" or (way != "date" and ("%H" in way or "%I" in way))
    return f"{name} ({'seconds' if in_seconds else 'days'})"


def double(cell):
    """A number beside the features, which counts as the nearest double."""
    value = float(amount(cell)) if isinstance(cell, str) else float(cell)
    require(value - value == 0, "a number beside the features is not finite")
    return value


def label(cell, kind):
    """A label as the certificate writes it."""
    if kind == "int":
        value = Fraction(amount(cell) if isinstance(cell, str) else cell)
        require(value.denominator == 1, "a label is no whole number")
        return str(int(value))
    return str(double(cell)) if kind == "float" else str(cell)


ORDERS = {"int": int, "float": float, "str": str, "bool": str}  # False stands before True, as the text does


# ----------------------------------------------------------------- the question
class Question(NamedTuple):
    """The data with what is asked of them; `codes` are the classes of the rows, or their numbers."""

    data: Data
    family: str
    link: str
    constant: bool
    classes: list
    codes: list
    beside: dict
    kept: list


def questions(claim, data):
    """What the certificate asks; two ways to number the strata are possible: as numbers, and as text."""
    family = claim["family"]
    require(family in LINKS, f"this program does not check the family {family!r}")
    link = claim.get("options", {}).get("link", LINKS[family][0])
    require(link in LINKS[family], f"the family {family!r} has no link {link!r}")
    n, p, constant = claim["rows"], claim["features"], claim["fit_intercept"]
    require(type(n) is int and type(p) is int and type(constant) is bool, "a count or an option is none")
    require(len(data.rows) == len(data.y) == n, f"the certificate is about {n} rows, the data have {len(data.rows)}")
    require(all(0 <= j < p for row in data.rows for j in row), f"the data have more than {p} columns")
    require(len(data.names) == p and len(set(data.names)) == p, f"the data do not have {p} names of columns")
    for role, column in data.beside.items():
        require(family in BESIDE[role], f"{role} do not belong to the family {family}")
        require(len(column) == n, f"{role} are not one for each row")
    beside = {role: list(map(double, column)) for role, column in data.beside.items() if role != "strata"}
    kept = [i for i in range(n) if all(beside[role][i] > 0 for role in ("trials", "weights") if role in beside)]
    require(kept, "no row is left")
    y = [label(cell, claim["class_type"]) for cell in data.y] if family in LABELLED else list(map(double, data.y))
    classes = classes_of(claim, family, {y[i] for i in kept})
    place = {name: k for k, name in enumerate(classes)}
    codes = [place.get(value) for value in y] if classes else y
    check_response(family, y, beside, kept)
    about = (data, family, link, constant, classes, codes)
    for column in numbered(data.beside.get("strata")):
        every = {role: column if role == "strata" else beside[role] for role in data.beside}
        yield Question(*about, every, kept), hash_about(claim, data.rows, family, link, classes, y, every)


def classes_of(claim, family, present):
    """The classes in the order of the labels, or where classes are ordered in that of the certificate."""
    if family not in LABELLED:
        return []
    classes = claim["classes"] if family in ORDERED else sorted(present, key=ORDERS[claim["class_type"]])
    require(set(classes) == present and len(classes) == len(present) > 1, "the classes are not those of the labels")
    require(family != "logistic" or len(classes) == 2, "a logistic regression has two classes")
    return classes


def check_response(family, y, beside, kept):
    """The response is one that the family may have."""
    require("weights" not in beside or min(beside["weights"]) >= 0, "a weight is below 0")
    if family == "binomial":
        most = beside.get("trials", [1.0] * len(y))
        within = all(0 <= value <= m for value, m in zip(y, most, strict=True))
        require(within, "a response is not from 0 to its trials")
    elif family == "inverse-gaussian":
        require(min(y) > 0, "a response is not above 0")
    elif family == "cox":
        require(set(beside.get("event", [1])) <= {0, 1}, "an event is neither 1 nor 0")
        require(all(a < y[i] for i, a in enumerate(beside.get("entry", ()))), "an entry is not before its time")
    elif family not in LABELLED:
        require(min(y) >= 0, "a response is below 0")


def numbered(strata):
    """The number of the stratum of each row, which is the place of its label among the sorted ones."""
    if strata is None:
        return [None]
    ways = [[str(label) for label in strata]]
    with contextlib.suppress(TypeError, ValueError):
        ways.insert(0, [Fraction(amount(label) if isinstance(label, str) else label) for label in strata])
    places = [{label: k for k, label in enumerate(sorted(set(way)))} for way in ways]
    return [[float(place[label]) for label in way] for place, way in zip(places, ways, strict=True)]


def hash_about(claim, rows, family, link, classes, y, beside):
    """SHA-256 of the question, the rows, the response and what stands beside it.

    Of a logistic regression with logit link the response is a byte a row (1 or 255), of a multinomial one the number of
    the class (32-bit), of a Poisson one the count (double); the names are those of the classes. Of all others, and
    where something stands beside the response, the names are "family", its name, "link", its name, "columns", what
    stands beside the response, "classes", their names (and "order", the same in their order), and the response and
    the other columns are doubles, one column after the other.
    """
    labelled = family in LABELLED
    labels = sorted(set(y), key=ORDERS[claim["class_type"]]) if labelled else []
    place = {name: k for k, name in enumerate(labels)}
    codes = [place[name] for name in y] if labelled else y
    n = len(rows)
    if beside or (family, link) not in (("logistic", "logit"), ("poisson", "log"), ("multinomial", "logit")):
        names = ["family", family, "link", link, "columns", *beside, "classes", *labels]
        names += ["order", *classes] if family in ORDERED else []
        response = b"".join(struct.pack(f"<{n}d", *column) for column in (codes, *beside.values()))
        return hash_of(rows, claim, names, response)
    kind = {"logistic": f"<{n}b", "multinomial": f"<{n}i"}.get(family, f"<{n}d")
    signs = [2 * code - 1 for code in codes] if family == "logistic" else codes
    return hash_of(rows, claim, labels, struct.pack(kind, *signs))


# ------------------------------------------------------------- inequalities
def cone_of(asked, rows):
    """The inequalities and equalities of the regression on these rows."""
    family, kept, names = asked.family, asked.kept, asked.data.names
    if family == "cox":
        found, heads = risk_rows(asked, rows), []
    elif family in ORDERED:
        found = [line for i in kept for line in ordered_rows(rows[i], asked.codes[i], len(asked.classes), family, i)]
        heads = [f"{low}|{high}" for low, high in pairwise(asked.classes)]
    else:
        heads = ["(Intercept)"] if asked.constant else []
        full = {i: {**dict.fromkeys(range(len(heads)), Fraction(1)), **moved(rows[i], len(heads))} for i in kept}
        found = plain_rows(asked, full)
    require(asked.constant or family not in (*ORDERED, "cox"), f"the family {family} has no intercept to leave out")
    require(found, "the data make no inequality")
    names = [*heads, *names]
    if family == "multinomial":
        names = [(name, column) for name in asked.classes[1:] for column in names]
    require(len(set(names)) == len(names), "two coefficients have one name")
    shared = [i for i in kept if asked.codes[i] == 0] if found[-1][2] == -1 else []
    Z, equal, owner, rival = (list(part) for part in zip(*found, strict=True))
    return Cone(list(map(as_integers, Z)), equal, owner, rival, names, shared)


def moved(row, by, times=1):
    """A row with its columns moved to the right, times a number."""
    return {j + by: times * v for j, v in row.items()}


def plain_rows(asked, full):
    """(z, equality, row, other class) of a regression whose rows x, the constant among them, stand in one block."""
    family, codes, kept = asked.family, asked.codes, asked.kept
    if family == "multinomial":
        width = len(asked.data.names) + int(asked.constant)
        return [
            (in_blocks(full[i], codes[i], other, width), False, i, other)
            for i in kept
            for other in range(len(asked.classes))
            if other != codes[i]
        ]
    if family == "logistic":
        return [(moved(full[i], 0, 1 if codes[i] else -1), False, i, -1) for i in kept]
    if family == "gamma" and any(codes[i] == 0 for i in kept):
        total = Counter()
        for i in kept:
            weight = Fraction(asked.beside["weights"][i]) if "weights" in asked.beside else 1
            for j, v in full[i].items():
                total[j] -= weight * v
        above = [(full[i], False, i, -1) for i in kept if codes[i] > 0]
        return [*above, ({j: v for j, v in total.items() if v}, False, -1, -1)]
    if family in ("gamma", "inverse-gaussian"):
        return [(full[i], True, i, -1) for i in kept]
    most = asked.beside.get("trials", [1.0] * len(codes)) if family == "binomial" else [None] * len(codes)
    return [(moved(full[i], 0, -1 if codes[i] == 0 else 1), codes[i] not in (0, most[i]), i, -1) for i in kept]


def in_blocks(row, own, other, width):
    """The row in the block of its own class and its negative in that of another; the first class has no block."""
    out = moved(row, (own - 1) * width) if own else {}
    return {**out, **moved(row, (other - 1) * width, -1)} if other else out


def ordered_rows(row, own, count, family, i):
    """(z, equality, row, -1) of a row of class `own`: thresholds come first, then the columns.

    Let e_k be the slope of threshold k less that of x.b. Cumulative: e_own >= 0 and e_(own-1) <= 0. Continuation:
    e_own >= 0, and e_k <= 0 for every k below. Adjacent: sums of e from the own class up to each one above are >= 0,
    those from each one below up to the own are <= 0.
    """
    last = count - 1
    if family == "adjacent":
        parts = [(1, range(own, other)) for other in range(own + 1, count)]
        parts += [(-1, range(other, own)) for other in range(own)]
    else:
        below = range(own) if family == "continuation" else range(max(0, own - 1), own)
        parts = [(1, [own])] if own < last else []
        parts += [(-1, [k]) for k in below]
    for sign, thresholds in parts:
        z = dict.fromkeys(thresholds, Fraction(sign))
        yield {**z, **moved(row, last, -sign * len(z))}, False, i, -1


def risk_rows(asked, rows):
    """(x_i - x_j, equality, i, -1) of events i and rows j at risk: each event against the next one among the rows at
    risk with it and against those that leave between them; tied events against each other."""
    time, beside = asked.codes, asked.beside
    event = beside.get("event", [1.0] * len(time))
    entry = beside.get("entry", [float("-inf")] * len(time))
    strata = beside.get("strata", [0.0] * len(time))
    out = []

    def add(i, j, equal):
        z = {k: rows[i].get(k, 0) - rows[j].get(k, 0) for k in rows[i].keys() | rows[j].keys()}
        out.append(({k: v for k, v in z.items() if v}, equal, i, -1))

    for stratum in sorted({strata[i] for i in asked.kept}):
        members = [i for i in asked.kept if strata[i] == stratum]
        order = sorted(members, key=lambda i: (time[i], event[i] == 0))
        at = 0
        while at < len(order):
            now = time[order[at]]
            tied = [i for i in order[at:] if time[i] == now and event[i]] if event[order[at]] else []
            if not tied:
                at += 1
                continue
            for k, i in enumerate(tied if len(tied) > 1 else []):
                add(i, tied[(k + 1) % len(tied)], True)
            at += len(tied)
            for j in order[at:]:
                if entry[j] < now:
                    add(tied[0], j, False)
                    if event[j]:
                        break
    return out


def as_integers(row):
    """A row as whole numbers, and the positive number that it was multiplied by."""
    common = lcm(*(Fraction(v).denominator for v in row.values()))
    return {j: int(v * common) for j, v in row.items() if v}, common
