"""A stream that drifts: unguarded perceptrons, projection, and an alarm.

Claim: with a tenth of the labels wrong an unguarded online perceptron is thrown about by noise: it errs more than twice
as often as labels are wrong, before the truth turns and after. Its average is the best of the four until the truth
starts to turn, and worse than a coin in the end: it cannot forget. Descent projected on a ball stays near the noise
before and after. The average keeps up if an alarm starts it afresh when mistakes rise; until the first alarm the two
averages are one.

Seen: Mistakes over the chunks of a stream. The perceptron wavers at a quarter to a third throughout. The average, a
wide pale curve with that of the alarms on it, is lowest until the dotted line where the truth starts to turn, then
climbs past one half. Projected descent stays a little above the tenth of wrong labels, which is drawn as counted and
wavers a little; the average with alarms rises and drops back at each of four alarms.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import to_rgb

from linsep import AveragedPerceptron, Perceptron, SGDClassifier
from linsep.plots.style import look

CHUNKS, ROWS, TURN_AT, NOISE = 300, 200, 150, 0.1
rng = np.random.default_rng(0)


def chunks():
    """Rows of ten features, their labels and which are wrong; after chunk 150 the truth turns by 0.02 a chunk."""
    for k in range(CHUNKS):
        angle = 0.02 * max(0, k - TURN_AT)
        X = rng.standard_normal((ROWS, 10))
        y = np.where(X[:, 0] * np.cos(angle) + X[:, 1] * np.sin(angle) > 0, 1, -1)
        wrong = rng.random(ROWS) < NOISE
        yield X, np.where(wrong, -y, y), wrong


learners = {
    "perceptron": Perceptron(),
    "averaged": AveragedPerceptron(),
    "averaged, with an alarm": AveragedPerceptron(),
    "projected descent": SGDClassifier("hinge", projection_radius=2.0, average=None, eta0=0.01),
}
rates = {name: [] for name in learners}
alarms, started, drawn = [], 0, []
for k, (X, y, wrong) in enumerate(chunks()):
    drawn.append(wrong.mean())
    for name, learner in learners.items():
        rates[name].append(np.mean(learner.predict(X) != y) if k > 0 else 0.5)  # predicted before it is learnt
        learner.partial_fit(X, y, classes=[-1, 1])
    # The alarm: five chunks are much worse than the best five since the last start.
    since = (
        np.convolve(rates["averaged, with an alarm"][started + 1 :], np.ones(5) / 5, "valid")
        if k > started + 5
        else [1]
    )
    if since[-1] > np.min(since) + 0.08:
        alarms.append(k)
        started = k
        learners["averaged, with an alarm"] = AveragedPerceptron().partial_fit(X, y, classes=[-1, 1])


def over_ten(rate):
    return np.arange(9, CHUNKS), np.convolve(rate, np.ones(10) / 10, "valid")


figure, ax = plt.subplots(figsize=(8, 4.6), layout="constrained")
for i, (name, rate) in enumerate(rates.items()):
    k = i if i < 3 else 4  # yellow is hard to see as a line
    style = {"color": look(k).colour, "marker": look(k).marker, "markevery": 25, "mec": "#222222", "mew": 0.5}
    if name == "averaged":  # wide and pale below the curve that is the same until the first alarm
        style |= {"lw": 6, "color": (*to_rgb(style["color"]), 0.5), "mfc": style["color"], "markevery": (12, 25)}
    ax.plot(*over_ten(rate), label=name, **style)
ax.axvline(TURN_AT, color="#222222", ls=":", label="the truth starts to turn")
ax.plot(*over_ten(drawn), color="#777777", lw=0.8, label="wrong labels: so errs who knows the truth")
ax.axhline(0.5, color="#777777", lw=0.8, ls="--", label="a coin")
ax.plot(alarms, np.zeros(len(alarms)), "|", color="#D55E00", ms=14, mew=2, label="alarms")
ax.set(xlabel="chunk of 200 rows", ylabel="mistakes before learning, mean of 10 chunks", ylim=(0, 1))
ax.legend(fontsize="small", ncols=2, loc="upper left")

before = {name: np.mean(rate[100:TURN_AT]) for name, rate in rates.items()}
after = {name: np.mean(rate[-50:]) for name, rate in rates.items()}
assert min(before, key=before.get).startswith("averaged")
assert rates["averaged"][: alarms[0] + 1] == rates["averaged, with an alarm"][: alarms[0] + 1]
assert len(alarms) == 4
assert after["averaged"] > 0.5
assert before["perceptron"] > 2 * NOISE
assert after["perceptron"] > 2 * NOISE
assert max(before["projected descent"], after["projected descent"]) < 1.5 * NOISE
assert after["averaged, with an alarm"] < after["perceptron"]
assert min(alarms) > TURN_AT
figure.savefig("drifting_stream.svg")
