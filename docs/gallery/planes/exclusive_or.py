r"""Exclusive-or: four points that no line separates, and what does.

Claim: both diagonals of a square have the same middle, so a line with \(z > 0\) at two opposite corners has \(z > 0\)
in the middle, and with \(z < 0\) at the other two \(z < 0\) there: no line does both. Where the corners are noisy four
rows prove the same: the segments between the two of each class, their hulls, meet. A perceptron in the space of the
kernel \((x \cdot x' + 1)^2\) of two rows \(x\) and \(x'\), which holds the product of the two columns, separates them,
and so does a hidden layer. Rows are counted from 0.

Seen: Four pictures of a square whose opposite corners have one class. In the first two, of four points and of eighty,
two lines join rows of one class each and cross at a star. In the third two curves, and in the fourth two bent lines,
cut off the blue corners from the orange ones; no point is on the wrong side. A dashed line runs where |z| is as large
as at the row with the least |z|, which has a circle.
"""

import matplotlib.pyplot as plt
import numpy as np

from linsep import MLP, KernelPerceptron, separability
from linsep.data.synthetic import make_xor
from linsep.plots import plot_boundary, plot_witness

X, y, _ = make_xor(80, noise=0.2, random_state=1)
y = -y  # as in the course, where equal signs are positive
certificate = separability(X, y)
assert certificate.verdict == "inseparable"
rows, weights = map(np.array, certificate.witness)
assert sorted(y[rows]) == [-1, -1, 1, 1]

CORNERS, SIGNS = np.array([[0, 0], [1, 0], [1, 1], [0, 1]]), np.array([1, -1, 1, -1])
four = separability(CORNERS, SIGNS)
assert four.verdict == "inseparable"
assert sorted(four.witness.rows) == [0, 1, 2, 3]
assert len(set(four.witness.weights)) == 1  # both diagonals have the same middle
product = CORNERS.prod(axis=1)
assert (1 - 2 * CORNERS.sum(axis=1) + 4 * product == SIGNS).all()

kernel = KernelPerceptron(degree=2, max_iter=100, random_state=0).fit(X, y)
assert kernel.stop_reason_ == "clean pass"
hidden = MLP(8, random_state=4).fit(X, y)

figure, axes = plt.subplots(2, 2, figsize=(9, 9.2), layout="constrained")
axes = axes.ravel()
plot_witness(four, CORNERS, SIGNS, ax=axes[0]).set_title("four points, no line")
plot_witness(certificate, X, y, ax=axes[1]).set_title("80 points, no line: four rows prove it")
for ax in axes[:2]:
    low, high = (-0.4, 1.4) if ax is axes[0] else (-1.8, 1.8)
    ax.set(aspect="equal", xlim=(low, high), ylim=(low, high))
    ax.get_legend().set(loc="upper center", bbox_to_anchor=(0.5, -0.15))
for ax, model, title in ((axes[2], kernel, r"the kernel $(x \cdot x' + 1)^2$"), (axes[3], hidden, "8 hidden nodes")):
    plot_boundary(model, X, y, ax=ax).set(title=title, aspect="equal")
    ax.get_legend().set(loc="upper center", bbox_to_anchor=(0.5, -0.15))
    assert ((model.decision_function(X) >= 0) == (y > 0)).all()
for ax in axes:
    ax.set(xlabel="first feature", ylabel="second feature")
star = np.asarray(axes[1].collections[-1].get_offsets())[0]
for sign in (-1, 1):
    own, share = X[rows][y[rows] == sign], weights[y[rows] == sign].astype(float)
    assert np.allclose(share @ own / share.sum(), star)
figure.savefig("exclusive_or.svg")
