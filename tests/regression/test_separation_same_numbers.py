"""A certificate holds for equal numbers, whatever type they have, and for no others."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from in_process import run_linsep
from linsep import Separation, fewest_rows, open_data, separability, separation
from linsep.theory.verify.cone import CertificateError
from linsep.theory.words.of_classes import with_mark
from linsep.types import DataError

pytest.importorskip("formulaic", reason="the extra regression is not installed")

TENTHS = "a,b,s,y\n0.1,1,p,0\n1.25,2,q,1\n2,3,p,0\n3.5,1,q,1\n0.25,2,q,0\n1.75,7,p,1\n0.75,9,r,1\n"


def of_command(folder: Path, rows: str, asked: str, name: str = "t.csv") -> Separation:
    """A certificate of the command, as it is read in Python."""
    (folder / name).write_text(rows)
    out = run_linsep(f"separation {name} {asked} --certificate c.json".split(), folder)
    assert out.returncode in (0, 1), out.stderr
    text = (folder / "c.json").read_text()
    (folder / "c.json").unlink()
    return Separation.from_json(text)


def test_a_certificate_of_decimals_is_about_the_table_as_it_is_written(tmp_path: Path) -> None:
    read = of_command(tmp_path, TENTHS, "--target y")
    frame = pd.read_csv(tmp_path / "t.csv")
    X = frame.drop(columns="y")
    for doubles in (X, X.assign(a=X.a * 2), X.assign(b=0)):
        with pytest.raises(CertificateError, match=r"other rows, labels or options.*open_data\(path, target=\.\.\.\)"):
            read.verify(doubles, frame.y)
    read.verify(X.assign(a=X.a.map(lambda v: Decimal(str(v)))), frame.y)
    read.verify(open_data(tmp_path / "t.csv", target="y"), frame.y)
    read.verify(open_data(tmp_path / "t.csv", target="y"))
    assert read.verdict != "not verified"


def test_of_a_formula_too(tmp_path: Path) -> None:
    read = of_command(tmp_path, TENTHS, "--formula y~a+b:a|s")
    frame = pd.read_csv(tmp_path / "t.csv")
    read.verify("y ~ a + b:a | s", data=open_data(tmp_path / "t.csv"))
    with pytest.raises(CertificateError, match=r"other rows, labels or options.*open_data"):
        read.verify("y ~ a + b:a | s", data=frame)
    with pytest.raises(CertificateError, match=r"another formula: 'y ~ a \+ b:a \| s'"):
        read.verify("y ~ a", data=frame)
    for given_X, y, data in ((frame[["a", "b"]], frame.y, None), (frame, None, None), (frame, None, frame)):
        with pytest.raises(DataError, match="about a formula: give yours and the table"):
            read.verify(given_X, y, data=data)
    rows_only = separation(frame[["a", "b"]], frame.y)
    with pytest.raises(DataError, match=r"about rows and a response, and no formula"):
        rows_only.verify("y ~ a", data=frame)


def test_columns_beside_the_response_of_an_opened_table(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("k,n,a\n0,2,0.1\n1,2,0.2\n3,3,0.3\n")
    source = open_data(tmp_path / "t.csv")
    found = separation("k ~ a", data=source, family="binomial", trials=[2, 2, 3])
    assert found == separation("k ~ a", data=source, family="binomial", trials="n")
    found.verify("k ~ a", data=source, trials="n")
    assert (found.verdict, found.separated_rows) == ("quasi-complete", (0, 2))


@given(
    st.lists(st.lists(st.fractions(-4, 4, max_denominator=8), min_size=2, max_size=2), min_size=3, max_size=6),
    st.integers(1, 2**6 - 2),
)
def test_fractions_and_the_doubles_that_equal_them(rows: list[list[Fraction]], labels: int) -> None:
    X = np.array(rows, dtype=object)
    y = np.array([labels >> k & 1 for k in range(len(rows))])
    y[:2] = 0, 1
    found = separation(X, y)
    as_read = Separation.from_json(found.to_json())
    doubles = X.astype(np.float64)
    others: list[Any] = [doubles, sp.csr_matrix(doubles)]
    if (np.array([[Fraction(v) for v in row] for row in doubles.tolist()], dtype=object) == X).all():
        assert as_read._stored_as == "doubles"
        of_doubles = separation(doubles, y)
        assert not found.fragile  # Fractions are exact, and doubles may be rounded
        assert found.to_json() == of_doubles.to_json()
        assert with_mark(found.summary(), of_doubles.fragile) == of_doubles.summary()
        for other in others:
            found.verify(other, y)
            as_read.verify(other, y)
            assert as_read.fragile == of_doubles.fragile
    else:
        assert as_read._stored_as == "rationals"
        for other in others:
            with pytest.raises(CertificateError, match="other rows, labels or options"):
                as_read.verify(other, y)
    found.verify(X, y)
    as_read.verify(X, y)


def test_products_of_integers_do_not_wrap_in_a_formula() -> None:
    frame = pd.DataFrame({"x": [1, 2, 2**40, 2**41], "z": [1, 2, 2**40, 2**41], "y": [0, 0, 1, 1]})
    assert separation("y ~ x:z", data=frame.astype({"x": float})).coefficients["x:z"] == np.inf
    with pytest.raises(DataError, match="the integers in 'x:z' leave the range of int64"):
        separation("y ~ x:z", data=frame)  # a fit has 0
    frame["x"] = 2**53 + 1
    with pytest.raises(DataError, match=r"column 'x' has integers beyond 2\^53"):
        separation("y ~ 0 + x:z", data=frame)
    for tail in ("", ".0", ".5"):
        text = "y,x\n" + "".join(f"{k},{2**53 + k}{tail}\n" for k in (0, 1, 0, 1))
        with pytest.raises(DataError, match=r"column 'x' has integers beyond 2\^53"):
            separation("y ~ x", data=open_data(text.encode()))


def test_text_may_stand_beside_integers_beyond_doubles() -> None:
    frame = pd.DataFrame({"a": list("rsrst"), "w": [2**60 + 1, 1, 2**60 + 2, 5, 2**60 + 3]})
    assert separation(frame, [0, 0, 1, 1, 1]).verdict == "complete"


def test_levels_of_two_columns_are_not_joined_by_their_text() -> None:
    cells = [("a:b", "c"), ("a", "b:c")] * 3 + [("d", "e")] * 4
    frame = pd.DataFrame(cells, columns=["g", "h"]).assign(y=[1, 0, 1, 0, 1, 0, 0, 1, 0, 1])
    assert separation("y ~ 1 | g:h", data=frame).verdict == "quasi-complete"


@pytest.mark.parametrize("ask", [separability, fewest_rows])
def test_rows_of_other_names_are_not_paired_by_their_place(ask: Any) -> None:
    X, y = pd.DataFrame({"x": [0.0, 1.0, 2.0, 3.0]}), pd.Series([0, 0, 1, 1])
    found = ask(X, y)
    with pytest.raises(DataError, match="is called"):
        found.verify(X, y[::-1])
