"""A file of certificates: of one question or of each class against the rest, with the rows that have to go."""

from __future__ import annotations

from typing import Any

from linsep.tables import labelled_table
from linsep.theory.explanation.certificate import FewestRows
from linsep.theory.margin.geometry import names_of
from linsep.theory.proof import malformed_proves_nothing
from linsep.theory.rows.json_values import of_type, read
from linsep.theory.separability.certificate import Separability
from linsep.theory.verify.cone import CertificateError


def verify_certificate(text: str, X: Any, y: Any) -> dict[str, Separability]:
    """Read a certificate file, as `linsep check --certificate` writes it, and check all of it against the rows.

    Parameters
    ----------
    text : str
        The JSON text: one certificate, or `{"one_against_rest": ...}` with one for each of three classes or more. The
        rows that have to go, which `--explain` adds to it, are checked too.
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
    found, fewest = read(text, _parts_of)
    if len(found) > 1 and sorted(found) != sorted(names_of(y)):
        raise CertificateError(f"the certificates are of the classes {sorted(found)}, not of those of these labels")
    for one in found.values():
        one.verify(X, y)
    X = labelled_table(X, y)
    for name, more in fewest.items():
        with malformed_proves_nothing():
            if (more.rest.classes, more.rest.fit_intercept) != (found[name].classes, found[name].fit_intercept):
                raise CertificateError("a part of the file is about other classes or options")
            more.verify(X, y)
    return found


# What a file about several classes may hold.
_OF_SEVERAL = {"one_against_rest", "design", "design_sha256", "fewest_rows", "columns_behind"}


def _parts_of(plain: dict[str, Any]) -> tuple[dict[str, Separability], dict[str, FewestRows]]:
    """Of each class its certificate, and the rows that have to go, where they are told."""
    found = _certificates_of(plain)
    told = of_type(plain, "fewest_rows", dict) if "fewest_rows" in plain else {}
    if told:
        told = of_type(told, "one_against_rest", dict) if "one_against_rest" in plain else {"": told}
    if not told.keys() <= found.keys():
        raise ValueError("fewest_rows is about a class that is not there")
    return found, {name: FewestRows.from_dict(part) for name, part in told.items()}


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
