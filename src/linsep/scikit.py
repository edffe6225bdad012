"""scikit-learn's base classes, with stand-ins for them as long as nobody has loaded scikit-learn.

Loading it takes ten times as long as loading NumPy, and whoever only trains or predicts asks nothing of it. So where it
is not there yet, learners have the stand-ins below among their bases. Its own classes take the places of these with the
first learner that is made, used or asked for what scikit-learn knows when somebody has loaded it: from then on each
learner is a `BaseEstimator`, as if it had always been one. What else is asked of scikit-learn is loaded when it is
asked.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from copy import deepcopy
from functools import update_wrapper
from inspect import signature
from numbers import Integral
from types import MethodType
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from linsep.as_given import refuse_unsound

# What learners get of scikit-learn's classes beside the methods below.
_GIVEN = (
    *("_repr_html_", "_repr_mimebundle_", "fit_transform", "get_metadata_routing", "set_output"),
    *("__repr__", "__sklearn_tags__", "_estimator_type", "_get_tags", "_more_tags"),
    *(f"set_{method}_request" for method in ("fit", "partial_fit", "predict", "predict_proba", "score", "transform")),
)
joined_to: list[Any] = []  # scikit-learn's module, once its classes are bases


class _StandIn:
    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if joined_to:  # the stand-in had been taken for a base before
            _join({cls})


class _Estimator(_StandIn):
    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters of the constructor.

        Parameters
        ----------
        deep : bool, default=True
            Whether those of learners among them are there too.

        Returns
        -------
        dict
            Parameter -> value.
        """
        found = {name: getattr(self, name) for name in sorted(signature(type(self)).parameters)}
        if deep and any(hasattr(one, "get_params") for one in found.values()):
            return dict(_joined(self).get_params())
        return found

    def set_params(self, **params: Any) -> Any:
        """Set parameters of the constructor.

        Parameters
        ----------
        **params : object
            Parameter -> value.

        Returns
        -------
        self
        """
        if not params.keys() <= self.get_params(deep=False).keys():
            return _joined(self).set_params(**params)
        self.__dict__.update(params)
        return self


class _Asked:
    """What scikit-learn gives: asked for, it is loaded. With `__getattr__` all attributes would take longer."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, model: Any, owner: Any) -> Any:
        found = _joined(owner if model is None else model)
        # pydoc asks the bases that a class had before.
        return getattr(joined_to[0].BaseEstimator if issubclass(owner, _StandIn) else found, self.name)


for _name in _GIVEN:
    setattr(_Estimator, _name, _Asked(_name))


_BASES = {"BaseEstimator": _Estimator, "ClassifierMixin": _StandIn, "TransformerMixin": _StandIn}
_PLACES = {type(name, (base,), {}): name for name, base in _BASES.items()}
_PLACES[type("ConvergenceWarning", (UserWarning, _StandIn), {})] = "ConvergenceWarning"


def join_if_loaded() -> None:
    """If scikit-learn is loaded, put its classes in the places of the stand-ins among the bases of all classes."""
    base = sys.modules.get("sklearn.base")
    if joined_to or not hasattr(base, "TransformerMixin"):  # or another thread is loading it
        return
    from sklearn import exceptions

    joined_to.append(base)
    globals().update({name: getattr(base, name, None) or getattr(exceptions, name) for name in _PLACES.values()})
    _join(set().union(*(stand_in.__subclasses__() for stand_in in _PLACES)))


def _join(classes: set[type]) -> None:
    """Give these classes scikit-learn's for their stand-ins, and let it do what it does to each new class."""
    for cls in classes:
        cls.__bases__ = tuple(globals()[_PLACES[base]] if base in _PLACES else base for base in cls.__bases__)
    below: set[Any] = set(classes)
    while more := {one for cls in below for one in cls.__subclasses__()} - below:
        below |= more
    for one in sorted(below, key=lambda cls: len(cls.__mro__)):  # each after its bases
        first: Any = next(base for base in one.__mro__ if base in classes)
        super(first, one).__init_subclass__()


def _joined(model: Any) -> Any:
    """The same model, once scikit-learn is loaded."""
    import sklearn.base  # noqa: F401

    join_if_loaded()
    return model


if TYPE_CHECKING:
    from sklearn.base import BaseEstimator as BaseEstimator
    from sklearn.base import ClassifierMixin as ClassifierMixin
    from sklearn.base import TransformerMixin as TransformerMixin
    from sklearn.exceptions import ConvergenceWarning as ConvergenceWarning
else:
    globals().update({name: one for one, name in _PLACES.items()})
    join_if_loaded()


_Method = TypeVar("_Method")


class _AvailableIf:
    """Let a method be there for those instances alone of which `check` is true."""

    method: Any

    def __init__(self, check: Callable[[Any], bool]) -> None:
        self.check = check

    def __call__(self, method: _Method) -> _Method:
        found: Any = self
        update_wrapper(found, method)  # type: ignore[arg-type]
        self.method = method
        return cast(_Method, self)

    def __get__(self, model: Any, owner: Any) -> Any:
        if model is None:
            return self.method
        why = None
        try:
            there = self.check(model)
        except AttributeError as error:
            there, why = False, error
        if not there:
            raise AttributeError(f"This {owner.__name__!r} has no attribute {self.method.__name__!r}") from why
        return MethodType(self.method, model)


available_if = _AvailableIf


def check_is_fitted(model: Any) -> None:
    """Raise scikit-learn's NotFittedError unless the model is fitted."""
    if not getattr(model, "__sklearn_is_fitted__", bool)():
        from sklearn.utils.validation import check_is_fitted as check

        check(model)


def clone(model: Any) -> Any:
    """A model with the same parameters that is not fitted."""
    if "sklearn.base" in sys.modules:
        from sklearn.base import clone as cloned

        return cloned(model)
    given = model.get_params(deep=False).items()
    return type(model)(**{name: clone(one) if isinstance(one, _StandIn) else deepcopy(one) for name, one in given})


def random_state(seed: Any) -> np.random.RandomState:
    """The generator that a seed asks for; ValueError for what is no seed."""
    if isinstance(seed, Integral) and 0 <= int(seed) < 2**32:
        return np.random.RandomState(int(seed))
    from sklearn.utils import check_random_state

    found: np.random.RandomState = check_random_state(seed)
    return found


def checked_rows(model: Any, X: Any, *y: Any, reset: bool = False, finite: bool = True) -> Any:
    """The rows as an array or a CSR matrix of floats, with labels as an array if there are any: `validate_data`.

    Where it would return what it is given and say nothing, it is not asked. `reset` takes over the columns.

    Raises
    ------
    ValueError
        scikit-learn's, of rows or labels that do not suit the model or each other, or are not `finite`.
    """
    if not joined_to:
        join_if_loaded()
    own, sparse = model.__dict__, hasattr(X, "tocsr")
    plain = (X.format == "csr" if sparse else type(X) is np.ndarray) and X.dtype in (np.float64, np.float32)
    plain = plain and X.ndim == 2 and 0 not in X.shape
    for labels in y:
        plain = plain and type(labels) is np.ndarray and labels.shape == X.shape[:1] and labels.dtype.kind in "biuU"
        plain = plain and labels.flags.c_contiguous and (sparse or X.flags.c_contiguous)
    if plain and not reset:
        plain = "feature_names_in_" not in own and X.shape[1] == own.get("n_features_in_")
    if plain and finite:
        with np.errstate(over="ignore", invalid="ignore"):
            plain = np.isfinite((X.data if sparse else X).sum())
    if plain:
        if reset:
            model.n_features_in_ = X.shape[1]
            own.pop("feature_names_in_", None)
        return (X, *y) if y else X
    from sklearn.utils.validation import validate_data

    if sparse:
        refuse_unsound(X)
    asked: dict[str, Any] = {"y": y[0], "order": "C"} if y else {}
    asked |= {"accept_sparse": "csr", "dtype": [np.float64, np.float32], "ensure_all_finite": finite}
    return validate_data(model, X, reset=reset, **asked)
