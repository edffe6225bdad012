"""Firth's method, as firthmodels fits it."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from linsep.regression.model import Regression
from linsep.regression.remedies.drop import design_columns
from linsep.tables import dense
from linsep.theory.separation.likelihood import Likelihood
from linsep.theory.verify.consequences import SeparationProof
from linsep.types import DataError

PENALISED = (("logistic", "logit"), ("binomial", "logit"))


def firth(asked: Regression, proof: SeparationProof, options: dict[str, Any]) -> Any:
    """The fit by Firth's method, of firthmodels.

    Raises
    ------
    DataError
        The regression is not of the kind that is fitted.
    ImportError
        The package is not installed.
    """
    if (asked.family, asked.link) not in PENALISED:
        raise DataError("firth fits logistic and binomial regressions with the logit link")
    if asked.outcome.beyond:
        raise DataError(asked.outcome.beyond)
    if proof.bases or proof.null:
        raise DataError("some coefficients are not identified: leave out columns first, such as those drop() names")
    try:
        firthmodels = import_module("firthmodels")
    except ImportError as error:
        raise ImportError(
            "Firth's method is that of firthmodels, which is not installed: pip install firthmodels"
        ) from error
    kept = np.flatnonzero(asked.outcome.kept)
    rows = Likelihood.of(asked.outcome.take(kept), asked.rows.classes, asked.family, asked.link)
    X, names = design_columns(asked.design, False)
    # A row of several trials is a row of successes and one of failures, each as often as there are.
    counts = np.append(rows.weights * rows.y, rows.weights * (rows.trials - rows.y))
    y, at = np.repeat([1, 0], kept.size), np.tile(np.arange(kept.size), 2)
    told = np.flatnonzero(counts)
    told = told[np.argsort(at[told], kind="stable")]
    at = at[told]
    fitted = firthmodels.FirthLogisticRegression(fit_intercept=asked.fit_intercept, **options).fit(
        dense(X[kept[at]]), y[told], sample_weight=counts[told], offset=rows.offset[at]
    )
    fitted.feature_names_in_ = np.array(names, dtype=object)  # as scikit-learn takes them from dataframes
    return fitted
