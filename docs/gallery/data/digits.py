"""Digits: the weights as images.

Claim: the weights of a digit's perceptron resemble the difference between the mean image of that digit and the mean of
all others: their correlation is above 0.75 for each digit. Where the two means differ by more than 3 of 16 levels of
ink, over four fifths of the weights have the sign of the difference. A voted kernel perceptron, which has no such
picture, errs at least a fifth less often. (8 x 8 images of scikit-learn.)

Seen: Two small images a digit, yellow where a value is positive, blue where it is negative, grey where it is 0. The
upper one, of means, has smooth patches: the zero is a yellow ring with a blue hole. The lower one, of weights, has much
the same patches, rougher, and its correlation with the upper one is written below: most for zero and four. At the
bottom two bars: the voted kernel perceptron errs less often than the averaged linear one.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from linsep import AveragedPerceptron, KernelPerceptron

X, y = load_digits(return_X_y=True)
train, new = slice(0, 1200), slice(1200, None)
learner = AveragedPerceptron(max_iter=20, random_state=0, multi_class="multiclass").fit(X[train], y[train])
assert learner.score(X[new], y[new]) > 0.88

kernel = KernelPerceptron(degree=4, gamma=0.01, max_iter=10, random_state=0, average="voted").fit(X[train], y[train])
errors = {"linear, averaged": 1 - learner.score(X[new], y[new]), "kernel, voted": 1 - kernel.score(X[new], y[new])}
assert errors["kernel, voted"] <= 0.8 * errors["linear, averaged"]

rows = [[f"{what} {digit}" for digit in five] for five in (range(5), range(5, 10)) for what in ("means", "weights")]
figure, axes = plt.subplot_mosaic(
    [*rows, 5 * ["errors"]], figsize=(8.4, 8), height_ratios=(1, 1, 1, 1, 0.7), layout="constrained"
)
alike = []
for digit in range(10):
    of = y[train] == digit
    ink, w = X[train][of].mean(axis=0) - X[train][~of].mean(axis=0), learner.coef_[digit]
    alike.append(np.corrcoef(ink, w)[0, 1])
    assert ((ink > 0) == (w > 0))[np.abs(ink) > 3].mean() > 0.8
    for what, values in (("means", ink), ("weights", w)):
        panel, top = axes[f"{what} {digit}"], abs(values).max()
        panel.imshow(values.reshape(8, 8), cmap="cividis", vmin=-top, vmax=top)
        panel.set(xticks=[], yticks=[])
    axes[f"means {digit}"].set_title(digit)
    axes[f"weights {digit}"].set_xlabel(f"correlation {alike[-1]:.2f}", fontsize="small")
assert min(alike) > 0.75
assert {int(k) for k in np.argsort(alike)[-2:]} == {0, 4}
# One bar for all images, as each runs from minus its largest value to it.
images = [axes[name] for row in rows for name in row]
first = images[0].images[0]
bar = figure.colorbar(first, ax=images, aspect=40, ticks=[*first.get_clim(), 0], label="of each image")
bar.set_ticklabels(["− largest", "largest", "0"])
for digit in (0, 5):
    axes[f"means {digit}"].set_ylabel("ink: mean of the\ndigit − of the others")
    axes[f"weights {digit}"].set_ylabel("weights")
ax = axes["errors"]
ax.barh(list(errors), list(errors.values()), color=["#E69F00", "#0072B2"], edgecolor="#222222", hatch=["///", ""])
ax.set_xlabel("share of 597 new digits that are mistaken")
figure.savefig("digits.svg")
