"""Check what columns have to do with a verdict, with nothing but Python's standard library.

    linsep check table.csv --target kind --explain --certificate proof.json
    python verify_certificate.py proof.json table.csv

verify_certificate.py and verify_fewest_rows.py, which must lie beside this program, hand it the part `columns_behind`
of such a certificate. It shares no code with linsep. Each claim has a certificate of its own, about some columns of the
table: it is checked against these, and what is printed names them. That a set of columns is the smallest, and what is
said of columns without a certificate, is not checked.
"""

from verify_certificate import described, numbers_of, plain, prove, require

CHANGED = {
    "separable": ("quasi-separable", "inseparable", "not-separable"),
    "quasi-separable": ("inseparable",),
}


class Question:
    """The rows and labels of one question, and the certificate that answers it."""

    def __init__(self, claim, rows, labels):
        self.claim, self.rows, self.labels = claim, rows, labels
        left_out = set(claim.get("rows_left_out", []))
        self.in_file = [i for i in range(len(rows) + len(left_out)) if i not in left_out]

    def names(self, places):
        """The columns at some places, in words."""
        columns = self.claim.get("columns")
        names = [f"column {j}" if columns is None else plain(described(columns[j])) for j in places]
        return ", ".join(names[:12]) + (f", ... ({len(names)} columns)" if len(names) > 12 else "")

    def places(self, one):
        """The columns that a claim is about."""
        return numbers_of(one["places"], self.claim["features"], "the list of columns")

    def verdict(self, one, proof):
        """Check the certificate of a claim about some columns; return its verdict."""
        where = {j: k for k, j in enumerate(self.places(one))}
        some = [{where[j]: v for j, v in row.items() if j in where} for row in self.rows]
        require(proof["classes"] == self.claim["classes"], "what is said of columns is about other classes")
        prove(proof, some, self.labels)
        return proof["verdict"]


def prove_columns(behind, claim, rows, labels):
    """Check all that is said of columns on one question; return sentences on what is proved."""
    asked = Question(claim, rows, labels)
    said = []
    for one in behind["alone"]:
        if one["certificate"] is not None:
            require(asked.verdict(one, one["certificate"]) == "separable", "columns that separate do not")
            said.append(f"proved: separable by {asked.names(asked.places(one))} alone")
    for one in behind["needed"]:
        changed = asked.verdict(one, one["certificate"])
        require(changed in CHANGED.get(claim["verdict"], ()), "a column that is needed changes nothing")
        gone = sorted(set(range(claim["features"])) - set(asked.places(one)))
        said.append(f"proved: {changed} without {asked.names(gone)}")
    said += [few(one, claim["verdict"], asked) for one in behind["few"]]
    return said


def few(one, verdict, asked):
    """Few columns that separate the classes, or some of the rows."""
    proof = one["certificate"]
    require(asked.verdict(one, proof) == verdict, "columns that separate do not")
    names = asked.names(asked.places(one))
    if verdict == "separable":
        return f"proved: separable by {names} alone"
    named = set(proof["separated_rows"] if "separated_rows" in proof else range(len(asked.rows)))
    named -= set() if "separated_rows" in proof else set(proof["rows_left"])
    require(set(one["rows"]) <= {asked.in_file[i] for i in named}, "columns separate fewer rows than are named")
    return f"proved: {len(one['rows'])} rows separated by {names} alone"
