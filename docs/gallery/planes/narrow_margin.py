"""A narrow margin is unstable, a wide one is not.

Claim: two samples differ in one row, moved by 0.3. Where the classes are 0.3 apart the widest margin's plane turns by
45 degrees; where they are 3 apart, by 6: the angle whose tangent is 0.3 / gap. The plane stands at right angles to the
shortest way between the two classes, and the shorter that way is, the more the same move turns it. The row moves along
the first plane and not towards it, so that plane still separates: the widest margin is elsewhere now.

Seen: Two pictures of two classes that face each other, close on the left, far apart on the right, and between them the
gap of the left one, enlarged. The same small arrow leads from the hollow old place of one row upwards to its new one.
Dotted ways lead to it from the row across. On the left the dashed plane after the move is turned by 45 degrees; on the
right the dashed and the solid plane almost coincide.
"""

import matplotlib.pyplot as plt
import numpy as np

from linsep import max_margin
from linsep.plots.style import GREY, INK, look

BEHIND = np.array([[0.0, 0], [0.7, 0.35], [0.8, -0.4], [1.3, 0.1], [1.6, 0.6], [1.7, -0.5], [1.1, -0.75], [1.2, 0.8]])
y = np.repeat([-1, 1], len(BEHIND))
MOVE = 0.3

CHANGED = len(BEHIND)


def draw(ax, X, moved, planes):
    """The rows with the place that one of them leaves, the planes and, dotted, the shortest ways across."""
    stays = np.arange(len(X)) != CHANGED
    for k, sign in enumerate((-1, 1)):
        style = {"color": look(k).colour, "marker": look(k).marker, "ec": INK, "zorder": 4}
        ax.scatter(*X[(y == sign) & stays].T, s=36, lw=0.5, label=f"$y = {sign}$", **style)
    ax.scatter(*moved[CHANGED], s=60, lw=1.5, label="the moved row", **style)
    ax.scatter(*X[CHANGED], fc="white", ec=GREY, marker=look(1).marker, s=36, zorder=3, label="its old place")
    ax.annotate("", moved[CHANGED], X[CHANGED], arrowprops={"arrowstyle": "->", "color": INK}, zorder=5)
    for rows, (w, b), style, name in zip((X, moved), planes, ("-", "--"), ("before", "after"), strict=True):
        foot, along = -b * w / (w @ w), np.array([-w[1], w[0]]) / np.linalg.norm(w)
        ax.plot(*np.array([foot - 4 * along, foot + 4 * along]).T, color=INK, ls=style, lw=1.8, label=f"plane {name}")
        ways = "shortest ways" if name == "before" else "_"
        ax.plot(*rows[[0, CHANGED]].T, color=GREY, ls=":", lw=1.2, zorder=2, label=ways)
        assert np.isclose(along @ (rows[CHANGED] - rows[0]), 0, atol=1e-3)
    ax.set(aspect="equal", xlabel="first feature", xlim=(-3.6, 3.6), ylim=(-2, 2))


figure, panels = plt.subplots(1, 3, figsize=(11, 3.2), width_ratios=(1.8, 1, 1.8), layout="constrained")
turned = []
for ax, gap in zip(panels[[0, 2]], (0.3, 3.0), strict=True):
    right = BEHIND + np.array([gap / 2, 0])
    X = np.vstack([right * [-1, 1], right])
    moved = X.copy()
    moved[CHANGED, 1] += MOVE
    planes = [max_margin(rows, y).hyperplane for rows in (X, moved)]
    directions = [w / np.linalg.norm(w) for w, _ in planes]
    assert (y * (moved @ planes[0].w + planes[0].b) > 0).all()
    turned.append(np.degrees(np.arccos(directions[0] @ directions[1])))
    draw(ax, X, moved, planes)
    ax.set_title(f"gap {gap:g}: turned by {turned[-1]:.0f} degrees")
    if gap < 1:
        draw(panels[1], X, moved, planes)
        panels[1].set(title="the gap, enlarged", xlim=(-0.5, 0.5), ylim=(-0.35, 0.65))
        ax.indicate_inset((-0.5, -0.35, 1, 1), edgecolor=GREY)
panels[0].set_ylabel("second feature")
figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=7, fontsize="small")
assert np.allclose(turned, np.degrees(np.arctan([0.3 / 0.3, 0.3 / 3])), atol=0.01)
assert np.round(turned).tolist() == [45, 6]
figure.savefig("narrow_margin.svg")
