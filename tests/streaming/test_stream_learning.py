"""Predicting before learning, the bound that follows, fading, and what a table in a stream becomes."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from linsep import AveragedPerceptron, PassiveAggressive, Perceptron, Rocchio, VotedPerceptron
from linsep.data.features.encoder import TableEncoder
from linsep.data.features.missing import Missing
from linsep.data.features.running_moments import MOST_NAMES, RunningTable
from linsep.data.features.words import Grams, hash_words
from linsep.data.sources.open import open_data
from linsep.kernels.text.hashing import hash_names, seed_of
from linsep.streaming.fit_stream import fit_stream
from linsep.streaming.progressive import predict_then_learn
from linsep.streaming.result import Counters, StreamWarning
from linsep.streaming.run import Fading
from linsep.theory.bounds.cover import online_risk_bound
from linsep.types import DataError


def rows(n: int, classes: int, seed: int = 0) -> tuple[Any, Any]:
    """Sparse rows of whole numbers, labels of a noisy linear rule."""
    rng = np.random.default_rng(seed)
    X: Any = sp.random(n, 12, 0.4, "csr", np.float64, rng, data_rvs=lambda k: rng.integers(-3, 4, k).astype(float))
    X.eliminate_zeros()
    return X, (X @ rng.normal(size=(12, classes)) + rng.normal(size=(n, classes))).argmax(axis=1)


@pytest.mark.parametrize(
    ("learner", "classes"),
    [
        (Perceptron(), 2),
        (AveragedPerceptron(), 3),
        (PassiveAggressive(variant="pa1", multi_class="multiclass"), 3),
    ],
)
def test_each_row_is_predicted_by_the_vector_before_it(learner: Any, classes: int) -> None:
    X, y = rows(60, classes)
    names = np.arange(classes)
    wrong = np.concatenate(
        [predict_then_learn(learner, X[a : a + 25], y[a : a + 25], names).wrong for a in range(0, 60, 25)]
    )
    learner.settle()
    parameters = learner.get_params()
    other = type(learner)(**parameters)
    for i in range(60):
        if i:
            last = type(learner)(
                **(parameters | ({"average": "last"} if parameters.get("average") == "averaged" else {}))
            )
            last.partial_fit(X[:i], y[:i], classes=names)
            assert wrong[i] == (last.predict(X[i])[0] != y[i]), i
        other.partial_fit(X[i], y[i : i + 1], classes=names)
    assert np.array_equal(learner.coef_, other.coef_)
    assert np.array_equal(learner.intercept_, other.intercept_)
    assert (learner.n_mistakes_, learner.n_updates_, learner.t_) == (other.n_mistakes_, other.n_updates_, other.t_)


def test_classes_and_columns_join() -> None:
    X, y = rows(80, 3)
    learner, other = Perceptron(open_classes=True), Perceptron(open_classes=True)
    narrow = X[:30, :6].tocsr()
    first = predict_then_learn(learner, narrow, y[:30]).wrong
    later = predict_then_learn(learner, X[30:], y[30:]).wrong
    assert learner.coef_.shape == (3, 12)
    for label in range(3):
        assert np.concatenate([first, later])[int(np.flatnonzero(y == label)[0])]
    other.partial_fit(sp.csr_matrix((narrow.data, narrow.indices, narrow.indptr), shape=(30, 12)), y[:30])
    other.partial_fit(X[30:], y[30:])
    assert np.array_equal(learner.coef_, other.coef_)


@pytest.mark.parametrize("learner", [VotedPerceptron(), Rocchio()])
def test_learners_that_cannot_stream_say_so(learner: Any) -> None:
    with pytest.raises(DataError, match="cannot learn from a stream"):
        predict_then_learn(learner, *rows(5, 2), classes=[0, 1])


def test_weights_that_become_infinite_are_an_error() -> None:
    X, y = rows(5, 2)
    learner = Perceptron().partial_fit(X, y, classes=[0, 1])
    learner.coef_[0, 0] = np.inf
    with pytest.raises(DataError, match="became infinite"):
        predict_then_learn(learner, X, y)


@pytest.mark.parametrize(
    ("learner", "classes", "half_life"),
    [
        (AveragedPerceptron(), 2, 150.0),
        (AveragedPerceptron(), 2, 3000.0),
        (AveragedPerceptron(), 3, 100.0),
        (AveragedPerceptron(multi_class="multiclass"), 3, 100.0),
        (PassiveAggressive(average=True), 2, 100.0),
    ],
)
def test_a_faded_mean_is_that_of_its_formula(
    learner: Any, classes: int, half_life: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("linsep.streaming.run.EVERY_ROWS", 100)
    X, y = rows(330, classes, seed=3)
    learner, fading = clone(learner), Fading(half_life)
    moving, counts, total, exact = [], np.zeros(0), 0, 0.0
    for i in range(len(y)):
        predict_then_learn(learner, X[i], y[i : i + 1], classes=np.arange(classes))
        moving.append(np.column_stack([learner.last_coef_, learner.last_intercept_]))
        counts, total, exact = np.append(counts, 1.0), total + 1, exact + 1
        if (i + 1) % 100 == 0:
            factor = 2 ** (-100 / half_life)
            kept = round(factor * total)
            counts, total, exact = counts * (kept / total), kept, exact * factor
        fading.apply(learner, i + 1)
    mean = np.tensordot(counts, np.array(moving), axes=1) / counts.sum()
    assert np.allclose(np.column_stack([learner.coef_, learner.intercept_]), mean, rtol=1e-10, atol=1e-10)
    assert abs(total - exact) <= 1.5  # half a row for each time that they fade
    faded = 3 - np.arange(len(y)) // 100  # how often each row has
    assert np.allclose(counts, 2.0 ** (-100 * faded / half_life), rtol=0.01, atol=1e-3)


@pytest.mark.parametrize("half_life", [2, 20, 50])
def test_a_mean_of_a_short_half_life_is_that_of_its_last_rows(half_life: int) -> None:
    X, y = rows(1501, 2, seed=5)
    learner, fading = PassiveAggressive(average=True), Fading(half_life)
    vectors = []
    for i in range(len(y)):
        predict_then_learn(learner, X[i], y[i : i + 1], classes=np.arange(2))
        vectors.append(np.append(learner.last_coef_, learner.last_intercept_))
        fading.apply(learner, i + 1)
    step = half_life
    assert learner.t_ <= 2 * step + 1
    mean, last = np.append(learner.coef_, learner.intercept_), np.array(vectors[-20 * step - 1 :])
    assert (last.min(axis=0) - 1e-9 <= mean).all() and (mean <= last.max(axis=0) + 1e-9).all()


def test_after_a_change_the_faded_model_is_right_and_the_receipt_says_what_it_does() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 2))
    turned = np.where(np.arange(len(X)) < 15_000, 1, -1)
    y = (turned * X.sum(axis=1) > 0).astype(int)
    X_next = rng.normal(size=(2000, 2))
    y_next = (-X_next.sum(axis=1) > 0).astype(int)
    faded = fit_stream((X, y), half_life=500)
    with pytest.warns(StreamWarning, match="let old ones fade"):
        kept = fit_stream((X, y))
    for found, low, high in ((faded, 0.98, 1.0), (kept, 0.0, 0.02)):
        right = (found.model.learner_.predict(X_next) == y_next).mean()
        late = found.counters.late_accuracy
        assert low <= right <= high
        assert late is not None
        assert abs(late - right) < 0.02
    assert kept.accuracy is not None
    assert abs(kept.accuracy - 0.75) < 0.01  # wrong on the last quarter
    assert sum(kept.mistakes) < 0.02 * len(y)


@pytest.mark.parametrize(
    ("learner", "classes"),
    [
        (Perceptron(), 2),
        (AveragedPerceptron(), 2),
        (AveragedPerceptron(average="last"), 2),
        (AveragedPerceptron(), 3),
        (PassiveAggressive(average=True, multi_class="multiclass"), 3),
    ],
)
def test_the_accuracy_is_that_of_the_model_as_it_would_be_saved(learner: Any, classes: int) -> None:
    X, y = rows(90, classes)
    names = np.arange(classes)
    other = clone(learner).partial_fit(X[:1], y[:1], classes=names)
    missed = [y[0] != (1 if classes == 2 else 0)]  # of a tie the second of two classes, and the first of several
    for i in range(1, 90):
        missed.append(other.predict(X[i])[0] != y[i])
        other.partial_fit(X[i], y[i : i + 1])
    each = predict_then_learn(clone(learner), X, y, names)
    assert each.asked.all()
    assert each.missed.tolist() == missed
    counters = fit_stream((X, y), learner, classes=names).counters
    learner = clone(learner)
    parts = [predict_then_learn(learner, X[a : a + 30], y[a : a + 30], names, a, False) for a in range(0, 90, 30)]
    asked = np.concatenate([part.asked for part in parts])
    assert asked.all() or (classes == 3 and abs(asked.sum() - 90 / 4) < 3)
    assert counters.asked == [asked.sum()]
    assert counters.missed == [(np.array(missed) & asked).sum()]
    assert counters.mistakes == [each.wrong.sum()]


def test_parted_counts_only_rows_on_which_one_alone_is_wrong() -> None:
    assert not Counters(lately="3" * 1000).parted()
    assert not Counters(lately="1" * 1000).parted()  # the mean is better: what it is for
    assert not Counters(lately="2" * 16 + "0" * 984).parted()  # 16 is not more than 4 times the root of 16
    assert not Counters(lately="2" * 999).parted()  # it has just begun
    said = Counters(lately="2" * 17 + "3" * 3 + "0" * 980).parted()
    assert "wrong on 2.0% of the last 1,000 rows, and the last vector on 0.3%" in said[0]


# ----------------------------------------------------------------------- bound
@given(st.integers(1, 10**9), st.floats(0, 1), st.floats(1e-6, 0.5))
def test_the_bound_is_between_the_rate_and_one_and_falls_with_rows(n: int, rate: float, delta: float) -> None:
    mistakes = int(rate * n)
    bound = online_risk_bound(mistakes, n, delta)
    assert mistakes / n <= bound <= 1
    assert online_risk_bound(2 * mistakes, 2 * n, delta) <= bound + 1e-12


def test_the_bound_holds_at_every_moment_as_often_as_promised() -> None:
    rng = np.random.default_rng(0)
    failed = 0
    for _ in range(200):
        # Errors that depend on the past, as those of a learner do.
        risk, truth, mistakes = 0.5, 0.0, 0
        for n in range(1, 121):
            truth += risk
            missed = rng.random() < risk
            mistakes += missed
            risk = max(0.05, risk * (0.97 if missed else 0.999))
            if truth / n > online_risk_bound(mistakes, n, 0.2):
                failed += 1
                break
    assert failed <= 0.2 * 200


def test_the_bound_refuses_what_no_pass_can_have_made() -> None:
    for arguments in ((3, 2), (-1, 5), (0, 0), (1, 5, 0.0)):
        with pytest.raises(ValueError, match=r"cannot make|probability"):
            online_risk_bound(*arguments)


# --------------------------------------------------------------------- encoding
def naive_hash(name: bytes, bits: int) -> tuple[int, float]:
    h = 14695981039346656037
    for byte in name:
        h = (h ^ byte) * 1099511628211 % 2**64
    for m in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        h = (h ^ (h >> 33)) * m % 2**64
    h ^= h >> 33
    return h % 2**bits, 1.0 if h >> 63 else -1.0


@given(st.lists(st.text(max_size=8), min_size=1, max_size=6), st.sampled_from([8, 18]))
def test_hashing_is_that_of_a_naive_twin(names: list[str], bits: int) -> None:
    raw = [name.encode() for name in names]
    offsets = np.cumsum([0, *map(len, raw)])
    columns, signs = hash_names("ä=", np.frombuffer(b"".join(raw), np.uint8), offsets, bits)
    assert [*zip(columns.tolist(), signs.tolist(), strict=True)] == [naive_hash("ä=".encode() + r, bits) for r in raw]


def test_hashing_spreads_names_that_differ_little() -> None:
    raw = [str(i).encode() for i in range(20_000)]
    columns, signs = hash_names("c=", np.frombuffer(b"".join(raw), np.uint8), np.cumsum([0, *map(len, raw)]), 8)
    counts = np.bincount(columns, minlength=256)
    chi2 = ((counts - counts.mean()) ** 2 / counts.mean()).sum()
    assert abs(chi2 - 255) < 5 * math.sqrt(2 * 255)
    assert abs(signs.sum()) < 5 * math.sqrt(20_000)


def naive_grams(text: str, unit: str, low: int, high: int) -> set[str]:
    words = "".join(c if c.isalnum() or ord(c) > 127 else " " for c in text).split() if unit == "words" else list(text)
    join = " " if unit == "words" else ""
    return {join.join(words[i : i + n]) for n in range(low, high + 1) for i in range(len(words) - n + 1)}


@given(st.lists(st.text("ab é,.Z1", max_size=12), min_size=1, max_size=4), st.sampled_from(["words1-2", "chars2-3"]))
def test_words_are_those_of_a_naive_twin(texts: list[str], spec: str) -> None:
    grams = Grams.parse(spec)
    raw = [text.encode() for text in texts]
    text, offsets = np.frombuffer(b"".join(raw), np.uint8), np.cumsum([0, *map(len, raw)])
    (values, columns, indptr), _ = hash_words(text, offsets, grams, seed_of("t:"), 18, np.zeros(1 << 18, np.bool_))
    for k, one in enumerate(texts):
        part = slice(indptr[k], indptr[k + 1])
        wanted = {naive_hash(f"t:{gram}".encode(), 18) for gram in naive_grams(one, *grams)}
        got = {(c, math.copysign(1.0, v)) for c, v in zip(columns[part], values[part], strict=True)}
        assert got == wanted
        assert math.isclose((values[part] ** 2).sum(), 1.0 if wanted else 0.0)


@pytest.mark.parametrize("spec", ["word", "words0", "words3-2", "chars9", "chars1-9", ""])
def test_what_text_is_not_read_as(spec: str) -> None:
    with pytest.raises(DataError, match="text is read as words"):
        Grams.parse(spec)


TABLE = pa.table(
    {
        "size": [50.0, 60.0, 70.0, 20.0, 20.0],
        "city": ["Oslo", "Rome", "Oslo", "Bari", "Rome"],
        "note": ["a big one", "big", "", "one too small", "so so"],
    }
)


def test_encoding_does_not_depend_on_the_cut() -> None:
    whole, parts = (TableEncoder(bits=10, columns={"note": "text"}) for _ in range(2))
    at_once = whole.learn_chunk(open_data(TABLE).read())
    cut = [parts.learn_chunk(open_data(TABLE.slice(a, b - a)).read()) for a, b in ((0, 1), (1, 4), (4, 5))]
    assert (at_once != sp.vstack(cut)).nnz == 0
    assert whole.state()[0] == parts.state()[0]
    sizes = TABLE["size"].to_numpy()
    for t in range(5):
        s = sizes[: t + 1].std() or 1.0
        assert math.isclose(at_once[t, 1024], (sizes[t] - sizes[: t + 1].mean()) / s, abs_tol=1e-12)
    again = TableEncoder.from_state(*whole.state())
    assert (again.transform(TABLE) != whole.transform(TABLE)).nnz == 0
    assert again.feature_names_ == whole.feature_names_
    names = Counter(name.partition("=")[0] for name in whole.feature_names_ if "=" in name)
    assert names["city"] == 3


def test_names_of_the_heaviest_weights_are_kept() -> None:
    table = RunningTable(17, {})
    for j in range(MOST_NAMES + 1):
        table._keep(j, f"n{j}", 1.0)
    weight = np.zeros(table.width)
    weight[[5, 9]] = [-3.0, 2.0]
    table.forget_names(weight)
    assert len(table.names) == MOST_NAMES // 2
    assert {5, 9} <= table.names.keys()
    assert table._named.sum() == len(table.names)


def test_a_table_encoder_in_a_pipeline() -> None:
    pandas = TABLE.to_pandas()
    y = [1, 0, 1, 0, 0]
    for encoder in (TableEncoder(), TableEncoder(bits=10, columns={"note": "words"}).partial_fit(pandas)):
        model = make_pipeline(encoder, Perceptron())
        if encoder.get_params()["bits"] == 18:
            model.fit(pandas, y)
        else:
            model[-1].fit(encoder.transform(pandas), y)
        assert model.predict(pandas).tolist() == y


def test_a_piece_whose_cells_are_all_missing_lacks_numbers(tmp_path: Path) -> None:
    """What the first rows said of a column holds for a piece that has nothing but NA there."""
    parts = [b"c0,y\n3,p\n-5,q\n4,p\n", b"c0,y\nNA,q\n?,p\n", b"c0,y\n1,p\n2,q\n"]
    for k, part in enumerate(parts):
        (tmp_path / f"part-{k}.csv").write_bytes(part)
    whole = parts[0] + b"".join(part.partition(b"\n")[2] for part in parts[1:])
    ways: list[tuple[Missing, int]] = [("drop", 5), ("mean", 7)]
    for missing, rows in ways:
        cut = fit_stream(str(tmp_path / "part-*.csv"), target="y", missing=missing)
        once = fit_stream(whole, target="y", missing=missing)
        assert cut.counters.rows == once.counters.rows == rows
        assert cut.counters.missing == once.counters.missing == {"c0": 2}
        assert np.array_equal(cut.model.learner_.coef_, once.model.learner_.coef_)
