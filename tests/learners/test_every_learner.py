"""What every learner keeps to: classes learnt as each alone, state that goes on, rows left out, bad parameters."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from drawn import integer_table
from linsep import load, save
from linsep.learners import (
    MLP,
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
from linsep.streaming.progressive import predict_then_learn

pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.usefixtures("small_blocks"),
]
PER_CLASS = {0: 1.0, 1: 2.0, 2: 3.0, 3: 5.0}


def what_was_learnt(learner: Any, k: int | None = None) -> dict[str, Any]:
    """The vectors that a learner predicts with and goes on from, and its mistakes; of one class of several."""
    names = ("coef_", "intercept_", "last_coef_", "last_intercept_", "pocket_mistakes_")
    found = {name: np.atleast_1d(getattr(learner, name)) for name in names if hasattr(learner, name)}
    return {name: values if k is None else values[k : k + 1] for name, values in found.items()}


@pytest.mark.parametrize(
    ("learner", "atol"),
    [
        (PocketPerceptron(max_iter=30, random_state=0), 0),
        (PocketPerceptron(max_iter=30, random_state=0, class_weight=PER_CLASS), 0),
        (MarginPerceptron(average=True, max_iter=6, shuffle=False), 0),
        (VotedPerceptron(max_iter=20, random_state=0), 0),
        (SGDClassifier("squared_hinge", eta0=0.01, projection_radius=1.0, max_iter=3, class_weight=PER_CLASS), 1e-12),
        *((KernelPerceptron(degree=2, average=mean, max_iter=3), 1e-9) for mean in ("last", "averaged", "voted")),
        (KernelPerceptron("rbf", gamma=0.5, budget=20, max_iter=3), 1e-9),
    ],
    ids=str,
)
def test_one_vs_rest_equals_each_class_alone(learner: Any, atol: float) -> None:
    X, y = integer_table(7, n=120, n_classes=4)
    weight = np.random.RandomState(0).randint(1, 4, 120).astype(float)
    weighted = () if isinstance(learner, KernelPerceptron) and learner.budget else (weight,)
    learner = clone(learner).set_params(random_state=0)
    together = clone(learner).fit(X, y, *weighted)
    Z = together.decision_function(X)
    for k in range(4):
        own = {"class_weight": {False: 1.0, True: PER_CLASS[k]}} if getattr(learner, "class_weight", None) else {}
        alone = clone(learner).set_params(**own).fit(X, y == k, *weighted)
        np.testing.assert_allclose(Z[:, k], alone.decision_function(X), rtol=atol, atol=atol)
        expected = what_was_learnt(alone)
        for name, values in what_was_learnt(together, k).items():
            np.testing.assert_allclose(values, expected[name], rtol=atol, atol=atol, err_msg=name)


def state(learner: Any) -> Any:
    """All that a learner is: parameters, values and arrays to the bit, and what it says of rows."""
    values, arrays = learner.get_state()
    arrays = {name: (str(array.dtype), array.tolist()) for name, array in arrays.items()}
    return repr((learner.get_params(), sorted(values.items()), sorted(arrays.items())))


@pytest.mark.parametrize("as_sparse", [False, True])
@pytest.mark.parametrize(
    "learner",
    [
        KernelPerceptron(average="voted", max_iter=2, random_state=0),
        KernelPerceptron(budget=12),
        MarginPerceptron(max_iter=3, shuffle=False),
        MarginPerceptron(average=True, max_iter=3, shuffle=False),
        PocketPerceptron(max_iter=5, shuffle=False, warm_start=True),
        PocketPerceptron(max_iter=5, shuffle=False, warm_start=True, multi_class="multiclass"),
        SGDClassifier("logistic", projection_radius=0.5, eta0=0.3, learning_rate="invsqrt", shuffle=False),
        SGDClassifier(projection_radius=1.0, sampling="replacement", random_state=0),
        MLP(hidden=5, tol=0.01, max_iter=4, random_state=0),
    ],
    ids=str,
)
def test_saving_in_the_middle_changes_no_bit(learner: Any, as_sparse: bool, tmp_path: Path) -> None:
    X, y = integer_table(1, n=90, n_classes=3)
    rows, y = sp.csr_matrix(X) if as_sparse else X, np.array(["p", "q", "r"])[y]
    learner = clone(learner).fit(rows[:50], y[:50])
    save(learner, tmp_path / "m")
    again = load(tmp_path / "m")
    told = ("n_iter_", "n_mistakes_", "stop_reason_", "excess_bound_", "eta0_", "n_evaluations_")
    for _ in range(2):
        assert state(again) == state(learner)
        for name in told:
            assert getattr(again, name, None) == getattr(learner, name, None)
        np.testing.assert_array_equal(again.decision_function(X), learner.decision_function(X))
        assert again.predict(X).tolist() == learner.predict(X).tolist()
        for one in (learner, again):  # a network is learnt once
            (getattr(one, "partial_fit", one.fit))(rows[50:], y[50:])


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("open_classes", [False, True])
@pytest.mark.parametrize("form", ["dense", "sparse", "growing"])
def test_a_stream_saved_on_the_way_becomes_the_same_file(
    form: str, open_classes: bool, n_classes: int, tmp_path: Path
) -> None:
    rng = np.random.default_rng(0)
    rows, y = rng.normal(size=(60, 5)) * (rng.random((60, 5)) < 0.5), np.arange(60) % n_classes
    saved = []
    for resumed in (False, True):
        model = AveragedPerceptron(open_classes=open_classes)
        for a in range(0, 60, 12):
            width = 1 + 4 * a // 48 if form == "growing" else 5
            X = rows[a : a + 12] if form == "dense" else sp.csr_matrix(rows[a : a + 12, :width])
            predict_then_learn(model, X, y[a : a + 12], None if open_classes else np.arange(n_classes))
            model.settle()
            save(model, tmp_path / "model")
            if resumed:
                model = load(tmp_path / "model")
        saved.append((tmp_path / "model").read_bytes())
    assert saved[0] == saved[1]


@pytest.mark.parametrize(
    "learner",
    [
        Perceptron(max_iter=7),
        AveragedPerceptron(random_state=0),
        PocketPerceptron(random_state=0),
        KernelPerceptron(max_iter=3, random_state=0),
        SGDClassifier(random_state=0),
        Rocchio(),
    ],
    ids=str,
)
def test_a_weight_of_0_leaves_a_row_out(learner: Any) -> None:
    X, y = integer_table(3)
    weight = np.where(np.arange(40) % 3 == 0, 0.0, 1.0)
    whole, short = clone(learner).fit(X, y, weight), clone(learner).fit(X[weight > 0], y[weight > 0])
    np.testing.assert_array_equal(whole.decision_function(X), short.decision_function(X))
    if hasattr(whole, "support_"):  # rows are counted in the table given
        np.testing.assert_array_equal(whole.support_, np.flatnonzero(weight)[short.support_])
        np.testing.assert_array_equal(whole.support_vectors_, X[whole.support_])


def bad_parameters() -> Any:
    """A learner, what is asked of it, and the words of the answer."""
    radius, whole, above = "projection_radius must be above 0 and finite, or None", "a whole number", "above 0"
    no_cosine = "gamma must be a finite number above 0, got"
    scaling = r'intercept_scaling must be a number from 1e-15 to 1e\+15 or "auto" .*, got'
    asked: dict[Any, list[tuple[dict[str, Any], str]]] = {
        MarginPerceptron: [
            ({"margin": -1.0}, "margin"),
            ({"margin": np.inf}, "margin must be finite"),
            ({"margin": "1"}, "margin must be finite"),
        ],
        PassiveAggressive: [
            ({"variant": "pa3"}, '"pa", "pa1" or "pa2"'),
            ({"C": 0.0}, "C must be above 0"),
            ({"C": np.nan}, "C must be above 0"),
        ],
        AveragedPerceptron: [
            ({"average": "best"}, '"averaged" or "last"'),
            ({"multi_class": "ovo"}, '"ovr" or "multiclass"'),
        ],
        Perceptron: [
            ({"max_iter": 0}, "max_iter must be at least 1 and whole"),
            ({"max_iter": 2.5}, "max_iter must be at least 1 and whole"),
            ({"time_limit": "1"}, "time_limit"),
            ({"time_limit": -1.0}, "time_limit"),
            ({"trace": "all"}, "trace"),
            ({"random_state": -1, "shuffle": True}, "random_state"),
            ({"fit_intercept": "no"}, "fit_intercept must be True or False"),
            ({"fit_intercept": 2}, "fit_intercept must be True or False, got 2"),
            ({"verbose": "yes"}, "verbose"),
            *(
                ({"intercept_scaling": bad}, scaling)
                for bad in (0.0, -1.0, 1e-16, 1e16, math.nan, math.inf, True, None, "1")
            ),
        ],
        Rocchio: [({"fit_intercept": "no"}, "fit_intercept must be True or False")],
        SGDClassifier: [
            ({"loss": "log"}, "no loss called 'log': choose from perceptron, hinge, logistic, squared_hinge, squared"),
            *(({"projection_radius": bad}, radius) for bad in (0.0, -1.0, "1")),
            ({"clip_norm": math.nan}, "clip_norm must be above 0"),
            ({"average": "mean"}, 'average must be "eta", "uniform" or None'),
            ({"learning_rate": "optimal"}, 'learning_rate must be "constant" or "invsqrt"'),
            ({"sampling": "shuffle"}, 'sampling must be "epochs" or "replacement"'),
            ({"eta0": 0.0}, "eta0 must be above 0"),
            ({"eta0": "best"}, 'eta0 must be above 0 and finite, or "auto"'),
            ({"max_iter": None, "time_limit": 1.0, "projection_radius": 1.0}, "give max_iter"),
        ],
        MLP: [
            ({"hidden": 0}, f"hidden must be {whole} of at least 1, got 0"),
            *(({"hidden": bad}, f"hidden must be {whole}") for bad in (2.5, None)),
            ({"max_iter": 0}, "max_iter must be at least 1 and whole"),
            ({"time_limit": 0.0}, f"time_limit must be {above}"),
            ({"learning_rate_init": -1.0}, f"learning_rate_init must be {above}"),
            ({"alpha": -1.0}, "alpha must be at least 0"),
            ({"tol": "auto"}, "tol must be at least 0, got 'auto'"),
        ],
        KernelPerceptron: [
            ({"kernel": "cubic"}, 'kernel must be "poly", "rbf", "laplacian" or "linear", or a function, got'),
            ({"degree": 0}, f"degree must be {whole} of at least 1, got 0"),
            ({"degree": 2.5}, f"degree must be {whole}"),
            ({"gamma": 0.0}, f"{no_cosine} 0.0"),
            ({"gamma": "scale"}, f"{no_cosine} 'scale'"),
            *(({"coef0": bad}, "coef0 must be a finite number") for bad in (np.inf, None)),
            ({"coef0": -0.5}, "below, the kernel is no inner product"),
            ({"kernel": lambda A, B: -(A @ B.T) - 1.0}, "the kernel is below 0 for a training row"),
            ({"average": "best"}, '"last", "averaged" or "voted"'),
            ({"max_iter": 0}, "max_iter must be at least 1"),
            ({"kernel": lambda A, B: A[:, :1] ** 2 + 2 * B[:, 0] ** 2}, "the kernel is not symmetric"),
            ({"kernel": lambda A, B: np.full((len(A), len(B)), np.nan)}, "the kernel returned a value that is not fin"),
            ({"kernel": lambda A, B: np.ones(len(A))}, "the kernel returned an array of shape"),
            ({"kernel": lambda A, B: np.full((len(A), len(B)), "x")}, "real numbers"),
            ({"degree": 400, "gamma": 1e3}, "too large for numbers"),
            ({"budget": 0}, "budget must be a whole number of rows from 1 to 100,000"),
            ({"budget": 2.5}, "budget must be a whole number"),
            ({"budget": 100, "average": "voted"}, 'average="voted" needs every row ever mistaken'),
        ],
    }
    return [(kind, *row) for kind, rows in asked.items() for row in rows]


@pytest.mark.parametrize(("kind", "parameters", "message"), bad_parameters())
def test_bad_parameters_leave_the_model_as_it_was(kind: Any, parameters: dict[str, Any], message: str) -> None:
    # Rows come in one order: which pair of them is looked at first decides what is said of a kernel.
    X, y = integer_table(0)
    good: dict[str, Any] = {"shuffle": False} if kind is KernelPerceptron else {"max_iter": 2} if kind is MLP else {}
    learner = kind(**good | parameters)
    with pytest.raises(ValueError, match=message):
        learner.fit(X, y)
    assert not hasattr(learner, "classes_") and not hasattr(learner, "n_features_in_")
    fitted = kind(**good).fit(X, y)
    before, own = state(fitted), fitted.get_params()
    fitted.set_params(**parameters)
    ways = ["fit"] if kind in (KernelPerceptron, MLP, SGDClassifier) else ["fit", "partial_fit"]
    for way in ways:
        with pytest.raises(ValueError, match=message):
            getattr(fitted, way)(X, y)
    assert state(fitted.set_params(**own)) == before
