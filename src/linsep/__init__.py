"""Linear separators with receipts: the perceptron family, and what can be proved beside each model."""

from linsep.data.open import open_data
from linsep.data.synthetic import make_separable
from linsep.learners import (
    AveragedPerceptron,
    MarginPerceptron,
    PassiveAggressive,
    Perceptron,
    PocketPerceptron,
    Rocchio,
    VotedPerceptron,
)
from linsep.regression import Separation, SeparationError, SeparationWarning, separation, separation_scan
from linsep.store import load, save
from linsep.theory.bounds import mistake_bounds
from linsep.theory.bracket import max_margin
from linsep.theory.separability import separability

__all__ = [
    "AveragedPerceptron",
    "MarginPerceptron",
    "PassiveAggressive",
    "Perceptron",
    "PocketPerceptron",
    "Rocchio",
    "Separation",
    "SeparationError",
    "SeparationWarning",
    "VotedPerceptron",
    "load",
    "make_separable",
    "max_margin",
    "mistake_bounds",
    "open_data",
    "save",
    "separability",
    "separation",
    "separation_scan",
]
