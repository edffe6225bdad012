"""Predictions and `save` beside a thread that learns: every reader sees the model as it was at one moment."""

from __future__ import annotations

import pickle
import threading
import time
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import linsep
from linsep.learners.engine.guard import Guard
from linsep.reporting import weights

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3))
Y = (X[:, 0] > 0).astype(int)
LEARNERS = [
    linsep.Perceptron,
    linsep.AveragedPerceptron,
    linsep.VotedPerceptron,
    linsep.Rocchio,
    lambda: linsep.SGDClassifier(eta0=0.1),
]


def learnt(make: Callable[[], Any]) -> Any:
    return make().partial_fit(X[:20], Y[:20], classes=[0, 1])


@pytest.mark.parametrize("make", LEARNERS)
@pytest.mark.parametrize("way", ["learn_one", "partial_fit"])
def test_a_reader_keeps_what_it_began_with(make: Callable[[], Any], way: str) -> None:
    model, same = learnt(make), learnt(make)
    before = model.decision_function(X)
    with model.reading() as still:
        for x, y in zip(X[20:], Y[20:], strict=True):
            model.learn_one(x, int(y)) if way == "learn_one" else model.partial_fit(x[None], [y])
        np.testing.assert_array_equal(still.decision_function(X), before)
    for x, y in zip(X[20:], Y[20:], strict=True):
        same.learn_one(x, int(y)) if way == "learn_one" else same.partial_fit(x[None], [y])
    assert (same.decision_function(X) != before).any()
    np.testing.assert_array_equal(model.decision_function(X), same.decision_function(X))


def test_nothing_is_copied_when_nobody_reads() -> None:
    model = learnt(linsep.Perceptron)
    model.predict(X)
    weights = model.coef_
    assert model.learn_one(X[0], 1).coef_ is weights
    with model.reading():
        assert model.learn_one(X[1], 0).coef_ is not weights
        weights = model.coef_
        assert model.learn_one(X[2], 0).coef_ is weights  # readers that came before have their own now


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_classes_and_columns_that_join_are_not_seen_by_a_reader() -> None:
    model = linsep.Perceptron()
    model.learn_one({"a": 1.0}, "x").learn_one({"a": -1.0}, "y")
    with model.reading() as still:
        model.learn_one({"b": 1.0}, "w").learn_one({"c": 1.0, "a": 3.0}, "z")
        assert still.classes_.tolist() == ["x", "y"] and still.decision_function([[1.0]]).shape == (1,)
        assert still.predict([[1.0]]).tolist() == ["x"]
    assert model.classes_.tolist() == ["w", "x", "y", "z"] and model.n_features_in_ == 3


def test_names_that_join_are_not_in_a_copy_that_has_begun() -> None:
    model = linsep.AveragedPerceptron()
    model.learn_one({"a": 1.0}, "x").learn_one({"a": -1.0}, "y")
    with model.reading() as still:
        shared = {name: value for name, value in still.__dict__.items() if isinstance(value, dict | list)}
        before = deepcopy(shared)
        model.learn_one({"b": 1.0}, "x").learn_one({"c": 1.0, "a": 3.0}, "y")
        assert shared.keys() == before.keys()
        assert all(len(shared[name]) == len(before[name]) for name in shared)
    assert model.predict_one({"c": 5.0, "b": 1.0}) in ("x", "y")
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]


def test_a_table_model_is_read_whole() -> None:
    frame = pd.DataFrame({"size": X[:, 0], "city": ["Oslo", "Rome"] * 20})
    model = linsep.TableModel().partial_fit(frame[:20], Y[:20], classes=[0, 1])
    before = model.decision_function(frame)
    with model.reading() as still:
        model.partial_fit(frame[20:], Y[20:])
        np.testing.assert_array_equal(still.decision_function(frame), before)
    assert (model.decision_function(frame) != before).any()


def test_save_writes_one_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The thread learns between the digest and the packing, which once made a file that does not load."""
    model = learnt(linsep.AveragedPerceptron)
    before = model.decision_function(X)
    from linsep.model_files import container

    digest = container.digest

    def digest_then_learn(arrays: dict[str, Any]) -> str:
        found = digest(arrays)
        thread = threading.Thread(target=lambda: [model.learn_one(x, int(y)) for x, y in zip(X, Y, strict=True)])
        thread.start()
        thread.join()
        return found

    monkeypatch.setattr(container, "digest", digest_then_learn)
    linsep.save(model, tmp_path / "model")
    monkeypatch.undo()
    np.testing.assert_array_equal(linsep.load(tmp_path / "model").decision_function(X), before)


def test_two_threads_learn_one_after_the_other() -> None:
    model = learnt(linsep.Perceptron)
    order: list[str] = []

    def learn() -> None:
        model.partial_fit(X, Y)
        order.append("other")

    other = threading.Thread(target=learn)
    with model.writing():
        other.start()
        model.learn_one(X[0], 1)
        order.append("this")
    other.join()
    assert order == ["this", "other"] and model.t_ == 20 + 1 + 40


def test_a_copy_has_a_lock_of_its_own() -> None:
    model = learnt(linsep.Perceptron)
    for twin in (deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert isinstance(twin.guard(), Guard) and twin.guard() is not model.guard()
        np.testing.assert_array_equal(twin.coef_, model.coef_)


def test_an_error_leaves_the_lock_in_place() -> None:
    model = linsep.Perceptron()
    guard = model.guard()
    with pytest.raises(ValueError):
        model.learn_one([np.nan], 1)
    assert model.guard() is guard and not hasattr(model, "classes_")


def test_many_threads_for_a_moment(tmp_path: Path) -> None:
    model = linsep.Perceptron()
    for label in (0, 1, 2):  # compiled before the threads begin
        model.learn_one(X[0], label).predict(X)
    model.predict_one(X[0])
    errors: list[BaseException] = []
    until = time.monotonic() + 1.0

    def again(step: Callable[[int], Any]) -> threading.Thread:
        def work() -> None:
            k = 0
            while time.monotonic() < until and not errors:
                try:
                    step(k)
                except BaseException as error:
                    errors.append(error)
                k += 1

        return threading.Thread(target=work)

    def save(k: int) -> None:
        linsep.save(model, tmp_path / "model")
        linsep.load(tmp_path / "model").predict(X)

    labels = RNG.integers(40, size=997).tolist()
    work = [
        again(lambda k: model.learn_one(X[k % 40], labels[k % 997])),
        again(lambda k: model.predict(X)),
        again(lambda k: model.predict_one(X[k % 40])),
        again(save),
    ]
    for thread in work:
        thread.start()
    for thread in work:
        thread.join()
    assert errors == []
    assert model.coef_.shape == (len(model.classes_), 3) and len(model.classes_) > 3


@pytest.mark.parametrize("duplicate", [deepcopy, lambda model: pickle.loads(pickle.dumps(model))])
def test_a_copy_is_of_one_moment(duplicate: Callable[[Any], Any]) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 8)), np.arange(60) % 3
    model = linsep.VotedPerceptron().partial_fit(X, y, classes=[0, 1, 2])
    ended = threading.Event()

    def learn() -> None:
        for _ in range(300):  # each makes the model larger, and its copies slower
            if ended.is_set():
                break
            model.partial_fit(X, y)

    learner = threading.Thread(target=learn)
    learner.start()
    try:
        for _ in range(40):
            assert duplicate(model).predict(X).shape == (60,)
    finally:
        ended.set()
        learner.join()


def test_a_tagger_is_read_whole() -> None:
    short, long = [["a", "b"]], [["c", "d", "e"], ["f", "g"]]
    tagger = linsep.SequenceTagger(random_state=0).fit(short, [["D", "N"]])
    with tagger.reading() as still:
        tagger.fit(long, [["X", "Y", "X"], ["Y", "X"]])
        assert still.predict(short) == [["D", "N"]]
    assert set(tagger.predict(long)[0]) <= {"X", "Y"}


def test_predictions_of_a_tagger_wait_for_the_end_of_its_training() -> None:
    sentences = [[f"w{k}", f"v{k}"] for k in range(40)]
    tags = [["D", "N"], ["X", "Y"]]
    tagger = linsep.SequenceTagger(random_state=0).fit(sentences, [tags[0]] * 40)
    ended = threading.Event()

    def learn() -> None:
        k = 0
        while not ended.is_set():
            k += 1
            tagger.fit(sentences[: 20 + k % 20], [tags[k % 2]] * (20 + k % 20))

    thread = threading.Thread(target=learn)
    thread.start()
    try:
        for _ in range(30):
            assert tagger.predict(sentences[:20])[3] in tags
            assert deepcopy(tagger).predict(sentences[:20])[3] in tags
    finally:
        ended.set()
        thread.join()


def test_a_description_is_of_one_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    """A row that is learnt while the description is made."""
    model = linsep.TableModel(linsep.Perceptron())
    frame = pd.DataFrame({"size": [1.0, -1.0, 2.0], "kind": ["a", "b", "a"]})
    model.partial_fit(frame, ["n", "y", "n"], classes=["n", "y"])
    before = linsep.describe(model)
    of_learner = weights._planes

    def interrupted(learner: Any) -> Any:
        found = of_learner(learner)
        model.partial_fit(pd.DataFrame({"size": [5.0], "kind": ["c"]}), ["y"])
        return found

    monkeypatch.setattr(weights, "_planes", interrupted)
    assert linsep.describe(model) == before
    monkeypatch.undo()
    assert linsep.describe(model) != before
