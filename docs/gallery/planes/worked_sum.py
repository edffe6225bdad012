r"""Six rows, two mistakes: w = -x₁ + x₆, and the contours of z.

Claim: \(x_1\) to \(x_6\) are the rows. From \(w = 0\) row 1, negative, is a mistake: \(w = -x_1\), \(b = -1\). Rows 2
to 5 are right. Row 6, positive, is a mistake: \(w = -x_1 + x_6\), \(b = 0\). The next pass is clean. The contours of
\(z\) are parallel to the line \(z = 0\), and \(z\) grows by 2 every \(2 / \lVert w \rVert\): the longer \(w\), the
denser they stand. Every second contour bears its \(z\).

Seen: Three pictures of six points. First there are no contours, as z is 0 everywhere. Then w is an arrow from the
origin, opposite to row 1, and straight contours stand at right angles to it. Last the arrow of row 6 is set on the tip
of the first and leads to the new w; the contours are turned and closer, and all six points are on their own side.
"""

import matplotlib.pyplot as plt
import numpy as np

from linsep import Perceptron
from linsep.plots.style import COLOURS, GREY, INK, VALUES, look

X = np.array([[-2.0, 1], [2, 1], [-2, 2], [3, -1], [-3, -2], [1, 3]])
y = np.array([-1, 1, -1, 1, -1, 1])
learner = Perceptron(trace="updates").fit(X, y)
assert learner.trace_.update_rows.tolist() == [0, 5]
assert learner.n_iter_ == 2
assert (learner.coef_[0] == -X[0] + X[5]).all()
assert learner.intercept_[0] == 0
assert [b for _, _, b in learner.trace_.iter_weights(X, y)] == [-1, 0]


def arrow(ax, tail, tip, colour, name, beside):
    ax.annotate("", tip, tail, arrowprops={"arrowstyle": "-|>", "color": colour, "lw": 1.8, "shrinkA": 0, "shrinkB": 0})
    ground = {"fc": "white", "ec": "none", "alpha": 0.8, "pad": 1}
    ax.annotate(name, (tail + tip) / 2, beside, textcoords="offset points", color=colour, bbox=ground, zorder=5)


origin = np.zeros(2)
states = (
    (origin, 0.0, 0, "$w = 0$: $z$ is 0 everywhere\nrow 1 is a mistake"),
    (-X[0], -1.0, 5, "$w = -x_1$, $b = -1$: rows 2 to 5 are right\nrow 6 is a mistake"),
    (X[5] - X[0], 0.0, None, "$w = -x_1 + x_6$, $b = 0$:\na clean pass"),
)
u, v = np.meshgrid(np.linspace(-4.2, 4.2, 22), np.linspace(-4.2, 4.2, 22))
levels = np.arange(-26, 27, 2)
spacing = []
figure, axes = plt.subplots(1, 3, figsize=(10, 3.9), layout="constrained", sharey=True)
for ax, (w, b, mistaken, title) in zip(axes, states, strict=True):
    z = w[0] * u + w[1] * v + b
    if w.any():
        filled = ax.contourf(u, v, z, levels=levels, cmap=VALUES)
        lines = ax.contour(u, v, z, levels=levels, colors=GREY, linewidths=0.6, linestyles="solid")
        ax.clabel(lines, levels[(levels % 4 == 0) & (levels != 0)], fontsize="x-small")
        ax.contour(u, v, z, levels=[0.0], colors=INK, linewidths=1.8)
        spacing.append(2 / np.linalg.norm(w))
        at = [2 / np.linalg.norm(w) * w / np.linalg.norm(w) * k for k in range(3)]  # 2 / ||w|| apart, along w
        assert np.allclose(np.diff([w @ point + b for point in at]), 2)
    for k, sign in enumerate((-1, 1)):
        own = y == sign
        ax.scatter(
            *X[own].T,
            color=look(k).colour,
            marker=look(k).marker,
            ec=INK,
            lw=0.5,
            s=40,
            zorder=4,
            label=f"$y = {sign}$",
        )
    for i, point in enumerate(X, start=1):
        ax.annotate(str(i), point, (6, -9), textcoords="offset points", fontsize="small", zorder=5)
    if mistaken is not None:
        ax.scatter(*X[mistaken], s=150, fc="none", ec=INK, lw=1.6, zorder=5)
        first = next(i for i in range(mistaken, 6) if y[i] * (w @ X[i] + b) <= 0)
        assert first == mistaken
        assert mistaken == 0 or (y[1:5] * (X[1:5] @ w + b) > 0).all()
    ax.set(title=title, aspect="equal", xlabel="first feature", xlim=(-4.2, 4.2), ylim=(-4.2, 4.2))
    ax.title.set_size("medium")
axes[0].set_ylabel("second feature")
axes[0].legend(fontsize="small", loc="lower right")
arrow(axes[1], origin, -X[0], INK, "$w = -x_1$", (-26, -20))
arrow(axes[2], origin, -X[0], GREY, "$-x_1$", (-4, -16))
arrow(axes[2], -X[0], X[5] - X[0], COLOURS[6], r"$+\, x_6$", (9, -12))
arrow(axes[2], origin, X[5] - X[0], INK, "$w$", (-8, 8))
assert (y * (X @ (X[5] - X[0])) > 0).all()
assert spacing[1] < spacing[0]
figure.colorbar(filled, ax=axes, shrink=0.75, pad=0.01, label="$z$, one scale for all", ticks=levels[1::4])
figure.savefig("worked_sum.svg")
