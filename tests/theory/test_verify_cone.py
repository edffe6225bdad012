"""The verifier: right proofs pass, altered ones do not, and signs are exact whatever the numbers."""

from __future__ import annotations

import ctypes
import platform
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import llvmlite.binding as llvm
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from exact_cone import rank, reaches
from linsep import separability
from linsep.theory.verify import exact
from linsep.theory.verify.cone import CertificateError, ConeProof, Rows, verify
from linsep.theory.verify.consequences import rows_to_go
from linsep.theory.verify.exact import rank_is, value_signs
from linsep.types import Array

SQUARE = np.array([[0, 0], [1, 1], [0, 1], [1, 0]])
XOR = np.array([-1, -1, 1, 1])
EVERY = {0: 1, 1: 1, 2: 1, 3: 1}
doubles = st.floats(allow_nan=False, allow_infinity=False, width=64)


def exact_signs(rows: Any, w: list[int], b: int = 0) -> list[int]:
    sums = [sum((Fraction(u) * v for u, v in zip(row, w, strict=True)), Fraction(b)) for row in rows]
    return [(v > 0) - (v < 0) for v in sums]


def whole(values: list[float]) -> list[int]:
    """Doubles times one power of two that makes them integers."""
    return [int(Fraction(v) * 2**1074) for v in values]


# ---------------------------------------------------------------------- signs
@given(st.lists(st.tuples(doubles, doubles), min_size=1, max_size=5), doubles, doubles, doubles)
def test_signs_of_any_doubles(rows: list[tuple[float, float]], u: float, v: float, b: float) -> None:
    *w, b0 = whole([u, v, b])
    X, expected = np.array(rows), exact_signs(rows, w, b0)
    for form in (X, X.astype(object), sp.csr_matrix(X)):
        assert value_signs(form, w, b0).tolist() == expected


@given(
    st.lists(st.tuples(st.integers(-(2**70), 2**70), st.integers(-3, 3)), min_size=1, max_size=5),
    st.integers(-(2**1200), 2**1200),
    st.integers(-(2**70), 2**70),
)
def test_signs_of_any_integers(rows: list[tuple[int, int]], u: int, b: int) -> None:
    w = [u, -(2**66)]
    assert value_signs(np.array(rows, dtype=object), w, b).tolist() == exact_signs(rows, w, b)


near = st.builds(
    lambda whole, part: whole + Fraction(part, 7), st.integers(-3, 3).map(lambda k: k * 2**25), st.integers(-9, 9)
)


@given(st.lists(st.tuples(near, near), min_size=1, max_size=4), st.integers(-99, 99), st.integers(-99, 99))
def test_signs_of_fractions_that_nearly_cancel(rows: list[tuple[Fraction, Fraction]], u: int, v: int) -> None:
    b = -round(rows[0][0] * u + rows[0][1] * v)
    assert value_signs(np.array(rows, dtype=object), [u, v], b).tolist() == exact_signs(rows, [u, v], b)


@pytest.mark.parametrize("x", [0.1, 1e-308, 1e300, 5e-324])
def test_one_unit_in_the_last_place_is_seen(x: float) -> None:
    X = np.array([[np.nextafter(x, np.inf)], [x], [np.nextafter(x, -np.inf)]])
    top, bottom = Fraction(x).as_integer_ratio()
    assert value_signs(X, [bottom], -top).tolist() == [1, 0, -1]


@pytest.mark.parametrize("dtype", [np.int64, np.uint64, object])
def test_integers_beyond_two_to_the_53_are_not_rounded(dtype: Any) -> None:
    X = np.array([[2**53 + 1], [2**53]], dtype=dtype)
    for form in (X, sp.csr_matrix(X)) if dtype is not object else (X,):
        assert value_signs(form, [1], -(2**53)).tolist() == [1, 0]
    assert value_signs(np.array([[-(2**63)]]), [1], 2**63).tolist() == [0]


@given(st.integers(0, 2**32), st.sampled_from([6, 60]), st.integers(1, 900), st.integers(1, 60), st.booleans())
def test_long_weights_and_rows_that_cancel(seed: int, n: int, bits: int, size: int, floats: bool) -> None:
    rng = np.random.default_rng(seed)
    X = rng.integers(-(2**size), 2**size, (n, 3)) if size < 60 else rng.integers(-9, 9, (n, 3))
    rows: Any = np.ldexp(X.astype(np.float64), rng.integers(-60, 60, 3)) if floats else X
    w = [(int.from_bytes(rng.bytes(bits // 8 + 1)) - 2**bits) << 200 for _ in range(3)]
    b = -int(sum((Fraction(v) * u for v, u in zip(rows[0].tolist(), w, strict=True)), Fraction(0)))
    for shift in (0, 1, -1):
        expected = exact_signs(rows.tolist(), w, b + shift)
        assert expected[0] == shift
        for form in (rows, sp.csr_matrix(rows)):
            assert value_signs(form, w, b + shift).tolist() == expected


def test_a_long_weight_on_a_sparse_table_has_its_sign() -> None:
    rng = np.random.default_rng(1)
    table = rng.integers(-1, 2, (40, 3_000)) * (rng.random((40, 3_000)) < 0.01) * 0.1
    table[3] = 0
    weights = [int(v) for v in rng.integers(-5, 6, 3_000)]
    weights[7] = -(16**60_000)
    for form in (table, sp.csr_matrix(table)):
        assert value_signs(form, weights).tolist() == exact_signs(table, weights)


def test_long_weights_of_many_sparse_rows_add_up_without_a_dense_table() -> None:
    rng = np.random.default_rng(0)
    table: Any = sp.random(3_000, 2_000, 0.002, format="csr", random_state=rng)
    table.data = rng.integers(-9, 10, table.nnz) / 8
    weights = [int(v) << 200 | 1 for v in rng.integers(1, 2**40, 3_000)]
    columns = (8 * table.toarray()).astype(int).astype(object)
    sums = (columns * np.array(weights, dtype=object)[:, None]).sum(axis=0)
    assert value_signs(table.T.tocsr(), weights).tolist() == [(v > 0) - (v < 0) for v in sums]


def test_rows_of_a_million_entries_are_summed_in_digits(monkeypatch: pytest.MonkeyPatch) -> None:
    n = 1_200_000
    rows = np.ones((3, n))
    rows[:, 1::2] = -1.0
    rows[1, 0] += 2.0**-30
    rows[2, 0] -= 2.0**-30
    weights = np.repeat(np.random.default_rng(0).integers(2**60, 2**62, n // 2), 2).tolist()  # each pair adds up to 0
    monkeypatch.setattr(exact, "lcm", None)  # which sums of Python's integers need
    assert value_signs(sp.csr_matrix(rows), weights).tolist() == [0, 1, -1]


# ----------------------------------------------------------------------- rank
@given(seed=st.integers(0, 10**6), n=st.integers(1, 20), p=st.integers(1, 20), filled=st.floats(0.05, 0.5))
def test_the_rank_is_that_of_fractions_dense_or_sparse(seed: int, n: int, p: int, filled: float) -> None:
    rng = np.random.default_rng(seed)
    table = rng.integers(-2, 3, (n, p)) * (rng.random((n, p)) < filled) / 4
    table[-1] = table[0]  # dependent rows
    exact = rank([[Fraction(v) for v in row] for row in table.tolist()])
    for form in (table, sp.csr_matrix(table), table.astype(object)):
        assert [rank_is(form, k) for k in range(min(n, p) + 2)] == [k <= exact for k in range(min(n, p) + 2)]


def test_a_rank_modulo_one_prime_alone_is_not_believed_to_be_all() -> None:
    singular_modulo_the_first = np.array([[2.0**31 - 1, 0.0], [0.0, 1.0]])
    assert rank_is(singular_modulo_the_first, 2)
    assert not rank_is(np.array([[2.0**31 - 1, 2.0], [2.0**32 - 2, 4.0]]), 2)


# --------------------------------------------------------------------- proofs
def proof_of(n: int, **parts: Any) -> ConeProof:
    return ConeProof(n, **{"left": range(n), **parts})


def test_directions_in_turn_leave_the_rows_named() -> None:
    rows = Rows(np.array([[0], [1], [1], [3]]), np.array([-1, -1, 1, 1]), constant=True)
    right = ConeProof(4, ({0: 1, 1: -1},), (1, 2))
    assert not verify(rows, right)
    assert verify(rows, replace(right, weights={1: 1, 2: 1}, basis=(2,), null=({0: 1, 1: -1},)))
    for left in ((1,), (0, 1, 2), ()):
        with pytest.raises(CertificateError, match="not the rows named"):
            verify(rows, replace(right, left=left))
    with pytest.raises(CertificateError, match="direction 0 is negative at row 1"):
        verify(rows, replace(right, directions=({0: 2, 1: -1},)))
    with pytest.raises(CertificateError, match="about 3 rows, not 4"):
        verify(rows, ConeProof(3))
    with pytest.raises(CertificateError, match="more directions than rows"):
        verify(rows, replace(right, directions=({},) * 10**6))
    for odd in ({0: 1.0}, {0: True}, {2: 1}, {-1: 1}, {0.0: 1}):
        with pytest.raises(CertificateError, match="a column that is not there, or a number that is no integer"):
            verify(rows, replace(right, directions=(odd,)))  # type: ignore[arg-type]
    rows = Rows(np.array([[2, 5], [0, 1], [0, 1]]))
    assert verify(rows, ConeProof(3, ({0: 1}, {1: 1})))
    with pytest.raises(CertificateError, match="direction 0 is not 0 on an equality"):
        verify(replace(rows, equal=np.array([True, False, False])), ConeProof(3, ({0: 1}, {1: 1})))
    equal = replace(rows, equal=np.array([False, True, True]))
    assert verify(equal, ConeProof(3, ({0: 1},), (1, 2)))  # an equality is never separated


def test_weights_add_up_and_are_positive() -> None:
    rows, witness = Rows(SQUARE, XOR, constant=True), proof_of(4, weights=EVERY)
    assert not verify(rows, witness)
    for form in (SQUARE * 0.1, sp.csr_matrix(SQUARE), SQUARE.astype(object)):
        verify(Rows(form, XOR, constant=True), replace(witness, weights=dict.fromkeys(EVERY, 7)))
    for k in range(4):
        with pytest.raises(CertificateError, match="do not add up"):
            verify(rows, replace(witness, weights=EVERY | {k: 2}))
        X = SQUARE * 0.1
        X[k, 0] = np.nextafter(X[k, 0], 1)
        with pytest.raises(CertificateError, match="do not add up"):
            verify(Rows(X, XOR, constant=True), witness)
    three, s = np.zeros((3, 2)), np.array([-1, 1, 1])
    with pytest.raises(CertificateError, match="do not add up"):  # x adds up, the constant does not
        verify(Rows(three, s, constant=True), proof_of(3, weights={0: 1, 1: 1, 2: 1}))
    verify(Rows(three, s), proof_of(3, weights={0: 1, 1: 1, 2: 1}))
    odd: list[tuple[Mapping[Any, Any], str]] = [
        ({0: 0, 1: 0}, "not positive"),
        ({0: -1, 1: -1, 2: -1, 3: -1}, "not positive"),
        ({0: 1.0}, "no integer"),
        ({0: True}, "no integer"),
        ({0: 1, 1: 1, 2: 1, 4: 1}, "not there"),
        ({-4: 1, 1: 1, 2: 1, 3: 1}, "not there"),
    ]
    for weights, why in odd:
        with pytest.raises(CertificateError, match=why):
            verify(rows, replace(witness, weights=weights))
    with pytest.raises(CertificateError, match="a witness has no rows"):
        rows_to_go(rows, [{}], {"unit": 1, "weights": {0: 1}})


def test_a_basis_spans_every_row_left() -> None:
    rows, right = Rows(SQUARE, XOR, constant=True), proof_of(4, weights=EVERY, basis=(0, 1, 2))
    assert verify(rows, right)
    far = np.vstack([np.column_stack([SQUARE, np.zeros(4, int)]), [[0, 0, 5]]])
    wide, s = replace(right, n_rows=5, left=range(5)), np.append(XOR, 1)
    with pytest.raises(CertificateError, match="do not span"):
        verify(Rows(far, s, constant=True), wide)
    with pytest.raises(CertificateError, match="not orthogonal"):
        verify(Rows(far, s, constant=True), replace(wide, null=({2: 1},)))
    apart = replace(wide, directions=({2: 1},), left=range(4), null=({2: 1},))  # column 2 is 0 on the others
    for form in (far, sp.csr_matrix(far), far.astype(object)):
        assert verify(Rows(form, s, constant=True), apart)
    with pytest.raises(CertificateError, match="do not add up to 0"):
        verify(Rows(far, s, constant=True), replace(apart, weights={4: 1}))
    for basis, why in (
        ((0, 1, 1), "twice"),
        ((0, 1, 9), "no weight"),
        ((0, 1), "do not span"),
        ((0, 1, True), "no we"),
    ):
        with pytest.raises(CertificateError, match=why):
            verify(rows, replace(right, basis=basis))
    with pytest.raises(CertificateError, match="without a basis"):
        verify(rows, replace(right, basis=None, null=({0: 1},)))


@given(data=st.data())
def test_what_is_accepted_is_true(data: st.DataObject) -> None:
    """Proofs of which every part is drawn: whatever passes says what all rays of the cone say."""
    small = st.integers(-2, 2)
    n, p = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 2))
    Z = [[data.draw(small) for _ in range(p)] for _ in range(n)]
    vectors = st.lists(st.dictionaries(st.integers(0, p - 1), small, max_size=p), max_size=2).map(tuple)
    weights = st.dictionaries(st.integers(0, n - 1), st.integers(0, 2), max_size=n)
    truth = [not reaches([[Fraction(v) for v in z] for z in Z], [Fraction(-v) for v in z]) for z in Z]
    left = data.draw(st.sampled_from([tuple(i for i in range(n) if not truth[i]), tuple(range(n)), ()]))
    basis = data.draw(st.none() | st.permutations(range(n)).map(lambda ids: tuple(ids[:p])))
    proof = ConeProof(n, data.draw(vectors), left, data.draw(weights), 0.0, basis, data.draw(vectors))
    try:
        decided = verify(Rows(np.array(Z)), proof)
    except CertificateError:
        return
    separated = {i for i in range(n) if truth[i]}
    assert set(proof.separated.tolist()) <= separated
    if proof.weights:
        assert not set(proof.weights) & separated
    if decided:
        assert set(proof.separated.tolist()) == separated


def test_null_vectors_by_thousands_are_looked_at_together() -> None:
    """Vectors of two entries on a thousand columns each: a table of all of them would hold a million numbers."""
    asked = []
    X = np.eye(4)[np.arange(4_000) % 4].T
    null: tuple[dict[int, int], ...] = tuple({j: 1, j % 4: -1} for j in range(4, 4_000))
    for form in (X, sp.csr_matrix(X)):
        both = sp.vstack([form, -form], format="csr") if sp.issparse(form) else np.vstack([form, -form])
        rows = Rows(both, ask=lambda: asked.append(1))
        proof = ConeProof(8, (), range(8), dict.fromkeys(range(8), 1), 0.0, (0, 1, 2, 3), null)
        assert verify(rows, proof)
    assert len(asked) < 20


# ------------------------------------------------------- weights near exact ones
def near_proof(Z: Array) -> ConeProof:
    """Weights that nearly bring the rows to 0, and rows that are a basis."""
    n, p = Z.shape
    u = np.ones(n) - Z @ np.linalg.lstsq(Z, np.ones(n), rcond=None)[0]
    basis = tuple(int(i) for i in np.argsort(-u)[:p])
    return ConeProof(n, (), range(n), {i: int(v * 2**60) for i, v in enumerate(u)}, 1e-9, basis)


def test_weights_near_exact_ones() -> None:
    many: Array = np.random.default_rng(0).normal(size=(400, 5))
    right = near_proof(many)
    assert verify(Rows(many), right)
    for form in (many * 2.0**900, many * 2.0**-900, many * np.array([1, 2.0**300, 1, 2.0**-300, 1])):
        assert verify(Rows(form), right)
    first = next(iter(right.weights))
    basis = right.basis or ()
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"weights": {**right.weights, first: right.weights[first] * 1000}}, "more than it says"),
        ({"within": 1e-30}, "more than it says"),
        ({"within": 1.0}, "need not be positive"),
        ({"within": float("nan")}, "need not be positive"),
        ({"within": -1e-9}, "need not be positive"),
        ({"within": 1}, "need not be positive"),
        ({"basis": basis[1:]}, "as many rows as columns"),
        ({"basis": None}, "without a basis"),
        ({"null": ({0: 1},)}, "not orthogonal"),
    ]
    for parts, why in wrong:
        with pytest.raises(CertificateError, match=why):
            verify(Rows(many), replace(right, **parts))
    twin = many.copy()
    twin[basis[0]] = twin[basis[1]]
    with pytest.raises(CertificateError, match=r"independent|more than it says"):
        verify(Rows(twin), right)
    assert verify(Rows(sp.csr_matrix(many)), right)
    with pytest.raises(CertificateError, match="are of doubles"):
        verify(Rows(many.astype(object)), right)
    with pytest.raises(CertificateError, match="as many rows as columns"):
        verify(Rows(many, equal=np.arange(400) == 0), right)


@pytest.mark.parametrize("shift", [-1080, -1070, -600, 600, 1000, 5000])
def test_no_scale_of_the_weights_makes_a_lie_true(shift: int) -> None:
    """Four rows that a threshold separates: no weights bring them to 0, however long or short one of them is."""
    Z = np.array([[-1.0, 1.0], [-2.0, 1.0], [3.0, -1.0], [4.0, -1.0]]) * -1.0
    for heavy in range(4):
        for basis in ((0, 1), (0, 2), (2, 3)):
            weights = {i: 1 << (max(0, shift) if i == heavy else max(0, -shift)) for i in range(4)}
            with pytest.raises(CertificateError):
                verify(Rows(Z), ConeProof(4, (), range(4), weights, 0.99, basis))


@pytest.mark.parametrize("kind", [np.int8, np.int16, np.int32, np.int64])
def test_the_least_integer_of_a_type_is_no_small_one(kind: Any) -> None:
    least = int(np.iinfo(kind).min)
    X = np.array([[1, 0, 1], [1, 0, 1], [0, 1, 1], [0, 1, 1], [least, 1, least]], dtype=kind)
    # Row 4 has 1 with (1, 1, -1); sums of doubles, and sizes that stay negative, hide that.
    lie = ConeProof(5, (), range(5), {0: 1, 1: 1, 2: 1, 3: 1}, 0.0, (0, 2), ({0: 1, 1: 1, 2: -1},))
    with pytest.raises(CertificateError, match="not orthogonal"):
        verify(Rows(X, np.array([-1, 1, -1, 1, 1])), lie)


def test_sums_that_may_overflow_are_integers_in_every_rounding_mode() -> None:
    rows = np.array([[1.0, 1.0], [2.0**1023, 2.0**1023]])
    assert exact._rounded_signs(rows, [-8, 9], 0)[1].tolist() == [False, True]
    assert value_signs(rows, [-8, 9]).tolist() == [1, 1]


def test_thousands_of_null_vectors_of_two_rows_take_no_square_of_them() -> None:
    found = separability(np.ones((2, 30_000)), ["a", "b"])  # 7 GB, were they made dense
    assert (found.verdict, len(found.null)) == ("inseparable", 30_000)


@pytest.mark.parametrize("control", [0x1F80 | 0x8000, 0x1F80 | 0x40])
def test_nothing_is_verified_where_the_smallest_doubles_are_0(control: int) -> None:
    if platform.machine() != "x86_64":
        pytest.skip("sets the control word of x86-64")
    pytest.importorskip("numba", minversion="0.62", reason="its LLVM has other words for pointers")
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    engine = llvm.create_mcjit_compiler(
        llvm.parse_assembly(
            "declare void @llvm.x86.sse.ldmxcsr(ptr)\n"
            "define void @set(i32 %value) { %at = alloca i32\n store i32 %value, ptr %at\n"
            "call void @llvm.x86.sse.ldmxcsr(ptr %at)\n ret void }"
        ),
        llvm.Target.from_default_triple().create_target_machine(),
    )
    engine.finalize_object()
    set_control = ctypes.CFUNCTYPE(None, ctypes.c_uint32)(engine.get_function_address("set"))
    rows, proof = Rows(np.array([[2.0**-1022]])), ConeProof(1, ({0: 1},))
    assert verify(rows, proof)
    set_control(control)
    try:
        with pytest.raises(CertificateError, match="smallest doubles 0"):
            verify(rows, proof)
    finally:
        set_control(0x1F80)
