"""The perceptron step by step, on ten points of the plane.

Claim: each update is caused by a mistaken row, lifts that row's margin y z by exactly ||x||^2 + 1, and after a handful
of them a whole pass is clean.
"""

import matplotlib.pyplot as plt
import numpy as np

from linsep import Perceptron, make_separable
from linsep.plots import animate_run, plot_step

X, y, *_ = make_separable(10, 2, 0.05, random_state=136)
learner = Perceptron(trace="updates").fit(X, y)

w, b = np.zeros(2), 0.0
for row, w_after, b_after in learner.trace_.iter_weights(X, y):
    before, after = y[row] * (X[row] @ w + b), y[row] * (X[row] @ w_after + b_after)
    assert before <= 0
    assert np.isclose(after - before, X[row] @ X[row] + 1)
    w, b = w_after, b_after
assert learner.stop_reason_ == "clean pass"
assert (y * (X @ w + b) > 0).all()
assert learner.n_updates_ == 6

figure, axes = plt.subplots(3, 2, figsize=(8, 11), layout="constrained")
for k, ax in enumerate(axes.flat, start=1):
    plot_step(learner, X, y, k, ax=ax)
figure.savefig("step_by_step.png")
animate_run(learner, X, y, "step_by_step.gif", fps=1)
