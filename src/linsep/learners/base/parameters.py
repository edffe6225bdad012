"""Parameters, labels, and weights of rows and classes, checked before a training begins."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from inspect import Parameter, Signature, signature
from numbers import Integral, Real
from typing import Any, NamedTuple, Self, TypedDict, TypeGuard, TypeVar, cast

import numpy as np

from linsep.scikit import join_if_loaded, joined_to, random_state
from linsep.types import Array, DataError

Constructor = TypeVar("Constructor", bound=Callable[..., None])

# The constant feature may be so small and so large: its square fits float32, with room for many updates.
LEAST_CONSTANT, MOST_CONSTANT = 1e-15, 1e15


def keep_parameters(learner: Any, given: dict[str, Any]) -> None:
    """Set the arguments of a constructor as attributes: `keep_parameters(self, locals())` is all that one does."""
    if not joined_to:
        join_if_loaded()
    for name, value in given.items():
        if name != "self":
            setattr(learner, name, value)


class Shared(TypedDict, total=False):
    """The parameters that linear learners have in common."""

    max_iter: int | None
    time_limit: float | None
    fit_intercept: bool
    intercept_scaling: float | str
    shuffle: bool
    random_state: Any
    warm_start: bool
    class_weight: Any
    multi_class: str
    open_classes: bool
    trace: str
    verbose: int | Callable[[int, int, float], None]


def sharing(*without: str, max_iter: int | None, shuffle: bool = True) -> Callable[[Constructor], Constructor]:
    """Give a constructor that takes `**shared` the `Shared` parameters, all but some, with these defaults."""
    shared: dict[str, Any] = {"max_iter": max_iter, "time_limit": None, "fit_intercept": True, "intercept_scaling": 1.0}
    shared |= {"shuffle": shuffle, "random_state": None, "warm_start": False, "class_weight": None}
    shared |= {"multi_class": "ovr", "open_classes": False, "trace": "epochs", "verbose": 0}

    common = [Parameter(k, Parameter.KEYWORD_ONLY, default=v) for k, v in shared.items() if k not in without]

    def decorate(constructor: Constructor) -> Constructor:
        own = [one for one in signature(constructor).parameters.values() if one.kind is not Parameter.VAR_KEYWORD]
        known = Signature([*own, *common])
        defaults = {one.name: one.default for one in [*own[1:], *common]}

        @wraps(constructor)
        def keep(*given: Any, **named: Any) -> None:
            if len(given) > 1 or not named.keys() <= defaults.keys():
                named = known.bind(*given, **named).arguments
            keep_parameters(given[0], defaults | named)

        vars(keep)["__signature__"] = known
        return cast(Constructor, keep)

    return decorate


def check_options(learner: Any, *flags: str, **choices: tuple[str, ...]) -> None:
    """Raise unless the flags, parameters of the learner, are True or False and the others are one of their choices."""
    for name in flags:
        value = getattr(learner, name)
        if not isinstance(value, bool | np.bool_):
            raise ValueError(f"{name} must be True or False, got {value!r}")
    for name, allowed in choices.items():
        value = getattr(learner, name)
        if not isinstance(value, str) or value not in allowed:
            listed = ", ".join(f'"{choice}"' for choice in allowed[:-1]) + f' or "{allowed[-1]}"'
            raise ValueError(f"{name} must be {listed}, got {value!r}")


def is_number(value: Any) -> TypeGuard[float]:
    """Whether the value is a real number that a float holds, and no truth value."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
        return False
    try:
        float(value)
    except OverflowError:
        return False
    return True


def is_whole(value: Any) -> bool:
    """Whether the value is a whole number by its type, and no truth value."""
    return isinstance(value, Integral) and not isinstance(value, bool | np.bool_)


def check_run(learner: Any) -> None:
    """Raise unless parameters that all learners have that make passes make sense."""
    shuffle = getattr(learner, "shuffle", False)  # the hidden layer has none
    if not isinstance(shuffle, bool | np.bool_):
        raise ValueError(f"shuffle must be True or False, got {shuffle!r}")
    most = learner.max_iter
    if most is not None and (isinstance(most, bool) or not isinstance(most, Integral) or most < 1):
        raise ValueError(f"max_iter must be at least 1 and whole, or None (no limit), got {most!r}")
    seconds = learner.time_limit
    if seconds is not None and not (is_number(seconds) and seconds > 0):
        raise ValueError(f"time_limit must be above 0 or None (no limit), got {seconds!r}")
    if not callable(learner.verbose) and not isinstance(learner.verbose, Integral):
        raise ValueError(f"verbose must be a whole number or a callable, got {learner.verbose!r}")
    seed = learner.random_state
    # To make a generator of a seed takes as long as the passes over a small table.
    if seed is not None and not (type(seed) is int and 0 <= seed < 2**32):
        try:
            random_state(seed)
        except ValueError as error:
            raise ValueError(f"random_state: {error}") from error


def check_constant(c: Any) -> None:
    """Raise unless `intercept_scaling` is a constant feature that learners can have."""
    if not (is_number(c) and LEAST_CONSTANT <= c <= MOST_CONSTANT) and not (isinstance(c, str) and c == "auto"):
        raise ValueError(
            f'intercept_scaling must be a number from {LEAST_CONSTANT:g} to {MOST_CONSTANT:g} or "auto", got {c!r}; '
            "for no intercept set fit_intercept=False"
        )


class Given(NamedTuple):
    """Rows of weight 0 removed; `numbers`: original indices, None where no row was removed."""

    X: Any
    y: Array
    weight: Array | None = None
    numbers: Array | None = None

    def take(self, rows: Any) -> Self:
        """These of the rows: a slice or a mask."""
        numbers = np.arange(len(self.y)) if self.numbers is None else self.numbers
        weight = None if self.weight is None else self.weight[rows]
        return type(self)(self.X[rows], self.y[rows], weight, numbers[rows])

    def number(self, i: int) -> int:
        """The original index of row i."""
        return i if self.numbers is None else int(self.numbers[i])


def rows_of_weight(X: Any, y: Array, sample_weight: Any) -> Given:
    """The rows whose weight is not 0, and their weights; an error unless all are finite and at least 0."""
    from sklearn.utils import check_array

    n = len(y)
    if isinstance(sample_weight, Real):
        sample_weight = np.full(n, float(sample_weight))
    weight = check_array(sample_weight, ensure_2d=False, dtype=np.float64, order="C", input_name="sample_weight")
    if weight.shape != (n,):
        raise DataError(f"sample_weight has the shape {weight.shape}; give one weight for each of the {n} rows")
    if n and weight.min() < 0:
        raise DataError(
            f"the sample_weight of row {int(weight.argmin())} is {weight.min()}; give weights of at least 0"
        )
    given = Given(X, y, weight)
    return given if (weight > 0).all() else given.take(weight > 0)


def check_class_weight(class_weight: Any) -> None:
    """Raise unless it is None, "balanced", or a mapping to finite numbers that are at least 0."""
    if class_weight is None or (isinstance(class_weight, str) and class_weight == "balanced"):
        return
    if not isinstance(class_weight, Mapping):
        raise ValueError(f'class_weight must be None, "balanced" or a dict of label: weight, got {class_weight!r}')
    for label, weight in class_weight.items():
        if not isinstance(weight, Real) or not 0 <= float(weight) < np.inf:
            raise ValueError(f"the class_weight of {label!r} must be a finite number of at least 0, got {weight!r}")


def weights_of_classes(class_weight: Mapping[Any, float], classes: Array, may_join: bool) -> Array:
    """The weight of each class, 1 for those not in the mapping.

    A label in the mapping that is no class is an error where a class has no weight (it may be misspelt), unless it
    may still join.

    Examples
    --------
    >>> import numpy as np
    >>> weights_of_classes({"b": 2.0}, np.array(["a", "b"]), False).tolist()
    [1.0, 2.0]
    """
    check_class_weight(class_weight)
    labels = classes.tolist()
    unknown = [label for label in class_weight if label not in labels]
    missing = [label for label in labels if label not in class_weight]
    if unknown and missing and not may_join:
        raise ValueError(
            f"class_weight names {unknown[0]!r}, which is not one of the classes, and not the class {missing[0]!r}"
        )
    return np.array([float(class_weight.get(label, 1.0)) for label in labels])


# --------------------------------------------------------------------------- labels
# What kernels read for the two classes of a binary learner.
SIGNS = np.array([-1.0, 1.0])
_ACCEPTED = "Labels are text, whole numbers or truth values, all of one kind"


_KINDS = {"b": "a truth value", "i": "a number", "u": "a number", "f": "a number"}


def kind_of_labels(y: Array) -> str:
    """The kind of the labels in an array that `check_labels` accepted."""
    return _KINDS.get(y.dtype.kind, "text")


def check_label(label: Any) -> str:
    """The kind of one label; an error for one that is not accepted."""
    if isinstance(label, bool | np.bool_):
        return "a truth value"
    if isinstance(label, str):
        return "text"
    if isinstance(label, Integral) or (isinstance(label, Real) and float(label).is_integer()):
        return "a number"
    raise DataError(f"Unknown label type: {label!r} ({type(label).__name__}). {_ACCEPTED}")


def _check_all(labels: Iterable[Any]) -> None:
    """Raise unless all are of one kind."""
    kinds: dict[str, Any] = {}
    for label in labels:
        kinds.setdefault(check_label(label), label)
    if len(kinds) > 1:
        (kind, label), (other, stranger) = list(kinds.items())[:2]
        raise DataError(f"Unknown label type: {label!r} is {kind} and {stranger!r} is {other}. {_ACCEPTED}")


def check_labels(y: Any) -> Any:
    """Return labels of one accepted kind, as an array where they need one; unchanged if their shape is invalid.

    scikit-learn names what is wrong with the shape.

    Raises
    ------
    DataError
        A label that is not accepted, or labels of two kinds.

    Examples
    --------
    >>> check_labels([1, True])
    Traceback (most recent call last):
    linsep.types.DataError: Unknown label type: 1 is a number and True is a truth value. Labels are text, whole numbers
    or truth values, all of one kind
    """
    if isinstance(y, list | tuple):
        types = set(map(type, y))
        if types & {list, np.ndarray} or not types:  # more than one value a row
            return y
        if len(types) == 1 and types <= {str, int, bool}:
            return np.asarray(y)
        _check_all(y)
        return y
    array = np.asarray(y)
    if array.ndim != 1 and array.shape[1:] != (1,):
        return y
    if array.dtype.kind == "O":
        labels = array.ravel().tolist()
        _check_all(labels)
        return y if not labels or isinstance(labels[0], str) else np.array(labels).reshape(array.shape)
    if array.dtype.kind == "f" and not (whole := (array == np.floor(array)) | ~np.isfinite(array)).all():
        check_label(array[~whole][0])  # scikit-learn names those that are not finite
    elif array.dtype.kind not in "biufcUT":  # scikit-learn names complex ones
        check_label(array.ravel()[0])
    return y


def check_classes(classes: Array) -> Array:
    """Return these distinct labels; an error unless there are two of them at least."""
    if classes.size < 2:
        raise ValueError(
            f"The number of classes has to be 2; got 1 class: every label is {classes[0]!r}. "
            "A separator needs rows on both sides."
        )
    return classes


def all_classes(classes: Any) -> Array:
    """The distinct labels that a user lists; an error unless there are two of them at least."""
    return check_classes(np.unique(np.asarray(check_labels(classes))))
