"""Last, pocket, averaged, voted: four ways to end a perceptron's run on noisy data.

Claim: where a tenth of the labels is wrong the run never settles and its last vector is bad luck. The pocket, the
average and the vote of the same kind of run err far less on new rows, because they trust vectors that survived.
"""

import matplotlib.pyplot as plt
import numpy as np

from linsep import AveragedPerceptron, PocketPerceptron, VotedPerceptron, make_separable
from linsep.data.synthetic.separable import flip_labels
from linsep.plots import plot_survival
from linsep.plots.style import look

X, truth, *_ = make_separable(3000, 10, 0.1, random_state=0)
train, new = slice(0, 600), slice(600, None)
errors = {"last": [], "pocket": [], "averaged": [], "voted": []}
for seed in range(10):
    y = flip_labels(truth, 0.1, random_state=seed)[0]
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

figure, axes = plt.subplots(1, 2, figsize=(9.5, 3.8), layout="constrained")
for k, each in enumerate(errors.values()):
    axes[0].scatter(np.full(10, k), each, color=look(k).colour, marker=look(k).marker, ec="#222222", lw=0.5)
    axes[0].hlines(np.mean(each), k - 0.3, k + 0.3, color="#222222")
axes[0].set_xticks(range(4), errors)
axes[0].set(ylabel="error on new rows, true labels", ylim=(0, None))
plot_survival(voted, ax=axes[1])

mean = {name: np.mean(each) for name, each in errors.items()}
assert max(mean["pocket"], mean["averaged"], mean["voted"]) < 0.7 * mean["last"]
figure.savefig("noisy_votes.png")
