"""Digits: the weights as images.

Claim: the weights of a digit's perceptron are a picture of it: positive where its ink is more than that of the other
digits, negative where theirs is. (The 8 x 8 images of scikit-learn; with image=(28, 28) the same call draws
the weights of MNIST.)
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from linsep import AveragedPerceptron
from linsep.plots import plot_weights

X, y = load_digits(return_X_y=True)
train, new = slice(0, 1200), slice(1200, None)
learner = AveragedPerceptron(max_iter=20, random_state=0, multi_class="multiclass").fit(X[train], y[train])
assert learner.score(X[new], y[new]) > 0.88

figure, axes = plt.subplots(2, 5, figsize=(11, 4.4), layout="constrained")
for digit, ax in enumerate(axes.flat):
    plot_weights(learner, image=(8, 8), label=digit, ax=ax).set_title(digit)
    ink = X[train][y[train] == digit].mean(axis=0) - X[train][y[train] != digit].mean(axis=0)
    assert np.corrcoef(ink, learner.coef_[digit])[0, 1] > 0.5
figure.savefig("digits.png")
