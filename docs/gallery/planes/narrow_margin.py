"""A narrow margin is unstable, a wide one is not.

Claim: two samples differ in one row, moved by 0.3. Where the classes are 0.3 apart the widest margin's plane turns by
45 degrees; where they are 3 apart, by 6: the angle whose tangent is 0.3 / gap. The plane stands at right angles to the
shortest way between the two classes, and the shorter that way is, the more the same move turns it. The row moves along
the first plane and not towards it, so that plane still separates: the widest margin is elsewhere now.

Seen: Two pictures of two classes that face each other, close on the left, far apart on the right. The same small arrow
moves one row upwards. On the left the dashed plane after the move is turned by 45 degrees; on the right the dashed and
the solid plane almost coincide.
"""

import matplotlib.pyplot as plt
import numpy as np

from linsep import max_margin
from linsep.plots.style import INK, look

BEHIND = np.array([[0.0, 0], [0.7, 0.35], [0.8, -0.4], [1.3, 0.1], [1.6, 0.6], [1.7, -0.5], [1.1, -0.75], [1.2, 0.8]])
y = np.repeat([-1, 1], len(BEHIND))
MOVE = 0.3

figure, axes = plt.subplots(1, 2, figsize=(10, 3.7), layout="constrained")
turned = []
for ax, gap in zip(axes, (0.3, 3.0), strict=True):
    right = BEHIND + np.array([gap / 2, 0])
    X = np.vstack([right * [-1, 1], right])
    moved = X.copy()
    moved[len(BEHIND), 1] += MOVE
    planes = [max_margin(rows, y).hyperplane for rows in (X, moved)]
    directions = [w / np.linalg.norm(w) for w, _ in planes]
    assert (y * (moved @ planes[0].w + planes[0].b) > 0).all()
    turned.append(np.degrees(np.arccos(directions[0] @ directions[1])))
    for k, sign in enumerate((-1, 1)):
        ax.scatter(
            *X[y == sign].T, color=look(k).colour, marker=look(k).marker, ec=INK, lw=0.5, s=36, label=f"y = {sign}"
        )
    ax.scatter(*moved[len(BEHIND)], fc="white", ec=INK, marker=look(1).marker, s=36, zorder=4, label="the moved row")
    ax.annotate("", moved[len(BEHIND)], X[len(BEHIND)], arrowprops={"arrowstyle": "->", "color": INK})
    for (w, b), style, name in zip(planes, ("-", "--"), ("plane before", "plane after"), strict=True):
        foot, along = -b * w / (w @ w), np.array([-w[1], w[0]]) / np.linalg.norm(w)
        ax.plot(*np.array([foot - 4 * along, foot + 4 * along]).T, color=INK, ls=style, lw=1.8, label=name)
    ax.set(aspect="equal", xlabel="first feature", xlim=(-3.6, 3.6), ylim=(-2, 2))
    ax.set_title(f"gap {gap:g}: turned by {turned[-1]:.0f} degrees")
axes[0].set_ylabel("second feature")
figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=5, fontsize="small")
assert np.allclose(turned, np.degrees(np.arctan([0.3 / 0.3, 0.3 / 3])), atol=0.01)
assert np.round(turned).tolist() == [45, 6]
figure.savefig("narrow_margin.png")
