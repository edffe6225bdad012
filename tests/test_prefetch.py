"""A pass over short rows calls nothing for a row: what it needs is compiled into its loop."""

import re

import numpy as np
import pytest
import scipy.sparse as sp
from numba import njit

from linsep.kernels.linear.epoch import plain_epoch
from linsep.kernels.optional import NO_ORDER, NO_WEIGHTS
from linsep.kernels.rows import FASTMATH
from linsep.kernels.steps import PerceptronStep
from linsep.types import CSR, Array


@pytest.mark.parametrize("dense", [False, True])
@pytest.mark.parametrize("order", [NO_ORDER, np.arange(3, dtype=np.int32)])
def test_a_pass_calls_none_of_our_functions_for_a_row(order: Array, dense: bool) -> None:
    table = sp.csr_matrix(np.eye(3, dtype=np.float32))
    rows = table.toarray() if dense else CSR(table.data, table.indices, table.indptr)
    fresh = njit(nogil=True, fastmath=FASTMATH)(plain_epoch.py_func)  # one read from the cache has no code to look at
    w, b = np.zeros(3, np.float32), np.zeros(1, np.float32)
    fresh(rows, np.ones(3), NO_WEIGHTS, order, PerceptronStep(0.0), w, b, 1.0, None, 0)
    assert w.tolist() == [1.0, 0.0, 0.0] and b[0] == 1.0  # all labels are +1: one tie, then no mistake
    (code,) = fresh.inspect_llvm().values()
    called = set(re.findall(r"call [^@\n]*@(_ZN6linsep[^(]+)\(", code))
    assert not [name for name in called if "plain_epoch" not in name]
