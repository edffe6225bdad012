r"""The weights grow: how many bits a perceptron needs.

Claim: on rows of whole numbers \(w\) stays whole, and after \(k\) updates no weight is above \(k \max |x_{ij}|\): at
most \(\log_2(k \max |x_{ij}|) + 1\) bits. Rows whose label is the parity of their highest bit (Minsky and Papert) are
separable, yet every two bits more in the rows take at least one bit more in the weights and over four times the
updates. On four rows of exclusive-or each row is a mistake in each pass, \(w\) is 0 again at the end of it, and two
bits are enough for ever.

Seen: Bits of the largest weight so far, its digits when it is written in binary, over the number of updates, on a
logarithmic axis. Stairs for rows of 3 to 11 bits, drawn the wider the more bits a row has, lie on each other for long
stretches; each ends at a cross, the later and the higher the more bits. A flat line for exclusive-or goes on at two
bits. A dashed line is the limit, and nothing is above it.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.exceptions import ConvergenceWarning

from linsep import Perceptron, separability
from linsep.plots.style import GREY, INK, look


def highest_bit(n):
    """All rows of n bits but the row of zeros; y tells whether the place of the highest bit is odd."""
    numbers = np.arange(1, 2**n)
    return (numbers[:, None] >> np.arange(n) & 1).astype(float), np.where(np.log2(numbers).astype(int) % 2, 1, -1)


def bits(X, learner):
    """Bits of the largest weight up to each update; the constant feature 1 is a column too."""
    trace = learner.trace_
    W = np.cumsum(trace.update_steps[:, None] * np.column_stack([X, np.ones(len(X))])[trace.update_rows], axis=0)
    assert not (W % 1).any()
    most = np.maximum.accumulate(np.abs(W).max(axis=1))
    k = np.arange(1, len(W) + 1)
    assert (most <= k).all()  # all entries of these rows are at most 1
    size = np.floor(np.log2(most)) + 1
    assert (size <= np.log2(k) + 1).all()
    return k, size


figure, ax = plt.subplots(figsize=(8, 4.6), layout="constrained")
ends = []
for i, n in enumerate(range(3, 12, 2)):
    X, y = highest_bit(n)
    learner = Perceptron(max_iter=None, trace="updates").fit(X, y)
    assert learner.stop_reason_ == "clean pass"
    k, size = bits(X, learner)
    ends.append((k[-1], size[-1]))
    colour = look(i if i < 4 else 5).colour
    # Where stairs lie on each other the wider ones are behind.
    ax.step(k, size, where="post", color=colour, lw=1.5 + 1.5 * i, zorder=2 - 0.1 * i, label=f"rows of {n} bits")
    ax.plot(k[-1], size[-1], "X", color=colour, mec=INK, ms=9 + i, zorder=3)

X, y = np.array([[-1.0, -1], [-1, 1], [1, -1], [1, 1]]), np.array([-1, 1, 1, -1])
assert separability(X, y).verdict == "inseparable"
with warnings.catch_warnings():
    warnings.simplefilter("ignore", ConvergenceWarning)  # a clean pass would be a wonder
    learner = Perceptron(max_iter=5000, trace="updates").fit(X, y)
assert (learner.trace_.mistakes == 4).all()  # each row, in each pass
assert not (y @ np.column_stack([X, np.ones(4)])).any()  # so w is 0 again at the end of it
k, size = bits(X, learner)
assert size.max() <= 2
assert len(k) > 10_000
ax.step(k, size, where="post", color=INK, lw=1, label="exclusive-or, for ever")
ends = np.array(ends)
assert (np.diff(ends[:, 1]) >= 1).all()
assert (ends[1:, 0] > 4 * ends[:-1, 0]).all()
most = np.geomspace(1, k[-1], 50)
ax.plot(
    most, np.log2(most) + 1, color=GREY, ls="--", label=r"the most there can be: $\log_2 k + 1$, as $\max |x_{ij}| = 1$"
)
ax.plot([], [], "X", color="white", mec=INK, ms=9, label="a clean pass")
ax.set(xscale="log", xlabel="updates $k$", ylabel="bits of the largest weight so far", ylim=(0, 16))
ax.legend(fontsize="small")
figure.savefig("growing_digits.svg")
