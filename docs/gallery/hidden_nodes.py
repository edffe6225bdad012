"""Hidden nodes against accuracy, on a smooth function.

Claim: one hidden layer approximates any smooth boundary; with more nodes it errs less on new points, from as often as a
line errs with two nodes to less than a third of that with 32.
"""

import matplotlib.pyplot as plt
import numpy as np

from linsep import MLP
from linsep.plots import plot_boundary
from linsep.plots.style import look

rng = np.random.default_rng(0)
X, new = rng.uniform(-1, 1, (400, 2)), rng.uniform(-1, 1, (5000, 2))


def side(points):
    return np.where(points[:, 1] > 0.6 * np.sin(5 * points[:, 0]), 1, -1)


sizes = (2, 8, 32)
learners = {
    (size, seed): MLP(size, tol=1e-3, max_iter=None, random_state=seed).fit(X, side(X))
    for size in sizes
    for seed in range(2)
}
errors = np.array([[1 - learners[size, seed].score(new, side(new)) for seed in range(2)] for size in sizes])

figure, panels = plt.subplot_mosaic("ab;cc", figsize=(9, 8), layout="constrained")
axes = [panels[name] for name in "abc"]
for ax, size in zip(axes, (2, 32), strict=False):
    plot_boundary(learners[size, 0], X, side(X), ax=ax).set_title(f"{size} hidden nodes")
    ax.get_legend().set(loc="upper center", bbox_to_anchor=(0.5, -0.15))
axes[2].plot(sizes, errors.mean(axis=1), color=look(0).colour, marker="o", mec="#222222", label="mean of 2 starts")
axes[2].plot(sizes, errors, color="#777777", marker="x", ls="", label=["each start", "_"])
axes[2].set(xscale="log", xlabel="hidden nodes", ylabel="error on new points", ylim=(0, None))
axes[2].set_xticks(sizes, map(str, sizes))
axes[2].minorticks_off()
axes[2].legend(fontsize="small")

mean = errors.mean(axis=1)
assert mean[-1] < mean[0] / 3
assert (np.diff(mean) < 0.02).all()
figure.savefig("hidden_nodes.png")
