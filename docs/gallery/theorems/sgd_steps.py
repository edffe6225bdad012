r"""Stochastic gradient descent: constant and decreasing steps against R B/√T.

Claim: with rows drawn independently and \(w\) projected on a ball of radius \(B\), the mean of the vectors exceeds the
least hinge loss of the ball by at most \(R B / \sqrt{T}\) on average, here over five runs (constant steps
\(B / (R \sqrt{T})\), \(T\) known beforehand), and by \(O(\log T / \sqrt{T})\) with steps \(B / (R \sqrt{t})\), which
need no \(T\).

Seen: The excess of the mean hinge loss over the number of steps, both axes logarithmic. Two dashed lines, allowed for
constant and for decreasing steps, fall steadily; the two measured curves lie nine to a hundred times lower and fall as
well.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import minimize

from linsep import SGDClassifier, make_separable
from linsep.data.synthetic import flip_labels
from linsep.plots.style import look
from linsep.theory import training_loss

B = 2.0
X, y, *_ = make_separable(200, 5, 0.1, random_state=0)
y = flip_labels(y, 0.1, random_state=0)[0]
rows = np.column_stack([X, np.ones(200)]) * np.where(y == 1, 1, -1)[:, None]
least = minimize(
    lambda v: np.maximum(0, 1 - rows @ v).mean(),
    np.zeros(6),
    method="SLSQP",
    jac=lambda v: -rows[rows @ v < 1].sum(axis=0) / 200,
    constraints={"type": "ineq", "fun": lambda v: B**2 - v @ v},
).fun
R = np.sqrt((X**2).sum(axis=1).max() + 1)

figure, ax = plt.subplots(figsize=(7, 4.6), layout="constrained")
epochs = np.array([1, 3, 10, 30, 100])
for k, (rate, name) in enumerate((("constant", "constant steps"), ("invsqrt", r"steps $B / (R \sqrt{t})$"))):
    excess, bounds = [], []
    for n in epochs:
        each = []
        for seed in range(5):
            learner = SGDClassifier(
                "hinge",
                projection_radius=B,
                sampling="replacement",
                learning_rate=rate,
                max_iter=int(n),
                random_state=seed,
            ).fit(X, y)
            each.append(training_loss(X, y, learner.coef_[0], learner.intercept_[0], "hinge") - least)
        excess.append(np.mean(each))
        bounds.append(learner.excess_bound_.value)
    below = np.array(bounds) / excess
    assert 8.5 < below.min() < below.max() < 110
    assert excess[-1] < excess[0] / 5
    if rate == "constant":
        assert np.allclose(bounds, R * B / np.sqrt(200 * epochs))
    else:
        growth = bounds * np.sqrt(200 * epochs) / np.log(200 * epochs)
        assert (np.diff(growth) < 0).all()  # O(log T / sqrt T)
    colour, marker, _ = look(k)
    ax.plot(200 * epochs, bounds, color=colour, ls="--", label=f"allowed: {name}")
    ax.plot(200 * epochs, excess, color=colour, marker=marker, mec="#222222", mew=0.5, label=f"measured: {name}")
ax.set(xscale="log", yscale="log", xlabel="steps $T$", ylabel="excess of the mean hinge loss")
ax.legend(fontsize="small")
figure.savefig("sgd_steps.svg")
