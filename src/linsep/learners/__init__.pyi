from .kernel_perceptron import KernelPerceptron as KernelPerceptron
from .linear.passive_aggressive import MarginPerceptron as MarginPerceptron
from .linear.passive_aggressive import PassiveAggressive as PassiveAggressive
from .linear.perceptron import AveragedPerceptron as AveragedPerceptron
from .linear.perceptron import Perceptron as Perceptron
from .linear.pocket import PocketPerceptron as PocketPerceptron
from .linear.rocchio import Rocchio as Rocchio
from .linear.sgd import SGDClassifier as SGDClassifier
from .linear.voted import VotedPerceptron as VotedPerceptron
from .mlp import MLP as MLP
from .structured import StructuredPerceptron as StructuredPerceptron
from .tagger import SequenceTagger as SequenceTagger

__all__: list[str]
