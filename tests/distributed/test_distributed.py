"""Training on shards: the theorem holds, one shard is one machine, and what a lost worker did is done again."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.datasets import dump_svmlight_file
from sklearn.exceptions import ConvergenceWarning

import linsep
from linsep import load, make_separable, open_data, save
from linsep.data.features.encoder import TableEncoder
from linsep.learners import (
    AveragedPerceptron,
    MarginPerceptron,
    PassiveAggressive,
    Perceptron,
    PocketPerceptron,
    Rocchio,
    SGDClassifier,
    VotedPerceptron,
)
from linsep.types import DataError, StopReason
from naive import parameter_mixing

distributed = pytest.importorskip("dask.distributed")


def fit(*given: Any, **named: Any) -> Any:
    """`linsep.distributed.fit`, imported when it is first called."""
    return linsep.distributed.fit(*given, **named)


QUIET = {"dashboard_address": "127.0.0.1:0", "scheduler_kwargs": {"dashboard": False}}


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    with (
        distributed.LocalCluster(processes=False, n_workers=1, threads_per_worker=2, **QUIET) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        yield client


def assert_same(a: Any, b: Any) -> None:
    """All that was learnt, to the last bit."""
    (meta_a, arrays_a), (meta_b, arrays_b) = a.get_state(), b.get_state()
    assert meta_a == meta_b
    assert arrays_a.keys() == arrays_b.keys()
    for name, array in arrays_a.items():
        assert array.dtype == arrays_b[name].dtype, name
        assert array.tolist() == arrays_b[name].tolist(), name


def noisy(n: int = 300, p: int = 6, classes: int = 2, seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    return X, (X[:, :classes] + 0.7 * rng.normal(size=(n, classes))).argmax(axis=1)


# ----------------------------------------------------------------- the theorem
@pytest.mark.parametrize("intercept", [True, False])
def test_separable_rows_come_to_a_clean_pass_below_the_bound(client: Any, intercept: bool) -> None:
    for seed in range(4):
        shards = 2 + seed
        X, y, w, b = make_separable(100, 3, 0.2, random_state=seed)
        if not intercept:  # the plane through the origin of the rows with the constant appended
            X, w, b = np.column_stack([X, np.ones(len(X))]), np.append(w, b), 0.0
        c = 1.0 if seed else 0.5
        asked = Perceptron(fit_intercept=intercept, intercept_scaling=c, max_iter=None)
        learner = fit(asked, (X, y), client, shards=shards)
        found = learner.mixing_
        assert learner.stop_reason_ is StopReason.CLEAN_PASS
        assert learner.score(X, y) == 1
        assert found.mistakes.shape == (learner.n_iter_, shards)
        assert (found.mistakes[-1] == 0).all()
        assert found.mistakes.sum() == learner.n_mistakes_
        assert found.bound.applies
        assert 0 < found.weighted_mistakes <= found.bound.value
        assert f"sum mu k = {found.weighted_mistakes:,.6g} of" in repr(found)


def test_every_step_is_that_of_the_plain_loops(client: Any) -> None:
    X = np.random.default_rng(1).integers(-3, 4, size=(60, 3)).astype(float)
    y = (X @ [1, -1, 2] > 0).astype(int)
    learner = fit(Perceptron(max_iter=40), (X, y), client, shards=4)
    cuts = learner.mixing_.rows.cumsum()[:-1]
    twin = parameter_mixing(np.split(X, cuts), np.split(2.0 * y - 1, cuts), learner.n_iter_)
    assert learner.mixing_.mistakes.tolist() == twin.mistakes
    np.testing.assert_allclose(np.append(learner.coef_[0], learner.intercept_), twin.w, rtol=1e-9)


def test_the_average_is_that_of_all_vectors_in_use(client: Any) -> None:
    X, y = noisy(80, 3)
    learner = fit(AveragedPerceptron(max_iter=4, shuffle=False), (X, y), client, shards=3)
    cuts = learner.mixing_.rows.cumsum()[:-1]
    twin = parameter_mixing(np.split(X, cuts), np.split(2.0 * y - 1, cuts), 4)
    assert learner.t_ == 4 * 80
    np.testing.assert_allclose(np.append(learner.coef_[0], learner.intercept_), twin.mean, rtol=1e-9)
    np.testing.assert_allclose(np.append(learner.last_coef_[0], learner.last_intercept_), twin.w, rtol=1e-9)


def test_where_there_is_no_bound_it_says_why(client: Any) -> None:
    X, y = noisy(60)
    for learner, why in [
        (AveragedPerceptron(max_iter=2), "no separator is at hand"),
        (PassiveAggressive(max_iter=2), "the steps are not of unit length"),
        (AveragedPerceptron(max_iter=2, class_weight="balanced"), "the steps are not of unit length"),
    ]:
        bound = fit(learner, (X, y), client, shards=2).mixing_.bound
        assert (bound.applies, bound.value) == (False, None)
        assert why in bound.why
    three = fit(AveragedPerceptron(max_iter=2), noisy(60, classes=3), client, shards=2)
    assert "several classes" in repr(three.mixing_)


# ------------------------------------------------------------- one machine
LEARNERS = [
    Perceptron(max_iter=3, shuffle=False),
    AveragedPerceptron(max_iter=3, shuffle=False, class_weight="balanced"),
    MarginPerceptron(max_iter=3, shuffle=False, intercept_scaling=0.3),
    PassiveAggressive(max_iter=3, shuffle=False),
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
@pytest.mark.parametrize("classes", [2, 3])
def test_shards_in_turn_are_one_machine_to_the_bit(client: Any, learner: Any, classes: int) -> None:
    X, y = noisy(classes=classes)
    alone = type(learner)(**learner.get_params()).fit(X, y)
    in_turn = type(learner)(**learner.get_params())
    assert_same(fit(in_turn, (X, y), client, mix=None, shards=4), alone)
    assert in_turn.trace_.mistakes.tolist() == alone.trace_.mistakes.tolist()
    assert in_turn.trace_.norm_w.tolist() == pytest.approx(alone.trace_.norm_w.tolist())
    assert in_turn.mixing_.weighted_mistakes == in_turn.n_mistakes_
    assert in_turn.get_params() == learner.get_params()


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_one_shard_is_one_machine_to_the_bit_shuffled_too(client: Any, learner: Any) -> None:
    X, y = noisy()
    parameters = learner.get_params() | {"shuffle": True, "random_state": 7}
    alone = type(learner)(**parameters).fit(X, y)
    for mix in ("uniform", None):
        one = fit(type(learner)(**parameters), (X, y), client, mix=mix, shards=1)
        assert_same(one, alone)
        assert one.mixing_.weighted_mistakes == one.n_mistakes_


def test_sparse_rows_and_single_precision(client: Any) -> None:
    X, y = noisy()
    X = (X * (np.abs(X) > 1)).astype(np.float32)
    for rows in (X, sp.csr_matrix(X)):
        alone = AveragedPerceptron(max_iter=2, shuffle=False).fit(rows, y)
        in_turn = fit(AveragedPerceptron(max_iter=2, shuffle=False), (rows, y), client, mix=None, shards=3)
        assert_same(in_turn, alone)
        mixed = fit(AveragedPerceptron(max_iter=2), (rows, y), client, shards=3)
        assert mixed.last_coef_.dtype == np.float32
        assert mixed.score(rows, y) > 0.6


def test_a_class_of_weight_0_is_not_there_even_if_it_fills_a_shard(client: Any) -> None:
    X, y = noisy(90, classes=3)
    order = np.argsort(y)
    X, y = X[order], y[order]
    two = y > 0
    options: dict[str, Any] = {"max_iter": 2, "shuffle": False, "multi_class": "multiclass"}
    alone = AveragedPerceptron(class_weight={0: 0.0}, **options).fit(X, y)
    found = fit(AveragedPerceptron(class_weight={0: 0.0}, **options), (X, y), client, mix=None, shards=9)
    assert_same(found, alone)
    assert found.t_ == 2 * two.sum()


def test_voted_perceptrons_go_in_turn(client: Any) -> None:
    X, y = noisy(100)
    alone = VotedPerceptron(shuffle=False).fit(X, y)
    in_turn = fit(VotedPerceptron(shuffle=False), (X, y), client, mix=None, shards=3)
    assert in_turn.decision_function(X).tolist() == alone.decision_function(X).tolist()


def test_shuffled_shards_repeat_and_go_on(client: Any, tmp_path: Path) -> None:
    X, y = noisy()
    once, again = (fit(AveragedPerceptron(random_state=3, max_iter=3), (X, y), client, shards=3) for _ in range(2))
    assert_same(once, again)
    save(once, tmp_path / "m")
    assert_same(load(tmp_path / "m").partial_fit(X, y), again.partial_fit(X, y))


# ------------------------------------------------------------------- sources
@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """A table in three files, the columns of the last in another order."""
    X, y = noisy(90, 3)
    table = pd.DataFrame(X, columns=["a", "b", "c"]).assign(city=np.where(X[:, 2] > 0, "Oslo", "Bari"))
    table = table.assign(label=np.array(["no", "yes"])[y])
    for k, (start, stop) in enumerate(pairwise([0, 40, 70, 90])):
        part = table[start:stop]
        part[["c", "label", "city", "b", "a"] if k == 2 else list(table.columns)].to_csv(
            tmp_path / f"part-{k}.csv", index=False
        )
    table.to_csv(tmp_path / "all.csv", index=False)
    return sorted(tmp_path.glob("part-*.csv"))


def test_files_with_an_encoder(client: Any, files: list[Path]) -> None:
    whole = open_data(files[0].with_name("all.csv"), target="label")
    encoder = TableEncoder().fit(whole)
    rows = encoder.transform(whole)
    alone = AveragedPerceptron(max_iter=2, shuffle=False).fit(rows.X, rows.y)
    pattern = files[0].with_name("part-*.csv")
    options: dict[str, Any] = {"target": "label", "encoder": encoder}
    found = fit(AveragedPerceptron(max_iter=2, shuffle=False), pattern, client, mix=None, **options)
    assert_same(found.learner_, alone)
    assert found.encoder_ is encoder
    mixed = fit(AveragedPerceptron(max_iter=2), [str(path) for path in files], client, **options)
    assert mixed.learner_.mixing_.rows.tolist() == [40, 30, 20]
    assert mixed.score(whole) > 0.6


def test_files_with_a_hashing_encoder(client: Any, files: list[Path]) -> None:
    encoder = TableEncoder(bits=8).partial_fit(open_data(files[0], target="label"))
    whole = encoder.transform(open_data(files[0].with_name("all.csv"), target="label"))
    alone = AveragedPerceptron(max_iter=2, shuffle=False).fit(whole.X, whole.y)
    learner = AveragedPerceptron(max_iter=2, shuffle=False)
    found = fit(learner, files, client, mix=None, target="label", encoder=encoder)
    assert_same(found.learner_, alone)


def test_files_of_numbers_match_columns_by_name(client: Any, files: list[Path]) -> None:
    for path in files:
        pd.read_csv(path).drop(columns="city").to_csv(path, index=False)
    table = pd.read_csv(files[0].with_name("all.csv"))
    X, y = table[["a", "b", "c"]], table["label"].to_numpy(dtype=str)
    alone = AveragedPerceptron(max_iter=2, shuffle=False).fit(X, y)
    found = fit(AveragedPerceptron(max_iter=2, shuffle=False), files, client, mix=None, target="label")
    assert_same(found, alone)
    assert found.feature_names_in_.tolist() == ["a", "b", "c"]
    assert found.predict(X).tolist() == alone.predict(X).tolist()


def test_svmlight_files_agree_on_their_columns(client: Any, tmp_path: Path) -> None:
    X, y = noisy(60, 5)
    X = np.round(X * (np.abs(X) > 0.8), 2)
    X[:40, 0] = 0  # only the last file holds an index 0, and the first none above 3
    X[:20, 4] = 0
    X[45, 0] = 1.5
    names = [tmp_path / f"{k}.svmlight" for k in range(3)]
    for k, name in enumerate(names):
        dump_svmlight_file(sp.csr_matrix(X[20 * k : 20 * k + 20]), y[20 * k : 20 * k + 20], str(name))
    alone = AveragedPerceptron(max_iter=2, shuffle=False).fit(sp.csr_matrix(X), y)
    found = fit(AveragedPerceptron(max_iter=2, shuffle=False), names, client, mix=None)
    assert_same(found, alone)


def test_dask_collections(client: Any) -> None:
    da, dd = pytest.importorskip("dask.array"), pytest.importorskip("dask.dataframe")
    X, y = noisy(90, 4)
    alone = AveragedPerceptron(max_iter=2, shuffle=False).fit(X, y)
    table = pd.DataFrame(X, columns=list("abcd")).assign(label=y)
    frame = dd.from_pandas(table, npartitions=3)
    empty = dd.from_pandas(table[table["label"] > 5], npartitions=1)
    rows = da.from_array(X, chunks=(30, 4))
    cases: list[tuple[Any, dict[str, Any]]] = [
        (list(zip(rows.to_delayed()[:, 0], da.from_array(y, chunks=30).to_delayed(), strict=True)), {}),
        (frame, {"target": "label"}),
        (dd.concat([empty, frame]), {"target": "label"}),
    ]
    for source, options in cases:
        found = fit(AveragedPerceptron(max_iter=2, shuffle=False), source, client, mix=None, **options)
        assert_same(found, alone)
        assert found.mixing_.rows.tolist() == [30, 30, 30]


# ------------------------------------------------------------- worker lost
def test_a_worker_lost_in_the_middle_changes_nothing(client: Any, tmp_path: Path) -> None:
    class Fragile(Perceptron):
        """Takes its worker with it once, in the third epoch."""

        def run(self, *arguments: Any) -> int:
            made = super().run(*arguments)
            if self.n_iter_ == 2 and not marker.exists():
                marker.touch()
                os._exit(1)
            return made

    marker = tmp_path / "killed"
    X, y, *_ = make_separable(400, 4, 0.02, random_state=1)
    calm = fit(Perceptron(shuffle=True, random_state=0), (X, y), client, shards=4)
    assert calm.n_iter_ > 3
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, **QUIET) as cluster,
        distributed.Client(cluster, set_as_default=False) as processes,
    ):
        found = fit(Fragile(shuffle=True, random_state=0), (X, y), processes, shards=4)
        assert marker.exists()
        assert_same(found, calm)
        assert found.mixing_.mistakes.tolist() == calm.mixing_.mistakes.tolist()


# ----------------------------------------------------------- stops and errors
def test_the_budget_ends_with_a_warning_and_progress_is_told(client: Any) -> None:
    X, y = noisy(60)
    said = []
    learner: Any = Perceptron(max_iter=3, verbose=lambda *told: said.append(told[:2]))
    with pytest.warns(ConvergenceWarning, match="stopped after 3 epochs: the weights were still updated"):
        fit(learner, (X, y), client, shards=2)
    assert [epoch for epoch, _ in said] == [1, 2, 3]
    assert [mistakes for _, mistakes in said] == learner.mixing_.mistakes.sum(axis=1).tolist()
    assert learner.trace_.mistakes.tolist() == learner.mixing_.mistakes.sum(axis=1).tolist()
    assert callable(learner.verbose)


def test_ctrl_c_keeps_the_model_so_far(client: Any) -> None:
    def stop(epoch: int, *_: Any) -> None:
        if epoch == 2:
            raise KeyboardInterrupt

    learner = Perceptron(verbose=stop)
    with pytest.raises(KeyboardInterrupt):
        fit(learner, noisy(60), client, shards=2)
    assert learner.stop_reason_ is StopReason.INTERRUPTED
    assert learner.n_iter_ == 2
    assert learner.coef_.any()


def test_without_a_client_one_line_does(tmp_path: Path) -> None:
    X, y = noisy(40)
    assert fit(AveragedPerceptron(max_iter=1), (X, y)).score(X, y) > 0.5
    with pytest.raises(ValueError, match="No global client found"):
        distributed.get_client()


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_bad_input_is_refused_and_the_learner_is_as_it_was(client: Any, tmp_path: Path, files: list[Path]) -> None:
    X, y = noisy(40)
    broken = X.copy()
    broken[30, 1] = np.nan
    (tmp_path / "other.csv").write_text("a,b,z,label\n1,2,3,no\n")
    (tmp_path / "numbers.csv").write_text("a,b,c,label\n1,2,3,4\n1,2,4,5\n")
    (tmp_path / "words.csv").write_text("a,b,c,label\n1,2,3,u\n1,2,4,v\n")
    cases: list[tuple[Any, dict[str, Any], str]] = [
        ((broken, y), {"shards": 4}, "rows 30 to 39: .*NaN"),
        ((X, np.ones(40)), {}, "The number of classes has to be 2"),
        ((X, y[:-1]), {}, "X of shape"),
        ((X, y), {"shards": 0}, "shards must be at least 1"),
        ((X, y, y), {}, "a tuple of 3"),
        (3.5, {}, "no shards can be made of a float"),
        ([], {}, "no shards can be made of a list"),
        ("nowhere/part-*.csv", {"target": "label"}, "there is no file"),
        (files, {"target": "label"}, r"part-\d.csv: column .city. is text: fit a TableEncoder"),
        (files, {"target": "label", "shards": 3}, "comes in shards already"),
        (files, {}, "name the column"),
        ([tmp_path / "numbers.csv", tmp_path / "other.csv"], {"target": "label"}, "only one of them has a column"),
        ([tmp_path / "numbers.csv", tmp_path / "words.csv"], {"target": "label"}, "are text and those of the other"),
        ((X, y), {"mix": "best"}, "mix must be"),
    ]
    learner = Perceptron(max_iter=2).fit(X, y)
    before = dict(vars(learner))
    for source, options, message in cases:
        with pytest.raises(ValueError, match=message):
            fit(learner, source, client, **options)
        assert vars(learner) == before
    refused: list[tuple[Any, dict[str, Any], str]] = [
        (PocketPerceptron(), {}, "cannot be trained shard by shard"),
        (Rocchio(), {}, "cannot be trained shard by shard"),
        (SGDClassifier(), {"mix": None}, "its own partial_fit takes them in chunks"),
        (VotedPerceptron(), {}, "mix=None takes the shards in turn"),
        (Perceptron(warm_start=True), {}, "on shards has no"),
        (Perceptron(trace="updates"), {}, "on shards has no"),
        (Perceptron(intercept_scaling="auto"), {}, "on shards has no"),
        (Perceptron(max_iter=0), {}, "max_iter must be"),
        (Perceptron(class_weight={0: 0, 1: 0}), {}, "class_weight is 0 for the classes of all rows"),
    ]
    for other, options, message in refused:
        with pytest.raises(ValueError, match=message):
            fit(other, (X, y), client, **options)


def test_without_dask_the_message_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ImportError, match=r"pip install '\.\[dask\]'"):
        fit(Perceptron(), noisy(40))
    assert issubclass(DataError, ValueError)
