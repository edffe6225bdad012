"""Convex losses in the place of a count that is not.

Claim: the count of mistakes is a step: a chord of it lies below it, so it is not convex, and away from the step it is
flat, so its slope says nothing of where to go. The perceptron's loss, the hinge and the logistic loss lie below all
their chords. On twelve rows the count has several valleys as the threshold moves, and the mean of a convex loss has
one.

Seen: On the left four curves over the margin y z: a step from 1 to 0, and three curves that fall without a step; a
dotted chord lies above the hinge and below the step. On the right the same four losses, averaged over rows, over the
threshold: the count is a staircase with several valleys, the others are smooth or bent bowls with one bottom each.
"""

import matplotlib.pyplot as plt
import numpy as np

from linsep.plots import plot_losses
from linsep.plots.style import INK

LOSSES = {
    "0/1": lambda m: (m <= 0).astype(float),
    "perceptron": lambda m: np.maximum(0, -m),
    "hinge": lambda m: np.maximum(0, 1 - m),
    "logistic": lambda m: np.log1p(np.exp(-m)),
}
rng = np.random.default_rng(0)
for name, loss in LOSSES.items():
    one, two, share = rng.uniform(-3, 3, 10_000), rng.uniform(-3, 3, 10_000), rng.random(10_000)
    chord = share * loss(one) + (1 - share) * loss(two)
    below = loss(share * one + (1 - share) * two) <= chord + 1e-12
    assert below.all() == (name != "0/1")

figure, (left, right) = plt.subplots(1, 2, figsize=(9.6, 4.2), layout="constrained")
plot_losses(["perceptron", "hinge", "logistic"], ax=left)
left.collections[0].remove()  # the count of mistakes as an area; here it is a line
left.plot([-2.5, 0, 0, 2.5], [1, 1, 0, 0], color=INK, lw=2, label="0/1: a mistake counts 1")
for line in left.lines[:3]:
    assert np.allclose(line.get_ydata(), LOSSES[line.get_label()](line.get_xdata()))
for ends in (([-2, 2], [3, 0]), ([-2, 2], [1, 0])):
    left.plot(*ends, color="#D55E00", ls=":", marker="o", ms=5, label="chords" if ends[1][0] == 3 else "_")
left.set_title("one row")
left.legend(fontsize="small")

x = np.array([0.3, 0.9, 1.6, 2.1, 2.9, 3.4, 3.8, 4.6, 5.1, 5.7, 6.6, 7.2])
y = np.array([-1, -1, -1, 1, -1, -1, 1, -1, 1, -1, 1, 1])
t = np.linspace(0, 7.5, 1501)
mean = {name: loss(y[:, None] * (x[:, None] - t)).mean(axis=0) for name, loss in LOSSES.items()}
for (name, values), style in zip(mean.items(), ("-", "-", "--", "-."), strict=True):
    line = next((line for line in left.lines if line.get_label() == name), None)
    right.plot(t, values, color=INK if line is None else line.get_color(), ls=style, lw=1.8, label=name)
    moves = np.sign(np.diff(values).round(12))
    moves = moves[moves != 0]
    valleys = ((moves[:-1] < 0) & (moves[1:] > 0)).sum()
    assert valleys > 1 if name == "0/1" else valleys == 1
for k, sign in enumerate((-1, 1)):
    right.plot(
        x[y == sign], np.full((y == sign).sum(), -0.12), "o^"[k], color=("#0072B2", "#E69F00")[k], mec=INK, mew=0.4
    )
right.set(title="mean over the twelve rows below", xlabel="threshold t, z = x − t", ylim=(-0.25, 2))
right.legend(fontsize="small")
figure.savefig("losses.png")
