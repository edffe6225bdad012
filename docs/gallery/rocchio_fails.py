"""Rocchio where it fails.

Claim: the plane half way between the class means may be wrong about rows that a plane separates: a few far rows drag
their mean away, and the plane with it. The perceptron and the widest margin separate the same rows.
"""

import matplotlib.pyplot as plt
import numpy as np

from linsep import Perceptron, Rocchio, max_margin, separability
from linsep.plots import plot_boundary

rng = np.random.default_rng(1)
near = rng.normal((-0.2, 0.0), 0.2, (30, 2))
others = rng.normal((-2.2, 0.0), 0.2, (30, 2))
far = rng.normal((5.0, 1.0), 0.5, (20, 2))
X, y = np.vstack([near, far, others]), np.array([1] * 50 + [-1] * 30)

rocchio, perceptron = Rocchio().fit(X, y), Perceptron().fit(X, y)
assert separability(X, y).verdict == "separable"
assert perceptron.stop_reason_ == "clean pass"
mistakes = (rocchio.predict(X) != y).sum()
assert mistakes > 10

figure, axes = plt.subplots(3, 1, figsize=(8, 10), layout="constrained")
models = {"Rocchio": rocchio, "perceptron": perceptron, "widest margin": max_margin(X, y)}
for ax, (title, model) in zip(axes, models.items(), strict=True):
    plot_boundary(model, X, y, ax=ax).set_title(title)
    ax.get_legend().set_loc("upper center")
assert f"mistaken: {mistakes} rows" in [text.get_text() for text in axes[0].get_legend().get_texts()]
figure.savefig("rocchio_fails.png")
