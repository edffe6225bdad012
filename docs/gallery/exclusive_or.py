"""Exclusive-or: a witness against every line, then what separates it.

Claim: four rows prove that no line separates the noisy corners of a square labelled by exclusive-or: their two hulls
meet. A perceptron in the space of the kernel (x.y + 1)^2, which holds the product x_1 x_2, separates them,
and so does a hidden layer.
"""

import matplotlib.pyplot as plt
import numpy as np

from linsep import MLP, KernelPerceptron, separability
from linsep.data.synthetic.separable import make_xor
from linsep.plots import plot_boundary, plot_witness

X, y, _ = make_xor(80, noise=0.2, random_state=1)
certificate = separability(X, y)
assert certificate.verdict == "inseparable"
rows, weights = map(np.array, certificate.witness)
assert len(rows) <= 4


kernel = KernelPerceptron(degree=2, max_iter=100, random_state=0).fit(X, y)
assert kernel.stop_reason_ == "clean pass"
hidden = MLP(8, random_state=0).fit(X, y)

figure, panels = plt.subplot_mosaic("aabb;.cc.", figsize=(9, 9), layout="constrained")
axes = [panels[name] for name in "abc"]
plot_witness(certificate, X, y, ax=axes[0]).set_title("no line")
for ax, model, title in ((axes[1], kernel, "the kernel (x.y + 1)²"), (axes[2], hidden, "8 hidden nodes")):
    plot_boundary(model, X, y, ax=ax).set_title(title)
    ax.get_legend().set(loc="upper center", bbox_to_anchor=(0.5, -0.15))
    assert ((model.decision_function(X) >= 0) == (y > 0)).all()
star = np.asarray(axes[0].collections[-1].get_offsets())[0]
for sign in (-1, 1):
    own, share = X[rows][y[rows] == sign], weights[y[rows] == sign].astype(float)
    assert np.allclose(share @ own / share.sum(), star)
figure.savefig("exclusive_or.png")
