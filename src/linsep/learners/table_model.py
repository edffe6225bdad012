"""A learner of tables: the encoder, the learner and the names of the classes as one estimator."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any, Self

import numpy as np

from linsep.data.features.encoder import TableEncoder
from linsep.learners.base.parameters import keep_parameters
from linsep.learners.base.tables import (
    Prepared,
    code_class_weight,
    first_names,
    fitted_rows,
    is_table,
    labels_given,
    next_targets,
    one_row_of,
    open_rows,
    targets_of,
    weight_argument,
)
from linsep.learners.predicting import Calibration, PredictingTables, calibrate, default_learner, learner_has
from linsep.scikit import available_if, check_is_fitted, clone
from linsep.tables import check_index
from linsep.types import Array, DataError


class TableModel(PredictingTables):
    """Encode the columns of a table, train a learner on them, and predict labels by their names.

    z = w.e(x) + b, where e(x) is the encoded row: a number is standardised, a text becomes one indicator per level.
    A matrix of numbers goes to the learner as it is, so `TableModel(learner).fit(X, y)` gives the weights of
    `learner.fit(X, y)`.

    Columns of a table are found by name, in any order; a missing one is an error, and further columns are ignored.

    Parameters
    ----------
    learner : learner of linsep, default=None
        Not fitted; it is cloned. None is `AveragedPerceptron(multi_class="multiclass", random_state=0)`.
    encoder : TableEncoder, default=None
        Not fitted; it is cloned. None is `TableEncoder()` for a table and no encoder for a matrix.
    positive : label, default=None
        The label of the positive class. With three or more labels the model decides this one against the rest, and
        the class of the rest is called "not LABEL".
    probabilities : bool, default=False
        Whether `fit` also fits 1 / (1 + exp(slope z + offset)) on the decision values of rows held out, five folds of
        them, for `predict_proba`. Costs six fits more.

    Attributes
    ----------
    learner_ : fitted learner
        Trained on the labels themselves. With `positive` it is trained on 0 and 1, and on 0, 1, ... where a column of
        labels holds fractions.
    encoder_ : TableEncoder or None
    calibration_ : Calibration or None
        Slopes and offsets of the probabilities.
    classes_ : ndarray, shape (n_classes,)
        The names of the classes in the order of `learner_.classes_`. Of two classes the second is the positive one.
    n_features_in_ : int
        Columns of the table or of the matrix.
    feature_names_in_ : ndarray of str, shape (n_features_in_,)
        Names of the columns; not there after a matrix.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"age": [20.0, 30.0, 40.0, 50.0], "city": ["Oslo", "Rome", "Oslo", "Rome"]})
    >>> model = TableModel().fit(frame, ["no", "no", "yes", "yes"])
    >>> model.predict(frame[["city", "age"]]).tolist()
    ['no', 'no', 'yes', 'yes']
    >>> model.score(frame, ["no", "no", "yes", "yes"])
    1.0
    """

    learner: Any
    encoder: TableEncoder | None
    calibration_: Calibration | None

    def __init__(
        self,
        learner: Any = None,
        *,
        encoder: TableEncoder | None = None,
        positive: Any = None,
        probabilities: bool = False,
    ) -> None:
        keep_parameters(self, locals())

    @classmethod
    def of(
        cls,
        learner: Any,
        encoder: TableEncoder | None = None,
        classes: Any = None,
        *,
        positive: Any = None,
        calibration: Calibration | None = None,
    ) -> TableModel:
        """Return a fitted model made of parts that are trained already; nothing is copied.

        Parameters
        ----------
        learner : fitted learner
            The learner.
        encoder : fitted TableEncoder or None
            Its encoder.
        classes : array-like, shape (n_classes,), optional
            Names of the classes in the order of `learner.classes_`; None takes those.
        positive : label, optional
            The label of the positive class, as in the constructor.
        calibration : Calibration, optional
            Slopes and offsets of its probabilities.

        Returns
        -------
        TableModel

        Raises
        ------
        DataError
            The names are not as many as the learner has classes, or these are not in sorted order, or the encoder does
            not make the learner's columns.

        Examples
        --------
        >>> import numpy as np
        >>> learner = default_learner().fit(np.array([[-1.0], [2.0]]), [0, 1])
        >>> TableModel.of(learner, classes=["no", "yes"]).predict(np.array([[3.0]])).item()
        'yes'
        """
        check_is_fitted(learner)
        names = learner.classes_ if classes is None else np.asarray(classes)
        if names.shape != learner.classes_.shape:
            raise DataError(f"the learner has {len(learner.classes_)} classes, and {names.size} names were given")
        if encoder is not None and encoder.width != learner.n_features_in_:
            raise DataError(f"the encoder makes {encoder.width} columns, the learner has {learner.n_features_in_}")
        if names.dtype.kind == "f" and not np.isfinite(names).all():
            raise DataError(f"a class is called {names[~np.isfinite(names)][0]}: names of classes are text or numbers")
        model = cls(learner, encoder=encoder, positive=positive, probabilities=calibration is not None)
        model._take(learner, encoder, names, calibration)
        if model._has_codes and not np.array_equal(np.unique(learner.classes_), learner.classes_):
            raise DataError("the classes that the names stand for are not in sorted order")
        if model._has_codes and isinstance(getattr(learner, "class_weight", None), Mapping):
            # The learner to be cloned in another `fit` has the names.
            named = {names.tolist()[code]: weight for code, weight in learner.class_weight.items()}
            model.learner = clone(learner).set_params(class_weight=named)
        return model

    def _take(
        self, learner: Any, encoder: TableEncoder | None, names: Array, calibration: Calibration | None = None
    ) -> Self:
        self.learner_, self.encoder_, self.classes_ = learner, encoder, names
        self.calibration_ = calibration
        return self

    # ----------------------------------------------------------------- training
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Train on a table or a matrix, from the beginning.

        Parameters
        ----------
        X : dataframe (pandas, Polars, Arrow), Source of `open_data`, array or SciPy sparse matrix
            The rows.
        y : array-like of shape (n_samples,), optional
            Labels; None takes the label column of a Source.
        sample_weight : array-like of shape (n_samples,), optional
            For the learner. The encoder weighs all rows alike.

        Returns
        -------
        self

        Raises
        ------
        DataError
            The rows or labels cannot be used; the model is as it was.

        Warns
        -----
        ConvergenceWarning
            As in `fit` of the learner.
        """
        return self.fit_prepared(self.prepare(X, y), sample_weight)

    def prepare(self, X: Any, y: Any = None) -> Prepared:
        """Encode a table for `fit_prepared`: together they are `fit`. The model stays as it is.

        Parameters
        ----------
        X, y : table and labels
            What `fit` takes.

        Returns
        -------
        Prepared
            The encoder, the encoded rows, and what the learner is to be trained on.

        Raises
        ------
        DataError
            The rows or labels cannot be used.
        """
        check_index(X, y)
        encoder = self._new_encoder(X)
        if encoder is None:
            return Prepared(None, X, *targets_of(labels_given(y, None), self.positive, is_table=False))
        source = open_rows(X, encoder)
        rows, kept = fitted_rows(source, encoder)
        labels = labels_given(y, source)
        labels = labels if kept is None else np.asarray(labels)[kept]
        return Prepared(encoder, rows, *targets_of(labels, self.positive, is_table=True), kept)

    def fit_prepared(self, prepared: Prepared, sample_weight: Any = None, *, verbose: Any = None) -> Self:
        """Train on what `prepare` made.

        Parameters
        ----------
        prepared : Prepared
            What `prepare` returned.
        sample_weight : array-like of shape (n_samples,), optional
            For the learner.
        verbose : int or callable, optional
            Replaces the learner's own value, for this fit only.

        Returns
        -------
        self
        """
        learner, names = self._new_learner(), prepared.names
        if sample_weight is not None and prepared.kept is not None and np.ndim(sample_weight):
            sample_weight = np.asarray(sample_weight)[prepared.kept]
        code_class_weight(learner, names)
        own = learner.get_params(deep=False).get("verbose")
        calibration = None
        try:
            try:
                if verbose is not None and own is not None:
                    learner.set_params(verbose=verbose)
                learner.fit(prepared.rows, prepared.targets, **weight_argument(sample_weight))
            finally:
                if own is not None:
                    learner.set_params(verbose=own)
            if self.probabilities:
                calibration = calibrate(learner, prepared.rows, prepared.targets, sample_weight)
        except KeyboardInterrupt:
            if hasattr(learner, "stop_reason_"):  # as in the learner, the model so far is kept
                self._take(learner, prepared.encoder, learner.classes_ if names is None else names)
            raise
        return self._take(learner, prepared.encoder, learner.classes_ if names is None else names, calibration)

    @available_if(learner_has("partial_fit"))
    def partial_fit(self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn some more rows.

        The first call makes an encoder of streams: means and deviations are those of the rows so far, and categories
        are hashed. After `fit` the encoder stays as it is, and the learner goes on.

        Parameters
        ----------
        X : dataframe, Source, array or SciPy sparse matrix
            The rows.
        y : array-like of shape (n_samples,), optional
            Labels; None takes the label column of a Source.
        classes : array-like, optional
            All labels that may come; needed in the first call, unless `positive` or `open_classes` of the learner is
            set.
        sample_weight : array-like of shape (n_samples,), optional
            For the learner. The encoder weighs all rows alike.

        Returns
        -------
        self

        Raises
        ------
        DataError
            The rows or labels cannot be used; the model is as it was.
        """
        check_index(X, y)
        if self.probabilities:
            raise DataError("probabilities are fitted on rows held out in `fit`, so the model learns no further rows")
        first = not hasattr(self, "learner_")
        # The encoder learns before the learner finds an error, so a copy of it learns.
        learner = self._new_learner() if first else self.learner_
        encoder = self._new_encoder(X) if first else deepcopy(self.encoder_)
        source = None if encoder is None else open_rows(X, encoder)
        if first:
            names = first_names(classes, self.positive, is_table=encoder is not None)
            code_class_weight(learner, names)
        else:
            names = self.classes_ if self._has_codes else None
        targets, classes = next_targets(labels_given(y, source), classes, names, self.positive, encoder is not None)
        if encoder is None or source is None:
            rows = X
        elif first or encoder.is_running:
            rows = encoder.learn_chunk(source.read())
        else:
            rows = encoder.transform(source).X
        if not first and encoder is not None and encoder.width > learner.n_features_in_:
            raise DataError(
                "a new column of numbers makes the rows wider than the model: have all columns in the first rows"
            )
        learner.partial_fit(rows, targets, classes, **weight_argument(sample_weight))
        return self._take(learner, encoder, learner.classes_ if names is None else names)

    @available_if(learner_has("learn_one"))
    def learn_one(self, x: Any, y: Any, classes: Any = None) -> Self:
        """Learn one row: the same as `partial_fit` with a table of that row, many times faster for most.

        Without `classes` in the first call, each label becomes a class when its first row comes.

        Parameters
        ----------
        x : dict or ndarray of shape (n_features,)
            The value of each column by name. A row, where the model has no encoder.
        y : label
            Text, a whole number or a truth value.
        classes : array, optional
            All labels that may come, in the first call.

        Returns
        -------
        self

        Raises
        ------
        DataError
            The row or the label cannot be used; the model is as it was.

        Examples
        --------
        >>> from linsep import Perceptron
        >>> model = TableModel(Perceptron())
        >>> for age, city, label in [(30, "Oslo", "no"), (60, "Rome", "yes"), (40, "Oslo", "no"), (70, "Rome", "yes")]:
        ...     model = model.learn_one({"age": age, "city": city}, label)
        >>> model.predict_one({"age": 65, "city": "Rome"}), model.learner_.n_mistakes_
        ('yes', 2)
        """
        if not hasattr(self, "learner_"):
            learner = self._new_learner()
            learner.set_params(open_classes=classes is None and self.positive is None)
            first = TableModel(learner, encoder=self.encoder, positive=self.positive, probabilities=self.probabilities)
            first.partial_fit(one_row_of(x), [y], classes)
            return self._take(first.learner_, first.encoder_, first.classes_)
        rows = None if self.encoder_ is None else self._row_encoder(self.encoder_)
        needs_table = classes is not None or self.probabilities
        row = None if needs_table else x if rows is None else rows.learn(x)
        if row is None:
            return self.partial_fit(one_row_of(x, self.encoder_), [y], classes)
        names = self.classes_ if self._has_codes else None
        try:
            label = y if names is None else next_targets([y], None, names, self.positive, rows is not None)[0][0]
            self.learner_.learn_one(row, label)
        except BaseException:
            if rows is not None:
                rows.unlearn()
            raise
        if names is None:
            self.classes_ = self.learner_.classes_
        return self

    def _new_learner(self) -> Any:
        return default_learner() if self.learner is None else clone(self.learner)

    def _new_encoder(self, X: Any) -> TableEncoder | None:
        """An encoder that is not fitted, if these rows need one."""
        made: TableEncoder | None = clone(self.encoder) if self.encoder is not None else None
        return TableEncoder() if made is None and is_table(X) else made

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "learner_")

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import get_tags

        tags = super().__sklearn_tags__()
        of_learner = get_tags(default_learner() if self.learner is None else self.learner)
        tags.input_tags.sparse = of_learner.input_tags.sparse
        tags.classifier_tags = of_learner.classifier_tags
        return tags


def parts_of(model: Any) -> tuple[Any, TableEncoder | None]:
    """The learner and the encoder of a fitted `TableModel`; a learner alone has no encoder."""
    if not isinstance(model, TableModel):
        return model, None
    check_is_fitted(model)
    return model.learner_, model.encoder_
