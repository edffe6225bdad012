"""The picture of a probe: numbers drawn are the numbers found."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest

from linsep import DataError, Probe, probe
from linsep.plots import plot_probe

HIDDEN = np.random.default_rng(0).normal(size=(80, 3))
SIDE = HIDDEN[:, 0] > 0
LABELS = {"side": SIDE, "chance": np.random.default_rng(1).permutation(SIDE)}
FOUND = probe({"flat": HIDDEN**2, "deep": HIDDEN}, LABELS, labels=list(LABELS), types=np.arange(80) % 9, controls=2)


@pytest.fixture(autouse=True)
def _close() -> Any:
    yield
    plt.close("all")


def drawn(ax: Any) -> list[list[float]]:
    return [np.asarray(line.get_ydata()).tolist() for line in ax.lines]


def test_accuracies_intervals_and_controls_are_those_of_the_rows() -> None:
    ax: Any = FOUND.plot()
    of = {(row.layer, row.concept): row for row in FOUND.rows}
    lines = drawn(ax)
    for concept in LABELS:
        assert [of["flat", concept].accuracy, of["deep", concept].accuracy] in lines
        for name in ("shuffled", "control"):
            assert [getattr(of["flat", concept], name), getattr(of["deep", concept], name)] in lines
    ends = {round(float(y), 9) for area in ax.collections for y in area.get_paths()[0].vertices[:, 1]}
    assert {round(row.low or 0, 9) for row in FOUND.rows} <= ends
    filled = [line.get_ydata()[0] for line in ax.lines if len(line.get_xdata()) == 1 and line.get_mfc() != "white"]
    assert filled == [of["deep", "side"].accuracy]
    words = [text.get_text() for text in ax.get_legend().get_texts()]
    assert words == ["side", "chance", "shuffled labels", "control task"]
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["flat", "deep"]


def test_margins_and_counts() -> None:
    (row,) = (row for row in FOUND.rows if row.verdict == "separable")
    assert [0.0, row.margin_low] in drawn(plot_probe(FOUND, "margin"))
    assert drawn(plot_probe(FOUND, "separable"))[0] == [0, 1]
    assert drawn(plot_probe(FOUND, "separable", concepts=["chance"]))[0] == [0, 0]


def renamed(layers: list[str], concepts: list[str]) -> Probe:
    """The first row under other names."""
    row = FOUND.rows[0]
    return Probe(tuple(replace(row, layer=layer, concept=name) for layer in layers for name in concepts))


def ticks(ax: Any) -> list[str]:
    return [tick.get_text() for tick in ax.get_xticklabels()]


def test_many_concepts_are_cut_and_have_no_intervals() -> None:
    ax: Any = renamed(["flat", "deep"], [f"concept {k}" for k in range(10)]).plot()
    assert "8 of 10 concepts shown" in ax.get_xlabel()
    words = [text.get_text() for text in ax.get_legend().get_texts()]
    assert words == [*(f"concept {k}" for k in range(8)), "shuffled labels", "control task"]
    assert not ax.collections


def test_names_of_layers_have_room() -> None:
    many: Any = renamed([f"h{k}" for k in range(48)], ["a"]).plot("margin")
    assert ticks(many) == [f"h{k}" for k in range(0, 48, 3)]
    long: Any = renamed(["the embedding", "the third layer", "what comes out"], ["a"]).plot()
    assert ticks(long) == ["the embedding", "the third layer", "what comes out"]
    assert {label.get_rotation() for label in long.get_xticklabels()} == {45.0}


def test_what_cannot_be_drawn_is_refused() -> None:
    with pytest.raises(DataError, match="show is"):
        FOUND.plot("depth")
    with pytest.raises(DataError, match="no row is about 'up'; there are 'side', 'chance'"):
        FOUND.plot(concepts=["up"])
    with pytest.raises(DataError, match="no rows"):
        Probe(()).plot()
