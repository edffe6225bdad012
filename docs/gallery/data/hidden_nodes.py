"""Hidden nodes against errors, on a smooth boundary.

Claim: with two hidden nodes a network errs about as often as a line on a boundary that is a wave, with 32 less than a
third as often. With eight it depends on the start: enough nodes come close to any smooth boundary (Cybenko, Hornik
1989), but that is about the best weights there are, not about those that training finds.

Seen: Three pictures. With two hidden nodes a nearly straight line cuts through a wave of two classes, and many points
are ringed as mistaken; with 32 a bent line follows the wave. Below, the error on new points falls with the number of
nodes, from that of a line to almost none; the starts with eight nodes are far apart.
"""

import matplotlib.pyplot as plt
import numpy as np

from linsep import MLP, AveragedPerceptron
from linsep.plots import plot_boundary
from linsep.plots.style import look

rng = np.random.default_rng(0)
X, new = rng.uniform(-1, 1, (400, 2)), rng.uniform(-1, 1, (5000, 2))


def side(points):
    return np.where(points[:, 1] > 0.6 * np.sin(5 * points[:, 0]), 1, -1)


sizes, STARTS = (2, 8, 32), range(5)
learners = {
    (size, seed): MLP(size, tol=1e-3, max_iter=None, random_state=seed).fit(X, side(X))
    for size in sizes
    for seed in STARTS
}
errors = np.array([[1 - learners[size, seed].score(new, side(new)) for seed in STARTS] for size in sizes])
line = 1 - AveragedPerceptron(max_iter=50, random_state=0).fit(X, side(X)).score(new, side(new))

figure, panels = plt.subplot_mosaic("ab;cc", figsize=(9, 8), layout="constrained")
axes = [panels[name] for name in "abc"]
for ax, size in zip(axes, (2, 32), strict=False):
    plot_boundary(learners[size, 0], X, side(X), ax=ax).set(title=f"{size} hidden nodes, first start", aspect="equal")
    ax.set(xlabel="first feature", ylabel="second feature")
    ax.get_legend().set(loc="upper center", bbox_to_anchor=(0.5, -0.15))
axes[2].plot(sizes, errors.mean(axis=1), "_", color=look(0).colour, ms=40, mew=2.5, label="mean of 5 starts")
axes[2].axhline(line, color="#222222", ls="--", label="a line")
axes[2].plot(sizes, errors, color="#777777", marker="x", ls="", label=["each start", *4 * ["_"]])
axes[2].set(xscale="log", xlabel="hidden nodes", ylabel="error on new points", ylim=(0, None))
axes[2].set_xticks(sizes, map(str, sizes))
axes[2].minorticks_off()
axes[2].margins(x=0.1)
axes[2].legend(fontsize="small", markerscale=0.5)

mean = errors.mean(axis=1)
assert abs(mean[0] - line) < 0.03
assert mean[-1] < line / 3
assert (np.diff(mean) < 0).all()
assert errors[1].min() < line / 5 < 0.9 * line < errors[1].max()
figure.savefig("hidden_nodes.svg")
