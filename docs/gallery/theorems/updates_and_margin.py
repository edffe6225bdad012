r"""Updates against the margin, and against the number of rows and columns.

Claim: with \(\lVert w^* \rVert = 1\) and \(y (w^* \cdot x + b^*) > \varepsilon\) a perceptron with an intercept makes
at most \((R^2 + 1)(1 + b^{*2}) / \varepsilon^2\) updates. Half the margin allows four times as many; what is made grows
rather as \(1 / \varepsilon\), and the first pass alone makes less or as much. Neither the number \(n\) of rows nor the
number \(p\) of columns is in the formula. On the same rows, repeated or turned into 100 columns, not one update more is
made. Rows drawn afresh with \(p = 2\) take about as many from \(n\) = 1,000 on; with \(p = 100\) more rows still bring
more updates, but never more than the one bound.

Seen: On the left, with logarithmic axes, the updates made fall about as the guide of slope -1 does, flatter where the
margin is small, far below the dashed bound of slope -2. On the right, over the number of rows, the bound is a level
line, and so are the updates on repeated rows; those on rows drawn afresh soon level out with two columns, rise with a
hundred, and stay below the bound.
"""

import matplotlib.pyplot as plt
import numpy as np

from linsep import Perceptron
from linsep.plots.style import COLOURS, GREY, INK, look

RADIUS, B = 3.0, 0.5


def draw(n, p, margin, seed):
    """Rows of length 3 at most, farther than the margin from the plane x_1 + 1/2 = 0: one w* and b* for all."""
    rng = np.random.default_rng(seed)
    z = rng.uniform(margin, RADIUS - B, n) * rng.choice([-1, 1], n)
    others = rng.standard_normal((n, p - 1))
    room = np.sqrt(RADIUS**2 - (z - B) ** 2) * rng.random(n)
    others *= (room / np.linalg.norm(others, axis=1))[:, None]
    return np.column_stack([z - B, others]), np.sign(z)


def bound(margin):
    return (RADIUS**2 + 1) * (1 + B**2) / margin**2


def updates(X, y, margin):
    """Updates of the whole run to a clean pass, and of its first pass."""
    assert (np.linalg.norm(X, axis=1) <= RADIUS + 1e-9).all()
    learner = Perceptron(max_iter=None).fit(X, y)
    assert learner.stop_reason_ == "clean pass"
    assert learner.n_updates_ <= bound(margin)
    return learner.n_updates_, learner.trace_.updates[0]


margins = np.geomspace(0.0125, 0.8, 13)
whole, first = np.mean([[updates(*draw(1000, 2, eps, seed), eps) for eps in margins] for seed in range(20)], axis=0).T
slope = np.polyfit(np.log(margins), np.log(whole), 1)[0]
assert -1.3 < slope < -0.7
assert (first <= whole).all()

EPS = 0.1
counts = np.array([100, 1000, 10_000, 100_000])
fresh = {p: [np.mean([updates(*draw(n, p, EPS, s), EPS)[0] for s in range(5)]) for n in counts] for p in (2, 100)}
X, y = draw(100, 2, EPS, 0)
turn = np.linalg.qr(np.random.default_rng(0).standard_normal((100, 2)))[0].T
assert np.allclose(turn @ turn.T, np.eye(2))
repeated = [updates(np.tile(X, (n // 100, 1)), np.tile(y, n // 100), EPS)[0] for n in counts]
turned = [updates(np.tile(X @ turn, (n // 100, 1)), np.tile(y, n // 100), EPS)[0] for n in counts[:3]]
assert len({*repeated, *turned}) == 1
assert max(fresh[2][1:]) < 1.5 * min(fresh[2][1:])
assert (np.diff(fresh[100]) > 0).all()
assert max(fresh[100]) < bound(EPS) / 4

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.4), layout="constrained")
left.plot(margins, bound(margins), color=INK, lw=2, ls="--", label=r"bound $(R^2 + 1)(1 + b^{*2}) / \varepsilon^2$")
for k, (values, label) in enumerate(((whole, "to a clean pass"), (first, "first pass only"))):
    left.plot(margins, values, color=look(k).colour, marker=look(k).marker, mec=INK, mew=0.5, label=label)
left.plot(margins, 1.6 * whole[6] * margins[6] / margins, color=GREY, ls=":", label=r"guide: as $1 / \varepsilon$")
left.set(
    xscale="log",
    yscale="log",
    xlabel=r"margin $\varepsilon$",
    ylabel="mean number of updates",
    title="$n = 1{,}000$, $p = 2$",
)
right.axhline(bound(EPS), color=INK, lw=2, ls="--", label="bound, for any $n$ and $p$")
for k, (p, values) in enumerate(fresh.items()):
    style = look(2 * k)
    right.plot(
        counts,
        values,
        color=style.colour,
        marker=style.marker,
        mec=INK,
        mew=0.5,
        lw=0.8,
        label=f"other rows each time, $p = {p}$",
    )
right.plot(counts, repeated, color=COLOURS[6], marker="X", mec=INK, mew=0.5, lw=3, label="the same 100 rows, repeated")
right.plot(counts[:3], turned, "o", mfc="none", mec=INK, ms=13, label="these, turned into $p = 100$")
right.set(
    xscale="log",
    yscale="log",
    xlabel="rows $n$",
    ylabel="updates to a clean pass",
    title=rf"margin $\varepsilon = {EPS}$",
)
left.minorticks_off()
left.set_xticks([0.0125, 0.05, 0.1, 0.2, 0.4, 0.8], ["0.0125", "0.05", "0.1", "0.2", "0.4", "0.8"])
left.legend(fontsize="small")
right.set_ylim(4, 30_000)
right.annotate(
    f"always {repeated[0]} updates", (counts[2], repeated[0]), (0, -17), textcoords="offset points", ha="center"
)
right.legend(fontsize="small", loc="upper left")
figure.savefig("updates_and_margin.svg")
