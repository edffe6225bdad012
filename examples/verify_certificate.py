"""Check a certificate of separability with nothing but Python's standard library.

    linsep check table.csv --target kind --certificate proof.json
    python verify_certificate.py proof.json table.csv

A certificate of a regression, which `linsep separation` writes, is handed to the program verify_separation.py, which
must lie beside this one together with regression_rows.py; one that says how many rows have to go, which `--explain`
adds, to verify_fewest_rows.py and verify_columns.py, which must lie beside this one, too. Weights that are near exact
ones (a wide table of floats has them) are checked by verify_near_weights.py, which must lie beside this one too.

This program shares no code with linsep. It reads the data again, compares their SHA-256 with that of the certificate,
and checks every part of the proof in exact arithmetic. It prints what it proved; exit status 0: proved, 1: not. What
the certificate says in words (its summary and reason) and whether it calls the verdict fragile is neither checked nor
printed.

The data are a CSV file, as given to `linsep check`, or a JSON file {"X": [[1, 0.5], ...], "y": ["a", ...]}, as given to
`linsep.separability(X, y)`. A number in CSV is the decimal that is written there, one in JSON (or, with --doubles, in
CSV) the double nearest to it. A row x with label sign s counts as the signed row s (x, 1), without the 1 if the
certificate has no intercept. Large tables take a while.
"""

import argparse
import csv
import hashlib
import importlib
import json
import re
import struct
import sys
from collections import Counter
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from math import isqrt, lcm
from pathlib import Path

FORMAT = "linsep separability certificate 2"
NEAR_FORMAT = "linsep separability certificate 4"  # with near_weights
OF_REGRESSIONS = "linsep separation certificate"
OF_ROWS = "linsep fewest rows certificate"
BLANK = "[ \u00a0\u2009\u202f]"
CURRENCY = f"(?:{BLANK}?[$\u20ac\u00a3\u00a5]{BLANK}?)"
PERCENT = f"(?:{BLANK}?%)?"
GROUPS = "(?:(?:,[0-9]{3})+|(?:[ \u00a0\u2009\u202f'\u2019][0-9]{3})+)"
DIGITS = rf"((?:[1-9][0-9]{{0,2}}{GROUPS}|[0-9]+)(?:\.[0-9]+)?)"
AMOUNT = re.compile(f"(?:([+-]?){CURRENCY}?|{CURRENCY}([+-])){DIGITS}{CURRENCY}?{PERCENT}")
NEGATIVE = re.compile(rf"\({CURRENCY}?{DIGITS}{CURRENCY}?{PERCENT}\)|{CURRENCY}\({DIGITS}\)")
MISSING = re.compile(r"(na|n/a|#n/a|nan|null|#null!|none|\?|--?)?")
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
NAMING = ("columns", "target", "rows_left_out", "no_values", "encoding", "sep", "decimal", "skip_rows")
COMMA_TO_POINT = {ord(","): ".", ord("."): ","}
WAYS_TO_READ = (  # a column of a CSV file
    *({"level"}, {"equals"}, {"exponent"}, {"date"}, {"date", "exponent"}),
    {"unit", "exponent"},
)
PRIMES = (2**61 - 1, 2**61 - 31, 2**31 - 1)


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
    number = int(value, 16) if isinstance(value, str) else value
    require(type(number) is int, f"{value!r} is not an integer")
    return number


def numbers_of(values, count, what):
    """A list of different rows or columns, which lie in 0..count-1."""
    require(isinstance(values, list), f"{what} is no list")
    wrong = [v for v in values if type(v) is not int or not 0 <= v < count]
    require(not wrong, f"{what} has {wrong[0] if wrong else ''}, which is not there")
    require(len(set(values)) == len(values), f"{what} names one twice")
    return values


def exact(value):
    """A double or an integer of the certificate, exactly."""
    return Fraction(value) if isinstance(value, float) else Fraction(whole(value))


def vector(part, width):
    """Return {"columns": [...], "values": [...]} as column -> integer."""
    columns = numbers_of(part["columns"], width, "a vector")
    return {j: v for j, v in zip(columns, map(whole, part["values"]), strict=True) if v}


def read_table(path, claim, doubles):
    """Rows as {column: number, zeros left out}, and the labels as text."""
    if path.endswith(".json"):
        data = read_json(path)
        return json_rows(data["X"]), [str(label) for label in data["y"]]
    rows, lines = read_csv(path, claim, doubles)
    return rows, [line[claim["target"]] for line in lines]


def json_rows(rows):
    """Rows of JSON, each a list or an object {column: value}, as {column: number, zeros left out}."""
    rows = [dict(enumerate(row)) if isinstance(row, list) else row for row in rows]
    return [{int(j): Fraction(v) for j, v in row.items() if v} for row in rows]


def stands_for_none(cell, no_values):
    """Whether a cell is one of those that stand for no value; -999.0 is the whole number -999."""
    whole = re.fullmatch("(-?[0-9]+)[.,]0+", cell)
    return cell in no_values or (whole is not None and whole[1] in no_values)


def read_csv(path, claim, doubles):
    """Rows of a CSV file as {column: number, zeros left out}, and their lines as {name: cell}."""
    require("columns" in claim and "target" in claim, "the certificate does not say what the columns of a CSV file are")

    decimal = claim.get("decimal", ".")

    def number(text, mark=decimal):
        digits = amount(text.translate(COMMA_TO_POINT) if mark == "," else text)
        return Fraction(float(digits)) if doubles else Fraction(digits)

    for part in parts_of(claim):
        kinds = set(part) - {"column"}
        require(kinds in WAYS_TO_READ, f"a column has {len(kinds)} ways to be read, not one")
    shifts = [part.get("exponent", 0) for part in parts_of(claim)]
    require(all(type(k) is int and abs(k) <= 10_000 for k in shifts), "an exponent of a column is no small integer")
    rows, lines, others = [], [], []
    no_values = claim.get("no_values", [])
    require(all(isinstance(text, str) for text in no_values), "a cell that stands for no value is no text")
    left_out = claim.get("rows_left_out", [])
    left_out = set(numbers_of(left_out, claim["rows"] + len(left_out), "rows_left_out"))
    for number_of_row, found in enumerate(records(path, claim)):
        line = {name: "" if stands_for_none(cell.strip(), no_values) else cell for name, cell in found.items()}
        if number_of_row in left_out:
            others.append(line)
            continue
        row = {}
        for j, column in enumerate(claim["columns"]):
            value = Fraction(1)
            for part in column.get("factors", [column]):
                value = value and value * value_of(part, line[part["column"]], number)
            if value:
                row[j] = Fraction(value)
        rows.append(row)
        lines.append(line)
    check_left_out(others, [line[claim["target"]] for line in lines], claim)
    return rows, lines


def records(path, claim):
    """The records of a CSV file as {name: cell}; the certificate says how it is written."""
    above = claim.get("skip_rows", 0)
    require(type(above) is int and 0 <= above <= 10_000, "skip_rows is no small number of lines")
    require(claim.get("decimal", ".") in (".", ","), "the decimal mark is no point and no comma")
    sep = claim.get("sep", ",")
    require(isinstance(sep, str) and len(sep) == 1, "what separates the columns is no single character")
    with open(path, encoding=claim.get("encoding", "utf-8-sig"), newline="") as file:
        for _ in range(above):
            file.readline()
        yield from csv.DictReader(file, delimiter=sep)


def parts_of(claim):
    """The columns of a CSV file that the numbers come from: a column may be a product of several."""
    return [part for column in claim["columns"] for part in column.get("factors", [column])]


def value_of(part, cell, number):
    """What a cell counts as."""
    if "date" in part:
        return elapsed(cell.strip(), part["date"]) * Fraction(10) ** part.get("exponent", 0)
    if "level" in part:
        return int(cell == part["level"])
    if "unit" in part:
        return number(without_unit(cell, part["unit"]), ".") * Fraction(10) ** part["exponent"]
    if "equals" in part:
        return int(number(cell) == Fraction(part["equals"]))
    return number(cell) * Fraction(10) ** part["exponent"]


def check_left_out(lines, labels, claim):
    """Each row that the certificate leaves out lacks its label, or a value of a column that it is about.

    A label such as NA is none where all others are numbers; a category is missing where its cell is empty.
    """
    require(len(lines) == len(claim.get("rows_left_out", [])), "it leaves out rows that are not there")
    numbered = all(NUMBER.fullmatch(label.strip()) for label in labels)

    for line in lines:
        label = line[claim["target"]].strip()
        lacks_label = stands_for_nothing(label) if numbered else not label
        cells = [(line[part["column"]], "level" in part) for part in parts_of(claim)]
        cells += [(line[name], False) for name in claim.get("beside", {}).values()]
        lacks_value = any(not cell if level else stands_for_nothing(cell) for cell, level in cells)
        require(lacks_label or lacks_value, "a row is left out that lacks neither its label nor a value")


def stands_for_nothing(cell):
    """Whether a cell of a column of numbers or dates holds no value."""
    return bool(MISSING.fullmatch(cell.strip().lower()))


def amount(text):
    """The digits of an amount, such as $1,204.50 or 12%; 1 and 0 for true and false; any other text as it is.

    An amount in parentheses is negative.
    """
    text = text.strip()
    if text.lower() in ("true", "false"):
        return str(int(text.lower() == "true"))
    negative = NEGATIVE.fullmatch(text)
    if negative:
        return "-" + re.sub("[^0-9.]", "", negative[1] or negative[2])
    found = AMOUNT.fullmatch(text)
    return (found[1] or found[2] or "") + re.sub("[^0-9.]", "", found[3]) if found else text


def without_unit(cell, way):
    """The digits of a number with a unit; the way to write it is "0.0 mg", or "0,0 mg" with a decimal comma."""
    require(
        isinstance(way, str) and way[:1] + way[2:4] == "00 " and way[1] in ".,", f"{way!r} is no way to write a unit"
    )
    text, unit, mark = cell.strip(), way[4:], way[1]
    before = re.fullmatch(rf"([-+]?){re.escape(unit)}\.?\s*([-+]?[0-9.,].*)", text)  # CHF 12.50 is 12.50 CHF
    text = f"{before[1]}{before[2]} {unit}" if before else text
    require(unit and text.endswith(unit), f"{text!r} is not a number in {unit!r}")
    digits = amount(text[: -len(unit)].translate(COMMA_TO_POINT if mark == "," else {}))
    require(NUMBER.fullmatch(digits), f"{text!r} is not a number in {unit!r}")
    return digits


def elapsed(text, way):
    """Days since 1970 of a date, seconds where the way to write it has a time of day; with a zone, in UTC."""
    iso = way in ("date", "datetime")
    point = datetime.fromisoformat(text) if iso else datetime.strptime(text, way)
    if point.tzinfo is not None:
        point = point.astimezone(UTC).replace(tzinfo=None)
    since = point - datetime(1970, 1, 1)
    if way == "date" or not (iso or "%H" in way or "%I" in way):
        return since.days
    return Fraction(since // timedelta(microseconds=1), 10**6)


def label_signs(labels, classes):
    """1 for the second class, -1 for the first ("not a" stands for all but "a")."""
    negative, positive = classes
    rest = negative == f"not {positive}"
    known = set(labels) <= {negative, positive} or rest
    require(known and len(set(labels)) >= 2, f"the labels are not those of the classes {negative} and {positive}")
    return [1 if label == positive else -1 for label in labels]


def digest(rows, signs, claim):
    """SHA-256 of the question, of the entries that are not 0 row by row, and of a byte a label (1 or 255)."""
    return hash_of(rows, claim, claim["classes"], bytes(1 if sign > 0 else 255 for sign in signs))


def hash_of(rows, claim, names, response):
    """SHA-256 of the question, of the entries that are not 0 row by row, and of the response.

    The question is the text "linsep data 2\\n", "n p\\n", "1\\n" with an intercept or "0\\n" without, the number of
    names and a newline, and the names (of two classes: these) as UTF-8, each after the number of its bytes and a
    newline. An entry is row, column (signed 64-bit) and value (double), little-endian; where doubles cannot hold the
    numbers it is the text "row column numerator/denominator\\n".
    """
    head = f"linsep data 2\n{len(rows)} {claim['features']}\n{int(claim['fit_intercept'])}\n{len(names)}\n"
    out = hashlib.sha256(head.encode())
    for name in map(str.encode, names):
        out.update(b"%d\n%b" % (len(name), name))
    doubles = all(is_double(v) for row in rows for v in row.values())
    require(claim["numbers"] == ("doubles" if doubles else "rationals"), "the hash is of other numbers")
    for i, row in enumerate(rows):
        for j in sorted(row):
            if doubles:
                out.update(struct.pack("<qqd", i, j, row[j].numerator / row[j].denominator))
            else:
                out.update(f"{i} {j} {row[j].numerator}/{row[j].denominator}\n".encode())
    out.update(response)
    return out.hexdigest()


def is_double(value):
    """Whether a double is exactly this number."""
    try:
        return (value.numerator / value.denominator).as_integer_ratio() == (value.numerator, value.denominator)
    except OverflowError:
        return False


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
        require(any(margin for _, margin in margins), f"{what} has a direction that separates no row")
        left = [i for i, margin in margins if margin == 0]
    require(set(left) == set(left_named), f"{what} leaves other rows than the certificate says")


def check_sum(Z, part, what):
    """Positive weights bring the signed rows to exactly 0; return them as row -> weight."""
    rows = numbers_of(part["rows"], len(Z), f"the {what}")
    weights = dict(zip(rows, map(whole, part["weights"]), strict=True))
    require(weights, f"the {what} names no row")
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
    need = len(columns_left(Z, left, null))
    ranks = (rank_modulo([Z[i][0] for i in weights], prime) for prime in PRIMES)
    require(any(rank >= need for rank in ranks), "the rows of the overlap do not span all rows left")


def columns_left(Z, left, null):
    """The columns that give all others on these rows: one goes for each null vector, which alone has an entry there."""
    used = {j for i in left for j, v in Z[i][0].items() if v}
    often, gone = Counter(j for v in null for j in v), set()
    for k, v in enumerate(null):
        own = [j for j in v if often[j] == 1]
        require(v.keys() <= used and own, f"null vector {k} is not independent of the others")
        require(all(dot(Z[i][0], v) == 0 for i in left), f"null vector {k} is not orthogonal to every row left")
        gone.add(own[0])
    return sorted(used - gone)


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


def root(square):
    """The square root of a fraction, to within one part in 2^100."""
    shift = max(0, 2 * (square.denominator.bit_length() - square.numerator.bit_length()) + 400) // 2 * 2
    return Fraction(isqrt((square.numerator << shift) // square.denominator), 1 << (shift // 2))


def check_margin(Z, signs, plane, margin, constant):
    """The bracket of the margin: what the hyperplane keeps, and the distance of the means of the rows.

    Both were computed in doubles. They may be off by rounding: 2^-39 of the size of what was added up. Where that is
    more than 2^-9 of an end, the bracket says nothing.
    """
    lower, upper = Fraction(margin["lower"]), Fraction(margin["upper"])
    require(0 < lower <= upper, "the margin is not between two positive numbers in order")
    require(margin["bias"] == ("free" if constant is not None else None), "the margin is of another kind")
    length = root(sum(v * v for j, v in plane.items() if j != constant))
    kept = min(Fraction(dot(row, plane), factor) for row, factor in Z)
    size = max(sum(abs(v * plane.get(j, 0)) for j, v in row.items()) / factor for row, factor in Z)
    require(abs(lower * length - kept) * 2**39 <= size, f"the margin of the hyperplane is not {float(lower)!r}")
    require(size <= kept * 2**30, "the margin is too small beside the rows to be computed in doubles")
    counts = Counter(signs)
    mean, sizes = Counter(), Counter()
    for (row, factor), sign in zip(Z, signs, strict=True):
        share = Fraction(1, 2 * counts[sign] if constant is not None else len(Z))
        for j, v in row.items():
            if j != constant:
                mean[j] += share * Fraction(v, factor)
                sizes[j] += share * abs(Fraction(v, factor))
    distance, size = (root(sum(v * v for v in part.values())) for part in (mean, sizes))
    require(abs(upper - distance) * 2**39 <= size, f"the best margin is not bounded by {float(upper)!r}")
    require(size <= distance * 2**30, "the distance of the means is too small beside the rows")


def read_directions(claim, constant):
    """The directions, and the rows that they leave as the certificate says."""
    n, p = claim["rows"], claim["features"]
    directions = []
    for part in claim["directions"]:
        b = whole(part["b"])
        require(b == 0 or constant is not None, "a direction has an intercept, which was not asked for")
        directions.append({**vector(part, p), **({p: b} if b else {})})
    names = [name for name in ("rows_left", "separated_rows") if name in claim]
    require(len(names) == 1, "the certificate must name either the rows left or the separated rows")
    named = set(numbers_of(claim[names[0]], n, names[0]))
    require(directions or not named, "the certificate divides the rows without a direction")
    return directions, (named if names[0] == "rows_left" else set(range(n)) - named) if directions else set(range(n))


def check_head(claim, rows, labels):
    """The certificate is about these data and this question; return the signs of the labels."""
    form = NEAR_FORMAT if "near_weights" in claim else FORMAT
    require(claim["format"] == form, f"not a certificate of the format {form!r}")
    n, p = claim["rows"], claim["features"]
    require(type(n) is int and type(p) is int and type(claim["fit_intercept"]) is bool, "a count or an option is none")
    require(len(rows) == len(labels) == n, f"the certificate is about {n} rows, the data have {len(rows)}")
    require(all(0 <= j < p for row in rows for j in row), f"the data have more than {p} columns")
    signs = label_signs(labels, claim["classes"])
    require(digest(rows, signs, claim) == claim["sha256"], "the SHA-256 is another: other data, classes or options")
    return signs


def question(claim):
    """What the certificate is about, in words: whoever wrote it chose that."""
    negative, positive = map(plain, claim["classes"])
    target = f" of {plain(claim['target'])}" if claim.get("target") is not None else ""
    about = f"{by_columns(claim)}, {intercept_of(claim['fit_intercept'])}{gone(claim)}"
    return f"the question: {positive} against {negative}{target}{about}"


def intercept_of(constant):
    """Whether there is an intercept, in words."""
    return f"{'with' if constant else 'without'} an intercept"


def by_columns(claim):
    """The columns in words."""
    names = [plain(described(column)) for column in claim.get("columns", ())]
    some = ", ".join(names[:12]) + (f", ... ({len(names)} columns)" if len(names) > 12 else "")
    return f" by {some or 'no column'}" if "columns" in claim else ""


def described(column):
    """A column of numbers by the columns of the table that it comes from."""
    parts = column.get("factors", [column])
    of_levels = ((part["column"], part.get("level", part.get("equals"))) for part in parts)
    product = " x ".join(name if level is None else f"{name}={level}" for name, level in of_levels)
    return product if column.get("name", product) == product else f"{column['name']} (which is {product})"


def gone(claim):
    """The rows that are left out and the cells that stand for no value, in words."""
    count = len(claim.get("rows_left_out", []))
    rest = f"; {count} rows are left out, each of which lacks its label or a value" if count else ""
    absent = ", ".join(map(repr, claim.get("no_values", [])))
    rest += f"; cells that read {absent} stand for no value" if absent else ""
    return rest


def plain(name):
    """A name on one line, whatever a terminal would make of its characters."""
    return str(name) if str(name).isprintable() else ascii(name)


def prove(claim, rows, labels):
    """Check one certificate; return sentences on what it proves."""
    signs = check_head(claim, rows, labels)
    n, p, verdict = claim["rows"], claim["features"], claim["verdict"]
    said = [f"SHA-256 {claim['sha256']} is that of the data", question(claim)]
    constant = p if claim["fit_intercept"] else None
    Z = signed_rows(rows, signs, constant)
    directions, left = read_directions(claim, constant)
    if directions:
        check_directions(Z, directions, left, "the list of directions")
        said.append(f"{len(directions)} directions in turn separate {n - len(left)} rows and none wrongly")
    if claim["hyperplane"] is not None:
        plane = dict(enumerate(map(exact, claim["hyperplane"]["w"])))
        b = exact(claim["hyperplane"]["b"])
        require(len(plane) == p and (b == 0 or constant is not None), "the hyperplane has another width than the data")
        plane[p] = b
        check_directions(Z, [plane], [], "the hyperplane")
        said.append(f"one hyperplane has all {n} rows strictly on their side")
        if claim["margin"] is not None:
            check_margin(Z, signs, plane, claim["margin"], constant)
    require(claim["margin"] is None or claim["hyperplane"] is not None, "there is a margin without a hyperplane")
    weights = overlap = None
    if claim["witness"] is not None:
        weights = check_sum(Z, claim["witness"], "witness")
        said.append(f"{len(weights)} signed rows with positive weights add up to 0: no strict separator")
    null = [vector(v, p + (constant is not None)) for v in claim["null"]]
    if "near_weights" in claim:
        require(claim["overlap"] is None, "there are exact weights and weights near exact ones")
        check_near, columns = beside("verify_near_weights").check_near, columns_left(Z, sorted(left), null)
        near = check_near(Z, left, columns, claim["near_weights"], require, numbers_of, whole)
        overlap, weights = near, weights or near
        said.append(
            f"{len(near)} rows have positive weights near those given that add up to 0, and span: no direction moves "
            f"{len(left)} rows"
        )
    if claim["overlap"] is not None:
        overlap = check_sum(Z, claim["overlap"], "overlap")
        check_span(Z, sorted(left), overlap, null)
        said.append(
            f"{len(overlap)} rows with positive weights add up to 0 and span: no direction moves {len(left)} rows"
        )
    require(overlap is not None or not claim["null"], "there are null vectors without an overlap")
    proved = "undecided"
    if claim["hyperplane"] is not None or not left:
        proved = "separable"
    elif weights is not None:
        proved = "quasi-separable" if directions else "not-separable" if overlap is None else "inseparable"
    require(verdict == proved, f"the verdict is {verdict!r}, and the parts prove {proved!r}")
    require(proved != "undecided", "the verdict is 'undecided': nothing to prove")
    maximal = proved == "separable" or overlap is not None
    require(claim["maximal"] is maximal, f"maximal is {claim['maximal']!r}, the parts say {maximal}")
    least = f": at least {n - len(left)} rows are separated" if directions and not maximal else ""
    return [*said, f"proved: {verdict}{least}"]


def prove_all(claim, path, doubles):
    """Check all certificates of a file; return sentences on what they prove."""
    if "one_against_rest" not in claim:
        return prove(about(claim, path), *read_table(path, claim, doubles))
    every = claim["one_against_rest"]
    require(len(claim) == 1 and len(every) >= 3, "one against the rest is about three classes or more")
    said = []
    for name, one in every.items():
        require(one["classes"] == [f"not {name}", name], f"the certificate of {name} is not about {name}")
        rows, labels = read_table(path, one, doubles)
        require(set(labels) == set(every), f"the labels are not the classes {', '.join(every)}")
        said += [f"{plain(name)} against the rest: {line}" for line in prove(about(one, path), rows, labels)]
    return said


def about(claim, path):
    """The certificate without names of columns if the data are JSON, which has none."""
    unnamed = path.endswith(".json")
    return {key: value for key, value in claim.items() if not (unnamed and key in NAMING)}


def other_program(path):
    """The program that checks certificates of this kind; None if it is this one."""
    try:
        claim = read_json(path)
        form = "" if "one_against_rest" in claim else str(claim["format"])
        if form.startswith(OF_REGRESSIONS):
            return "verify_separation"
        return "verify_fewest_rows" if "fewest_rows" in claim or form.startswith(OF_ROWS) else None
    except (NotProvedError, LookupError, TypeError, ValueError, RecursionError, OSError):
        return None  # whoever reads it next says why


def beside(name):
    """A program that lies beside this one."""
    folder = str(Path(__file__).parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    return importlib.import_module(name)


def told(arguments, prove):
    """Print what is proved, or why it is not; return the exit status."""
    try:
        for line in prove(read_json(arguments.certificate), arguments.data, arguments.doubles):
            print(line)
    except NotProvedError as error:
        print(f"not proved: {error}")
        return 1
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError, RecursionError, OSError) as error:
        print(f"not proved: cannot read the certificate or the data: {error!r}")
        return 1
    return 0


def arguments_of(what, given):
    """The files named on the command line, or in `given`; `what` says what the program does."""
    parser = argparse.ArgumentParser(description=what, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("certificate", help="JSON file")
    parser.add_argument("data", help="CSV or JSON file")
    parser.add_argument("--doubles", action="store_true", help="take the numbers of a CSV file as the nearest doubles")
    return parser.parse_args(given)


def main(given=None):
    """Check a certificate of separability, or have one of another kind checked."""
    arguments = arguments_of(__doc__, given)
    other = other_program(arguments.certificate)
    return told(arguments, prove_all) if other is None else beside(other).main(given)


if __name__ == "__main__":
    sys.exit(main())
