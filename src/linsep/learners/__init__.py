"""scikit-learn estimators, one file a family."""

from linsep.learners.aggressive import MarginPerceptron, PassiveAggressive
from linsep.learners.averaged import AveragedPerceptron
from linsep.learners.perceptron import Perceptron
from linsep.learners.rocchio import Rocchio

__all__ = ["AveragedPerceptron", "MarginPerceptron", "PassiveAggressive", "Perceptron", "Rocchio"]
