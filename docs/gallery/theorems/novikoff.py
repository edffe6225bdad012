r"""Novikoff's sandwich, measured.

Claim: after \(k\) updates \(k^2 \gamma^2 \le \lVert w_k \rVert^2 \le k R^2\). The lower curve grows faster than the
upper one: they meet at \(k = (R / \gamma)^2\), and no run can go on beyond. This one ends long before, after 134
mistakes in 18 passes; the first pass alone made 32.

`mistake_bounds` allows more. On all mistakes: Novikoff's 3,178; "bounded bias", a coarser form that wants
\(|b^*| \le \lVert w^* \rVert\), 4,947; and "unit ball", which is for rows no longer than 1 and says nothing here. On
those of the first pass alone, which are fewer: Freund and Schapire's 176, and 164 from the hinge losses of a vector.

Seen: One picture with logarithmic axes, on which the squared length of w stays between two straight lines that meet at
a cross far on the right of the end of the run.
"""

import matplotlib.pyplot as plt
import numpy as np

from linsep import Perceptron, make_separable, max_margin, mistake_bounds
from linsep.plots.style import COLOURS, INK

X, y, *_ = make_separable(500, 5, 0.05, random_state=2)
learner = Perceptron(trace="updates", max_iter=None).fit(X, y)
best = max_margin(X, y, bias="homogeneous").hyperplane
bounds = mistake_bounds(X, y, *best, mistakes=learner.n_mistakes_)
R2 = (X**2).sum(axis=1).max() + 1

figure, ax = plt.subplots(figsize=(6, 4.6), layout="constrained")
# The vector after each update, with the intercept as the weight of a feature that is always 1.
rows, steps = learner.trace_.update_rows, learner.trace_.update_steps
W = np.cumsum(steps[:, None] * np.column_stack([X[rows], np.ones(len(rows))]), axis=0)
gamma = (y * (X @ best.w + best.b)).min() / np.hypot(np.linalg.norm(best.w), best.b)
k, norm = np.arange(1, len(W) + 1), (W**2).sum(axis=1)
assert ((k**2 * gamma**2 <= norm) & (norm <= k * R2)).all()
novikoff = bounds.get("novikoff").value
assert np.isclose(R2 / gamma**2, novikoff)
on = np.geomspace(1, novikoff)
ax.loglog(on, on * R2, "--", color=COLOURS[6], label="$k R^2$")
ax.loglog(on, on**2 * gamma**2, ":", color=COLOURS[0], label=r"$k^2 \gamma^2$")
ax.loglog(k, norm, color=INK, label=r"$\|w_k\|^2$")
ax.loglog(novikoff, novikoff * R2, "X", color=INK, label=rf"$(R / \gamma)^2$ = {novikoff:,.0f}")
ax.set(xlabel="updates $k$", ylabel="squared norm")
ax.legend(fontsize="small")
assert (learner.n_mistakes_, learner.n_iter_, learner.trace_.mistakes[0]) == (134, 18, 32)
assert learner.n_mistakes_ <= novikoff / 10
values = {bound.name: round(bound.value) for bound in bounds if bound.applies}
assert values == {"novikoff": 3178, "bounded bias": 4947, "freund-schapire": 176, "hinge loss": 164}
assert not bounds.get("unit ball").applies
assert [bound.name for bound in bounds if bound.one_pass] == ["freund-schapire", "hinge loss"]
assert abs(best.b) <= np.linalg.norm(best.w)
assert learner.trace_.mistakes[0] < 164
figure.savefig("novikoff.svg")
