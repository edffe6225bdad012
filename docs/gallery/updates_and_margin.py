"""Updates against the margin, with the theoretical curve.

Claim: with ||w*|| = 1 and y (w*.x + b*) > eps a perceptron with an intercept makes at most (R^2 + 1)(1 + b*^2) / eps^2
updates, until a clean pass and all the more in its first pass: the wider the margin the fewer are allowed, and fewer
are made. Neither n nor p is in the formula: with p = 100, or n = 100,000, the bound does not move.
"""

import matplotlib.pyplot as plt
import numpy as np

from linsep import Perceptron, make_separable
from linsep.plots.style import look

RADIUS = 3.0


def measure(n, p, margins, repeats):
    """Mean updates of the first pass, of the run to a clean pass, and mean bound, for each margin."""
    means = []
    for margin in margins:
        counts = []
        for seed in range(repeats):
            X, y, _, b = make_separable(n, p, margin, radius=RADIUS, random_state=seed)
            learner = Perceptron(max_iter=None).fit(X, y)  # w and b start from zero each time
            bound = (RADIUS**2 + 1) * (1 + b**2) / margin**2
            assert learner.n_updates_ <= bound
            counts.append((learner.trace_.updates[0], learner.n_updates_, bound))
        means.append(np.mean(counts, axis=0))
    return np.array(means).T


margins = np.linspace(0.025, 0.45, 18)
first, whole, bound = measure(1000, 2, margins, repeats=10)
few = np.array([0.05, 0.1, 0.2, 0.3])
wide = measure(1000, 100, few, repeats=3)
long = measure(100_000, 2, few, repeats=3)

figure, ax = plt.subplots(figsize=(7, 4.6), layout="constrained")
ax.plot(margins, bound, color="#222222", lw=2, ls="--", label="(R² + 1)(1 + b*²) / eps², mean")
for k, (x, counts, label) in enumerate(
    (
        (margins, whole, "n = 1,000, p = 2, to a clean pass"),
        (margins, first, "the same, first pass only"),
        (few, wide[1], "n = 1,000, p = 100"),
        (few, long[1], "n = 100,000, p = 2"),
    )
):
    ax.plot(x, counts, color=look(k).colour, marker=look(k).marker, mec="#222222", mew=0.5, label=label)
ax.set(xlabel="margin eps", ylabel="mean number of updates", yscale="log")
ax.legend(fontsize="small")

assert whole[0] > 5 * whole[-1]
assert (first <= whole).all()
assert (wide[1] < wide[2]).all()
assert (long[1] < long[2]).all()
figure.savefig("updates_and_margin.png")
