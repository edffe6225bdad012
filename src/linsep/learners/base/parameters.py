"""Parameters, labels, and weights of rows and classes, checked before a training begins."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from inspect import Parameter, Signature, signature
from numbers import Integral, Real
from typing import Any, NamedTuple, Self, TypedDict, TypeGuard, TypeVar, cast

import numpy as np

from linsep.scikit import join_if_loaded, joined_to, random_state
from linsep.types import Array, DataError, row_from_0

Constructor = TypeVar("Constructor", bound=Callable[..., None])

# The constant feature may be so small and so large: its square fits float32, with room for many updates.
LEAST_CONSTANT, MOST_CONSTANT = 1e-15, 1e15
MOST_ROWS = 100_000  # on a budget: 8 budget^2 bytes a plane
MOST_BITS = 28  # more bits of hashing would take more memory than a machine has


def keep_parameters(learner: Any, given: dict[str, Any]) -> None:
    """Set the arguments of a constructor as attributes: `keep_parameters(self, locals())` is all that one does."""
    if not joined_to:
        join_if_loaded()
    for name, value in given.items():
        if name != "self":
            setattr(learner, name, value)


class Run(TypedDict, total=False):
    """The parameters of a run, which learners that make passes have in common."""

    max_iter: int | None
    time_limit: float | None
    shuffle: bool
    random_state: Any
    verbose: int | Callable[[int, int, float], None]


class Shared(Run, total=False):
    """Those that linear learners have in common."""

    fit_intercept: bool
    intercept_scaling: float | str
    warm_start: bool
    class_weight: Any
    multi_class: str
    open_classes: bool
    trace: str


def sharing(
    *without: str, max_iter: int | None, shuffle: bool = True, linear: bool = True
) -> Callable[[Constructor], Constructor]:
    """Give a constructor the parameters of `Shared`, or of `Run` if it is not `linear`, with these defaults."""
    shared: dict[str, Any] = {"max_iter": max_iter, "time_limit": None, "fit_intercept": True, "intercept_scaling": 1.0}
    shared |= {"shuffle": shuffle, "random_state": None, "warm_start": False, "class_weight": None}
    shared |= {"multi_class": "ovr", "open_classes": False, "trace": "epochs", "verbose": 0}
    names = (Shared if linear else Run).__optional_keys__ - {*without}
    common = [Parameter(k, Parameter.KEYWORD_ONLY, default=v) for k, v in shared.items() if k in names]

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


def is_number(value: Any) -> TypeGuard[float]:
    """Whether this is a real number that fits a double, and no truth value."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
        return False
    try:
        float(value)
    except OverflowError:
        return False
    return True


def is_whole(value: Any) -> bool:
    """Whether this is a whole number, and no truth value."""
    return isinstance(value, Integral) and not isinstance(value, bool | np.bool_)


class Allowed(NamedTuple):
    """What a parameter may be, in words and as a test, which may raise a ValueError of its own."""

    words: str
    test: Callable[[Any], bool]


def one_of(*choices: str | None) -> Allowed:
    """One of these words, or None if that is among them.

    Examples
    --------
    >>> one_of("a", "b", None).words
    '"a", "b" or None'
    """
    *first, last = ("None" if choice is None else f'"{choice}"' for choice in choices)
    return Allowed(f"{', '.join(first)} or {last}", lambda v: isinstance(v, str | None) and v in choices)


def _is_seed(value: Any) -> bool:
    try:
        random_state(value)
    except ValueError as error:
        raise ValueError(f"random_state: {error}") from error
    return True


def _number(words: str, test: Callable[[Any], bool], *others: str | None, whole: bool = False) -> Allowed:
    """A number for which the test is true, a whole one if that is asked for, or one of the `others`."""
    plain, is_one = (int, is_whole) if whole else (float, is_number)
    return Allowed(
        words, lambda v: v in others if isinstance(v, str | None) else (type(v) is plain or is_one(v)) and test(v)
    )


def _whole(words: str, most: float = np.inf, *others: str | None) -> Allowed:
    """A whole number from 1 to `most`, or one of the `others`."""
    return _number(words, lambda v: 1 <= v <= most, *others, whole=True)


FLAG = Allowed("True or False", lambda v: isinstance(v, bool | np.bool_))
_LENGTH = _number("above 0 and finite, or None (no limit)", lambda v: 0 < v < np.inf, None)
_AT_LEAST_0 = _number("at least 0", lambda v: v >= 0)
KERNELS = one_of("poly", "rbf", "laplacian", "linear")
# What the parameters of all learners may be; where a learner differs, `allowed` of its class says it.
_ALLOWED = {
    "fit_intercept": FLAG,
    "intercept_scaling": _number(
        f'a number from {LEAST_CONSTANT:g} to {MOST_CONSTANT:g} or "auto" (for no intercept: fit_intercept=False)',
        lambda v: LEAST_CONSTANT <= v <= MOST_CONSTANT,
        "auto",
    ),
    "shuffle": FLAG,
    "warm_start": FLAG,
    "open_classes": FLAG,
    "multi_class": one_of("ovr", "multiclass"),
    "trace": one_of("epochs", "updates"),
    "max_iter": _whole("at least 1 and whole, or None (no limit)", np.inf, None),
    "time_limit": _number("above 0 or None (no limit)", lambda v: v > 0, None),
    "verbose": Allowed("a whole number or a callable", lambda v: callable(v) or isinstance(v, Integral)),
    "random_state": Allowed("", lambda v: v is None or (type(v) is int and 0 <= v < 2**32) or _is_seed(v)),
    "class_weight": Allowed("", lambda v: v is None or check_class_weight(v)),
    "margin": _number("finite and at least 0", lambda v: 0 <= v < np.inf),
    "variant": one_of("pa", "pa1", "pa2"),
    "C": _number("above 0", lambda v: v > 0),
    "learning_rate": one_of("constant", "invsqrt"),
    "sampling": one_of("epochs", "replacement"),
    "projection_radius": _LENGTH,
    "clip_norm": _LENGTH,
    "eta0": _number('above 0 and finite, or "auto"', lambda v: 0 < v < np.inf, "auto"),
    "kernel": Allowed(f"{KERNELS.words}, or a function", lambda v: callable(v) or KERNELS.test(v)),
    "degree": _whole("a whole number of at least 1"),
    "gamma": _number("a finite number above 0", lambda v: 0 < v < np.inf),
    "coef0": _number("a finite number, 0 or above (below, the kernel is no inner product)", lambda v: 0 <= v < np.inf),
    "budget": _whole(f"a whole number of rows from 1 to {MOST_ROWS:,}, or None", MOST_ROWS, None),
    "hidden": _whole("a whole number of at least 1"),
    "learning_rate_init": _number("above 0", lambda v: v > 0),
    "alpha": _AT_LEAST_0,
    "tol": _AT_LEAST_0,
    "features": Allowed("None or a callable from tokens to names", lambda v: v is None or callable(v)),
    "n_bits": _whole(f"from 1 to {MOST_BITS} or None (keep names)", MOST_BITS, None),
}


def check_parameters(learner: Any) -> None:
    """Raise DataError for parameters of the constructor that make no sense."""
    allowed = _ALLOWED | learner.allowed
    for name, value in vars(learner).items():
        if name in allowed and not allowed[name].test(value):
            raise DataError(f"{name} must be {allowed[name].words}, got {value!r:.60}")


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
            f"the sample_weight of {row_from_0(weight.argmin())} is {weight.min()}; give weights of at least 0"
        )
    given = Given(X, y, weight)
    return given if (weight > 0).all() else given.take(weight > 0)


def check_class_weight(class_weight: Any) -> bool:
    """Raise unless it is None, "balanced", or a mapping to finite numbers that are at least 0; return True."""
    if class_weight is None or (isinstance(class_weight, str) and class_weight == "balanced"):
        return True
    if not isinstance(class_weight, Mapping):
        raise ValueError(f'class_weight must be None, "balanced" or a dict of label: weight, got {class_weight!r}')
    for label, weight in class_weight.items():
        if not isinstance(weight, Real) or not 0 <= float(weight) < np.inf:
            raise ValueError(f"the class_weight of {label!r} must be a finite number of at least 0, got {weight!r}")
    return True


def refuse_balance(class_weight: Any) -> None:
    """Raise ValueError for the weights of rows that come in parts, where all of them are to be counted."""
    if isinstance(class_weight, str):
        raise ValueError('class_weight="balanced" counts all rows, and these come in parts: give a dict of weights')


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
_FEW = 1000  # labels that are counted
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


def check_classes(y: Array) -> Array:
    """Return the distinct ones of these labels, in ascending order; an error unless there are two of them at least."""
    if y.dtype.kind == "i" and y.size > _FEW and (low := int(y.min())) > int(y.max()) - _FEW:
        # Small whole numbers are counted in a tenth of the time.
        classes = (np.flatnonzero(np.bincount(np.subtract(y, low, dtype=np.int64))) + low).astype(y.dtype)
    else:
        classes = np.unique(y)
    if classes.size < 2:
        raise ValueError(
            f"The number of classes has to be 2; got 1 class: every label is {classes[0]!r}. "
            "A separator needs rows on both sides."
        )
    return classes


def all_classes(classes: Any) -> Array:
    """The distinct labels that a user lists; an error unless there are two of them at least."""
    return check_classes(np.asarray(check_labels(classes)))
