"""Check how many rows have to go before the others are separable, with nothing but Python's standard library.

    linsep check table.csv --target kind --explain --certificate proof.json
    python verify_certificate.py proof.json table.csv

verify_certificate.py, which must lie beside this program, hands such certificates to it, and those that
`linsep.fewest_rows(X, y).to_json()` gives. They share no code with linsep. Two bounds are checked in exact arithmetic:

- At most: the rows that are left when those named have gone are separable, by a certificate of their own.
- At least: each witness is a set of rows with positive weights that bring the signed rows to 0. No hyperplane separates
  it, so one of its rows has to go. Weights of witnesses that are together at most 1 at each row add up to a number of
  rows that have to go; or the rows of one witness are tried in turn, with a proof about the rows that are then left.

What the certificate of a table says of columns is checked by verify_columns.py, which must lie beside this one, too. It
prints what it proved; exit status 0: proved, 1: not. The words of the certificate, the list of suspects and columns
that tell by where they are missing are neither checked nor printed. The data are read as verify_certificate.py reads
them.
"""

import sys

from verify_certificate import (
    about,
    arguments_of,
    beside,
    check_head,
    check_sum,
    label_signs,
    numbers_of,
    plain,
    prove,
    read_table,
    require,
    signed_rows,
    told,
    whole,
)
from verify_certificate import prove_all as prove_verdicts

FORMAT = "linsep fewest rows certificate 1"
BESIDE = ("fewest_rows", "columns_behind", "telling_gaps")  # keys that stand beside the certificates
DEEPEST = 200  # rows that have gone in one branch of a proof


def prove_rows(few, rows, labels, signs):
    """Check both bounds; `labels` are those that the certificate of the rows left has."""
    require(few["format"] == FORMAT, f"not a certificate of the format {FORMAT!r}")
    rest, n = few["rest"], few["rows"]
    require(type(few["fit_intercept"]) is bool, "an option is none")
    require(rest["fit_intercept"] is few["fit_intercept"], "one part has an intercept and the other has none")
    require(len(rows) == len(labels) == n, f"the certificate is about {n} rows, the data have {len(rows)}")
    require(all(0 <= j < rest["features"] for row in rows for j in row), "the data have more columns")
    gone = set(numbers_of(few["removed"], n, "the list of rows removed"))
    require(few["at_most"] == len(gone), "at_most is not the number of rows removed")
    kept = [i for i in range(n) if i not in gone]
    require(rest["verdict"] == "separable", "the rows left are not said to be separable")
    prove(rest, [rows[i] for i in kept], [labels[i] for i in kept])
    Z = signed_rows(rows, signs, rest["features"] if few["fit_intercept"] else None)
    witnesses = [set(check_sum(Z, part, f"witness {k}")) for k, part in enumerate(few["witnesses"])]
    least = few["at_least"]
    require(type(least) is int and least >= 0, "at_least is no number of rows")
    require(proved(few["proof"], witnesses, frozenset()) >= least, f"that {least} rows have to go is not proved")
    bounds = f"exactly {least}" if least == len(gone) else f"at least {least} and at most {len(gone)}"
    return [
        f"without {len(gone)} rows the other {len(kept)} are separable",
        f"each of {len(witnesses)} sets of rows is not separable and has to lose one of its rows",
        f"proved: {bounds} of {n} rows {'has' if len(gone) == 1 == least else 'have'} to go",
    ]


def proved(proof, witnesses, gone):
    """How many rows at least have to go beside those that have gone, as a proof about checked witnesses says."""
    require(len(gone) <= DEEPEST, "the proof tries more rows in turn than it may")
    if "weights" in proof:
        return packed(proof, witnesses, gone)
    rows = sorted(left(witnesses, proof["witness"], gone))
    require(len(proof["without"]) == len(rows), "a branch needs one part for each row of its witness")
    parts = zip(rows, proof["without"], strict=True)
    return 1 + min(proved(part, witnesses, gone | {i}) for i, part in parts)


def packed(proof, witnesses, gone):
    """The sum of the weights, rounded up; each row has at most 1 of them."""
    unit, weights = whole(proof["unit"]), list(map(whole, proof["weights"]))
    require(unit > 0 and all(v > 0 for v in weights), "a weight of a witness is not positive")
    numbers = numbers_of(proof["witnesses"], len(witnesses), "the proof")
    load = {}
    for k, v in zip(numbers, weights, strict=True):
        for i in left(witnesses, k, gone):
            load[i] = load.get(i, 0) + v
    over = next((i for i, v in load.items() if v > unit), None)
    require(over is None, f"the witnesses of row {over} have a weight above 1 together")
    return -(-sum(weights) // unit)


def left(witnesses, k, gone):
    """The rows of a witness, none of which may have gone."""
    require(type(k) is int and 0 <= k < len(witnesses), f"there is no witness {k!r}")
    require(not witnesses[k] & gone, f"witness {k} has a row that has gone")
    return witnesses[k]


def prove_table(claim, few, behind, path, doubles):
    """Check bounds and columns of one question about a table; its own certificate says how the table is read."""
    rows, labels = read_table(path, claim, doubles)
    require(few["rest"]["classes"] == claim["classes"], "the rows left are about other classes")
    said = prove_rows(few, rows, labels, check_head(about(claim, path), rows, labels))
    return said if behind is None else [*said, *beside("verify_columns").prove_columns(behind, claim, rows, labels)]


def prove_all(claim, path, doubles):
    """Check all of a file; return sentences on what it proves."""
    if "fewest_rows" not in claim:
        require(path.endswith(".json"), "the certificate does not say what the columns of a CSV file are")
        rows, labels = read_table(path, claim, doubles)
        return prove_rows(claim, rows, labels, label_signs(labels, claim["rest"]["classes"]))
    few, verdicts = claim["fewest_rows"], {key: part for key, part in claim.items() if key not in BESIDE}
    behind = claim.get("columns_behind")
    said = prove_verdicts(verdicts, path, doubles)
    if "one_against_rest" not in verdicts:
        return [*said, *prove_table(verdicts, few, behind, path, doubles)]
    every, columns = few["one_against_rest"], {} if behind is None else behind["one_against_rest"]
    require(every.keys() == verdicts["one_against_rest"].keys(), "rows and verdicts are about different classes")
    for name, one in verdicts["one_against_rest"].items():
        found = prove_table(one, every[name], columns.get(name), path, doubles)
        said += [f"{plain(name)} against the rest: {line}" for line in found]
    return said


def main(given=None):
    """Check the certificate named on the command line, or in `given`."""
    return told(arguments_of(__doc__, given), prove_all)


if __name__ == "__main__":
    sys.exit(main())
