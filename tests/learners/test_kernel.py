"""The kernel perceptron: its twin, the plain perceptron, exclusive-or, votes and means, chunks, state, bad input."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import naive
from drawn import integer_table
from linsep import load, save, separability
from linsep.app.commands.fit import fit as fit_command
from linsep.app.commands.with_model import score as score_command
from linsep.app.commands.with_model import show as show_command
from linsep.data.synthetic import make_separable, make_xor
from linsep.learners import (
    AveragedPerceptron,
    KernelPerceptron,
    MarginPerceptron,
    PassiveAggressive,
    Perceptron,
    PocketPerceptron,
    Rocchio,
    SGDClassifier,
    VotedPerceptron,
)
from linsep.learners.base.loop import shuffled_order
from linsep.passes import LOSSES
from linsep.types import DataError, StopReason

pytestmark = pytest.mark.usefixtures("small_blocks")
quietly = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
XOR = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array([0, 1, 1, 0])


def steps_of(y: Any, n_classes: int) -> Any:
    return (2.0 * y - 1)[None] if n_classes == 2 else np.where(np.arange(n_classes)[:, None] == y, 1.0, -1.0)


def mistakes_of(learner: KernelPerceptron, n: int) -> list[tuple[int, int, int]]:
    rows = learner.support_[learner.mistake_rows_]
    return list(
        zip((learner.mistake_visits_ // n).tolist(), rows.tolist(), learner.mistake_classes_.tolist(), strict=True)
    )


# ------------------------------------------------------------------------ twin
@given(
    st.integers(0, 10**6),
    st.integers(1, 5),
    st.sampled_from([2, 4]),
    st.integers(1, 3),
    st.sampled_from(["dense", "float32", "sparse"]),
    st.booleans(),
)
def test_equals_its_twin(seed: int, epochs: int, n_classes: int, degree: int, form: str, weighted: bool) -> None:
    X, y = integer_table(seed, n_classes=n_classes)
    weight = np.random.RandomState(seed).randint(1, 4, len(y)).astype(float) if weighted else np.ones(len(y))
    rng = np.random.RandomState(seed)
    orders = [shuffled_order(len(y), rng) for _ in range(epochs)]
    steps = steps_of(y, n_classes) * weight
    mistakes, coefs = naive.kernel_perceptron((X @ X.T + 1) ** degree, steps, orders)
    rows = {"dense": X, "float32": X.astype(np.float32), "sparse": sp.csr_matrix(X)}[form]
    learner = KernelPerceptron(degree=degree, max_iter=epochs, random_state=seed)
    learner.fit(rows, y, weight if weighted else None)
    assert mistakes_of(learner, len(y)) == mistakes
    assert learner.n_mistakes_ == learner.n_updates_ == len(mistakes)
    got = np.zeros_like(coefs)
    got[:, learner.support_] = learner.dual_coef_
    np.testing.assert_array_equal(got, coefs)
    np.testing.assert_array_equal(learner.norm2_, np.diag(coefs @ (X @ X.T + 1) ** degree @ coefs.T))
    z = learner.decision_function(rows)
    np.testing.assert_array_equal(z, (coefs @ (X @ X.T + 1) ** degree).T[:, 0 if n_classes == 2 else slice(None)])


@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "poly"])
@pytest.mark.parametrize("as_sparse", [False, True])
def test_real_numbers_give_the_twin_to_rounding(kernel: str, as_sparse: bool) -> None:
    X = np.random.RandomState(0).randn(80, 2)
    y = ((X**2).sum(axis=1) > 1.4).astype(int)
    D = X[:, None] - X
    K = {
        "rbf": np.exp(-2 * (D**2).sum(axis=2)),
        "laplacian": np.exp(-2 * abs(D).sum(axis=2)),
        "poly": (2 * X @ X.T + 0.5) ** 3,
    }[kernel]
    mistakes, _ = naive.kernel_perceptron(K, steps_of(y, 2), [np.arange(80)] * 4)
    learner = KernelPerceptron(kernel, gamma=2.0, coef0=0.5, max_iter=4, shuffle=False)
    learner.fit(sp.csr_matrix(X) if as_sparse else X, y)
    assert mistakes_of(learner, 80) == mistakes[: len(learner.mistake_rows_)]
    assert learner.n_mistakes_ == len(mistakes)


def test_kernel_values_are_computed_once() -> None:
    X = np.random.RandomState(3).randn(400, 5)
    y = X[:, 0] * X[:, 1] > X[:, 2]
    learner = KernelPerceptron(degree=2, max_iter=None, random_state=0).fit(X, y)
    mistaken = [len({r[1] for r in mistakes_of(learner, 400) if r[0] == e}) for e in range(learner.n_iter_)]
    blocks = learner.n_iter_ * 400 * 7  # at most every block with itself
    assert learner.trace_.total_dots <= 400 * sum(mistaken) + blocks
    assert learner.trace_.total_dots < 0.2 * learner.n_iter_ * 400 * len(learner.support_)


# ------------------------------------------------------------- the plain perceptron
@quietly
@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("as_sparse", [False, True])
@pytest.mark.parametrize("kernel", ["linear", lambda A, B: A @ B.T])
def test_linear_is_the_plain_perceptron_mistake_by_mistake(n_classes: int, as_sparse: bool, kernel: Any) -> None:
    X, y = integer_table(5, n_classes=n_classes)
    rows = sp.csr_matrix(X) if as_sparse and kernel == "linear" else X
    plain = Perceptron(fit_intercept=False, max_iter=6, shuffle=True, random_state=1, trace="updates").fit(rows, y)
    learner = KernelPerceptron(kernel, max_iter=6, random_state=1).fit(rows, y)
    log = plain.trace_.update_log
    assert log is not None
    # The plain pass tells class by class what it did at a row; so does this one.
    np.testing.assert_array_equal(learner.support_[learner.mistake_rows_], plain.trace_.update_rows)
    np.testing.assert_array_equal(learner.mistake_visits_, log.visits[: plain.n_updates_])
    np.testing.assert_array_equal(learner.mistake_classes_, log.classes[: plain.n_updates_])
    np.testing.assert_array_equal(learner.decision_function(X), plain.decision_function(X))
    np.testing.assert_allclose(learner.norm2_, (plain.coef_**2).sum(axis=1))
    assert hasattr(learner, "coef_") == (kernel == "linear")
    if kernel == "linear":
        np.testing.assert_array_equal(learner.coef_, plain.coef_)
        np.testing.assert_array_equal(learner.intercept_, plain.intercept_)


@quietly
@pytest.mark.parametrize("n_classes", [2, 4])
def test_linear_averaged_and_voted_are_those_learners(n_classes: int) -> None:
    X, y = integer_table(6, n_classes=n_classes)
    new = np.random.RandomState(0).randint(-3, 4, (50, 3)).astype(float)
    same: dict[str, Any] = {"fit_intercept": False, "max_iter": 3, "random_state": 2}
    learner = KernelPerceptron("linear", max_iter=3, random_state=2, average="averaged").fit(X, y)
    averaged = AveragedPerceptron(**same).fit(X, y)
    np.testing.assert_allclose(learner.decision_function(new), averaged.decision_function(new), atol=1e-12)
    np.testing.assert_allclose(learner.coef_, averaged.coef_, atol=1e-12)
    voted = VotedPerceptron(**same).fit(X, y)
    learner.set_params(average="voted")
    np.testing.assert_array_equal(learner.decision_function(new), voted.decision_function(new))
    for ours, theirs in zip(learner.survival_counts(), voted.survival_counts(), strict=True):
        np.testing.assert_array_equal(ours, theirs)


# ----------------------------------------------------------------- exclusive-or
@quietly
def test_exclusive_or_fails_in_every_linear_learner_and_passes_here() -> None:
    X, y = XOR
    witness = separability(X, y).witness
    assert witness is not None
    assert sorted(witness.rows) == [0, 1, 2, 3]
    linear: list[Any] = [
        AveragedPerceptron(), MarginPerceptron(), PassiveAggressive(), Perceptron(), PocketPerceptron(), Rocchio(),
        VotedPerceptron(), KernelPerceptron("linear", max_iter=50), *map(SGDClassifier, LOSSES),
    ]  # fmt: skip
    for learner in linear:
        assert learner.fit(X, y).score(X, y) < 1, learner
    for kernel in ("poly", "rbf", "laplacian"):
        learner = KernelPerceptron(kernel, max_iter=100, random_state=0).fit(X, y)
        assert learner.stop_reason_ is StopReason.CLEAN_PASS
        assert learner.score(X, y) == 1


# ----------------------------------------------------------- classes, chunks, state


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.sampled_from([2, 4]), st.sampled_from(["linear", "poly"]), st.booleans())
def test_chunks_of_any_size_are_one_pass(seed: int, n_classes: int, kernel: str, as_sparse: bool) -> None:
    X, y = integer_table(seed, n_classes=n_classes)
    rows = sp.csr_matrix(X) if as_sparse else X
    whole = KernelPerceptron(kernel, degree=2, shuffle=False).fit(rows, y)
    chunked = clone(whole)
    rng = np.random.RandomState(seed)
    for part in np.split(np.arange(40), np.sort(rng.choice(np.arange(1, 40), 4, replace=False))):
        chunked.partial_fit(rows[part], y[part], classes=np.arange(n_classes))
    assert mistakes_of(whole, 40) == mistakes_of(chunked, 40)
    assert (whole.n_mistakes_, whole.t_) == (chunked.n_mistakes_, chunked.t_)
    np.testing.assert_array_equal(whole.norm2_, chunked.norm2_)
    for average in ("last", "averaged", "voted"):
        a, b = (learner.set_params(average=average).decision_function(X) for learner in (whole, chunked))
        np.testing.assert_array_equal(a, b)


def test_dense_and_sparse_rows_may_be_mixed() -> None:
    X, y = integer_table(2)
    learner = KernelPerceptron(shuffle=False).fit(sp.csr_matrix(X), y).partial_fit(X, y)
    other = KernelPerceptron(shuffle=False).fit(X, y).partial_fit(sp.csr_matrix(X), y)
    np.testing.assert_array_equal(learner.decision_function(X), other.decision_function(sp.csr_matrix(X)))


# ------------------------------------------------------------------- scikit-learn


# ---------------------------------------------------------------------- bad input


def test_no_reference_no_plane_and_no_function_in_a_file(tmp_path: Path) -> None:
    X, y = integer_table(0)
    with pytest.raises(DataError, match="parameter kernel of KernelPerceptron is or holds a function"):
        save(KernelPerceptron(lambda A, B: A @ B.T).fit(X, y), tmp_path / "f")
    with pytest.raises(DataError, match="no coordinates to compare"):
        KernelPerceptron().fit(X, y, reference=(np.ones(3), 0.0))
    with pytest.raises(AttributeError, match="has no attribute 'coef_'"):
        _ = KernelPerceptron().fit(X, y).coef_


@pytest.mark.parametrize("in_block", [0, 3])
def test_ctrl_c_keeps_the_model_so_far(in_block: int) -> None:
    X, y = integer_table(4, n=60)
    calls = 0

    def kernel(A: Any, B: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls > 12 * in_block:
            raise KeyboardInterrupt
        return A @ B.T + 1.0

    learner = KernelPerceptron(kernel, average="averaged", random_state=0)
    with pytest.raises(KeyboardInterrupt):
        learner.fit(X, y)
    assert learner.stop_reason_ is StopReason.INTERRUPTED
    learner.kernel = lambda A, B: A @ B.T + 1.0
    for average in ("last", "averaged", "voted"):
        assert np.isfinite(learner.set_params(average=average).decision_function(X)).all()


def test_on_the_command_line(tmp_path: Path) -> None:
    X, y, _ = make_xor(120, noise=0.2, random_state=0)
    lines = [f"{a},{b},{'yes' if label > 0 else 'no'}" for (a, b), label in zip(X.tolist(), y, strict=True)]
    (tmp_path / "t.csv").write_text("a,b,y\n" + "\n".join(lines) + "\n")
    common: Any = {"target": "y", "positive": None, "time_limit": None, "holdout": 0.0, "model": tmp_path / "m"}
    result = fit_command(str(tmp_path / "t.csv"), learner="kernel", max_iter=5, degree=2, **common)
    assert result.data["training_accuracy"] == 1.0
    bounds = {row["name"]: row for row in result.data["bounds"]}
    whole = ["freund-schapire, all passes", "hinge loss, all passes"]
    assert list(bounds) == ["novikoff", "freund-schapire", "hinge loss", *whole, "this run"]
    assert all(row["mistakes"] <= row["allowed"] for row in bounds.values())
    model = load(tmp_path / "m").learner_
    assert (model.kernel, model.degree, model.average, model.max_iter) == ("poly", 2, "voted", 5)
    shown = show_command(tmp_path / "m", 5)
    assert dict(shown.lines)["kernel"] == f"poly, with {len(model.support_)} support rows; features have no weights"
    assert (shown.data["weights"], shown.data["intercept"]) == ({}, None)
    assert score_command(tmp_path / "m", str(tmp_path / "t.csv")).data["accuracy"] == 1.0
    fit_command(str(tmp_path / "t.csv"), learner="kernel", max_iter=1, kernel="linear", **common)
    assert sorted(show_command(tmp_path / "m", 5).data["weights"]) == ["a", "b"]
    with pytest.raises(DataError, match=r"kernel must be .* got 'cubic'"):
        fit_command(str(tmp_path / "t.csv"), learner="kernel", max_iter=1, kernel="cubic", **common)
    with pytest.raises(DataError, match="kernel is not a parameter of --learner mlp"):
        fit_command(str(tmp_path / "t.csv"), learner="mlp", max_iter=1, kernel="rbf", **common)


def test_votes_after_a_clean_pass_and_a_second_run(tmp_path: Path) -> None:
    """The vectors before the last vote too; and nothing is left to chance."""
    X, y, *_ = make_separable(400, 5, 0.1, random_state=0)
    lines = [",".join(map(repr, row)) + f",{label}" for row, label in zip(X.tolist(), y.tolist(), strict=True)]
    (tmp_path / "t.csv").write_text("a,b,c,d,e,y\n" + "\n".join(lines) + "\n")
    found = [
        fit_command(str(tmp_path / "t.csv"), target="y", positive=None, time_limit=None, holdout=0.0, learner="kernel",
                     max_iter=12, model=tmp_path / name)
        for name in ("m", "n")
    ]  # fmt: skip
    assert (tmp_path / "m").read_bytes() == (tmp_path / "n").read_bytes()
    assert found[0].data["stop_reason"] == "clean pass" and found[0].data["training_accuracy"] < 1
    assert dict(found[0].lines)["stop reason"].endswith("the mean or the vote may not")
    model = load(tmp_path / "m")
    model.learner_.set_params(average="last")
    save(model, tmp_path / "last")
    assert score_command(tmp_path / "last", str(tmp_path / "t.csv")).data["accuracy"] == 1.0
    assert "weights are per" not in dict(show_command(tmp_path / "m", 5).lines)
