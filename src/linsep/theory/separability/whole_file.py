"""A file of certificates, of one question or of each class against the rest, read and checked in one go."""

from __future__ import annotations

from typing import Any

from linsep.theory.rows.json_values import of_type, read
from linsep.theory.separability.certificate import Separability
from linsep.theory.separability.named_classes import names_of
from linsep.theory.verify.cone import CertificateError


def verify_certificate(text: str, X: Any, y: Any) -> dict[str, Separability]:
    """Read a certificate file, as `linsep check --certificate` writes it, and check all of it against the rows.

    Parameters
    ----------
    text : str
        The JSON text: one certificate, or `{"one_against_rest": ...}` with one for each of three classes or more.
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
    found = read(text, _certificates_of)
    if len(found) > 1 and sorted(found) != sorted(names_of(y)):
        raise CertificateError(f"the certificates are of the classes {sorted(found)}, not of those of these labels")
    for one in found.values():
        one.verify(X, y)
    return found


def _certificates_of(plain: dict[str, Any]) -> dict[str, Separability]:
    if "one_against_rest" not in plain:
        return {"": Separability.from_dict(plain)}
    if plain.keys() - {"one_against_rest", "design"}:
        raise ValueError("beside one_against_rest it holds other parts")
    every = of_type(plain, "one_against_rest", dict)
    if len(every) < 3:
        raise ValueError(f"it is about {len(every)} classes against the rest: there are three or more, or one question")
    found = {name: Separability.from_dict(of_type(every, name, dict)) for name in every}
    for name, one in found.items():
        if one.classes != (f"not {name}", name):
            raise ValueError(f"the certificate of {name!r} against the rest is about {' and '.join(one.classes)}")
    return found
