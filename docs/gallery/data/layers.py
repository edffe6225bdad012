"""A network with one hidden layer, and how its layers are counted.

Claim: two inputs, two hidden nodes and one output with these weights compute the exclusive or of two signs. Counted by
columns of nodes the network has three layers; counted by the weights between them, two; counted by the nodes that
neither come in nor go out, one hidden layer. All three are the same network.

Seen: Three columns of circles joined by arrows: two inputs on the left, two hidden nodes in the middle, one output on
the right. Each arrow has its weight. Below the circles three columns are counted; above them the two layers of weights
between the columns.
"""

import matplotlib.pyplot as plt
import numpy as np

from linsep.plots.style import COLOURS, INK

W, c = np.array([[1, 1], [-1, -1]]), np.array([0, 0])
v, b = np.array([-1, -1]), 1
corners = np.array([[-1, -1], [-1, 1], [1, -1], [1, 1]])
z = np.maximum(0, corners @ W.T + c) @ v + b
assert (z == -corners.prod(axis=1)).all()

nodes = [[(0, 1), (0, -1)], [(3, 1), (3, -1)], [(6, 0)]]
names = [["$x_1$", "$x_2$"], ["$h_1$", "$h_2$"], ["$z$"]]
figure, ax = plt.subplots(figsize=(8, 4.2))
figure.subplots_adjust(0, 0, 1, 1)
for k, weights in enumerate((W, v[None])):
    for i, end in enumerate(nodes[k + 1]):
        for j, start in enumerate(nodes[k]):
            arrow = {"arrowstyle": "-|>", "color": INK, "lw": 1.4, "shrinkA": 24, "shrinkB": 24}
            ax.annotate("", end, start, arrowprops=arrow)
            place = np.array(start) + 0.3 * (np.array(end) - start) + (0, 0.16)
            ax.text(*place, f"{weights[i, j]:+d}", color=COLOURS[6], fontsize=13, ha="center", va="center")
for k, column in enumerate(nodes):
    for place, name in zip(column, names[k], strict=True):
        ax.add_patch(plt.Circle(place, 0.4, fc="none", ec=COLOURS[0], lw=2.4))
        ax.text(*place, name, color=INK, fontsize=16, ha="center", va="center")
for x, text in (
    (0, "inputs\ncolumn 1"),
    (3, r"hidden: $\max(0, \cdot)$" + "\ncolumn 2"),
    (6, "output, $b = 1$\ncolumn 3"),
):
    ax.text(x, -1.95, text, color=INK, fontsize=12, ha="center", va="center")
for x, text in ((1.5, "weights, layer 1"), (4.5, "weights, layer 2")):
    ax.text(x, 1.95, text, color=COLOURS[6], fontsize=12, ha="center", va="center")
ax.set(aspect="equal", xlim=(-1.2, 7.3), ylim=(-2.35, 2.2))
ax.axis("off")
figure.savefig("layers.svg")
