"""A logistic regression that explodes, and why.

Claim: every patient with a vessel invasion (made data, after the endometrial cancer study of Heinze and Schemper 2002)
had the outcome, so maximum likelihood sends that coefficient to +infinity: from the sixth on each Newton step adds
about 1 to it, for ever, while the others settle. `separation` says so beforehand, without a fit. It calls the table
quasi-complete: a direction separates the 13 patients with invasion, who all had the outcome, and leaves the 66 others
as they overlap.

Seen: On the left four coefficients: an arrow sends invasion to plus infinity, dots mark the three others as finite. On
the right the estimates over the Newton steps: invasion climbs along a straight line, the others are level after five
steps.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from linsep import separation
from linsep.plots.style import COLOURS, INK, look

rng = np.random.default_rng(3)
n = 79
table = pd.DataFrame(
    {"invasion": np.arange(n) < 13, "pulsatility": rng.normal(0, 1, n), "thickness": rng.normal(0, 1, n)}
)
risk = 1 / (1 + np.exp(2 + 0.8 * table["pulsatility"] - 1.2 * table["thickness"]))
y = (table["invasion"] | (rng.random(n) < risk)).astype(int).to_numpy()
table = table.astype(float)

found = separation(table, y)
assert found.verdict == "quasi-complete"
assert (y[table["invasion"] == 1] == 1).all()
assert (table["invasion"] == 1).sum() == n - 66 == 13
assert found.coefficients == {
    "(Intercept)": "finite", "invasion": np.inf, "pulsatility": "finite", "thickness": "finite"
}  # fmt: skip

# Newton's method, as regression programs do it.
Z = np.column_stack([np.ones(n), table])
beta = np.zeros(4)
steps = [beta]
for _ in range(25):
    mu = 1 / (1 + np.exp(-Z @ beta))
    beta = beta + np.linalg.solve((Z * (mu * (1 - mu))[:, None]).T @ Z, Z.T @ (y - mu))
    steps.append(beta)
steps = np.array(steps)
growth = np.diff(steps[5:], axis=0)
assert np.allclose(growth[:, 1], 1, atol=0.06)
assert np.abs(growth[:, [0, 2, 3]]).max() < 0.01

figure, axes = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
for height, value in enumerate(found.coefficients.values()):
    if value == "finite":
        axes[0].plot(0, height, "o", color=INK, ms=6)
    else:
        arrow = {"arrowstyle": "-|>", "color": COLOURS[6], "lw": 2.2, "mutation_scale": 16}
        axes[0].annotate("", (np.sign(value), height), (0, height), arrowprops=arrow)
axes[0].set_yticks(range(4), found.coefficients)
axes[0].set_xticks([-1, 0, 1], [r"$-\infty$", "finite", r"$+\infty$"])
axes[0].set(xlim=(-1.15, 1.15), ylim=(3.5, -0.5), xlabel="maximum likelihood estimate")
axes[0].axvline(0, color="#777777", lw=0.8, zorder=0)
for k, name in enumerate(["(Intercept)", *table.columns]):
    axes[1].plot(
        steps[:, k],
        color=look(k if k < 3 else 4).colour,
        marker=look(k).marker,
        ms=4,
        mec=INK,
        mew=0.4,
        label=name,
    )
axes[1].set(xlabel="Newton step", ylabel="estimate")
axes[1].legend(fontsize="small")
figure.savefig("exploding_regression.svg")
