"""scikit-learn estimators, one file a family.

In: rows and labels. Out: a fitted learner, its stop reason and its trace. Begin with `linear/perceptron.py`, then
`base/batch.py` (fit) and `engine/loop.py` (the one loop); `table_model.py` joins encoder, class names and learner.
"""

from linsep.learners.kernel.perceptron import KernelPerceptron
from linsep.learners.linear.averaged import AveragedPerceptron
from linsep.learners.linear.passive_aggressive import MarginPerceptron, PassiveAggressive
from linsep.learners.linear.perceptron import Perceptron
from linsep.learners.linear.pocket import PocketPerceptron
from linsep.learners.linear.rocchio import Rocchio
from linsep.learners.linear.sgd import SGDClassifier
from linsep.learners.linear.voted import VotedPerceptron
from linsep.learners.mlp import MLP
from linsep.learners.sequences.structured import ChainModel, StructuredPerceptron
from linsep.learners.sequences.tagger import SequenceTagger

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
