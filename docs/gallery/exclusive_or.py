"""Exclusive-or: a witness against every line, then what separates it.

Claim: four rows prove that no line separates the noisy corners of a square labelled by exclusive-or: their two hulls
meet. One product feature does separate them, and so does a hidden layer.
"""

import matplotlib.pyplot as plt
import numpy as np

from linsep import MLP, Perceptron, separability
from linsep.data.synthetic import make_xor
from linsep.plots import plot_boundary, plot_witness

X, y, _ = make_xor(80, noise=0.2, random_state=1)
certificate = separability(X, y)
assert certificate.verdict == "inseparable"
rows, weights = map(np.array, certificate.witness)
assert len(rows) <= 4


class ProductPerceptron:
    """A perceptron on (x_1, x_2, x_1 x_2)."""

    def fit(self, X, y):
        self.inner = Perceptron(max_iter=None).fit(self.lift(X), y)
        self.classes_ = self.inner.classes_
        return self

    def lift(self, X):
        return np.column_stack([X, X[:, 0] * X[:, 1]])

    def decision_function(self, X):
        return self.inner.decision_function(self.lift(X))


product = ProductPerceptron().fit(X, y)
hidden = MLP(8, random_state=0).fit(X, y)

figure, axes = plt.subplots(1, 3, figsize=(13, 3.8), layout="constrained")
plot_witness(certificate, X, y, ax=axes[0]).set_title("no line")
for ax, model, title in ((axes[1], product, "the product as a feature"), (axes[2], hidden, "8 hidden nodes")):
    plot_boundary(model, X, y, ax=ax).set_title(title)
    assert ((model.decision_function(X) >= 0) == (y > 0)).all()
star = np.asarray(axes[0].collections[-1].get_offsets())[0]
for sign in (-1, 1):
    own, share = X[rows][y[rows] == sign], weights[y[rows] == sign].astype(float)
    assert np.allclose(share @ own / share.sum(), star)
figure.savefig("exclusive_or.png")
