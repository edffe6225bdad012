r"""The other way to look: each row is a half-plane of vectors w.

Claim: a row with label \(y\) is right for the \(w\) on one side of the line \(y\, x \cdot w = 0\), which goes through
the origin; the line bears the number of the row. The vectors that are right about all rows are a cone: what these
half-planes have in common, a linear program. An update adds \(y x\), a step at right angles to the line of its row,
towards its good side. On the left \(w\) is inside after nine updates. On the right the cone is empty: the three \(y x\)
add up to zero, so no \(w\) is on the good side of all of them, and \(w\) walks in circles.

Seen: On the left three numbered lines through the origin, the bad side of each shaded grey, the darker the more rows
are wrong; each sector bears their number, 1, 2 or 3. A narrow green cone is free of grey, and a path of nine numbered
arrows, each in the colour of its row and at right angles to its line, zigzags from the origin into it. On the right
three lines leave sectors with 1 and 2 wrong rows and none without; the path is a triangle that begins and ends at the
origin.
"""

import warnings
from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
from sklearn.exceptions import ConvergenceWarning

from linsep import Perceptron, separability
from linsep.plots.style import COLOURS, GREY, INK

NARROW = np.array([[4.0, -3], [-4, 5], [1, 2]])  # y x of each row
ROWS = COLOURS[0], COLOURS[6], COLOURS[4]  # the colour of each row's line and steps
EMPTY = np.array([[2.0, 1], [-2, 1], [0, -2]])
y = np.array([1, -1, 1])


def draw(ax, signed, size):
    """The half-planes of the rows, and the walk of w."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # an empty cone: there is no clean pass
        learner = Perceptron(fit_intercept=False, trace="updates", max_iter=30).fit(y[:, None] * signed, y)
    for i, row in enumerate(signed, start=1):
        unit = row / np.linalg.norm(row)
        line = 4 * size * np.array([[-unit[1], unit[0]], [unit[1], -unit[0]]])
        ax.fill(*np.vstack([line, line[::-1] - 8 * size * unit]).T, color=GREY, alpha=0.27, lw=0, zorder=0)
        ax.plot(*line.T, color=ROWS[i - 1], lw=1.2, zorder=1, label=rf"$y\, x \cdot w = 0$ of row {i}, bad side grey")
    path, rows = [np.zeros(2)], []
    for row, w, _ in learner.trace_.iter_weights(y[:, None] * signed, y):
        assert signed[row] @ path[-1] <= 0
        assert (w - path[-1] == signed[row]).all()
        path.append(w)
        rows.append(row)
    for k, (tail, tip) in enumerate(pairwise(path[:10]), start=1):
        shape = {"arrowstyle": "-|>", "color": ROWS[rows[k - 1]], "lw": 1.6, "shrinkA": 0, "shrinkB": 0}
        ax.annotate("", tip, tail, arrowprops=shape, zorder=3)
        if k <= 3 or learner.stop_reason_ == "clean pass":
            ax.annotate(str(k), tip, (8, 4), textcoords="offset points", fontsize="small", zorder=4)
    ax.plot(*np.transpose(path), "o", color=INK, ms=4, zorder=3, label="$w$ after each update")
    ax.set(aspect="equal", xlabel="$w_1$", ylabel="$w_2$")
    return learner, np.array(path)


def count_wrong(ax, signed, reach):
    """Write into each sector between the lines how many rows are wrong there."""
    edges = np.sort(np.concatenate([np.arctan2(-signed[:, 0], signed[:, 1]), np.arctan2(signed[:, 0], -signed[:, 1])]))
    counts = []
    for start, end in pairwise([*edges, edges[0] + 2 * np.pi]):
        middle = np.array([np.cos((start + end) / 2), np.sin((start + end) / 2)])
        counts.append(int((signed @ middle < 0).sum()))
        ax.text(*(reach * middle), counts[-1], color=INK, weight="bold", ha="center", va="center", zorder=2)
    return sorted(counts)


def number_lines(ax, signed):
    """The number of each row beside its line, inside the lower edge of the picture, or the right one."""
    for i, (a, b) in enumerate(signed, start=1):
        along = np.array([b, -a]) if a > 0 else np.array([-b, a])  # at right angles, downwards or to the right
        assert along @ (a, b) == 0
        reach = ax.get_ylim()[0] / along[1] if a else ax.get_xlim()[1] / along[0]
        name = {"fontsize": "small", "color": INK, "ha": "center", "va": "center"}
        ground = {"fc": "white", "ec": GREY, "lw": 0.6, "pad": 2}
        ax.text(*(0.88 * reach * along), f"row {i}", bbox=ground, zorder=4, **name)


figure, (left, right) = plt.subplots(1, 2, figsize=(10, 5.8), layout="constrained")
learner, path = draw(left, NARROW, 10)
assert learner.stop_reason_ == "clean pass"
assert learner.n_updates_ == 9
assert (NARROW @ path[-1] > 0).all()
cone = 30 * np.array([[0.0, 0], [5, 4], [3, 4]])  # its edges are at right angles to rows 2 and 1
assert (NARROW @ cone.sum(axis=0) > 0).all()
assert NARROW[1] @ cone[1] == NARROW[0] @ cone[2] == 0
left.fill(*cone.T, color=COLOURS[2], alpha=0.35, lw=0, zorder=1, label="right about all rows")
assert count_wrong(left, NARROW, 3.8) == [0, 1, 1, 2, 2, 3]
left.set(title="a cone of solutions: $w$ walks in", xlim=(-6, 9), ylim=(-4, 11))

learner, path = draw(right, EMPTY, 10)
certificate = separability(y[:, None] * EMPTY, y, fit_intercept=False)
assert certificate.verdict == "inseparable"
assert (EMPTY.sum(axis=0) == 0).all()
assert {tuple(w) for w in path} == {(0, 0), (2, 1), (0, 2)}
assert len(path) > 60
assert count_wrong(right, EMPTY, 2.5) == [1, 1, 1, 2, 2, 2]
right.set(title="no cone: $w$ walks in circles", xlim=(-3, 4), ylim=(-3, 4))
for ax, signed in ((left, NARROW), (right, EMPTY)):
    number_lines(ax, signed)
left.plot([], [], ls="", marker="$2$", mfc=INK, mec=INK, label="rows that are wrong there")
figure.legend(*left.get_legend_handles_labels(), fontsize="small", loc="outside lower center", ncols=3)
figure.savefig("half_spaces.svg")
