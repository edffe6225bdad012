"""Which coefficients go to infinity depends on the reference level.

Claim: a logistic regression of "improved" on the ward, 15 patients. At ward c nobody improved; at each other ward some
did and some did not. With c as the reference level its three rows send the intercept to -infinity and the coefficients
of all other wards to +infinity, to make up for it. With ward a as the reference they send the coefficient of c alone
there, and the rest is finite. Both fits give each patient the same chance. Choose a reference level in which both
outcomes occur; how many rows it has is not what matters.

Seen: Above, a bar for each ward, patients improved and not: all bars have both parts but that of ward c, where 0 of 3
improved. Below on the left, with reference level c, arrows send the intercept to minus infinity and the wards a, b and
d to plus infinity. On the right, with reference level a, one arrow sends ward c to minus infinity, and dots mark the
intercept and the wards b and d as finite.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from linsep import separation
from linsep.plots.style import COLOURS, INK, look

ward = np.array(list("aaaabbbbddddccc"))
improved = np.array([0, 1, 0, 1, 1, 0, 1, 1, 0, 0, 1, 0, 0, 0, 0])
table = pd.get_dummies(ward, dtype=float).add_prefix("ward=")


def chances(columns):
    """What 12 Newton steps of the logistic regression give; the infinite coefficients are large by then."""
    Z = np.column_stack([np.ones(len(columns)), columns])
    beta = np.zeros(Z.shape[1])
    for _ in range(12):
        mu = 1 / (1 + np.exp(-Z @ beta))
        beta += np.linalg.solve((Z * (mu * (1 - mu))[:, None]).T @ Z, Z.T @ (improved - mu))
    return 1 / (1 + np.exp(-Z @ beta))


def draw(ax, coefficients):
    """A dot for a finite coefficient, an arrow to where an infinite one goes."""
    for height, value in enumerate(coefficients.values()):
        if value == "finite":
            ax.plot(0, height, "o", color=INK, ms=6)
        else:
            arrow = {"arrowstyle": "-|>", "color": COLOURS[6], "lw": 2.2, "mutation_scale": 16}
            ax.annotate("", (np.sign(value), height), (0, height), arrowprops=arrow)
    ax.set_yticks(range(len(coefficients)), coefficients)
    ax.set_xticks([-1, 0, 1], [r"$-\infty$", "finite", r"$+\infty$"])
    ax.set(xlim=(-1.15, 1.15), ylim=(len(coefficients) - 0.5, -0.5), xlabel="maximum likelihood estimate")
    ax.axvline(0, color="#777777", lw=0.8, zorder=0)


figure, panels = plt.subplot_mosaic("ww;ca", figsize=(9, 6), layout="constrained")
names = sorted(set(ward))
counts = {outcome: np.array([(improved[ward == name] == outcome).sum() for name in names]) for outcome in (1, 0)}
bottom = np.zeros(len(names))
for outcome, words in ((1, "improved"), (0, "not improved")):
    style = look(outcome)
    panels["w"].bar(names, counts[outcome], 0.6, bottom, color=style.colour, hatch=style.hatch, ec=INK, label=words)
    bottom += counts[outcome]
for k, name in enumerate(names):
    panels["w"].annotate(
        f"{counts[1][k]} of {bottom[k]:g}", (k, bottom[k]), (0, 3), textcoords="offset points", ha="center"
    )
    assert (0 < counts[1][k] < bottom[k]) == (name != "c")
panels["w"].set(xlabel="ward", ylabel="patients", yticks=range(5), ylim=(0, 4.8), title="improved at each ward")
panels["w"].legend(fontsize="small", loc="center left", bbox_to_anchor=(1, 0.5))

estimates = {}
for reference in "ca":
    columns = table.drop(columns=f"ward={reference}")
    found = separation(columns, improved)
    assert (ward[list(found.separated_rows)] == "c").all()
    assert len(found.separated_rows) == 3
    estimates[reference] = dict(found.coefficients)
    draw(panels[reference], estimates[reference])
    panels[reference].set_title(f"reference level {reference}", fontsize="medium")
assert estimates["c"] == {"(Intercept)": -np.inf, "ward=a": np.inf, "ward=b": np.inf, "ward=d": np.inf}
assert estimates["a"] == {"(Intercept)": "finite", "ward=b": "finite", "ward=c": -np.inf, "ward=d": "finite"}
both = [chances(table.drop(columns=f"ward={reference}")) for reference in "ca"]
assert np.allclose(*both)

# A reference level of two rows, fewer than any other, but with both outcomes: only c goes, as before.
few = np.append(ward, ["e", "e"])
columns = pd.get_dummies(few, dtype=float).drop(columns="e")
infinite = {
    name for name, value in separation(columns, np.append(improved, [0, 1])).coefficients.items() if value != "finite"
}
assert infinite == {"c"}
figure.savefig("reference_level.svg")
