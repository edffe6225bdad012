"""Fits with a receipt from Python as the commands make them, of taggers above all; text that is tagged and scored."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chain_model import ChainModel
from linsep import (
    Perceptron,
    SequenceTagger,
    StructuredPerceptron,
    describe,
    fit_table,
    fit_tagger,
    load,
    open_data,
    read_tagged,
    save,
    score_tagger,
    tag_text,
)
from linsep.types import DataError, StopReason

TEXT = b"The det\ndog noun\n\nIt pron\nbarks verb\n\nThe det\ncat noun\n\nIt pron\nsleeps verb\n"


def test_a_tagger_comes_with_its_receipt() -> None:
    given = SequenceTagger(max_iter=7, random_state=1)
    kept: list[Any] = []
    found = fit_tagger(read_tagged(TEXT), given, holdout=0.25, on_trained=kept.append)
    assert kept == [found.tagger]
    assert not hasattr(given, "coef_")
    data = found.receipt.data
    assert (data["sentences"], data["tokens"], data["tags"], data["training_accuracy"]) == (4, 8, 4, 1.0)
    assert data["held_out_accuracy"] is not None
    assert data["bounds"][0]["name"] == "collins"
    assert (found.interrupted, found.warnings) == (False, [])


def test_scores_and_description() -> None:
    tagger = fit_tagger(read_tagged(TEXT)).tagger
    scores = score_tagger(tagger, read_tagged(b"The det\ndog verb\n\nIt odd\n"))
    assert (scores.sentences, scores.tokens, scores.accuracy, scores.sentence_accuracy) == (2, 3, 1 / 3, 0.0)
    assert scores.confused == {("verb", "noun"): 1, ("odd", "pron"): 1}
    assert scores.unknown == ["odd"]
    assert len(describe(tagger, 3).data["transitions"]) == 3


def test_text_comes_back_as_it_was_laid_out() -> None:
    tagger = fit_tagger(read_tagged(TEXT)).tagger
    assert "".join(tag_text(tagger, read_tagged(b"The\ndog\n"))) == "The\tdet\ndog\tnoun\n\n"
    line = "1\tThe\tthe\t_\t{}\t_\t_\t_\t_\t_\n"
    text = read_tagged(line.format("_").encode(), "conllu", "xpos")
    assert "".join(tag_text(tagger, text)) == line.format(tagger.predict([["The"]])[0][0])


# ------------------------------------------------------------------ time limit
def test_a_time_limit_ends_the_training_of_sequences() -> None:
    X, y = [["a"], ["a"]], [["N"], ["V"]]  # no tagger can tell them apart
    tagger = SequenceTagger(max_iter=None, time_limit=1e-9).fit(X, y)
    assert (tagger.n_iter_, tagger.stop_reason_) == (1, StopReason.TIME_BUDGET)
    plain = StructuredPerceptron(ChainModel(1, 2), max_iter=None, time_limit=1e-9).fit([[[0]], [[0]]], [[0], [1]])
    assert (plain.n_iter_, plain.stop_reason_) == (1, StopReason.TIME_BUDGET)
    with pytest.raises(ValueError, match="time_limit must be above 0 or None"):
        SequenceTagger(time_limit=0).fit(X, y)


def test_the_time_limit_is_in_the_file(tmp_path: Path) -> None:
    tagger = SequenceTagger(max_iter=None, time_limit=60.0).fit([["a", "b"]], [["N", "V"]])
    save(tagger, tmp_path / "m")
    assert load(tmp_path / "m").get_params()["time_limit"] == 60.0


def test_a_tagger_needs_a_tag_for_each_token() -> None:
    with pytest.raises(DataError, match="buffer:2: this token has no tag"):
        fit_tagger(read_tagged(b"The det\ndog\n"))


def test_what_is_held_out_warns_of_nothing_of_its_own() -> None:
    X = np.random.default_rng(0).normal(size=(40, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = fit_table(open_data((X, np.arange(40) % 2)), Perceptron(max_iter=3), holdout=0.5)
    assert sum("stopped after" in text for text in found.warnings) == 1
