r"""Points on a circle: the semicircle that holds y x, the arc that holds w, and the lift to the sphere.

Claim: a line through the centre separates points of the unit circle exactly when the signed points \(y x\) lie in an
open semicircle, and the vectors \(w\) that separate are the arc that is less than 90 degrees from all of them. Lifted
to \((x, 1) / \sqrt{2}\) they lie on the unit sphere, where a perceptron without intercept is the one with intercept.

Seen: Three pictures. Points of a circle, cut by a line through the centre with blue on one side and orange on the
other. The same points, the blue ones mirrored at the centre: they lie within a shaded half of the circle, and its arrow
w points into a short arc of directions that separate. Two right angles lead from the two outermost points to the two
ends of the arc. Points lifted to a circle high on a sphere, and the circle in which a plane through the centre of the
sphere passes between the two classes.
"""

import matplotlib.pyplot as plt
import numpy as np

from linsep import Perceptron, separability
from linsep.data.synthetic import make_circle
from linsep.plots import plot_boundary
from linsep.plots.style import COLOURS, GREY, look

X, y, w, _ = make_circle(40, 0.25, random_state=5)
L = make_circle(40, 0.25, lift=True, random_state=5)[0]
learner = Perceptron(fit_intercept=False).fit(X, y)
lifted = Perceptron(fit_intercept=False).fit(L, y)
both = Perceptron().fit(X, y)
assert learner.stop_reason_ == lifted.stop_reason_ == "clean pass"
assert lifted.n_mistakes_ == both.n_mistakes_
assert np.allclose(lifted.coef_[0] * np.sqrt(2), np.append(both.coef_[0], both.intercept_))
assert np.allclose(np.linalg.norm(L, axis=1), 1)
assert np.allclose(L, np.column_stack([X, np.ones(len(X))]) / np.sqrt(2))

# Angles from w*: the signed points, and the arc of all separating directions.
signed = y[:, None] * X
turn = np.arctan2(signed @ [-w[1], w[0]], signed @ w)
low, high = turn.max() - np.pi / 2, turn.min() + np.pi / 2
assert np.ptp(turn) < np.pi
assert low < 0 < high
found = np.arctan2(learner.coef_[0] @ [-w[1], w[0]], learner.coef_[0] @ w)
assert low < found < high
# No other direction separates; and with one label turned, no semicircle holds the signed points and none separates.
every = np.linspace(-np.pi, np.pi, 5000)
of_angle = np.cos(every)[:, None] * w + np.sin(every)[:, None] * [-w[1], w[0]]
assert (((of_angle @ signed.T > 0).all(axis=1)) == ((low < every) & (every < high))).all()
turned = y * np.where(np.arange(len(y)) == np.abs(turn).argmin(), -1, 1)
assert separability(X, turned, fit_intercept=False).verdict == "inseparable"
assert not (of_angle @ (turned[:, None] * X).T > 0).all(axis=1).any()

figure = plt.figure(figsize=(9, 9.6))
grid = figure.add_gridspec(2, 2, height_ratios=(1, 1.5), left=0.08, right=0.97, top=0.97, bottom=0.04, wspace=0.3)
ax = figure.add_subplot(grid[0, 0])
plot_boundary(learner, X, y, ax=ax).set(title="points of the circle", aspect="equal")
ax.set(xlabel="first feature", ylabel="second feature")
ax.legend(
    handles=ax.get_legend().legend_handles, fontsize="small", ncols=2, loc="upper center", bbox_to_anchor=(0.5, -0.15)
)
ax = figure.add_subplot(grid[0, 1])
around = np.linspace(0, 2 * np.pi, 400)
ax.plot(np.cos(around), np.sin(around), color="#777777", lw=0.8)
for k, sign in enumerate((-1, 1)):
    ax.scatter(
        *signed[y == sign].T,
        color=look(k).colour,
        marker=look(k).marker,
        ec="#222222",
        lw=0.4,
        label=f"$y x$, $y = {sign}$",
    )
start = np.arctan2(w[1], w[0])
arc = np.linspace(low, high, 100) + start
ax.plot(1.12 * np.cos(arc), 1.12 * np.sin(arc), color="#D55E00", lw=5, label="directions that separate")
unit = learner.coef_[0] / np.linalg.norm(learner.coef_[0])
ax.annotate("", unit, (0, 0), arrowprops={"arrowstyle": "-|>", "lw": 1.6, "color": "#222222"})
ax.text(*(0.5 * unit + 0.08), "$w$")
half = np.linspace(-np.pi / 2, np.pi / 2, 100) + start + found
ax.fill(np.cos(half), np.sin(half), color=GREY, alpha=0.2, lw=0, label="open semicircle about $w$")
assert (signed @ unit > 0).all()
# The outermost points are at right angles to the ends of the arc.
for point, end, colour in ((turn.max(), low, COLOURS[2]), (turn.min(), high, COLOURS[4])):
    legs = np.array([[np.cos(angle + start), np.sin(angle + start)] for angle in (point, end)])
    assert np.isclose(legs[0] @ legs[1], 0)
    ax.plot(*np.array([legs[0], [0, 0], 1.12 * legs[1]]).T, color=colour, ls="--", lw=1.2, label="a right angle")
    ax.plot(*(0.1 * np.array([legs[0], legs.sum(axis=0), legs[1]])).T, color=colour, lw=1.2)
ax.set(title="$y x$ in a semicircle, $w$ in an arc", aspect="equal", xlim=(-1.3, 1.3), ylim=(-1.3, 1.3))
ax.legend(fontsize="small", ncols=2, loc="upper center", bbox_to_anchor=(0.5, -0.15))
ax = figure.add_subplot(grid[1, :], projection="3d")
for axis in (ax.xaxis, ax.yaxis, ax.zaxis):
    axis.set_pane_color("none")
u, v = np.meshgrid(np.linspace(0, 2 * np.pi, 25), np.linspace(0, np.pi, 13))
ax.plot_wireframe(np.cos(u) * np.sin(v), np.sin(u) * np.sin(v), np.cos(v), color="#bbbbbb", lw=0.4)
for k, sign in enumerate((-1, 1)):
    ax.scatter(*L[y == sign].T, color=look(k).colour, marker=look(k).marker, ec="#222222", lw=0.4, s=30)
ax.set(
    zorder=-1,
    box_aspect=(1, 1, 1),
    xticks=[-1, 0, 1],
    yticks=[-1, 0, 1],
    zticks=[-1, 0, 1],
    xlabel="first",
    ylabel="second",
    zlabel="constant",
)
# Where the plane of the lifted run cuts the sphere: all directions at right angles to its w.
sides = np.linalg.svd(lifted.coef_)[2][1:]
assert np.allclose(sides @ lifted.coef_[0], 0)
ax.plot(
    *(np.column_stack([np.cos(around), np.sin(around)]) @ sides).T, color="#222222", lw=1.8, label=r"$w \cdot x = 0$"
)
ax.set_title("lifted to the sphere", y=0.97)
ax.legend(fontsize="small", loc="upper right", bbox_to_anchor=(1, 0.85))
ax.view_init(25, 5)
figure.savefig("circle_and_sphere.svg")
