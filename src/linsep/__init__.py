"""Linear separators with receipts: the perceptron family, and what can be proved beside each model."""

from linsep.data.features.encoder import TableEncoder
from linsep.data.sources.open import open_data
from linsep.data.synthetic.separable import make_separable
from linsep.learners import (
    MLP,
    AveragedPerceptron,
    ChainModel,
    KernelPerceptron,
    MarginPerceptron,
    PassiveAggressive,
    Perceptron,
    PocketPerceptron,
    Rocchio,
    SequenceTagger,
    SGDClassifier,
    StructuredPerceptron,
    VotedPerceptron,
)
from linsep.learners.table_model import TableModel
from linsep.regression.separation import Separation, SeparationError, SeparationWarning, separation, separation_scan
from linsep.reporting import Report, report
from linsep.store import load, load_with_extra, save
from linsep.streaming.fit_stream import fit_stream
from linsep.streaming.result import StreamError, StreamFit, StreamWarning
from linsep.theory.bounds.descent import sgd_bound
from linsep.theory.bounds.mistakes import mistake_bounds
from linsep.theory.bounds.online_risk import online_risk_bound
from linsep.theory.margin.max_margin import max_margin
from linsep.theory.separability.decide import separability

__all__ = [
    "MLP",
    "AveragedPerceptron",
    "ChainModel",
    "KernelPerceptron",
    "MarginPerceptron",
    "PassiveAggressive",
    "Perceptron",
    "PocketPerceptron",
    "Report",
    "Rocchio",
    "SGDClassifier",
    "Separation",
    "SeparationError",
    "SeparationWarning",
    "SequenceTagger",
    "StreamError",
    "StreamFit",
    "StreamWarning",
    "StructuredPerceptron",
    "TableEncoder",
    "TableModel",
    "VotedPerceptron",
    "fit_stream",
    "load",
    "load_with_extra",
    "make_separable",
    "max_margin",
    "mistake_bounds",
    "online_risk_bound",
    "open_data",
    "report",
    "save",
    "separability",
    "separation",
    "separation_scan",
    "sgd_bound",
]


def __getattr__(name: str) -> object:
    # Matplotlib takes long to import and is an extra, so `linsep.plots` is only imported when it is asked for.
    if name == "plots":
        from importlib import import_module

        return import_module("linsep.plots")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
