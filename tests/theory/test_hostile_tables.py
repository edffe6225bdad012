"""Questions about small tables that are hard on doubles: each ends, and its answer is right."""

from __future__ import annotations

import signal
import warnings
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from flint import ctx, fmpq

from exact_cone import reaches
from hostile import _whole, answers, limited, smtlib, table
from in_process import linsep
from linsep import fewest_rows, probe, separability, separation
from linsep.theory.cone import exact_nearest
from linsep.theory.cone.exact import whole_entries
from linsep.theory.cone.guess import Asked, WorkingSet
from linsep.theory.cone.interior_point import complementary_pair
from linsep.theory.rows.deadline import NEVER
from linsep.theory.rows.integers import whole_numbers
from linsep.theory.rows.signed import SignedRows
from trial.row import all_rows
from trial.rows import hostile_tables

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGPROF"), reason="needs a clock of the processor's time")

# Powers of two times small integers, 2^-63 to 2^63: scaling leaves entries near 1e17.
WIDE = [
    [3298534883328.0, 206158430208.0, 3298534883328.0, -896.0, 8.526512829121202e-14],
    [-1610612736.0, 2251799813685248.0, 320.0, -3584.0, 0.00048828125],
    [6.0, 1.214306433183765e-17, 3.4924596548080444e-10, 384.0, 0.0078125],
    [
        -1.7462298274040222e-10,
        8.070450532247929e18,
        -4.163336342344337e-17,
        -2.2737367544323206e-13,
        2.384185791015625e-06,
    ],
    [524288.0, 2.8823037615171174e17, 1.8189894035458565e-12, 1.3877787807814457e-16, 4398046511104.0],
    [-1.8189894035458565e-11, 2147483648.0, -1.4551915228366852e-10, 1.3877787807814457e-17, 640.0],
    [3.814697265625e-06, -12582912.0, 0.0, 16384.0, -1125899906842624.0],
    [-1.5916157281026244e-12, -3.469446951953614e-17, -1.9073486328125e-05, 5.404319552844595e16, 5.764607523034235e17],
    [1.4210854715202004e-14, -234881024.0, 0.0, 256.0, 5.960464477539062e-07],
]
WIDE_LABELS = [0, 0, 1, 0, 1, 0, 1, 0, 1]
# Columns that add up to 0 within 1e-7.
NEARLY_DEPENDENT = [
    ["-0.5", "0.1", "0.3999999", 1],
    ["0.0", "-0.8", "0.8000001", 0],
    ["0.4", "-0.7", "0.3", 0],
    ["-1.8", "0.0", "1.8", 1],
    ["-2.4", "0.2", "2.2", 0],
    ["2.4", "2.0", "-4.3999999", 1],
]


@pytest.fixture(autouse=True)
def ends() -> Iterator[None]:
    """A minute of the processor for a test, compiling included: a question without an end is a failure."""
    with limited(60):
        yield


def test_a_table_of_many_scales_is_decided_without_a_time_limit() -> None:
    X = np.array(WIDE)
    rows = [[int(v * 2**80) * (2 * b - 1) for v in [*row, 1.0]] for row, b in zip(WIDE, WIDE_LABELS, strict=True)]
    assert not reaches([[*z, 1] for z in rows], [0] * 6 + [1])  # by Farkas' lemma a direction is above 0 on all rows
    found = separation(X, WIDE_LABELS)
    assert (found.verdict, found.separated_rows) == ("complete", tuple(range(9)))
    assert separability(X, WIDE_LABELS).verdict == "separable"


def test_columns_that_nearly_add_up_to_0_are_decided_by_every_question(tmp_path: Path) -> None:
    X = np.array([[float(str(v)) for v in row[:-1]] for row in NEARLY_DEPENDENT])
    y = [row[-1] for row in NEARLY_DEPENDENT]
    found = separability(X, y)
    assert found.verdict == "inseparable"
    assert separation(X, y).verdict == "overlap"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        assert [row.verdict for row in probe({"first": X}, y, controls=0).rows] == ["inseparable"]
    path = tmp_path / "rows.csv"
    path.write_text("a,b,c,y\n" + "".join(",".join(map(str, row)) + "\n" for row in NEARLY_DEPENDENT))
    assert "inseparable" in linsep("check", path, "--target", "y", status=1).stdout


def test_a_step_that_is_not_finite_is_not_taken() -> None:
    Z = np.array([[1.0, 1e-300], [-1.0, 1e300], [1e300, -1e300]])
    pair = complementary_pair(Z, NEVER)
    assert all(np.isfinite(part).all() for part in (pair.y, pair.s, pair.d))


@pytest.mark.parametrize("strange", [np.nan, np.inf, -np.inf])
def test_a_vector_that_is_not_finite_suggests_nothing(strange: float) -> None:
    assert whole_numbers([1.0, strange, 0.5]) == [0, 0, 0]


def test_rows_are_set_aside_by_a_mask() -> None:
    rows = SignedRows(np.array([[1.0], [-1.0]]), np.ones(2), constant=False)
    both = np.ones(2, dtype=bool)
    pair, aside = WorkingSet(Asked(rows, both, ~both), NEVER)._pair()
    assert not pair.d.any()  # the rows cancel
    assert aside.dtype == bool and aside.all()


def test_rows_of_subnormals_keep_their_bits() -> None:
    X = np.array([[1e6], [4.940656e-318], [-4.940656e-318]])
    rows = SignedRows(X, np.ones(3), constant=False)
    ratios = [entry / factor for (entry,), factor in zip(*whole_entries(rows, [0, 1]), strict=True)]
    scales = [2 ** int(rows.row_exps[i] + rows.column_exps[0]) for i in range(2)]
    assert [ratio * scale for ratio, scale in zip(ratios, scales, strict=True)] == [1e6, 4.940656e-318]


def test_two_subnormal_rows_of_both_classes_overlap_with_large_ones() -> None:
    X = np.array([[4.940656e-318], [1e6], [4.940656e-318], [1e6]])
    found = separability(X, [0, 0, 1, 0], fit_intercept=False)
    assert found.verdict == "inseparable"


def test_a_column_that_scaling_makes_0_is_no_null_vector() -> None:
    X = np.full((5, 3), 5.18065379e-306)
    X[[0, 1, 2, 4], 0] = X[[3, 4], 2] = 1e12
    found = separation(X, [0, 0, 0, 1, 0], family="poisson")
    # d = -(5.18e-306, -1) on (x1, constant), nearly: 0 in row 3, negative where x1 is larger.
    assert (found.verdict, found.separated_rows) == ("quasi-complete", (0, 1, 2, 4))


def test_the_fewest_rows_of_sparse_subnormals_are_found() -> None:
    X = sp.csr_matrix(np.array([[1.0], [2.0], [4.0], [3.0], [5.0]]) * 2.0**-1074)
    found = fewest_rows(X, [0, 0, 0, 1, 1])
    assert (found.lower, found.upper, found.removed) in [(1, 1, (2,)), (1, 1, (3,))]


@pytest.mark.parametrize("seed", range(6))
def test_normalised_activations_are_decided(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(18, 16))
    X -= X.mean(axis=1, keepdims=True)
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    X[9:] = X[:9]
    y = np.repeat([0, 1], 9)
    assert separability(X, y).verdict == "inseparable"  # each row is there with both labels
    y[9:] = 0
    y[0] = y[9] = 1  # and now with one: nine independent rows and the constant
    assert separability(X, y).verdict == "separable"


def test_a_sample_of_hostile_tables_beside_z3() -> None:
    pytest.importorskip("z3", reason="z3-solver is the judge")
    found = all_rows()["hostile_tables"].run(12, seed=1)
    assert found.failures == []
    assert all(verdict in found.note for verdict in ("overlap", "quasi-complete", "complete"))


def test_a_sample_of_judged_tables() -> None:
    pytest.importorskip("z3", reason="z3-solver is the judge")
    found = all_rows()["judges"].run(400, seed=1)
    assert found.failures == []
    assert found.note.startswith("0 wrong, 0 not ended, 0 exception, 0 undecided, ")
    assert all(verdict in found.note for verdict in ("overlap", "quasi-complete", "complete"))


def test_a_question_is_text_of_smt_lib() -> None:
    text = smtlib([[1, -2], [0, 3]], [[0, 0]], [[0], [0, 1]])
    assert text.splitlines() == [
        "(set-logic QF_LRA)",
        "(declare-fun d0 () Real)",
        "(declare-fun d1 () Real)",
        "(assert (>= (+ 0.0 0.0 (* 1.0 d0) (* (- 2.0) d1)) 0.0))",
        "(assert (>= (+ 0.0 0.0 (* 3.0 d1)) 0.0))",
        "(assert (= (+ 0.0 0.0 ) 0.0))",
        *("(push 1)", "(assert (> (+ 0.0 0.0 (* 1.0 d0) (* (- 2.0) d1)) 0.0))", "(check-sat)", "(pop 1)"),
        *("(push 1)", "(assert (> (+ 0.0 0.0 (* 1.0 d0) (* (- 2.0) d1)) 0.0))"),
        *("(assert (> (+ 0.0 0.0 (* 3.0 d1)) 0.0))", "(check-sat)", "(pop 1)"),
    ]
    pytest.importorskip("z3", reason="z3-solver is the judge")
    assert answers(text) == ["sat", "sat"]
    assert answers(smtlib([[1], [-1]], [], [[0], [1]])) == ["unsat", "unsat"]


def test_cvc5_says_the_same_of_hostile_tables_as_z3() -> None:
    """Two judges that share no code read the same text: each row of a table, and the last one as an equality."""
    pytest.importorskip("z3", reason="z3-solver is a judge")
    cvc5: Any = pytest.importorskip("cvc5", reason="cvc5 is a judge")
    said = set()
    for k in range(16):
        one = table(f"cvc5 {k}")
        *weak, last = [
            _whole([Fraction(2 * label - 1), *((2 * label - 1) * v for v in row)])
            for row, label in zip(one.rows, one.y, strict=True)
        ]
        text = smtlib(weak, [last], [[i] for i in range(len(weak))])
        solver = cvc5.Solver()
        solver.setOption("incremental", "true")
        parser = cvc5.InputParser(solver)
        parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "question")
        names, found = parser.getSymbolManager(), []
        while not (command := parser.nextCommand()).isNull():
            found += command.invoke(solver, names).split()
        assert found == answers(text), f"cvc5 {k}"
        said |= {*found}
    assert said == {"sat", "unsat"}


def test_a_table_is_what_its_name_says_and_has_both_labels() -> None:
    kinds = set()
    for k in range(200):
        one = table(f"0 {k}")
        kinds.add(one.kind)
        assert set(one.y) == {0, 1} and all(len(row) == one.X.shape[1] for row in one.rows)
    assert len(kinds) > 12


def test_the_exact_search_ends_however_coarsely_weights_are_rounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """With weights of two bits rows come again; from then on weights are exact, and the answer is the same."""
    exact: list[int] = []

    def noted(value: int) -> fmpq:
        exact.append(value)
        return fmpq(value)

    monkeypatch.setattr(exact_nearest, "fmpq", noted)
    one = table("0 354")
    with ctx.workprec(2):
        assert hostile_tables.logistic(one) == hostile_tables.separable(one) == "complete"
    assert exact
