"""The perceptron step by step, on ten points of the plane.

Claim: each update is caused by a row on the wrong side, or on the line; it lifts that row's y z by exactly ||x||^2 + 1,
which here is enough each time and need not be elsewhere. After six of them a whole pass is clean. The points are
multiples of 1/2: every number under the pictures can be checked by hand. Rows are counted from 0.

Seen: Six pictures of the same ten numbered points, one an update, and one of the end. The plane is shaded as it was
before the update; the ringed row lies on the side of the other class. A grey dashed line with its arrow w is the old
separator, a black one the new; all arrows have one scale. Below each picture stand y z of the row, w and b, before and
after. In the last picture all ten points are on their own side of the line.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from linsep import Perceptron, make_separable
from linsep.plots import animate_run, plot_boundary, plot_step

X, y, *_ = make_separable(10, 2, 0.15, random_state=1453)
X = np.round(2 * X) / 2
table = pd.DataFrame(X, columns=["first feature", "second feature"])
learner = Perceptron(trace="updates").fit(table, y)

figure, axes = plt.subplots(4, 2, figsize=(7.6, 17.2), layout="constrained")
w, b = np.zeros(2), 0.0
longest = max(np.linalg.norm(w) for _, w, _ in learner.trace_.iter_weights(X, y))
for k, (row, w_after, b_after) in enumerate(learner.trace_.iter_weights(X, y)):
    before, after = y[row] * (X[row] @ w + b), y[row] * (X[row] @ w_after + b_after)
    assert before <= 0 < after
    assert after - before == X[row] @ X[row] + 1
    ax = plot_step(learner, table, y, k + 1, longest=longest, ax=axes.flat[k])
    assert f"y z of row {row}: {before + 0.0:.3g} → {after:.3g}" in ax.get_xlabel()
    w, b = w_after, b_after
assert learner.stop_reason_ == "clean pass"
assert (y * (X @ w + b) > 0).all()
assert learner.n_updates_ == 6
end, rest = axes.flat[6:]
plot_boundary(learner, table, y, ax=end).set_aspect("equal")
end.set_title(f"epoch {learner.n_iter_}: a clean pass", loc="left", fontsize="medium")
rest.legend(handles=end.get_legend().legend_handles, loc="upper left", fontsize="small")
end.get_legend().remove()
rest.axis("off")
for ax in axes.flat[:7]:
    for i, point in enumerate(X):
        ax.annotate(str(i), point, (5, 3), textcoords="offset points", fontsize="x-small", zorder=5)
figure.savefig("step_by_step.png")
animate_run(learner, table, y, "step_by_step.gif", fps=1)
