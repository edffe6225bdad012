"""The tagger: the same mistakes as the plain structured perceptron, Collins' theorem, features, state, bad input."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import naive
from chain_model import ChainModel
from linsep import load, save
from linsep.data.readers.tagged import FeatureIndex, index_features, word_shapes
from linsep.kernels.chain import Chain, chain_epoch, chain_margins, make_chain
from linsep.learners import SequenceTagger, StructuredPerceptron
from linsep.passes import TALLY, Sentences
from linsep.theory.bounds.classes import chain_radius
from linsep.theory.bounds.mistakes import collins_bounds
from linsep.types import DataError, PrecisionWarning, StopReason

WORDS = ["a", "The", "dog", "dogs", "barks", "re-run", "1984", "U.S.", "zu"]
TAGS = ["det", "noun", "verb"]


def corpus(seed: int, n: int = 12, longest: int = 4) -> tuple[list[list[str]], list[list[str]]]:
    """Words and tags drawn at random: hardly ever separable."""
    rng = np.random.RandomState(seed)
    X = [rng.choice(WORDS, rng.randint(1, longest + 1)).tolist() for _ in range(n)]
    y = [rng.choice(TAGS, len(x)).tolist() for x in X]
    y[0][0], y[-1][-1] = "det", "verb"
    return X, y


def planted(seed: int, n: int = 12) -> tuple[list[list[str]], list[list[str]]]:
    """Each word has its tag: separable."""
    X, _ = corpus(seed, n)
    X[0] = WORDS[:3]
    return X, [[TAGS[WORDS.index(word) % 3] for word in x] for x in X]


def numbered(X: Any) -> tuple[list[list[list[int]]], int]:
    """The features of each token by number, as `ChainModel` takes them."""
    index = FeatureIndex()
    found = [[index.numbers(names) for names in word_shapes(x)] for x in X]
    return found, index.size


def weights_of(tagger: SequenceTagger) -> Any:
    return np.append(tagger.coef_.T.ravel(), tagger.transitions_.weights.ravel())


# ------------------------------------------------------------------------ twin
@settings(max_examples=20)
@given(st.integers(0, 10**6), st.booleans())
def test_the_tagger_is_the_structured_perceptron_on_a_chain(seed: int, shuffle: bool) -> None:
    X, y = corpus(seed)
    features, n_features = numbered(X)
    codes = [[TAGS.index(tag) for tag in tags] for tags in y]
    plain = StructuredPerceptron(ChainModel(n_features, 3), max_iter=4, shuffle=shuffle, random_state=seed)
    plain.fit(features, codes)
    # The features as a callable stand in the same order; the shipped set puts those of words first.
    tagger = SequenceTagger(word_shapes, max_iter=4, shuffle=shuffle, random_state=seed).fit(X, y)
    assert tagger.trace_.mistakes.tolist() == plain.trace_.mistakes.tolist()
    np.testing.assert_allclose(weights_of(tagger), plain.coef_, rtol=2e-7)
    np.testing.assert_allclose(tagger.trace_.norm_w, plain.trace_.norm_w, rtol=1e-12)
    assert [[TAGS[k] for k in tags] for tags in plain.predict(features)] == tagger.predict(X)


def test_the_structured_perceptron_equals_its_twin() -> None:
    rng = np.random.RandomState(0)
    X = [[rng.randint(0, 3, 2).tolist() for _ in range(rng.randint(1, 5))] for _ in range(6)]
    y = [rng.randint(0, 3, len(x)).tolist() for x in X]
    plain = StructuredPerceptron(ChainModel(3, 3), max_iter=5, shuffle=False).fit(X, y)
    expected = naive.chain(X, y, list(range(6)) * 5, 3, 3)
    np.testing.assert_array_equal(plain.last_coef_, expected.w)
    np.testing.assert_allclose(plain.coef_, expected.mean, atol=1e-12)
    assert plain.n_mistakes_ == len(expected.mistakes)
    assert plain.score(X, plain.predict(X)) == 1.0


class Assignment:
    """Another structure: which of n things stands in which place; Phi counts (thing's feature, place) pairs."""

    n_weights = 9

    def joint_feature(self, x: Any, y: Any) -> Any:
        phi = np.zeros((3, 3))
        for k, place in enumerate(y):
            phi[:, place] += x[k]
        return phi.ravel()

    def inference(self, x: Any, w: Any) -> Any:
        return max(itertools.permutations(range(3)), key=lambda y: float(w @ self.joint_feature(x, y)))

    def loss(self, y: Any, guess: Any) -> float:
        return float(sum(a != b for a, b in zip(y, guess, strict=True)))


def test_any_model_with_joint_features_inference_and_loss_will_do() -> None:
    rng = np.random.RandomState(0)
    X = [rng.normal(size=(3, 3)) for _ in range(30)]
    w = rng.normal(size=9)
    y = [Assignment().inference(x, w) for x in X]
    learner = StructuredPerceptron(Assignment(), max_iter=None, random_state=0).fit(X, y)
    assert learner.stop_reason_ is StopReason.CLEAN_PASS
    # Collins' theorem 1 with w as the separator.
    every = list(itertools.permutations(range(3)))
    steps = [Assignment().joint_feature(x, t) - Assignment().joint_feature(x, z)
             for x, t in zip(X, y, strict=True) for z in every if z != t]  # fmt: skip
    R, delta = max(map(np.linalg.norm, steps)), min(w @ step for step in steps) / np.linalg.norm(w)
    assert learner.n_mistakes_ <= (R / delta) ** 2
    trace = learner.trace_
    k = np.cumsum(trace.mistakes)
    assert (trace.norm_w**2 <= k * R**2 * (1 + 1e-9)).all()


# --------------------------------------------------------------------- theorem
def all_margins(w: Any, X: Any, y: Any, n_features: int) -> tuple[list[float], float]:
    """The margin of each sentence and the greatest ||Phi(x, y) - Phi(x, z)||, over all sequences z."""
    margins, most = [], 0.0
    for x, tags in zip(X, y, strict=True):
        gold = naive.chain_vector(x, tags, n_features, 3)
        others = [naive.chain_vector(x, z, n_features, 3) for z in itertools.product(range(3), repeat=len(x))
                  if z != tuple(tags)]  # fmt: skip
        margins.append(float(w @ gold - max(w @ other for other in others)))
        most = max(most, *(float(np.linalg.norm(gold - other)) for other in others))
    return margins, most


@given(st.integers(0, 10**6), st.booleans())
def test_margins_and_radius_against_all_sequences(seed: int, one_tag: bool) -> None:
    rng = np.random.RandomState(seed)
    X = [[rng.randint(0, 3, rng.randint(0, 3)).tolist() for _ in range(rng.randint(1, 5))] for _ in range(4)]
    y = [rng.randint(0, 1 if one_tag else 3, len(x)).tolist() for x in X]
    w = rng.randint(-3, 4, 3 * 3 + 5 * 3).astype(float)
    tokens = [token for x in X for token in x]
    first, indptr = np.cumsum([0, *map(len, X)]), np.cumsum([0, *map(len, tokens)])
    sentences = Sentences(first, indptr, np.array(list(itertools.chain.from_iterable(tokens)), np.int32))
    weights = make_chain(3, 3, np.float32)
    weights.W[:, :3], weights.T[:, :3] = w[:9].reshape(3, 3), w[9:].reshape(5, 3)
    tags, margins = np.concatenate(y).astype(np.int32), np.empty(len(X))
    chain_margins(sentences, tags, Chain(*weights), margins)
    expected, most = all_margins(w, X, y, 3)
    assert margins.tolist() == expected
    R = chain_radius(sentences, tags, 3, 3)
    assert most * (1 - 1e-12) <= R
    if one_tag:  # some tag is nowhere in the widest sentence
        assert pytest.approx(most) == R


@settings(max_examples=25)
@given(st.integers(0, 10**6))
def test_no_run_makes_more_mistakes_than_collins_allows(seed: int) -> None:
    X, y = planted(seed)
    # u rewards each word with its tag by 1: every other sequence loses 1 at least, and delta = 1 / ||u||.
    names = SequenceTagger(max_iter=1).fit(X, y).feature_names_ or []
    coef = np.zeros((3, len(names)))
    for j, name in enumerate(names):
        if name.startswith("word:"):
            coef[WORDS.index(name.removeprefix("word:")) % 3, j] = 1
    tagger = SequenceTagger(max_iter=None, random_state=seed).fit(X, y)
    norm = float(np.linalg.norm(coef))
    sentences = Sentences(*index_features(X, tagger._index, None))
    R = chain_radius(sentences, tagger._numbers(y), len(names), 3)
    bounds = collins_bounds(np.ones(len(X)), norm, R)
    assert tagger.stop_reason_ is StopReason.CLEAN_PASS
    assert bounds.get("collins").value == pytest.approx((R * norm) ** 2)
    assert tagger.n_mistakes_ <= (R * norm) ** 2
    trace, k = tagger.trace_, np.cumsum(tagger.trace_.mistakes)
    for name in ("freund-schapire", "hinge loss"):
        assert trace.mistakes[0] <= (bounds.get(name).value or 0)
    # A step of the proof: ||w||^2 <= k R^2.
    assert (trace.norm_w**2 <= k * R**2 * (1 + 1e-9)).all()


def test_bounds_at_the_mean_weights_of_a_tagger() -> None:
    X, y = planted(0, n=40)
    tagger = SequenceTagger(max_iter=None, random_state=0).fit(X, y)
    found = tagger.mistake_bounds(X, y)
    assert found.best is not None and not found.best.one_pass and found.get("collins").applies
    assert found.mistakes == tagger.n_mistakes_ <= (found.best.value or 0)
    assert SequenceTagger(max_iter=1, shuffle=False).fit(X, y).mistake_bounds(X, y).epochs == 1


def test_bounds_worked_by_hand_and_where_they_do_not_apply() -> None:
    table = collins_bounds([3.0, 1.0], norm=2.0, R=2.0, mistakes=5, epochs=1)
    assert table.get("collins").value == 16.0  # (2 / (1/2))^2
    assert not collins_bounds([3.0, 0.0], norm=2.0, R=2.0).get("collins").applies
    assert not any(row.applies for row in collins_bounds([0.0], norm=0.0, R=2.0))
    with pytest.raises(DataError, match="no examples"):
        collins_bounds([], norm=1.0, R=1.0)


def test_a_run_that_cannot_be_clean_keeps_to_theorem_2() -> None:
    X, y = corpus(3, n=60)
    tagger = SequenceTagger(max_iter=3, shuffle=False).fit(X, y)
    assert tagger.stop_reason_ is StopReason.EPOCH_BUDGET
    bounds = tagger.mistake_bounds(X, y)
    assert not bounds.get("collins").applies and bounds.best is not None
    assert tagger.n_mistakes_ <= (bounds.best.value or 0)
    for name in ("freund-schapire", "hinge loss"):
        assert tagger.trace_.mistakes[0] <= (bounds.get(name).value or 0)


# -------------------------------------------------------------------- features
@given(st.lists(st.lists(st.text(max_size=6), max_size=6), max_size=5), st.booleans())
def test_features_by_word_are_those_by_token(sentences: list[list[str]], close: bool) -> None:
    by_word, by_token = FeatureIndex(), FeatureIndex()
    if close:
        for index, features in ((by_word, None), (by_token, word_shapes)):
            index_features(sentences[:1], index, features)
            index.open = False
    a, b = index_features(sentences, by_word, None), index_features(sentences, by_token, word_shapes)
    assert a.first.tolist() == b.first.tolist() and a.indptr.tolist() == b.indptr.tolist()
    names, others = by_word.names or [], by_token.names or []
    assert [names[k] for k in a.indices] == [others[k] for k in b.indices]
    assert sorted(names) == sorted(others)


def test_hashed_features_keep_no_names_and_learn_the_same_where_none_fall_together() -> None:
    X, y = planted(0, 40)
    named = SequenceTagger(random_state=0).fit(X, y)
    hashed = SequenceTagger(n_bits=18, random_state=0).fit(X, y)
    assert hashed.feature_names_ is None and named.feature_names_ is not None
    assert hashed.coef_.shape == (3, 1 << 18)
    assert hashed.trace_.mistakes.tolist() == named.trace_.mistakes.tolist()
    assert "word:dog" in named.feature_names_
    tight = SequenceTagger(n_bits=1, random_state=0).fit(X, y)
    assert tight.coef_.shape == (3, 2)


def test_transitions_can_be_shown() -> None:
    X, y = [["x", "x", "x"]] * 3, [["a", "b", "a"]] * 3
    tagger = SequenceTagger(lambda tokens: [["same"]] * len(tokens), max_iter=None, shuffle=False).fit(X, y)
    assert tagger.predict(X) == y
    table = tagger.transitions_
    assert table.weights.shape == (4, 2)
    assert table.top(1)[0][2] == max(table.weights.ravel(), key=abs)
    assert table.rows == ["a", "b", "(start)", "(end)"]


# ----------------------------------------------------------------------- state
@pytest.mark.parametrize("n_bits", [None, 10])
def test_a_saved_tagger_tags_the_same(tmp_path: Path, n_bits: int | None) -> None:
    X, y = corpus(1, n=40)
    X[0][0] = "zwei\nZeilen \ud800"  # names are any text
    tagger = SequenceTagger(n_bits=n_bits, random_state=0, max_iter=3).fit(X, y)
    save(tagger, tmp_path / "model")
    again = load(tmp_path / "model")
    new = corpus(2, n=20)[0]
    assert again.predict(X) == tagger.predict(X) and again.predict(new) == tagger.predict(new)
    np.testing.assert_array_equal(weights_of(again), weights_of(tagger))
    assert again.feature_names_ == tagger.feature_names_
    assert again.get_params() == tagger.get_params()
    assert (again.n_iter_, again.n_mistakes_, again.stop_reason_) == (3, tagger.n_mistakes_, tagger.stop_reason_)


@pytest.mark.parametrize("name", ["named", "hashed"])
def test_a_tagger_that_was_saved_once_tags_as_it_did(tmp_path: Path, name: str) -> None:
    folder = Path(__file__).parents[1] / "data" / "models" / "taggers"
    expected = json.loads((folder / "expected.json").read_text())
    tagger = load(folder / f"{name}.linsep")
    assert tagger.predict(expected["sentences"]) == expected["tags"][name]
    save(tagger, tmp_path / "again")
    assert load(tmp_path / "again").predict(expected["sentences"]) == expected["tags"][name]


def test_a_tagger_of_other_features_is_not_saved(tmp_path: Path) -> None:
    tagger = SequenceTagger(lambda tokens: [[token] for token in tokens]).fit(*planted(0))
    with pytest.raises(DataError, match="parameter features of SequenceTagger is or holds a function"):
        save(tagger, tmp_path / "model")
    assert clone(tagger).features is tagger.features


# ------------------------------------------------------------------- bad input
@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ([], [], "there are no sentences: a tagger needs two tags"),
        ([["a", "b"], []], [["x", "y"], []], "sentence 1 has no tokens: leave it out"),
        ("a b", [["x", "y"]], "sentences must be lists of tokens, got 'a b'"),
        (["a b"], [["x", "y"]], "sentence 0 must be a list of tokens, got 'a b'"),
        ([["a", 3]], [["x", "y"]], "sentence 0, token 1: 3 is not text"),
        ([["a", "b"]], ["xy"], "sentence 0: its tags must be a list, got 'xy'"),
        ([["a", "b"]], "xy", "tags must be lists, one a sentence, got 'xy'"),
        ([["a", "b"]], [0], "sentence 0: its tags must be a list, got 0"),
        ([["a"], ["b"]], [["x"]], "2 sentences but tags for 1"),
        ([["a"], ["b", "c"]], [["x"], ["y"]], "sentence 1 has 2 tokens but 1 tags"),
        ([["a", "b"]], [["x", "x"]], "every token has the tag 'x': a tagger needs two"),
        ([["a", "b"]], [["x", 1]], "tags must be all text or all whole numbers, got int, str"),
        ([["a", "b"]], [[0.5, 1.5]], "tags must be all text or all whole numbers, got float"),
    ],
)
def test_what_cannot_be_learnt_from_is_refused(X: Any, y: Any, message: str) -> None:
    tagger = SequenceTagger()
    with pytest.raises(DataError, match=message):
        tagger.fit(X, y)
    assert not hasattr(tagger, "classes_")


def test_examples_that_do_not_fit_are_refused() -> None:
    plain = StructuredPerceptron(ChainModel(2, 2))
    with pytest.raises(DataError, match="1 inputs and 0 outputs"):
        plain.fit([[[0]]], [])
    with pytest.raises(DataError, match="a feature number is not between 0 and 1"):
        plain.fit([[[2]]], [[0]])
    odd = Assignment()
    odd.loss = lambda y, guess: float("nan")  # type: ignore[method-assign]
    with pytest.raises(DataError, match="a loss is a number of at least 0, the model gives nan"):
        StructuredPerceptron(odd).fit([np.eye(3)], [(0, 1, 2)])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"max_iter": 0}, "max_iter must be at least 1"),
        ({"n_bits": 40}, "n_bits must be from 1 to 28"),
        ({"features": "words"}, "features must be None or a callable"),
        ({"features": lambda tokens: [["a"]]}, "sentence 0: features gave 1 lists for 3 tokens"),
        ({"features": lambda tokens: ["ab"] * len(tokens)}, "sentence 0, token 0: features must give a list of names"),
        ({"features": lambda tokens: [[1]] * len(tokens)}, "sentence 0, token 0: features must give a list of names"),
    ],
)
def test_parameters_that_make_no_sense(parameters: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        SequenceTagger(**parameters).fit(*planted(0))


def test_one_token_unknown_words_unknown_tags_and_sentences_without_tokens() -> None:
    tagger = SequenceTagger(random_state=0).fit([["dogs"], ["bark"]], [["noun"], ["verb"]])
    assert tagger.predict([["dogs"], [], ["bark"]]) == [["noun"], [], ["verb"]]
    assert tagger.predict([]) == []
    assert len(tagger.predict([["never", "seen"]])[0]) == 2
    assert tagger.score([["dogs", "dogs"]], [["noun", "unheard"]]) == 0.5
    with pytest.raises(DataError, match="no tokens to score"):
        tagger.score([[]], [[]])
    with pytest.raises(DataError, match="token 1 has a tag that the tagger has not learnt"):
        tagger.mistake_bounds([["dogs"], ["bark"]], [["noun"], ["unheard"]])


def test_an_update_that_rounding_absorbs_warns(monkeypatch: pytest.MonkeyPatch) -> None:
    def absorb(*arguments: Any) -> None:
        chain_epoch(*arguments)
        arguments[-1][TALLY.absorbed] += 3

    monkeypatch.setattr("linsep.learners.tagger.chain_epoch", absorb)
    with pytest.warns(PrecisionWarning, match=r"3 step\(s\) no longer changed their weight: it is too large for fl"):
        SequenceTagger(max_iter=1).fit(*planted(0))
