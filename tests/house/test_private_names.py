"""No other room knows the private names of a learner."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import pytest
from sklearn.utils.validation import check_is_fitted

from linsep import learners
from linsep.learners import AveragedPerceptron

SOURCE = Path(__file__).parents[2] / "src" / "linsep"
# Rooms below learners cannot know any.
BELOW = {"data", "kernels", "theory", "learners"}
CLASSES = [getattr(learners, name) for name in learners.__all__ if name != "StructuredPerceptron"]


def private_names() -> set[str]:
    """Names with an underscore that learners, and nobody else, have."""
    found: set[str] = set()
    for cls in CLASSES:
        for base in cls.__mro__:
            if base.__module__.startswith("linsep."):
                found |= {name for name in (*vars(base), *inspect.get_annotations(base)) if name.startswith("_")}
        found |= {name for name in getattr(cls, "state_arrays", ()) if name.startswith("_")}
    return {name for name in found if not name.startswith("__") and "_abc" not in name}


def names_taken(source: str) -> list[str]:
    """Private names of learners that a file uses on anything but itself: x._name, or "_name" for getattr."""
    private, found = private_names(), []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute) and node.attr in private:
            if not (isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")):
                found.append(f"{node.lineno}: {node.attr}")
        elif isinstance(node, ast.Constant) and node.value in private:
            found.append(f"{node.lineno}: {node.value!r}")
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "vars" and node.args:
            found.append(f"{node.lineno}: vars()")
    return found


def test_other_rooms_use_no_private_name_of_a_learner() -> None:
    for file in SOURCE.rglob("*.py"):
        if file.relative_to(SOURCE).parts[0] not in BELOW:
            assert names_taken(file.read_text(encoding="utf-8")) == [], file


@pytest.mark.parametrize("learner", CLASSES)
def test_at_most_four_classes_make_a_learner(learner: type) -> None:
    assert len([cls for cls in learner.__mro__ if cls.__module__.startswith("linsep.learners")]) <= 4


@pytest.mark.parametrize(
    "source", ["learner._open = False", "getattr(model, '_sum_coef')", "vars(learner).clear()", "x = run.model._train"]
)
def test_a_private_name_is_seen(source: str) -> None:
    assert len(names_taken(source)) == 1


def test_a_kernel_perceptron_has_no_parameters_but_its_own() -> None:
    learner = learners.KernelPerceptron()
    for name in ("fit_intercept", "warm_start", "multi_class", "trace", "class_weight", "open_classes"):
        assert name not in learner.get_params() and not hasattr(learner, name)


def test_what_was_learnt_is_taken_over_whole_and_parameters_stay() -> None:
    model = AveragedPerceptron(max_iter=3, random_state=0).fit([[0.0], [1.0], [2.0]], [0, 1, 1])
    learner = AveragedPerceptron(max_iter=7).fit([[0.0, 1.0], [1.0, 0.0]], ["a", "b"])
    learner.take_over(model)
    check_is_fitted(learner)
    assert learner.max_iter == 7 and learner.random_state is None
    assert learner.classes_.tolist() == [0, 1] and learner.predict([[2.0]]).tolist() == [1]
    assert learner.moving()[0] is model.last_coef_
