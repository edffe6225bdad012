r"""The difference of the class means, on a circle: not always a separator.

Claim: seven rows of length 1, four positive and three negative, which the first axis separates. Let \(u\) and \(v\) be
the means of the classes and \(w = u - v\). The plane at right angles to \(w\) half way between \(u\) and \(v\) has one
row on its wrong side, and so has the one through the origin. Many rows on the left pull \(u\) away from the one on the
right.

Seen: A circle with four orange triangles above the horizontal axis, three of them on the left, and three blue points
below it. An arrow leads from the mean of the blue points to that of the orange ones. The solid plane across its middle
has three triangles on one side and all other points, also the ringed triangle on the right, on the other. A dashed
plane through the origin is parallel to it. The horizontal axis, dotted, has each class on its side.
"""

import matplotlib.pyplot as plt
import numpy as np

from linsep import Perceptron, Rocchio, separability
from linsep.plots.style import COLOURS, GREY, INK, look

X = np.array([[24, 7], [-20, 15], [-24, 7], [-15, 20], [20, -15], [24, -7], [7, -24]]) / 25
y = np.array([1, 1, 1, 1, -1, -1, -1])
assert np.allclose(np.linalg.norm(X, axis=1), 1)
assert (y * X[:, 1] > 0).all() and separability(X, y, fit_intercept=False).verdict == "separable"
assert Perceptron(fit_intercept=False).fit(X, y).stop_reason_ == "clean pass"
u, v = X[y > 0].mean(axis=0), X[y < 0].mean(axis=0)
w, middle = u - v, (u + v) / 2
halfway = Rocchio().fit(X, y)
assert np.allclose(halfway.coef_[0] @ middle + halfway.intercept_[0], 0)
assert np.flatnonzero(halfway.predict(X) != y).tolist() == [0]
assert np.flatnonzero(y * (X @ w) <= 0).tolist() == [0]

figure, ax = plt.subplots(figsize=(7.6, 4.6))
figure.subplots_adjust(0, 0, 1, 1)
around = np.linspace(0, 2 * np.pi, 200)
ax.plot(np.cos(around), np.sin(around), color=GREY, lw=1)
ax.plot([-1.3, 1.3], [0, 0], color=GREY, ls=":", lw=1.8, label="a plane that separates")
along = np.array([-w[1], w[0]]) / np.linalg.norm(w)
for point, style, name in ((middle, "-", "half way between the means"), (np.zeros(2), "--", "through the origin")):
    ax.plot(*np.array([point - 1.4 * along, point + 1.4 * along]).T, color=INK, ls=style, lw=2, label=name)
for k, sign in enumerate((-1, 1)):
    style = {"color": look(k).colour, "marker": look(k).marker, "ec": INK, "zorder": 4}
    ax.scatter(*X[y == sign].T, s=80, label=f"$y = {sign}$", **style)
ax.annotate("", u, v, arrowprops={"arrowstyle": "-|>", "lw": 2, "color": COLOURS[6], "shrinkA": 0, "shrinkB": 0})
for name, place, room in (
    ("$u$", u, (-0.12, 0.05)),
    ("$v$", v, (-0.14, -0.06)),
    ("$u - v$", u / 2 + middle / 2, (0.06, 0.04)),
):
    ax.text(*(place + room), name, fontsize=14, color=COLOURS[6])
ax.plot(*X[0], "o", ms=20, mfc="none", mec=COLOURS[6], mew=2, label="on the wrong side")
ax.set(aspect="equal", xlim=(-1.55, 3.15), ylim=(-1.42, 1.42))
ax.axis("off")
figure.legend(loc="center right", bbox_to_anchor=(0.99, 0.5), frameon=False, fontsize=12, labelcolor=INK)
figure.savefig("means_on_a_circle.svg")
