"""A `Separation` as JSON: round trips, other data, altered and malformed certificates."""

from __future__ import annotations

import copy
import json
import tracemalloc
from decimal import Decimal
from functools import cache
from typing import Any, Literal

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from linsep import Separation, separability, separation
from linsep.theory import CertificateError
from linsep.types import Array, DataError

Family = Literal["logistic", "poisson", "multinomial"]
FAMILIES: list[Family] = ["logistic", "poisson", "multinomial"]


def labels_of(codes: Array, form: str) -> Any:
    """The classes 0, 1, 2 by other names."""
    names: dict[str, list[Any]] = {"int": [3, 5, 11], "float": [-0.5, 0.1, 2.5], "str": ["0", "a b", "ü"]}
    return np.array(names[form])[codes]


@pytest.mark.parametrize("family", FAMILIES)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(4, 12),
    p=st.integers(1, 3),
    size=st.sampled_from([1, 3, 10**18]),
    form=st.sampled_from(["int", "float", "str"]),
    fit_intercept=st.booleans(),
)
def test_round_trips(family: Family, seed: int, n: int, p: int, size: int, form: str, fit_intercept: bool) -> None:
    rng = np.random.default_rng(seed)
    X: Any = rng.integers(-3, 4, (n, p)) * size
    codes = np.append(np.arange(2 if family == "logistic" else 3), rng.integers(0, 2, n))[:n]
    y = rng.integers(0, 2, n) * 1.5 if family == "poisson" else labels_of(codes, form)
    found = separation(X, y, family=family, fit_intercept=fit_intercept)
    text = found.to_json()
    read = Separation.from_json(text)
    assert [type(label) for label in read.classes] == [type(label) for label in found.classes]
    assert (read.to_json(), read.verdict, read.coefficients) == (text, "not verified", {})
    assert read._digest == json.loads(text)["sha256"]
    read.verify(X, y)
    assert read == found
    assert (read.to_json(), read.summary(), read.advice) == (text, found.summary(), found.advice)
    read.verify(sp.csr_matrix(X) if size < 10**18 else X.astype(object), list(y))


def clinic() -> tuple[pd.DataFrame, list[str]]:
    """A design with indicators, a rare level and a column of decimals."""
    frame = pd.DataFrame(
        {
            "city": ["Bari", "Oslo", "Oslo", "Rome", "Bari", "Oslo", "Bari", "Oslo"],
            "size": [Decimal(v) for v in ("1.5", "2.5", "3.5", "4.0", "2.0", "1.0", "3.0", "2.01")],
            "old": [True, False, True, False, False, True, True, False],
        }
    )
    return frame, ["no", "yes", "no", "yes", "no", "yes", "yes", "no"]


def test_a_dataframe_comes_back_with_its_levels() -> None:
    frame, y = clinic()
    found = separation(frame, y)
    read = Separation.from_json(found.to_json())
    assert repr(read).startswith("<Separation not verified: verify(X, y) checks it")
    read.verify(frame, y)
    assert read == found
    assert repr(read) == repr(found)
    assert (read.levels["city=Rome"], read.references) == (("city", "Rome"), {"city": "Bari"})
    assert (read._levels, read.n_features) == ({"city": {"Rome": 1}}, 4)


def test_the_keys_are_those_of_separability_and_so_is_the_hash() -> None:
    X, y = np.array([[0.0, 0.5], [1.0, 1.0], [2.0, 0.1]]), ["a", "b", "b"]
    plain, other = json.loads(separation(X, y).to_json()), json.loads(separability(X, y).to_json())
    assert plain.keys() == other.keys() == {"format", "sha256", "numbers", "question", "ended", "proof"}
    assert [plain[key] for key in ("format", "sha256", "numbers")] == [
        other[key] for key in ("format", "sha256", "numbers")
    ]
    same = ("rows", "columns", "intercept", "classes")
    assert [plain["question"][key] for key in same] == [other["question"][key] for key in same]
    assert {"verdict", "summary"} <= separation(X, y).to_dict().keys() & separability(X, y).to_dict().keys()
    assert separation(X, y)._digest == ""


def test_integers_beyond_doubles_are_hexadecimal_text() -> None:
    X = np.array([[3**60, 5**30], [2 - 3**61, -1], [-(3**62), 5**33], [3**60, 2]], dtype=object)
    found = separation(X, [0, 1, 0, 1], fit_intercept=False)
    plain = json.loads(found.to_json())
    assert plain["numbers"] == "rationals"
    cone = plain["proof"]["cone"]
    parts = [part["values"] for part in (cone["directions"], cone["null"], plain["proof"]["null"])]
    entries = [v for vectors in parts for vector in vectors for v in vector]
    entries += cone["weights"]["values"]
    assert any(isinstance(v, str) and v.lstrip("-").startswith("0x") for v in entries)
    assert all(isinstance(v, str) or abs(v) <= 2**53 for v in entries)
    Separation.from_json(found.to_json()).verify(X, [0, 1, 0, 1])


def test_other_data_are_refused() -> None:
    X, y = np.array([[0.0], [1.0], [2.0], [3.0], [4.0]]), np.array([0, 1, 0, 2, 3])
    for family, response in (("logistic", y > 0), ("poisson", y), ("multinomial", y)):
        kind: Any = family
        read = Separation.from_json(separation(X, response, family=kind).to_json())
        read.verify(X, response)
        # The same answer would be proved for these too, but they are not the data that it is about.
        with pytest.raises(CertificateError, match="other rows, labels or options: their hash differs"):
            read.verify(np.nextafter(X, 9.0), response)
        moved = response.copy()
        moved[-1], moved[-2] = (0, 1) if family == "logistic" else (moved[-2], moved[-1])
        with pytest.raises(CertificateError, match="hash differs"):
            read.verify(X, moved)
    with pytest.raises(DataError, match="X has 4 rows"):
        read.verify(X[1:], y)


@pytest.mark.parametrize(
    "lie", [{"rows": 10**9}, {"columns": 2}, {"classes": ["1", "0"]}, {"class_type": "str"}, {"class_type": "float"}]
)
def test_a_question_about_other_data_is_refused(lie: dict[str, Any]) -> None:
    X, y = np.array([[1.0], [2.0], [3.0], [4.0]]), [0, 1, 0, 1]
    plain = json.loads(separation(X, y).to_json())
    if lie.get("class_type") == "float":
        lie = {**lie, "classes": ["0.0", "1.0"]}
    Separation.from_json(json.dumps(plain)).verify(X, y)
    plain["question"] |= lie
    with pytest.raises(CertificateError, match=r"hash differs|of its question are those of other data"):
        Separation.from_json(json.dumps(plain)).verify(X, y)


def test_undecided_comes_back_and_is_about_its_data() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 40)), rng.random(300) < 0.5
    found = separation(X, y, time_limit=0.0)
    read = Separation.from_json(found.to_json())
    assert (read.verdict, read.proof) == ("not verified", None)
    assert read.reason == "the time limit of 0 s ended the search"
    read.verify(X, y)
    assert (read, read.verdict) == (found, "undecided")
    with pytest.raises(CertificateError, match="hash differs"):
        read.verify(X + 1, y)


@cache
def example(family: Family) -> tuple[Any, Any, Separation]:
    """Rows with everything that a proof can hold: directions, an overlap, null vectors, signs."""
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.integers(-3, 4, (30, 2)), np.zeros((30, 2))])
    y = rng.integers(0, 2 if family == "logistic" else 3, 30)
    X[:3, 2:] = [[1, 1], [-1, 2], [2, -1]]
    y[:3] = 0 if family == "poisson" else 1
    return X, y, separation(X, y, family=family)


def leaves(plain: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Paths to every value that holds no others, and to every list and mapping."""
    inside: list[tuple[Any, Any]] = []
    if isinstance(plain, dict | list):
        inside = list(plain.items()) if isinstance(plain, dict) else list(enumerate(plain))
    return [path, *(leaf for key, value in inside for leaf in leaves(value, (*path, key)))]


def put(plain: Any, path: tuple[Any, ...], value: Any) -> Any:
    """A copy with another value at the end of a path."""
    plain = copy.deepcopy(plain)
    at = plain
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    return plain


def at_path(plain: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        plain = plain[key]
    return plain


@pytest.mark.parametrize("family", FAMILIES)
@given(data=st.data())
def test_no_alteration_survives(family: Family, data: st.DataObject) -> None:
    X, y, found = example(family)
    assert found.verdict == "quasi-complete"
    claim = json.loads(found.to_json())
    path = data.draw(st.sampled_from([path for path in leaves(claim) if path]))
    old = at_path(claim, path)
    values: list[Any] = [None, -1, 10**6, 1.5, "0x3", "x", "finite", "rationals", [], {}, [[0]], True]
    values += [old + 1, -old] if type(old) is int else []
    altered = put(claim, path, data.draw(st.sampled_from([v for v in values if type(v) is not type(old) or v != old])))
    try:
        read = Separation.from_json(json.dumps(altered))
    except DataError as error:
        assert "not a certificate that this version reads" in str(error)
        return
    try:
        read.verify(X, y)
    except (CertificateError, DataError):
        return
    # Another proof of the same statements is as good.
    for name in ("verdict", "separated_rows", "rank"):
        assert getattr(read, name) == getattr(found, name)
    assert read.coefficients == found.coefficients or "unsigned" in path


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"format": "linsep certificate 2"}, "its format is 'linsep certificate 2'"),
        ({"format": 1}, "its format is 1, not text"),
        ({"sha256": ""}, "it lacks the hash"),
        ({"numbers": "reals"}, "its numbers are 'reals'"),
        ({"question": {"about": "classes"}}, "it is about 'classes', not about regression"),
        ({"question": {"family": "probit"}}, "its family is 'probit'"),
        ({"question": {"intercept": "no"}}, "its intercept is 'no'"),
        ({"question": {"classes": ["0"]}}, "its classes are"),
        ({"question": {"rows": -3}}, "-3 is not a whole number of 0 or more"),
        ({"question": {"class_type": "complex"}}, "complex"),
        ({"question": {"link": "identity"}}, "has no link called 'identity'"),
        ({"ended": "the time limit of 1 s"}, "its search ended by"),
        ({"ended": 2.0}, "holds a proof and says that the search ended before"),
        ({"proof": None}, "holds a proof and says that the search ended before, or neither"),
    ],
)
def test_a_certificate_whose_parts_do_not_belong_together(change: dict[str, Any], why: str) -> None:
    plain = json.loads(example("logistic")[2].to_json())
    if "question" in change:
        change = {"question": plain["question"] | change["question"]}
    with pytest.raises(DataError, match=why):
        Separation.from_json(json.dumps(plain | change))
    for key in plain:
        with pytest.raises(DataError, match="not a certificate"):
            Separation.from_json(json.dumps({k: v for k, v in plain.items() if k != key}))


def longer(name: str, plain: dict[str, Any]) -> None:
    """Make one part of a proof repeat itself, or hold one long number, so that reading it as it is would take long."""
    proof = plain["proof"]["cone"]
    if name == "long":
        width = plain["question"]["columns"] + 1
        proof["directions"]["columns"].insert(0, list(range(width)))
        proof["directions"]["values"].insert(0, [1] * (width - 1) + ["0x" + "f" * 200_000])
    else:
        proof[name]["units"] = [0] * (10**6 if name == "directions" else 10**5)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("directions", "more directions than rows"),
        ("null", "no column of its own"),
        ("long", "direction 0 is negative at row"),
    ],
)
def test_a_short_file_takes_neither_long_nor_much_memory(name: str, why: str) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 20)), np.arange(60) % 2
    X[:, 0] = 0
    if name == "long":
        X = rng.integers(0, 2, (30, 2_000)).astype(float)
        y = y[:30]
    plain = separation(X, y, fit_intercept=name == "long").to_dict()
    longer(name, plain)
    read = Separation.from_json(json.dumps(plain))
    tracemalloc.start()
    with pytest.raises(CertificateError, match=why):
        read.verify(X, y)
    used = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert used < (40e6 if name == "null" else 200e6)
