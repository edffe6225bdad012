"""A file of certificates: of one question or of each class against the rest, with what explains the verdicts."""

from __future__ import annotations

from typing import Any, NamedTuple

from linsep.tables import labelled_table
from linsep.theory.explanation.certificate import FewestRows
from linsep.theory.margin.geometry import names_of
from linsep.theory.proof import malformed_proves_nothing
from linsep.theory.rows.json_values import of_type, read, row_list
from linsep.theory.separability.certificate import Separability
from linsep.theory.verify.cone import CertificateError


def verify_certificate(text: str, X: Any, y: Any) -> dict[str, Separability]:
    """Read a certificate file, as `linsep check --certificate` writes it, and check all of it against the rows.

    Parameters
    ----------
    text : str
        The JSON text: one certificate, or `{"one_against_rest": ...}` with one for each of three classes or more. What
        `--explain` has added to it (rows that have to go, columns behind the verdict) is checked too.
    X : array or SciPy CSR matrix of shape (n_samples, n_features)
        The rows, in the units of the certificate.
    y : array-like of shape (n_samples,)
        Their labels.

    Returns
    -------
    dict
        Class -> the verified certificate of it against the rest; "" -> the only one.

    Raises
    ------
    DataError
        The text is no such file.
    CertificateError
        A part does not prove what it says, or the classes are not those of the rows.

    Examples
    --------
    >>> from linsep import separability
    >>> square = [[0, 0], [1, 1], [0, 1], [1, 0]], ["same", "same", "other", "other"]
    >>> verify_certificate(separability(*square).to_json(), *square)[""].verdict
    'inseparable'
    """
    found, beside = read(text, _parts_of)
    if len(found) > 1 and sorted(found) != sorted(names_of(y)):
        raise CertificateError(f"the certificates are of the classes {sorted(found)}, not of those of these labels")
    for one in found.values():
        one.verify(X, y)
    X = labelled_table(X, y)
    for more in beside:
        with malformed_proves_nothing():
            more.check(found[more.name], X, y)
    return found


# What a file about several classes may hold.
_OF_SEVERAL = {"one_against_rest", "design", "design_sha256", "fewest_rows", "columns_behind"}


class _Beside(NamedTuple):
    """What stands beside the certificate of a class: of rows that have to go, or of some columns alone."""

    name: str
    part: Any
    places: list[int] | None = None
    is_without: bool = False  # the other columns are needed

    def check(self, whole: Separability, X: Any, y: Any) -> None:
        proof = self.part if self.places is not None else self.part.rest
        if (proof.classes, proof.fit_intercept) != (whole.classes, whole.fit_intercept):
            raise CertificateError("a part of the file is about other classes or options")
        self.part.verify(X if self.places is None else X[:, self.places], y)
        if self.places is None:
            return
        weaker = proof.verdict != whole.verdict and (whole.verdict == "separable" or proof.verdict == "inseparable")
        if not (weaker if self.is_without else proof.verdict in ("separable", whole.verdict)):
            raise CertificateError(f"{proof.verdict} by some columns does not show what is said of them")


def _parts_of(plain: dict[str, Any]) -> tuple[dict[str, Separability], list[_Beside]]:
    found, beside = _certificates_of(plain), []
    several = "one_against_rest" in plain
    for key in ("fewest_rows", "columns_behind"):
        told = of_type(plain, key, dict) if key in plain else {}
        each = of_type(told, "one_against_rest", dict) if several and told else {"": told} if told else {}
        if not each.keys() <= found.keys():
            raise ValueError(f"{key} is about a class that is not there")
        for name, part in each.items():
            if key == "fewest_rows":
                beside.append(_Beside(name, FewestRows.from_dict(part)))
                continue
            kinds = [(kind, one) for kind in ("alone", "few", "needed") for one in of_type(part, kind, list)]
            for kind, one in kinds:
                if one["certificate"] is not None:
                    places = row_list(one["places"], found[name].n_features, "its columns")
                    proof = Separability.from_dict(of_type(one, "certificate", dict))
                    beside.append(_Beside(name, proof, places, kind == "needed"))
    return found, beside


def _certificates_of(plain: dict[str, Any]) -> dict[str, Separability]:
    if "one_against_rest" not in plain:
        return {"": Separability.from_dict(plain)}
    if plain.keys() - _OF_SEVERAL:
        raise ValueError("beside one_against_rest it holds other parts")
    every = of_type(plain, "one_against_rest", dict)
    if len(every) < 3:
        raise ValueError(f"it is about {len(every)} classes against the rest: there are three or more, or one question")
    found = {name: Separability.from_dict(of_type(every, name, dict)) for name in every}
    for name, one in found.items():
        if one.classes != (f"not {name}", name):
            raise ValueError(f"the certificate of {name!r} against the rest is about {' and '.join(one.classes)}")
    return found
