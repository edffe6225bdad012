r"""A plane, its normal, a foot, a distance and a shadow.

Claim: for \(w = (3, 4)\) and \(b = -5\) the row \(x = (4, 2)\) has \(z = 15\), so it is \(15/5 = 3\) away from the
plane; its foot is \((2.2, -0.4)\). The shadow of \(x\) on the direction of \(w\) is 4 long: 1 from the origin to the
plane, and 3 beyond it. The point of the plane nearest the origin is \(-(b / \lVert w \rVert^2)\, w = (0.6, 0.8)\).

Seen: A slanting line, the plane, with an arrow at right angles to it, the normal w, that points to the shaded positive
side. From a row x a dashed way of length 3 leads straight to its foot on the plane. A dotted way leads from x to the
line through the origin in the direction of w; the shadow of x on that line is thick, 4 long, and crosses the plane at
the point that is nearest to the origin.
"""

import matplotlib.pyplot as plt
import numpy as np

from linsep.plots.style import COLOURS, GREY, INK
from linsep.theory import projection, unit_form

w, b, x = np.array([3.0, 4.0]), -5.0, np.array([4.0, 2.0])
u, offset, nearest = unit_form(w, b)
distance, shadow = (w @ x + b) / np.linalg.norm(w), projection(x, w) * u
foot = x - distance * u
assert np.allclose([*foot, *nearest, *shadow], [2.2, -0.4, 0.6, 0.8, 2.4, 3.2])
assert np.allclose([distance, offset, projection(x, w)], [3, 1, 4])
assert np.isclose(w @ foot + b, 0) and np.isclose((x - shadow) @ w, 0)


def angle_mark(ax, corner, one, other):
    """A small square: a right angle."""
    assert np.isclose(one @ other, 0)
    ax.plot(*(corner + 0.2 * np.array([one, one + other, other])).T, color=GREY, lw=1)


along = np.array([u[1], -u[0]])
ends = np.array([nearest - 3.2 * along, nearest + 3.4 * along])
figure, ax = plt.subplots(figsize=(7.6, 3.6))
figure.subplots_adjust(0, 0, 1, 1)
ax.fill(*np.vstack([ends, ends[::-1] + 4.2 * u]).T, color=COLOURS[1], alpha=0.15, lw=0)
ax.plot(*ends.T, color=INK, lw=2.2)
ax.plot(*np.array([-0.6 * u, 4.6 * u]).T, color=GREY, lw=0.8)
ax.plot(*np.array([[0, 0], shadow]).T, color=COLOURS[0], lw=5, solid_capstyle="butt")
ax.plot(*np.array([x, foot]).T, color=COLOURS[6], ls="--", lw=2.2)
ax.plot(*np.array([x, shadow]).T, color=GREY, ls=":", lw=1.6)
start = nearest - 2.3 * along
ax.annotate("", start + 1.3 * u, start, arrowprops={"arrowstyle": "-|>", "lw": 2.2, "color": INK})
for corner, one, other in ((foot, u, along), (start, u, along), (shadow, -u, along), (nearest, u, along)):
    angle_mark(ax, corner, one, other)
for point in (np.zeros(2), nearest, foot):
    ax.plot(*point, "o", color=INK, ms=6, zorder=5)
ax.plot(*x, "^", color=COLOURS[1], mec=INK, ms=12, zorder=5)
for text, place, room, colour in (
    ("the row $x = (4, 2)$", x, (0.25, -0.06), INK),
    ("distance 3", (x + foot) / 2, (0.2, -0.1), COLOURS[6]),
    ("foot of $x$", foot, (-1.15, -0.28), INK),
    ("origin", (0, 0), (0.2, -0.25), INK),
    ("nearest to\nthe origin", nearest, (-2.35, -0.45), INK),
    ("shadow of $x$,\n4 long", shadow, (-2.3, -0.25), COLOURS[0]),
    ("the normal $w$", start + 1.3 * u, (-1.5, 0.16), INK),
    ("the plane  $3x_1 + 4x_2 - 5 = 0$", ends[1], (0.25, 0.1), INK),
    ("$z > 0$", x, (-0.4, 1.15), INK),
    ("$z < 0$", (-3.2, 0.3), (0, 0), INK),
):
    ax.text(*np.add(place, room), text, color=colour, fontsize=13, va="center")
ax.annotate("", nearest - 0.12 * u, (-0.6, 0.5), arrowprops={"arrowstyle": "-", "color": GREY, "lw": 0.8})
ax.set(aspect="equal", xlim=(-3.4, 7.1), ylim=(-1.3, 3.68))
ax.axis("off")
figure.savefig("plane_and_normal.svg")
