"""Kernels that count no references: arrays are held and let go as before, and none is made inside."""

import gc
import sys
import weakref
from typing import Any

import numpy as np
import pytest
from numba.core.errors import TypingError

from linsep import Perceptron
from linsep.kernels.compiled import uncounted
from linsep.kernels.text.svmlight import scan


def test_references_are_as_many_as_before() -> None:
    text = np.frombuffer(b"1 2:0.5 7:1\n-1 3:2\n" * 50, np.uint8)
    scan(text)
    before = sys.getrefcount(text)
    for _ in range(20):
        found = scan(text)
    gc.collect()
    assert sys.getrefcount(text) == before and found.data.size == 150


@pytest.mark.parametrize("n_classes", [2, 3])
def test_rows_that_were_learnt_from_can_be_let_go(n_classes: int) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)), np.arange(40) % n_classes
    X[np.arange(40), y] += 20.0
    Perceptron(max_iter=1000).fit(X, y)
    gone = weakref.ref(X)
    del X
    gc.collect()
    assert gone() is None


def test_a_kernel_that_would_make_an_array_is_refused() -> None:
    @uncounted()
    def make(n: int) -> Any:
        return np.empty(n)

    with pytest.raises(TypingError, match="array"):
        make(3)
