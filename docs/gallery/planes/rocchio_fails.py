"""Rocchio where it fails.

Claim: the plane of Rocchio stands half way between the class means, at right angles to the way between them. It may be
wrong about rows that a plane separates: here two fifths of a class lie far off and drag its mean away, and the plane
with it. The perceptron and the widest margin separate the same rows.

Seen: Three pictures of the same rows: blue on the left, orange near the middle and far on the right. In the first a
dotted line joins the two class means, and the plane cuts it in the middle, at a white square, through the near orange
rows; 16 of them are ringed as mistaken. In the other two the plane stands between blue and orange, and no row is
mistaken.
"""

import matplotlib.pyplot as plt
import numpy as np

from linsep import Perceptron, Rocchio, max_margin, separability
from linsep.plots import plot_boundary
from linsep.plots.style import INK, look

rng = np.random.default_rng(1)
near = rng.normal((-0.2, 0.0), 0.2, (30, 2))
others = rng.normal((-2.2, 0.0), 0.2, (30, 2))
far = rng.normal((5.0, 1.0), 0.5, (20, 2))
X, y = np.vstack([near, far, others]), np.array([1] * 50 + [-1] * 30)

rocchio, perceptron = Rocchio().fit(X, y), Perceptron().fit(X, y)
assert separability(X, y).verdict == "separable"
assert perceptron.stop_reason_ == "clean pass"
mistakes = (rocchio.predict(X) != y).sum()
assert mistakes == 16
assert len(far) / (y > 0).sum() == 2 / 5
widest = max_margin(X, y)
assert (y * (X @ widest.hyperplane.w + widest.hyperplane.b) > 0).all()

figure, axes = plt.subplots(3, 1, figsize=(9, 8.2), layout="constrained")
models = {"Rocchio": rocchio, "perceptron": perceptron, "widest margin": widest}
for ax, (title, model) in zip(axes, models.items(), strict=True):
    plot_boundary(model, X, y, ax=ax).set(title=title, xlabel="first feature", ylabel="second feature", aspect="equal")
    ax.get_legend().set(loc="upper left", bbox_to_anchor=(0.42, 1))
means = np.array([X[y == sign].mean(axis=0) for sign in (-1, 1)])
w, b = rocchio.coef_[0], rocchio.intercept_[0]
assert np.allclose(w @ means.mean(axis=0) + b, 0)  # the plane goes through the middle between the means
assert np.isclose(np.linalg.det([w, means[1] - means[0]]), 0)  # and stands at right angles to the way between them
axes[0].plot(*means.T, color=INK, ls=":", lw=1.4, zorder=5)
axes[0].plot(*means.mean(axis=0), "s", color="white", mec=INK, ms=7, mew=1.5, zorder=6)
for k, mean in enumerate(means):
    axes[0].plot(*mean, look(k).marker, color=look(k).colour, mec=INK, mew=2, ms=13, zorder=6)
    axes[0].annotate("mean", mean, (0, 10), textcoords="offset points", ha="center", zorder=6)
assert f"mistaken: {mistakes} rows" in [text.get_text() for text in axes[0].get_legend().get_texts()]
figure.savefig("rocchio_fails.svg")
