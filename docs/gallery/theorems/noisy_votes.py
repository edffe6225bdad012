r"""Last, pocket, averaged, voted: four ways to end a perceptron's run on noisy data.

Claim: where a tenth of the labels is wrong these rows have no separator, the run never settles and its last vector is a
matter of luck. The pocket, the average and the vote of the same kind of run err far less on new rows. Vectors that
survived many rows err less on average than those that fell soon, and the tenth of them that lived longest holds over
three tenths of the votes. After one pass the vote errs, on new rows with labels as noisy, less often than the theorem
allows: \(2\,E[M] / (m + 1)\), \(M\) the mistakes of a pass over \(m + 1\) rows.

Seen: Four pictures. Ten errors each of last, pocket, averaged and voted: the last vectors err most and spread widest.
Two curves over the number of rows: the measured error of the vote falls towards the tenth that nobody can avoid, well
below the dashed bound. The share of the votes that the longest-lived vectors hold, over their share of all vectors: the
curve rises far above the dotted diagonal of equal votes, and a ring marks the first tenth. A cloud of vectors: some
that fell soon err as little as those that survived, but their mean falls the longer they survived.
"""

import matplotlib.pyplot as plt
import numpy as np

from linsep import AveragedPerceptron, PocketPerceptron, VotedPerceptron, make_separable, separability
from linsep.data.synthetic import flip_labels
from linsep.plots.style import GREY, INK, look

NOISE = 0.1
X, truth, *_ = make_separable(3000, 10, 0.1, random_state=0)
train, new = slice(0, 600), slice(600, None)
errors = {"last": [], "pocket": [], "averaged": [], "voted": []}
for seed in range(10):
    y = flip_labels(truth, NOISE, random_state=seed)[0]
    assert separability(X[train], y[train]).verdict == "inseparable"
    options = {"max_iter": 10, "random_state": seed, "shuffle": True}
    voted = VotedPerceptron(**options).fit(X[train], y[train])
    # The last vector of the voted run is that of the plain one, seed for seed.
    errors["last"].append(np.mean(((X[new] @ voted.coef_[0] + voted.intercept_[0]) >= 0) != (truth[new] > 0)))
    for name, learner in (
        ("pocket", PocketPerceptron(**options)),
        ("averaged", AveragedPerceptron(**options)),
        ("voted", voted),
    ):
        learner = learner if name == "voted" else learner.fit(X[train], y[train])
        errors[name].append(1 - learner.score(X[new], truth[new]))
mean = {name: np.mean(each) for name, each in errors.items()}
assert max(mean["pocket"], mean["averaged"], mean["voted"]) < 0.7 * mean["last"]

# Each vector of the last run: its error, and how many rows it survived.
lived = voted.survival_counts()[0][1:]
rows = voted.mistaken_rows_[voted.mistake_rows_]
W = np.cumsum(voted.mistake_steps_[:, None] * np.column_stack([rows, np.ones(len(rows))]), axis=0)
assert np.allclose(W[-1], np.append(voted.coef_[0], voted.intercept_))
erred = ((X[new] @ W[:, :-1].T + W[:, -1] >= 0) != (truth[new] > 0)[:, None]).mean(axis=0)
order = np.argsort(-lived)
share = np.cumsum(lived[order]) / lived.sum()
tenth = len(order) // 10
assert share[tenth - 1] > 0.3
assert erred[order[:tenth]].mean() < 0.8 * erred[order[len(order) // 2 :]].mean()

# In classes of a survival count of 1, 2 to 3, 4 to 7, and so on.
groups = [(lived >= low) & (lived < 2 * low) for low in (1, 2, 4, 8, 16)]
steps = np.array([(lived[group].mean(), erred[group].mean()) for group in groups]).T
assert (np.diff(steps[1]) < 0).all()
assert erred[lived == 1].min() < erred[order[:tenth]].mean()

# The theorem: rows and noise drawn afresh for each of 20 passes.
pool, sides, *_ = make_separable(60_000, 10, 0.1, random_state=1)
sides = np.where(np.random.default_rng(0).random(len(pool)) < NOISE, -sides, sides)
sizes = np.array([25, 50, 100, 200, 400, 800, 1600])
measured, allowed = [], []
for m in sizes:
    wrong, made = [], []
    for start in range(0, 20 * (m + 1), m + 1):
        rows = slice(start, start + m + 1)
        made.append(VotedPerceptron(shuffle=False).fit(pool[rows], sides[rows]).n_mistakes_)
        vote = VotedPerceptron(shuffle=False).fit(pool[rows][:-1], sides[rows][:-1])
        wrong.append(1 - vote.score(pool[-4000:], sides[-4000:]))
    measured.append(np.mean(wrong))
    allowed.append(2 * np.mean(made) / (m + 1))
assert (np.array(measured) < allowed).all()
assert measured[-1] < measured[0]

figure, ((ends, theorem), (votes, cloud)) = plt.subplots(2, 2, figsize=(9.5, 7.6), layout="constrained")
for k, each in enumerate(errors.values()):
    ends.scatter(np.full(10, k), each, color=look(k).colour, marker=look(k).marker, ec=INK, lw=0.5)
    ends.hlines(np.mean(each), k - 0.3, k + 0.3, color=INK)
ends.set_xticks(range(4), errors)
ends.set(ylabel="error on new rows, true labels", ylim=(0, None), title="ten passes over 600 rows")
theorem.plot(sizes, allowed, color=INK, ls="--", label=r"allowed: $2\,E[M] / (m + 1)$")
theorem.plot(sizes, measured, color=look(0).colour, marker="o", mec=INK, mew=0.5, label="measured: error of the vote")
theorem.axhline(NOISE, color=GREY, lw=0.8, label="wrong labels: no rule does better")
theorem.set(xscale="log", xlabel="rows $m$", ylabel="error on new rows, noisy labels", ylim=(0, 1), title="one pass")
theorem.legend(fontsize="small")
votes.plot(np.arange(1, len(order) + 1) / len(order), share, color=look(0).colour, lw=1.8, label="longest-lived first")
votes.plot([0, 1], [0, 1], color=GREY, ls=":", label="if all lived as long")
votes.plot(
    tenth / len(order), share[tenth - 1], "o", mfc="none", mec=INK, ms=9, label=f"a tenth: {share[tenth - 1]:.0%}"
)
votes.set(xlabel=f"share of the {len(order):,} vectors", ylabel="share of the votes", xlim=(0, 1), ylim=(0, 1))
votes.legend(fontsize="small", loc="lower right")
cloud.plot(lived, erred, ".", color=look(0).colour, ms=4, alpha=0.5)
cloud.plot(*steps, color=INK, marker="o", ms=4, label="mean of counts 1, 2 to 3, 4 to 7, ...")
cloud.legend(fontsize="small")
cloud.set(xscale="log", xlabel="survival count", ylabel="error of the vector, true labels", ylim=(0, None))
figure.savefig("noisy_votes.svg")
