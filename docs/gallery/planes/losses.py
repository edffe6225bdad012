"""Convex losses in the place of a count that is not.

Claim: the count of mistakes is a step: a chord from a mistake to a row that is barely right lies below it wherever the
row is mistaken, so it is not convex, and away from the step it is flat, so its slope says nothing of where to go. The
perceptron's loss, the hinge and the logistic loss are at no point above any of their chords. On twelve rows the count
has several valleys as the threshold moves, and the mean of a convex loss has one. Its bottom need not be where the
count is least: those of the hinge and of the logistic loss are elsewhere.

Seen: On the left four curves over the margin y z: a step from 1 to 0, and three curves that fall without a step. A
dotted chord of the hinge lies above it, a dotted chord of the step below it up to 0. On the right the mean of the same
four losses over the rows drawn below, over the threshold: the count is a staircase with several valleys, the others are
smooth or bent bowls with one bottom each, about in the middle.
"""

import matplotlib.pyplot as plt
import numpy as np

from linsep.plots.style import COLOURS, INK, look

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
m = np.linspace(-2.5, 2.5, 501)
for name, colour, style in zip(list(LOSSES)[1:], COLOURS, ("-", "--", "-."), strict=False):
    left.plot(m, LOSSES[name](m), color=colour, ls=style, lw=1.8, label=name)
left.set(xlabel="margin $y z$", ylabel="loss", ylim=(-0.1, 4.2), xlim=(-2.5, 2.5))
left.plot([-2.5, 0, 0, 2.5], [1, 1, 0, 0], color=INK, lw=2, label="0/1: a mistake counts 1")
for name, colour, (start, end) in (("hinge", left.lines[1].get_color(), (-2, 2)), ("0/1", INK, (-2, 0.05))):
    heights = LOSSES[name](np.array([start, end]))
    left.plot([start, end], heights, color=colour, ls=":", marker="o", ms=5, label=f"a chord of {name}")
    between = np.linspace(start, end, 1000)[1:-1]
    above = np.interp(between, [start, end], heights) > LOSSES[name](between)
    assert above.all() if name == "hinge" else (above == (between > 0)).all()
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
    assert name not in ("hinge", "logistic") or mean["0/1"][values.argmin()] > mean["0/1"].min()
for k, sign in enumerate((-1, 1)):
    rows = x[y == sign]
    style = {"color": look(k).colour, "marker": look(k).marker, "mec": INK, "mew": 0.4, "ls": ""}
    right.plot(rows, np.full(len(rows), -0.12), label=f"row, $y = {sign}$", **style)
right.set(title="mean over the twelve rows", xlabel="threshold $t$, $z = x - t$", ylabel="mean loss", ylim=(-0.25, 2))
right.set_yticks(np.arange(0, 2.1, 0.5))
right.legend(fontsize="small", loc="upper center", ncols=2)
figure.savefig("losses.svg")
