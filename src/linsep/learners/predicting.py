"""What a `TableModel` says of rows: labels by their names, decision values and probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np

from linsep.data.sources.source import Source
from linsep.learners.calibration import Calibration
from linsep.learners.inputs.class_names import NamedClasses, comparable
from linsep.learners.inputs.tables import EncodedColumns, labels_given
from linsep.learners.linear.perceptron import AveragedPerceptron
from linsep.scikit import ClassifierMixin, available_if
from linsep.tables import check_index
from linsep.types import Array, DataError


def default_learner() -> AveragedPerceptron:
    """The learner of a table where none is asked for.

    Means predict well whether or not the rows are separable; of several classes those that one row moves together do
    better than each against the rest (`make bench SUITES=defaults`).
    """
    return AveragedPerceptron(multi_class="multiclass", random_state=0)


def _gives_probabilities(model: Any) -> bool:
    """Whether it is calibrated, or to be, or its learner has probabilities of its own."""
    return bool(model.probabilities) or learner_has("predict_proba")(model)


def learner_has(method: str) -> Any:
    """Whether the learner (the fitted one, if there is one) has a method."""

    def check(model: Any) -> bool:
        given = default_learner() if model.learner is None else model.learner
        return hasattr(getattr(model, "learner_", given), method)

    return check


class PredictingTables(ClassifierMixin, NamedClasses, EncodedColumns):
    """The part of a `TableModel` that predicts."""

    probabilities: bool
    calibration_: Calibration | None

    def predict(self, X: Any) -> Array:
        """The class of each row.

        Parameters
        ----------
        X : dataframe, Source, array or SciPy sparse matrix
            The rows.

        Returns
        -------
        ndarray, shape (n_samples,)
            Names from `classes_`.
        """
        said, still = self._asked("predict", X)
        return still.named(said)

    def decision_function(self, X: Any) -> Array:
        """The decision values that the learner gives to the encoded rows.

        Parameters
        ----------
        X : dataframe, Source, array or SciPy sparse matrix
            The rows.

        Returns
        -------
        ndarray, shape (n_samples,) or (n_samples, n_classes)
            Two classes: at or above 0 for `classes_[1]`. More: one column a class.
        """
        return np.asarray(self._asked("decision_function", X)[0])

    @available_if(_gives_probabilities)
    def predict_proba(self, X: Any) -> Array:
        """The probabilities of the classes: calibrated with `probabilities`, else as the learner gives them.

        Parameters
        ----------
        X : dataframe, Source, array or SciPy sparse matrix
            The rows.

        Returns
        -------
        ndarray, shape (n_samples, n_classes)
            One column per class, in the order of `classes_`.
        """
        if not self.probabilities:
            return np.asarray(self._asked("predict_proba", X)[0])
        z, still = self._asked("decision_function", X)
        if still.calibration_ is None:
            raise DataError("the training was interrupted before probabilities were fitted: fit the model again")
        return still.calibration_.of(np.asarray(z))

    @available_if(_gives_probabilities)
    def predict_log_proba(self, X: Any) -> Array:
        """The logarithms of the probabilities of the classes; -inf for a probability of 0.

        Parameters
        ----------
        X : dataframe, Source, array or SciPy sparse matrix
            The rows.

        Returns
        -------
        ndarray, shape (n_samples, n_classes)
            One column per class, in the order of `classes_`.
        """
        if not self.probabilities:
            return np.asarray(self._asked("predict_log_proba", X)[0])
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X)))

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Compute the share of rows that are predicted correctly.

        Parameters
        ----------
        X : dataframe, Source, array or SciPy sparse matrix
            The rows.
        y : array-like of shape (n_samples,), optional
            Labels of the table; None takes the label column of a Source.
        sample_weight : array-like of shape (n_samples,), optional
            The weight of each row.

        Returns
        -------
        float
            Between 0 and 1.
        """
        from sklearn.metrics import accuracy_score

        check_index(X, y)
        said = self.predict(X)
        truth = self.as_classes(labels_given(y, X if isinstance(X, Source) else None))
        if self.encoder_ is not None or self._has_codes:
            truth, said = comparable(truth, said)
        return float(accuracy_score(truth, said, sample_weight=sample_weight))
