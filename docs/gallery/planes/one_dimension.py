r"""Rows on a line: a threshold, and rows that have none.

Claim: with one feature a separator is a threshold, \(x = -b/w\), where \(z = w x + b\) changes its sign. There is none
where a row of one class lies between two rows of the other: here 5, positive, is a mean of 1 and 8, negative, with the
weights 3/7 and 4/7 that the certificate names, and every threshold is wrong about at least two of the six rows.

Seen: On the left a sloping line z over x crosses zero at a threshold; from three blue rows on the left of it stalks
lead down to the line, from three orange rows on the right of it up. On the right two orange rows stand between four
blue ones, and a star marks the orange row at 5 on the segment between blue rows at 1 and 8; the stairs above, the
mistakes of each threshold with orange put on its better side, never go below 2.
"""

import matplotlib.pyplot as plt
import numpy as np

from linsep import Perceptron, separability
from linsep.plots.style import COLOURS, INK, look

x, y = np.array([1.0, 2, 3, 5, 6, 8]), np.array([-1, -1, -1, 1, 1, 1])
learner = Perceptron(max_iter=None).fit(x[:, None], y)
w, b = learner.coef_[0, 0], learner.intercept_[0]
threshold = -b / w
assert 3 < threshold < 5
assert (np.sign(w * x + b) == y).all()

mixed = np.array([-1, -1, 1, 1, -1, -1])
certificate = separability(x[:, None], mixed)
assert certificate.verdict == "inseparable"
rows, weights = map(np.array, certificate.witness)
mean = {sign: np.average(x[rows][mixed[rows] == sign], weights=weights[mixed[rows] == sign]) for sign in (-1, 1)}
assert mean[-1] == mean[1] == 5 == (3 * 1 + 4 * 8) / 7
cuts = np.linspace(0.005, 8.995, 900)
fewest = [min((mixed * sign * (x - t) <= 0).sum() for sign in (-1, 1)) for t in cuts]
assert min(fewest) == 2

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.9), layout="constrained")
ends = np.array([0.0, 9.0])
left.plot(ends, w * ends + b, color=INK, lw=1.8, label=f"$z = {w:g} x - {-b:g}$")
left.axhline(0, color=INK, lw=0.8)
left.axvline(threshold, color=INK, ls="--", label=f"threshold $x = {threshold:.3g}$")
for k, (sign, side) in enumerate(((-1, (0, threshold)), (1, (threshold, 9)))):
    left.axvspan(*side, color=COLOURS[k], alpha=0.15, lw=0, zorder=0)
    own = x[y == sign]
    left.vlines(own, 0, w * own + b, color=look(k).colour, lw=1.2)
    left.scatter(
        own, 0 * own, color=look(k).colour, marker=look(k).marker, ec=INK, lw=0.5, zorder=3, label=f"$y = {sign}$"
    )
left.set(xlabel="$x$", ylabel="$z$", xlim=(0, 9), title="separable: $z$ changes its sign once")
left.legend(fontsize="small")
right.plot(cuts, fewest, color=INK, lw=1.8, label="mistakes, orange put on its better side")
right.plot([1, 8], [-0.7, -0.7], color=COLOURS[0], lw=3, alpha=0.5, label="between 1 and 8")
right.plot(5, -0.7, "*", color="white", mec=INK, ms=16, label=r"$5 = \frac{3}{7} \cdot 1 + \frac{4}{7} \cdot 8$")
for k, sign in enumerate((-1, 1)):
    own = x[mixed == sign]
    right.scatter(own, 0 * own - 0.7, color=look(k).colour, marker=look(k).marker, ec=INK, lw=0.5, zorder=3)
right.set(
    xlabel="$x$",
    ylabel="mistakes",
    xlim=(0, 9),
    ylim=(-1.2, 6),
    yticks=range(5),
    title="inseparable: orange between blue",
)
right.legend(fontsize="small", loc="upper center")
figure.savefig("one_dimension.svg")
