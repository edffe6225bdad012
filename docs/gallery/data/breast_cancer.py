"""Breast cancer: separable after all.

Claim: a hyperplane separates the 569 rows of the standardised Wisconsin table. scikit-learn's Perceptron stops after 8
passes with mistakes left; the plain cyclic perceptron comes to a clean pass after 217,171 epochs and 1,757,361
mistakes.

Seen: Four pictures. The rows along w, cut by a line: with scikit-learn's weights twelve rows are ringed as mistaken,
with those of the clean pass none is. Mistakes of each epoch, on logarithmic axes: about ten for two hundred thousand
epochs, then none. The margins of all rows as bars: none is left of zero, the least just beside it.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import Perceptron as TheirPerceptron
from sklearn.preprocessing import StandardScaler

from linsep import Perceptron, separability
from linsep.plots import plot_boundary, plot_margins, plot_trace

X, y = load_breast_cancer(return_X_y=True)
X = StandardScaler().fit_transform(X)
assert separability(X, y).verdict == "separable"
theirs = TheirPerceptron(random_state=0).fit(X, y)
assert theirs.score(X, y) < 1
assert theirs.n_iter_ == 8

learner = Perceptron(max_iter=None, time_limit=600).fit(X, y)
assert (learner.n_iter_, learner.n_mistakes_) == (217_171, 1_757_361)
assert learner.score(X, y) == 1

figure, axes = plt.subplots(2, 2, figsize=(10.5, 7.6), layout="constrained")
plot_boundary(theirs, X, y, ax=axes[0, 0]).set_title("scikit-learn's Perceptron()")
plot_boundary(learner, X, y, ax=axes[0, 1]).set_title("a clean pass")
rings = axes[0, 0].collections[-1]
assert len(rings.get_offsets()) == 12
rings.set(linewidths=1.6, sizes=[90], zorder=6)  # not lost in the crowd
plot_trace(learner, ax=axes[1, 0])
plot_margins(learner, X, y, ax=axes[1, 1])
assert axes[1, 0].lines[0].get_ydata()[-1] == 0
assert all(bar.get_x() >= 0 for bar in axes[1, 1].patches if bar.get_height())
figure.savefig("breast_cancer.svg")
