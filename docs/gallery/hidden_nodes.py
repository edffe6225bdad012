"""Hidden nodes against accuracy, on a smooth function.

Claim: one hidden layer approximates any smooth function; the error on new points falls as nodes are added, by more than
an order of magnitude from 1 to 8 here.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPRegressor

from linsep.plots.style import look


def smooth(x):
    return np.sin(3 * x) + 0.5 * np.cos(7 * x)


x, new = np.linspace(-1, 1, 100), np.linspace(-1, 1, 1001)
sizes = (1, 2, 3, 5, 8)
errors, curves = [], {}
for size in sizes:
    best = (np.inf, new)
    for seed in range(2):
        net = MLPRegressor(
            hidden_layer_sizes=(size,), activation="tanh", solver="lbfgs", alpha=1e-6, max_iter=1000, random_state=seed
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            guess = net.fit(x[:, None], smooth(x)).predict(new[:, None])
        best = min(best, (float(np.sqrt(np.mean((guess - smooth(new)) ** 2))), guess), key=lambda pair: pair[0])
    errors.append(best[0])
    curves[size] = best[1]

figure, axes = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
axes[0].plot(new, smooth(new), color="#222222", lw=4, alpha=0.3, label="the function")
for k, size in enumerate((1, 3, 8)):
    axes[0].plot(new, curves[size], color=look(k).colour, ls=("-", "--", ":")[k], lw=1.8, label=f"{size} hidden")
axes[0].set(xlabel="x", ylabel="f(x)")
axes[0].legend(fontsize="small")
axes[1].plot(sizes, errors, color=look(0).colour, marker="o", mec="#222222")
axes[1].set(xscale="log", yscale="log", xlabel="hidden nodes", ylabel="root mean squared error on new points")
axes[1].set_xticks(sizes, map(str, sizes))
axes[1].minorticks_off()

assert errors[-1] < errors[0] / 10
assert np.polyfit(np.log(sizes), np.log(errors), 1)[0] < -1
figure.savefig("hidden_nodes.png")
