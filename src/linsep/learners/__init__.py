"""scikit-learn estimators, one file a family."""

from linsep.learners.perceptron import Perceptron

__all__ = ["Perceptron"]
