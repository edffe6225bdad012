"""What is shown of a model: ten weights or so of several classes, the others on demand; of which rows scores are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from linsep import Perceptron, describe, fit_stream, fit_table, open_data
from linsep.reporting.page.content import of_fit

RNG = np.random.default_rng(0)


def learnt(n_classes: int, p: int = 8) -> Any:
    return Perceptron().partial_fit(RNG.normal(size=(60, p)), np.arange(60) % n_classes, np.arange(n_classes))


def weights(lines: Any) -> list[str]:
    return [label for label, _ in lines if label.startswith("  ") and label != "  ..."]


@pytest.mark.parametrize(("n_classes", "most"), [(3, 9), (4, 8), (12, 12)])
def test_of_several_classes_about_ten_weights_are_shown(n_classes: int, most: int) -> None:
    found = describe(learnt(n_classes))
    shown = weights(found.lines)
    assert len(shown) == most
    assert ("  ...", f"{len(found.data['weights']) - most} further weights: --weights 20") in found.lines
    sizes = {name: abs(value) for name, value in found.data["weights"].items()}
    for label in map(str, range(n_classes)):  # the largest of each class
        own = {name: size for name, size in sizes.items() if name.startswith(f"{label}: ")}
        named = [name.strip() for name in shown if name.startswith(f"  {label}: ")]
        assert named == sorted(own, key=lambda name: -own[name])[: len(named)]
    assert len(weights(describe(learnt(n_classes), 5).lines)) == 5 * n_classes


def test_of_two_classes_or_few_weights_all_are_shown() -> None:
    for model, n in ((learnt(2, 15), 15), (learnt(3, 3), 9)):
        assert len(weights(describe(model).lines)) == n


def test_the_heading_of_a_report_says_of_which_rows_the_scores_are() -> None:
    days = pd.date_range("2024-01-01", periods=60).strftime("%Y-%m-%d")
    frame = pd.DataFrame({"day": days, "g": np.arange(60) % 12, "a": RNG.normal(size=60), "y": RNG.integers(0, 2, 60)})

    def fitted(**asked: Any) -> Any:
        return fit_table(open_data(frame.to_csv(index=False).encode(), target="y"), **asked)

    drawn = fitted(holdout=0.25)
    assert drawn.receipt.scored_on == "15 of 60 rows, held out at random"
    assert fitted(holdout=0.25, group="g").receipt.scored_on == "15 of 60 rows, held out, 3 of 12 groups"
    late = fitted(after="2024-02-20").receipt.scored_on
    assert late == "10 of 60 rows, held out, those of 2024-02-20 or later by 'day'"
    assert fitted().receipt.scored_on == "the 60 rows that it learnt from: none were held out"
    pytest.importorskip("matplotlib")
    assert of_fit(drawn, "", []).kicker == "A separator and its receipt; scores of 15 of 60 rows, held out at random"


def test_the_heading_of_a_stream() -> None:
    from linsep.reporting.stream import stream_receipt

    text = "a,y\n" + "".join(f"{k % 7},{k % 2}\n" for k in range(40))
    assert stream_receipt(fit_stream(text.encode(), target="y")).scored_on == (
        "40 rows, each predicted before it was learnt"
    )
