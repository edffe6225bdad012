r"""With a bias on the unit sphere: at most 4/γ² mistakes.

Claim: rows no longer than 1, here all of length 1, a plane that cuts the ball, an intercept learnt along: at most
\(4 / \gamma^2\) mistakes, \(\gamma\) the distance of the nearest row from the plane. The number \(p\) of columns is not
in the bound; what is made below it may well grow with it.

Seen: Runs as points, mistakes made over mistakes allowed, both axes logarithmic. All points, of 3, 10 and 50
dimensions, lie far below the dashed diagonal; the ground above the diagonal is shaded and empty.
"""

import matplotlib.pyplot as plt
import numpy as np

from linsep import Perceptron, max_margin, mistake_bounds
from linsep.plots.style import look

figure, ax = plt.subplots(figsize=(6, 4.4), layout="constrained")
rng = np.random.default_rng(0)
for k, p in enumerate((3, 10, 50)):
    made, allowed = [], []
    for margin in np.geomspace(0.01, 0.2, 12):
        X = rng.standard_normal((400, p))
        X /= np.linalg.norm(X, axis=1)[:, None]
        w = rng.standard_normal(p)
        z = X @ w / np.linalg.norm(w) - rng.uniform(-0.1, 0.1)
        X, z = X[np.abs(z) > margin], z[np.abs(z) > margin]
        y = np.where(z > 0, 1, -1)
        if len(np.unique(y)) < 2:
            continue
        learner = Perceptron(max_iter=None).fit(X, y)
        bound = mistake_bounds(X, y, *max_margin(X, y).hyperplane).get("unit ball")
        assert bound.applies
        assert learner.n_mistakes_ <= bound.value
        made.append(learner.n_mistakes_)
        allowed.append(bound.value)
    ax.scatter(
        allowed, made, color=look(k).colour, marker=look(k).marker, ec="#222222", lw=0.5, label=f"$p = {p}$ columns"
    )
    assert len(made) >= 8
ends = np.array(ax.get_xlim())
ends[0] = 20
ax.plot(ends, ends, color="#222222", ls="--", label="as many as are allowed")
ax.fill_between(ends, ends, 1e5, color="#D55E00", alpha=0.15, lw=0, label="more than allowed: no run is here")
ax.set(xscale="log", yscale="log", xlabel=r"allowed: $4 / \gamma^2$", ylabel="mistakes made", xlim=ends, ylim=(2, 3e4))
ax.legend(fontsize="small")
figure.savefig("unit_sphere.svg")
