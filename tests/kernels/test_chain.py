"""Chains: Viterbi against all sequences there are, the pass against its twin, the mean, long sentences."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import naive
from linsep.kernels.chain import (
    Chain,
    Work,
    chain_epoch,
    make_chain,
    make_work,
    measure_reach,
    viterbi,
)
from linsep.passes import TALLY, Sentences

N_FEATURES = 4


def pack(sentences: Any) -> Sentences:
    """Lists of sentences of tokens of features as the kernel reads them."""
    tokens = [token for sentence in sentences for token in sentence]
    first = np.cumsum([0, *map(len, sentences)])
    indptr = np.cumsum([0, *map(len, tokens)])
    return Sentences(first, indptr, np.array(list(itertools.chain.from_iterable(tokens)), np.int32))


def weights_of(w: Any, n_tags: int) -> Chain:
    """The vector of the twin as a chain."""
    chain = make_chain(N_FEATURES, n_tags, np.float32)
    chain.W[:, :n_tags] = w[: N_FEATURES * n_tags].reshape(N_FEATURES, n_tags)
    chain.T[:, :n_tags] = w[N_FEATURES * n_tags :].reshape(n_tags + 2, n_tags)
    return chain


def vector_of(chain: Chain, n_tags: int) -> Any:
    return np.append(chain.W[:, :n_tags].ravel(), chain.T[:, :n_tags].ravel())


def best_path(chain: Chain, sentence: Any) -> Any:
    work = make_work(chain, len(sentence))
    viterbi(pack([sentence]), 0, chain, work)
    return work.path[: len(sentence)].tolist()


tokens = st.lists(st.integers(0, N_FEATURES - 1), max_size=7)


@given(st.lists(tokens, min_size=1, max_size=5), st.integers(1, 4), st.integers(0, 10**6), st.sampled_from([1, 3, 100]))
def test_viterbi_is_the_best_of_all_sequences(sentence: Any, n_tags: int, seed: int, size: int) -> None:
    # Small whole numbers make many ties, and the rule for them is part of the claim.
    n = N_FEATURES * n_tags + (n_tags + 2) * n_tags
    w = np.random.RandomState(seed).randint(-size, size + 1, n).astype(float)
    assert best_path(weights_of(w, n_tags), sentence) == list(naive.best_tags(w, sentence, N_FEATURES, n_tags))


@given(st.lists(tokens, min_size=1, max_size=5), st.integers(0, 10**6), st.sampled_from([0.01, 1.0, 30.0]))
def test_tags_that_cannot_lead_to_the_best_are_left_out_safely(sentence: Any, seed: int, spread: float) -> None:
    # Emissions far apart leave few tags before a token in play; transitions far apart leave all of them.
    rng = np.random.RandomState(seed)
    w = np.append(rng.normal(size=N_FEATURES * 5) * spread, rng.normal(size=7 * 5)).astype(np.float32)
    phi = {z: naive.chain_vector(sentence, z, N_FEATURES, 5) for z in itertools.product(range(5), repeat=len(sentence))}
    found = tuple(best_path(weights_of(w, 5), sentence))
    assert w @ phi[found] >= max(w @ v for v in phi.values()) - 1e-4 * spread


@given(st.integers(0, 10**6), st.integers(2, 3))
def test_a_pass_equals_its_twin_mistake_by_mistake(seed: int, n_tags: int) -> None:
    rng = np.random.RandomState(seed)
    sentences = [[rng.randint(0, N_FEATURES, rng.randint(0, 4)).tolist() for _ in range(rng.randint(1, 5))]
                 for _ in range(4)]  # fmt: skip
    gold = [rng.randint(0, n_tags, len(sentence)).tolist() for sentence in sentences]
    visits = np.concatenate([rng.permutation(4) for _ in range(4)]).astype(np.int32)
    expected = naive.chain(sentences, gold, visits, N_FEATURES, n_tags)
    S, tags = pack(sentences), np.concatenate(gold).astype(np.int32)
    chain, mean = make_chain(N_FEATURES, n_tags, np.float32), make_chain(N_FEATURES, n_tags, np.float64)
    work, mistakes, tally = make_work(chain, 4), [], np.zeros(len(TALLY))
    for visit in range(len(visits)):
        so_far = tally[TALLY.mistakes]
        chain_epoch(S, tags, visits[visit : visit + 1], chain, mean, visit, work, tally)
        mistakes += [visit] * int(tally[TALLY.mistakes] - so_far)
    assert mistakes == expected.mistakes
    np.testing.assert_array_equal(vector_of(chain, n_tags), expected.w)
    average = vector_of(chain, n_tags) - vector_of(mean, n_tags) / len(visits)
    np.testing.assert_allclose(average, expected.mean, atol=1e-12)
    assert tally[[TALLY.absorbed, TALLY.norm2]].tolist() == [0, expected.w @ expected.w]
    assert_reach_is_kept(chain, work)


def assert_reach_is_kept(chain: Chain, work: Work) -> None:
    fresh = np.empty_like(work.reach)
    for k in range(len(fresh)):
        measure_reach(chain.T, k, fresh)
    np.testing.assert_array_equal(work.reach, fresh)


def test_ten_thousand_tokens_keep_their_ties_exact() -> None:
    # The score of the whole sentence is beyond the 24 bits of float32; what the choice is made from is not.
    chain = make_chain(2, 2, np.float32)
    chain.W[0, :2] = 40_000, 39_999
    chain.W[1, :2] = 39_999, 40_000
    features = np.random.RandomState(0).randint(0, 2, 10_000)
    assert best_path(chain, [[f] for f in features]) == features.tolist()


def test_an_update_that_rounding_absorbs_is_counted() -> None:
    chain, mean = make_chain(1, 2, np.float32), make_chain(1, 2, np.float64)
    chain.W[0, :2] = 2.0**24, 2.0**24
    tally = np.zeros(len(TALLY))
    S, gold = pack([[[0]]]), np.array([1], np.int32)
    chain_epoch(S, gold, np.zeros(1, np.int32), chain, mean, 0, make_work(chain, 1), tally)
    assert tally[[TALLY.mistakes, TALLY.wrong_tags, TALLY.absorbed]].tolist() == [
        1,
        1,
        1,
    ]  # 2^24 + 1 is 2^24 in float32, 2^24 - 1 is itself
