"""scikit-learn estimators, one file a family."""

from linsep.learners.aggressive import MarginPerceptron, PassiveAggressive
from linsep.learners.averaged import AveragedPerceptron
from linsep.learners.kernel import KernelPerceptron
from linsep.learners.mlp import MLP
from linsep.learners.perceptron import Perceptron
from linsep.learners.pocket import PocketPerceptron
from linsep.learners.rocchio import Rocchio
from linsep.learners.sgd import SGDClassifier
from linsep.learners.structured import ChainModel, StructuredPerceptron
from linsep.learners.tagger import SequenceTagger
from linsep.learners.voted import VotedPerceptron

__all__ = [
    "MLP",
    "AveragedPerceptron",
    "ChainModel",
    "KernelPerceptron",
    "MarginPerceptron",
    "PassiveAggressive",
    "Perceptron",
    "PocketPerceptron",
    "Rocchio",
    "SGDClassifier",
    "SequenceTagger",
    "StructuredPerceptron",
    "VotedPerceptron",
]
