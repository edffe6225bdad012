"""The paragraph for a paper: what it says of the model, of the rows and of the estimates."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

from linsep import separation

N = 60
RNG = np.random.default_rng(5)
TABLE = pd.DataFrame(
    {
        "x": RNG.normal(size=N).round(2),
        "arm": np.where(np.arange(N) < 6, "c", np.where(RNG.random(N) < 0.5, "a", "b")),
        "site": RNG.integers(0, 2, N),
        "months": RNG.permutation(N) + 1.0,
        "time": RNG.integers(1, 9, N).astype(float),
        "copies": RNG.integers(1, 4, N),
    }
)
TABLE["dead"] = np.where(TABLE.arm == "c", 0, RNG.integers(0, 2, N))
TABLE["cases"] = np.where(TABLE.arm == "c", 0, RNG.poisson(2.0, N))


def first_sentence(model: Any, **options: Any) -> str:
    return separation(model, **options).paragraph().partition(". ")[0]


def test_the_paragraph_says_what_the_model_has() -> None:
    sm = pytest.importorskip("statsmodels.api", reason="the extra regression is not installed")
    smf = pytest.importorskip("statsmodels.formula.api", reason="the extra regression is not installed")
    poisson = first_sentence(smf.poisson("cases ~ x + arm", data=TABLE, exposure=TABLE.time))
    assert poisson.endswith("to 60 rows with an offset (cases ~ x + arm; offset log(exposure); Poisson of statsmodels)")
    family, weights = sm.families.Binomial(), TABLE.copies.to_numpy()
    model = smf.glm("dead ~ x + arm", data=TABLE, family=family, freq_weights=weights)
    assert "to 60 rows with weights (" in first_sentence(model)
    with warnings.catch_warnings(action="ignore"):
        robust = smf.glm("dead ~ x + arm", data=TABLE, family=family).fit(cov_type="HC1")
    assert "(dead ~ x + arm; cov_type='HC1'; GLM of statsmodels)" in first_sentence(robust)
    offset = first_sentence("cases ~ x + arm", data=TABLE, family="poisson", offset="time", weights="copies")
    assert offset.endswith("to 60 rows with weights, an offset (cases ~ x + arm; weights copies; offset time)")
    plain = first_sentence("cases ~ x + arm", data=TABLE, family="poisson")
    assert plain.endswith("to 60 rows (cases ~ x + arm)")


def test_the_paragraph_of_a_cox_model_counts_events_and_strata() -> None:
    lifelines = pytest.importorskip("lifelines", reason="the extra regression is not installed")
    with warnings.catch_warnings(action="ignore"):
        fitter = lifelines.CoxPHFitter().fit(TABLE, "months", "dead", formula="x + arm", strata=["site"])
        robust = lifelines.CoxPHFitter().fit(
            TABLE[["months", "dead", "x", "copies"]], "months", "dead", weights_col="copies", robust=True
        )
    events = TABLE.dead.sum()
    assert first_sentence(fitter, data=TABLE) == (
        f"We fitted the Cox regression to 60 rows with {events} events, 2 strata (months ~ x + arm; event dead; "
        "strata site; CoxPHFitter of lifelines)"
    )
    assert first_sentence(robust, data=TABLE).endswith(
        f"{events} events, weights (response months; event dead; weights copies; robust=True; CoxPHFitter of lifelines)"
    )


def test_the_paragraph_names_weights_and_errors_of_pyfixest() -> None:
    pyfixest = pytest.importorskip("pyfixest", reason="the extra regression is not installed")
    with warnings.catch_warnings(action="ignore"):
        fit = pyfixest.fepois("cases ~ x | arm", TABLE, vcov="hetero", weights="copies")
    assert first_sentence(fit, data=TABLE).endswith(
        "with weights (cases ~ x | arm; vcov='hetero'; weights_type='aweights'; weights copies; Fepois of pyfixest)"
    )
