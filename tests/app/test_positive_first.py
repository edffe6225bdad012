"""A positive class that sorts first: receipts, bounds and pictures use the signs of the model."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from linsep import KernelPerceptron, Perceptron, open_data
from linsep.plots.subject import margins_of, signs_of, subject_of
from linsep.reporting.table_check import check_table
from linsep.reporting.table_fit import fit_table
from linsep.types import DataError

MIXED = pd.DataFrame({"a": [1.0, 2, 1, 2, 3, 0, 0, 0, 3], "y": list("xzzxzxxxz")})
APART = pd.DataFrame({"a": [1.0, 2, 1.5, 0, 4, 5], "y": list("xxxxzz")})
LEARNERS = [Perceptron(max_iter=50), KernelPerceptron(max_iter=50)]


@pytest.mark.parametrize("learner", LEARNERS, ids=["linear", "kernel"])
@pytest.mark.parametrize("frame", [MIXED, APART], ids=["mixed", "apart"])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_which_class_is_positive_changes_no_bound(frame: pd.DataFrame, learner: Any) -> None:
    """The mirrored problem has the mirrored run as long as no value is 0, which is what decides ties."""
    first, last = (fit_table(open_data(frame, target="y"), learner, positive=label) for label in "xz")
    made, other = (found.receipt.data["bounds"] for found in (first, last))
    allowed = [row["allowed"] for row in made]
    assert [row["name"] for row in made] == [row["name"] for row in other]
    assert [one is None for one in allowed] == [row["allowed"] is None for row in other]
    for row in made:
        if row["allowed"] is not None:
            assert row["mistakes"] <= row["allowed"]  # the theorems


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_bounds_count_the_mistakes_that_predictions_make() -> None:
    found = fit_table(open_data(MIXED, target="y"), positive="x")
    wrong = int((found.model.predict(MIXED[["a"]]) != found.y).sum())
    assert wrong == 2
    assert f"this separator makes {wrong} mistakes" in found.receipt.data["bounds"][0]["why"]


def test_the_plane_of_a_receipt_has_the_signs_of_the_model() -> None:
    found = fit_table(open_data(APART, target="y"), Perceptron(), positive="x")
    certificate = found.receipt.certificate
    assert certificate is not None
    assert certificate.classes == ("z", "x")
    certificate.verify(found.rows, found.y)
    assert (margins_of(subject_of(certificate), found.rows, found.y) > 0).all()


def test_a_certificate_is_drawn_with_its_own_signs() -> None:
    found = check_table(open_data(APART, target="y"), positive="x").asked[0]
    subject = subject_of(found.found)
    assert (margins_of(subject, APART[["a"]].to_numpy(), found.y) > 0).all()
    with pytest.raises(DataError, match="not those of the classes 'z' and 'x'"):
        signs_of(subject, np.array(["p", "q"]))


def test_the_page_of_a_check_draws_no_row_on_the_wrong_side(monkeypatch: pytest.MonkeyPatch) -> None:
    from linsep import plots
    from linsep.reporting.page.content import about_exact, certificate_pictures

    source = open_data(APART, target="y")
    found = check_table(source, positive="x")
    rows = about_exact(found.numbers).axes
    one, drawn = found.asked[0], []
    monkeypatch.setattr(plots, "plot_boundary", lambda subject, X, y, ax: drawn.append(margins_of(subject, X.X, y)))
    for picture in certificate_pictures(one.found, one.found.hyperplane, rows, one.y):
        picture.draw(ax=None)
    assert (drawn[0] > 0).all()
