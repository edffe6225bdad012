"""Novikoff's sandwich and the angle, measured.

Claim: after k updates k^2 gamma^2 <= ||w_k||^2 <= k R^2 and cos(w_k, w*) >= sqrt(k) gamma / R; as the lower curve grows
faster than the upper one they would cross at k = (R / gamma)^2, and the run ends long before.
"""

import matplotlib.pyplot as plt

from linsep import Perceptron, make_separable, max_margin, mistake_bounds
from linsep.plots import plot_trace

X, y, *_ = make_separable(500, 5, 0.05, random_state=2)
learner = Perceptron(trace="updates", max_iter=None).fit(X, y)
best = max_margin(X, y, bias="homogeneous").hyperplane
bounds = mistake_bounds(X, y, *best, mistakes=learner.n_mistakes_, epochs=learner.n_iter_)

figure, panels = plt.subplot_mosaic("ab;cc", figsize=(9, 7.4), layout="constrained")
axes = [panels[name] for name in "abc"]
plot_trace(learner, "norm", X, y, reference=best, ax=axes[0])
plot_trace(learner, "angle", X, y, reference=best, ax=axes[1])
plot_trace(learner, "bounds", bounds=bounds, ax=axes[2])

upper, norm, lower = (line.get_ydata() for line in axes[0].lines)
assert ((lower <= norm) & (norm <= upper)).all()
cosine, floor = (line.get_ydata() for line in axes[1].lines[:2])
assert (cosine >= floor).all()
assert learner.n_mistakes_ <= bounds.get("novikoff").value / 10
figure.savefig("novikoff.png")
