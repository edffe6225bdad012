"""Check a certificate of a regression with nothing but Python's standard library.

    linsep separation table.csv --target cured --certificate proof.json
    python verify_certificate.py proof.json table.csv

verify_certificate.py, which must lie beside this program together with regression_rows.py, hands such certificates to
it; weights that are near exact ones (a wide table of floats has them) are checked by verify_near_weights.py, which must
lie here too. They share no code with linsep. The data are read again, their SHA-256 is compared with that of the
certificate, inequalities z.d >= 0 and equalities z.d = 0 on a direction d of the coefficients are derived from the
family of the regression, and every part of the proof is checked in exact arithmetic. The verdict, the rows, the rank
and what is said of each coefficient are derived from those parts, and compared. Exit status 0: proved, 1: not. What the
certificate says in words (its summary, advice and reason; of a formula its text and levels) is neither checked nor
printed.

The data are the CSV file given to `linsep separation`, or a JSON file {"X": [[1, 0.5], ...], "y": ["a", ...]} as given
to `linsep.separation(X, y)`. A row of X may be an object {column: value}; beside y there may be "trials", "weights",
"event", "strata", "entry" and the "names" of the columns, which are x1, x2, ... otherwise. Numbers are read as
verify_certificate.py reads them. Large tables take a while.
"""

import sys
from collections import Counter
from fractions import Fraction
from math import lcm

from regression_rows import LINKS, ORDERED, cone_of, questions, read_data
from verify_certificate import (
    PRIMES,
    NotProvedError,
    arguments_of,
    beside,
    by_columns,
    columns_left,
    dot,
    gone,
    intercept_of,
    numbers_of,
    plain,
    rank_modulo,
    require,
    told,
    vector,
    whole,
)

FORMAT = "linsep separation certificate 3"
NEAR_FORMAT = "linsep separation certificate 5"  # with near_weights
FINITE, UNSIGNED = "finite", "infinite, sign not decided"
UNDETERMINED, UNIDENTIFIED = "undetermined sign", "not identified"
MOST_NAMES = 40


# ------------------------------------------------------------------- proofs
def vectors(part, width):
    """Unit vectors by their columns, then the others, each as {column: integer}."""
    require(all(type(j) is int and 0 <= j < width for j in part["unit"]), "a unit vector has no such column")
    pairs = zip(part["columns"], part["values"], strict=True)
    return [{j: 1} for j in part["unit"]] + [vector({"columns": a, "values": b}, width) for a, b in pairs]


def weights_of(part, count, what):
    """{"rows": [...], "weights": [...]} as row -> integer."""
    rows = numbers_of(part["rows"], count, what)
    return dict(zip(rows, map(whole, part["weights"]), strict=True))


def left_by(cone, directions, at):
    """The rows on which all directions are 0: each is >= 0 on the rows that those before it left, and = 0 on
    equalities. `at` has the rows that have an entry in a column."""
    left = set(range(len(cone.Z)))
    for k, d in enumerate(directions):
        margins = {i: dot(cone.Z[i][0], d) for i in {i for j in d for i in at.get(j, ())} & left}
        require(all(v >= 0 for v in margins.values()), f"direction {k} has a negative row")
        found = {i for i, v in margins.items() if v}
        require(not any(cone.equal[i] for i in found), f"direction {k} moves a row that may not move")
        left -= found
    return left


def main_signs(directions):
    """Sign of each entry of the directions added with weights falling fast: that of the first which has one there."""
    out = {}
    for d in directions:
        for j, v in d.items():
            out.setdefault(j, 1 if v > 0 else -1)
    return out


def check_overlap(cone, weights, left):
    """Rows that no direction of the cone moves add up to 0, with positive weights unless they are equalities.

    The sum of all rows that a gamma regression has counts with whatever positive weight makes the sum 0.
    """
    require(set(weights) <= left, "the overlap names a separated row")
    require(all(k > 0 or cone.equal[i] for i, k in weights.items()), "a weight of the overlap is not positive")
    total = combined(cone, {i: k for i, k in weights.items() if cone.owner[i] >= 0})
    for i in weights:
        if cone.owner[i] < 0:
            row, _ = cone.Z[i]
            j = next(iter(row), None)
            share = Fraction(total.get(j, 0), -row[j]) if row else 1
            require(share > 0, "the overlap does not add up to 0")
            total = {j: v for j in total.keys() | row.keys() if (v := total.get(j, 0) + share * row.get(j, 0))}
    require(not total, "the overlap does not add up to 0")


def combined(cone, weights):
    """The sum of weights times rows, times a positive number, without zeros."""
    common = lcm(*(cone.Z[i][1] for i in weights))
    total = Counter()
    for i, k in weights.items():
        row, factor = cone.Z[i]
        for j, v in row.items():
            total[j] += k * (common // factor) * v
    return {j: v for j, v in total.items() if v}


def by_column(null):
    """Column -> the null vectors that have an entry there, with the entry."""
    out = {}
    for k, v in enumerate(null):
        for j, value in v.items():
            out.setdefault(j, []).append((k, value))
    return out


def products(row, touching):
    """Null vector -> its product with a row, for those that are not 0."""
    sums = Counter()
    for j, v in row.items():
        for k, value in touching.get(j, ()):
            sums[k] += v * value
    return {k: v for k, v in sums.items() if v}


def check_null(cone, rows, null, spanning, what):
    """The null vectors are a basis of all that is orthogonal to the rows: independent, and as many as there can be."""
    width, touching = len(cone.names), by_column(null)
    bad = next((i for i in rows if products(cone.Z[i][0], touching)), None)
    require(bad is None, f"a null vector of {what} is not orthogonal to row {bad}")
    alone = {touched[0][0] for touched in touching.values() if len(touched) == 1}
    independent = len(alone) == len(null) or full_rank(null, len(null))
    require(independent, f"the null vectors of {what} are not independent")
    enough = full_rank([cone.Z[i][0] for i in spanning], width - len(null))
    require(enough, f"the spanning rows of {what} leave room for more null vectors")


def full_rank(rows, rank):
    """Whether the rank is at least this."""
    return any(rank_modulo(rows, prime) >= rank for prime in PRIMES)


def check_bases(cone, bases, proof):
    """As many columns as there are rows, of full rank, and no column in all: each column is a sum of others."""
    n = len(cone.Z)
    for basis in bases:
        inside = set(numbers_of(basis, len(cone.names), "a basis of columns"))
        part = [{j: v for j, v in row.items() if j in inside} for row, _ in cone.Z]
        require(len(basis) == n and full_rank(part, n), "a basis of columns does not have full rank")
    require(len(bases) > 1 and not set.intersection(*map(set, bases)), "a column is in every basis")
    empty = [proof[name] for name in ("spanning", "spanning_all", "signs")]
    empty += [proof["overlap"]["rows"], *(part for name in ("null", "null_all") for part in proof[name].values())]
    require(not any(empty), "a proof by bases has parts of another proof")


def check_near(cone, left, proof, null):
    """Rows left add up to 0 with weights near those given, and `null` is a basis of all that is orthogonal to them."""
    require(not any(cone.equal) and min(cone.owner) >= 0, "weights near exact ones are of inequalities of rows alone")
    require(not proof["overlap"]["rows"], "there are exact weights and weights near exact ones")
    near = proof["near_weights"]
    require(proof["spanning"] == near["basis"], "the spanning rows are not the basis of the weights")
    used = {j for i in left for j in cone.Z[i][0]}
    units = Counter(j for v in null if not v.keys() & used for j in (v if len(v) == 1 else (*v, None)))
    empty = Counter(set(range(len(cone.names))) - used)
    require(units == empty, "a column without entries has not one null vector of its own")
    others = [v for v in null if v.keys() & used]
    columns = columns_left(cone.Z, sorted(left), others)
    return beside("verify_near_weights").check_near(cone.Z, left, columns, near, require, numbers_of, whole)


class Proof:
    """The parts of a proof, checked; what it says of each coefficient."""

    def __init__(self, cone, proof):
        self.cone, self.proof, self.opposite = cone, proof, {}
        count, width = len(cone.Z), len(cone.names)
        self.at = {}
        for i, (row, _) in enumerate(cone.Z):
            for j in row:
                self.at.setdefault(j, []).append(i)
        directions = vectors(proof["directions"], width)
        require(len(directions) <= count + width, "there are more directions than rows and columns")
        left = left_by(cone, directions, self.at)
        self.separated = set(range(count)) - left
        require(sorted(self.separated) == proof["separated"], "the separated rows are not the rows named")
        self.main = main_signs(directions)
        weights = weights_of(proof["overlap"], count, "the overlap")
        check_overlap(cone, weights, left)
        spanning = numbers_of(proof["spanning"], count, "the list of spanning rows")
        near = proof.get("near_weights", {"basis": []})
        held = {i for i, k in weights.items() if k > 0} | {i for i in left if cone.equal[i]} | {*near["basis"]}
        require(set(spanning) <= held, "a spanning row may be separated")
        self.said = [
            f"{len(directions)} directions in turn make {len(self.separated)} inequalities strict and break none"
        ]
        self.bases = proof.get("bases", [])
        if self.bases:
            require(all(cone.equal[i] for i in left), "a row left is no equality")
            require("near_weights" not in proof, "there are bases and weights near exact ones")
            check_bases(cone, self.bases, proof)
            self.rank, self.null, self.unidentified = count, [], set(range(width))
            self.said.append(
                f"{len(self.bases)} sets of {count} columns each span the others; no column is in all sets"
            )
        else:
            self.check_spaces(left, spanning, weights)

    def check_spaces(self, left, spanning, weights):
        """Null vectors of the rows left, and of all rows."""
        cone, proof, width = self.cone, self.proof, len(self.cone.names)
        self.null = vectors(proof["null"], width)
        near = check_near(cone, left, proof, self.null) if "near_weights" in proof else None
        if near is None:
            check_null(cone, left, self.null, spanning, "the rows left")
        null_all = vectors(proof["null_all"], width)
        spanning_all = numbers_of(proof["spanning_all"], len(cone.Z), "the list of spanning rows of all")
        if near is None or self.separated or (null_all, spanning_all) != (self.null, spanning):
            check_null(cone, range(len(cone.Z)), null_all, spanning_all, "all rows")
        self.unidentified = {j for v in null_all for j in v}
        self.rank = width - len(null_all)
        # With one dimension beyond the null vectors of all rows, the cone is a ray beside them.
        self.is_ray = len(self.null) <= len(null_all) + 1
        if near is None:
            held = f"a weighted sum of {len(weights)} rows is 0: no direction moves the {len(left)} that are left"
        else:
            held = f"{len(near)} rows have positive weights near those given that add up to 0: no direction moves the "
            held += f"{len(left)} that are left"
        self.said.append(f"{held if left else 'no row is left'}; the rank is {self.rank} of {width}")

    def estimates(self):
        """What is proved of each coefficient."""
        touching = by_column(self.null)
        return [self.estimate(j, touching) for j in range(len(self.cone.names))]

    def estimate(self, j, touching):
        """What is proved of one: d is 0 beyond `null` on the cone, and strict on all separated rows for `main`."""
        if j in self.unidentified:
            return UNIDENTIFIED
        if j not in touching:
            return FINITE
        way = self.main.get(j, 0)
        if way == 0:  # a small multiple of a null vector of the rows left may be added either way
            return UNDETERMINED
        if j in self.proof["unsigned"]:
            return UNSIGNED
        other = self.proof["opposite"]["columns"].get(str(j))
        if other is not None:
            require(self.opposite_signs(other).get(j) == -way, f"coefficient {j} has one sign only")
            return UNDETERMINED
        if not self.is_ray:
            self.check_sign(j, way, touching)
        return "+inf" if way > 0 else "-inf"

    def opposite_signs(self, k):
        """The signs of directions that are in the cone too; many coefficients share them."""
        require(type(k) is int and k >= 0, "there are no such directions")
        if k not in self.opposite:
            directions = vectors(self.proof["opposite"]["directions"][k], len(self.cone.names))
            left_by(self.cone, directions, self.at)
            self.opposite[k] = main_signs(directions)
        return self.opposite[k]

    def check_sign(self, j, way, touching):
        """A sum of separated rows is a multiple of d_j for all d in the cone: it has the sign of d_j, and is >= 0."""
        what = f"the sign of coefficient {j}"
        weights = weights_of(self.proof["signs"][str(j)], len(self.cone.Z), what)
        require(all(i in self.separated and k >= 0 for i, k in weights.items()), f"{what}: a weight is not >= 0")
        sums = products(combined(self.cone, weights), touching)
        entries = dict(touching[j])
        first = next(iter(entries))
        same = all(
            sums.get(k, 0) * entries[first] == sums.get(first, 0) * entries.get(k, 0) for k in sums.keys() | entries
        )
        require(same and sums.get(first, 0) * entries[first] * way > 0, f"{what} is not proved")


# ----------------------------------------------------------------- the answer
def answer(asked, cone, proof):
    """What the certificate must say, by the names that it has there."""
    separated = proof.separated
    owned = [(k, i) for k, i in enumerate(cone.owner) if i >= 0]
    whole_rows = {i for _, i in owned} - {i for k, i in owned if k not in separated}
    if any(cone.owner[k] < 0 for k in separated):  # without an upper bound of the likelihood nothing has a limit
        whole_rows |= set(cone.shared)
        said = [UNIDENTIFIED if j in proof.unidentified else UNDETERMINED for j in range(len(cone.names))]
    else:
        said = proof.estimates()
    count = len(separated)
    several = asked.family == "multinomial"
    pairs = (
        [[asked.data.places[cone.owner[k]], asked.classes[cone.rival[k]]] for k in sorted(separated)] if several else []
    )
    return {
        "verdict": "complete" if count == len(cone.Z) else "quasi-complete" if count else "overlap",
        "separated_rows": sorted(asked.data.places[i] for i in whole_rows),
        "pairs": pairs,
        "rank": proof.rank,
        "classes": asked.classes,
        "coefficients": dict(zip(cone.names, said, strict=True)),
    }


def in_classes(coefficients, effects):
    """Coefficients as the certificate has them: those of a class under its label, and without those of fixed effects.

    Of these there are counts of each estimate.
    """
    out, counts = {}, {}
    for name, value in coefficients.items():
        effect = effects.get(name[1] if isinstance(name, tuple) else name)
        if effect is not None:
            counts.setdefault(effect, Counter())[value] += 1
        elif isinstance(name, tuple):
            out.setdefault(name[0], {})[name[1]] = value
        else:
            out[name] = value
    return out, counts


def options_of(asked):
    """What the certificate must say under "options"; nothing where the regression is as usual on all rows."""
    rows, kept = asked.data.rows, asked.kept
    link = asked.link
    out = {} if link == LINKS[asked.family][0] else {"link": link}
    out |= {"left_out": len(rows) - len(kept)} if len(kept) < len(rows) else {}
    first = rows[kept[0]]
    common = {j for j, v in first.items() if all(rows[i].get(j) == v for i in kept)} if asked.constant else set()
    names = [name for j, name in enumerate(asked.data.names) if j in common]
    return out | ({"constant_columns": names} if names else {})


def check_levels(claim, data, rows, kept):
    """What the certificate of a CSV file says of its text columns: their levels, and those all of whose rows are
    separated."""
    levels = {}
    for column in claim["columns"]:
        if "level" in column:
            levels.setdefault(column["column"], []).append(column["level"])
    named = {f"{name}={level}": [name, level] for name, some in levels.items() for level in some}
    require(claim["levels"] == named, "the levels are not those of the columns")
    references, whole_levels = claim["references"], {}
    for name in {*levels, *references}:
        known = {*levels.get(name, []), *([references[name]] if name in references else [])}
        require({line[name] for line in data.lines} == known, f"the levels of {name} are not those of the table")
    for name in levels:
        counts = [Counter(data.lines[i][name] for i in some) for some in (kept, rows)]
        separated = {level: n for level, n in counts[0].items() if counts[1][level] == n}
        whole_levels |= {name: separated} if separated else {}
    require(claim["separated_levels"] == whole_levels, "the separated levels are not those of the rows")


def in_units(asked):
    """The rows, as they are and with columns multiplied to whole numbers: no verdict and no sign depends on that, and
    the integers of the proof may be about either."""
    rows = asked.data.rows
    yield rows
    for some in (rows, [rows[i] for i in asked.kept]):
        units = {}
        for row in some:
            for j, v in row.items():
                units[j] = lcm(units.get(j, 1), v.denominator)
        if any(unit > 1 for unit in units.values()):
            yield [{j: v * units.get(j, 1) for j, v in row.items()} for row in rows]


def proved_of(asked, plain_proof):
    """The answer to a question, and sentences on the parts of its proof."""
    first = None
    for rows in in_units(asked):
        cone = cone_of(asked, rows)
        try:
            proof = Proof(cone, plain_proof)
            count = f"{len(cone.Z) - sum(cone.equal)} inequalities and {sum(cone.equal)} equalities"
            return answer(asked, cone, proof), [count, *proof.said]
        except NotProvedError as error:
            first = first or error
    raise first


def question(claim, asked):
    """What is asked, in words."""
    family, link = asked.family, asked.link
    target = f" of {plain(claim['target'])}" if "target" in claim and asked.data.lines else ""
    classes = f", classes {', '.join(map(plain, asked.classes))}" if asked.classes else ""
    given = claim.get("beside", {}) if asked.data.lines else dict.fromkeys(asked.beside)
    beside = "".join(f", {role} {plain(name)}" if name else f", {role}" for role, name in given.items())
    about = {key: value for key, value in claim.items() if asked.data.lines or key == "fit_intercept"}
    constant = "" if family in (*ORDERED, "cox") else f", {intercept_of(asked.constant)}"
    model = f"{family} regression{target}, link {link}{classes}"
    return f"the question: {model}{by_columns(about)}{beside}{constant}{gone(about)}"


def shown(name):
    """A coefficient on one line."""
    return f"{plain(name[1])} of class {plain(name[0])}" if isinstance(name, tuple) else plain(name)


def prove_all(claim, path, doubles):
    """Check a certificate; return sentences on what it proves."""
    form = NEAR_FORMAT if "near_weights" in (claim["proof"] or {}) else FORMAT
    require(claim["format"] == form, f"not a certificate of the format {form!r}")
    data = read_data(path, claim, doubles)
    asked = next((one for one, found in questions(claim, data) if found == claim["sha256"]), None)
    require(asked is not None, "the SHA-256 is another: other data, classes or options")
    require(claim["proof"] is not None, "the verdict is 'undecided': nothing to prove")
    found, said = proved_of(asked, claim["proof"])
    coefficients, counts = in_classes(found["coefficients"], data.effects)
    formula = claim.get("formula", {"fixed_effects": {}, "missing": 0})
    require(formula["fixed_effects"] == counts, "the counts of fixed effects are not what the parts prove")
    missing = len(claim.get("rows_left_out", [])) if "formula" in claim else 0
    require(not data.lines or formula["missing"] == missing, "the number of rows with missing values is another")
    named = claim["coefficients"].keys() == coefficients.keys()
    require(named, 'the columns have other names in the certificate: give them as "names" in the JSON of the data')
    must = {**found, "coefficients": coefficients, "options": options_of(asked)}
    for name, value in must.items():
        require(claim.get(name, {}) == value, f"the {name} are not what the parts prove")
    if data.lines and "formula" not in claim:
        check_levels(claim, data, found["separated_rows"], asked.kept)
    lines = [f"SHA-256 {claim['sha256']} is that of the data", question(claim, asked), *said]
    rows = found["separated_rows"]
    count = f", {len(rows)} of {claim['rows']} rows are separated" if rows else ""
    lines.append(f"proved: {found['verdict']}{count}")
    groups = {}
    for name, value in found["coefficients"].items():
        groups.setdefault(value, []).append(shown(name))
    for value, names in groups.items():
        rest = f", ... ({len(names)} coefficients)" if len(names) > MOST_NAMES else ""
        lines.append(f"{value}: {', '.join(names[:MOST_NAMES])}{rest}")
    return lines


def main(given=None):
    """Check the certificate named on the command line, or in `given`."""
    return told(arguments_of(__doc__, given), prove_all)


if __name__ == "__main__":
    sys.exit(main())
