"""Linear separators with receipts: the perceptron family, and what can be proved beside each model.

Every public name is imported when it is first used, so `import linsep` alone loads neither NumPy nor Numba.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from linsep import distributed as distributed
    from linsep import export as export
    from linsep import plots as plots
    from linsep import theory as theory
    from linsep.data.columns import TableChunk
    from linsep.data.features.encoder import TableEncoder
    from linsep.data.readers.tagged import Tagged, read_tagged
    from linsep.data.sources.open import open_data
    from linsep.data.sources.source import Position, Source
    from linsep.data.synthetic.separable import make_separable
    from linsep.data.telling import TellingColumn, telling_columns
    from linsep.explorer.explore import Exploration, explore
    from linsep.learners.engine.plateau import PlateauWarning
    from linsep.learners.engine.trace import Trace
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
    from linsep.learners.table_model import TableModel
    from linsep.model_files.container import ModelFileError
    from linsep.probing.measured import Direction, ProbeRow
    from linsep.probing.probe import Probe, probe
    from linsep.regression.design import SeparatedGroup
    from linsep.regression.found import Separation
    from linsep.regression.guard import Guard, guard
    from linsep.regression.remedies.culprits import RowsOfCoefficient
    from linsep.regression.remedies.drop import Remaining
    from linsep.regression.remedies.finite_part import FinitePart, LikelihoodRatio
    from linsep.regression.remedies.smallest_set import SmallestSet
    from linsep.regression.scan import separation_scan
    from linsep.regression.separation import SeparationError, SeparationWarning, separation
    from linsep.reporting.explanation.explanation import Explanation
    from linsep.reporting.page.html import Report
    from linsep.reporting.quality import ClassScores, Scores
    from linsep.reporting.receipt import Receipt
    from linsep.reporting.report import report
    from linsep.reporting.scores import Predictions, iter_predictions, score_table
    from linsep.reporting.shown import Description, describe
    from linsep.reporting.table_check import TableCheck, check_table, explain
    from linsep.reporting.table_fit import TableFit, fit_table
    from linsep.reporting.tagging import TaggerFit, TaggerScores, fit_tagger, score_tagger, tag_text
    from linsep.store import load, load_with_extra, read_origin, save
    from linsep.streaming.fit_stream import fit_stream
    from linsep.streaming.result import Counters, StreamError, StreamFit, StreamState, StreamWarning
    from linsep.theory.bounds.cover import online_risk_bound
    from linsep.theory.bounds.losses import sgd_bound
    from linsep.theory.bounds.mistakes import mistake_bounds
    from linsep.theory.bounds.table import Bound, MistakeBounds
    from linsep.theory.columns import FewColumns, few_columns
    from linsep.theory.explanation.certificate import FewestRows
    from linsep.theory.explanation.fewest_rows import fewest_rows
    from linsep.theory.margin.max_margin import MarginBracket, max_margin
    from linsep.theory.separability.certificate import Separability
    from linsep.theory.separability.decide import separability
    from linsep.theory.separability.one_vs_rest import separability_one_vs_rest
    from linsep.theory.verify.cone import CertificateError
    from linsep.types import Chunk, DataError, Hyperplane, MissingWarning, PrecisionWarning, StopReason

__version__: str

# Each public name and the module that defines it.
_HOME = {
    "AveragedPerceptron": "linsep.learners.linear.averaged",
    "Bound": "linsep.theory.bounds.table",
    "CertificateError": "linsep.theory.verify.cone",
    "ChainModel": "linsep.learners.sequences.structured",
    "Chunk": "linsep.types",
    "ClassScores": "linsep.reporting.quality",
    "Counters": "linsep.streaming.result",
    "DataError": "linsep.types",
    "Description": "linsep.reporting.shown",
    "Direction": "linsep.probing.measured",
    "Explanation": "linsep.reporting.explanation.explanation",
    "Exploration": "linsep.explorer.explore",
    "FewestRows": "linsep.theory.explanation.certificate",
    "FinitePart": "linsep.regression.remedies.finite_part",
    "Guard": "linsep.regression.guard",
    "Hyperplane": "linsep.types",
    "KernelPerceptron": "linsep.learners.kernel.perceptron",
    "LikelihoodRatio": "linsep.regression.remedies.finite_part",
    "MLP": "linsep.learners.mlp",
    "MarginBracket": "linsep.theory.margin.max_margin",
    "MarginPerceptron": "linsep.learners.linear.passive_aggressive",
    "MissingWarning": "linsep.types",
    "MistakeBounds": "linsep.theory.bounds.table",
    "ModelFileError": "linsep.model_files.container",
    "PassiveAggressive": "linsep.learners.linear.passive_aggressive",
    "Perceptron": "linsep.learners.linear.perceptron",
    "PlateauWarning": "linsep.learners.engine.plateau",
    "PocketPerceptron": "linsep.learners.linear.pocket",
    "Position": "linsep.data.sources.source",
    "PrecisionWarning": "linsep.types",
    "Predictions": "linsep.reporting.scores",
    "Probe": "linsep.probing.probe",
    "ProbeRow": "linsep.probing.measured",
    "Receipt": "linsep.reporting.receipt",
    "Remaining": "linsep.regression.remedies.drop",
    "Report": "linsep.reporting.page.html",
    "Rocchio": "linsep.learners.linear.rocchio",
    "RowsOfCoefficient": "linsep.regression.remedies.culprits",
    "SeparatedGroup": "linsep.regression.design",
    "SGDClassifier": "linsep.learners.linear.sgd",
    "Scores": "linsep.reporting.quality",
    "Separability": "linsep.theory.separability.certificate",
    "Separation": "linsep.regression.found",
    "SeparationError": "linsep.regression.separation",
    "SeparationWarning": "linsep.regression.separation",
    "SequenceTagger": "linsep.learners.sequences.tagger",
    "SmallestSet": "linsep.regression.remedies.smallest_set",
    "Source": "linsep.data.sources.source",
    "StopReason": "linsep.types",
    "StreamError": "linsep.streaming.result",
    "StreamFit": "linsep.streaming.result",
    "StreamState": "linsep.streaming.result",
    "StreamWarning": "linsep.streaming.result",
    "StructuredPerceptron": "linsep.learners.sequences.structured",
    "TableCheck": "linsep.reporting.table_check",
    "TableChunk": "linsep.data.columns",
    "TableEncoder": "linsep.data.features.encoder",
    "TableFit": "linsep.reporting.table_fit",
    "TableModel": "linsep.learners.table_model",
    "Tagged": "linsep.data.readers.tagged",
    "TaggerFit": "linsep.reporting.tagging",
    "TaggerScores": "linsep.reporting.tagging",
    "TellingColumn": "linsep.data.telling",
    "Trace": "linsep.learners.engine.trace",
    "VotedPerceptron": "linsep.learners.linear.voted",
    "check_table": "linsep.reporting.table_check",
    "describe": "linsep.reporting.shown",
    "FewColumns": "linsep.theory.columns",
    "few_columns": "linsep.theory.columns",
    "explain": "linsep.reporting.table_check",
    "explore": "linsep.explorer.explore",
    "fewest_rows": "linsep.theory.explanation.fewest_rows",
    "fit_stream": "linsep.streaming.fit_stream",
    "fit_table": "linsep.reporting.table_fit",
    "fit_tagger": "linsep.reporting.tagging",
    "guard": "linsep.regression.guard",
    "iter_predictions": "linsep.reporting.scores",
    "load": "linsep.store",
    "load_with_extra": "linsep.store",
    "make_separable": "linsep.data.synthetic.separable",
    "max_margin": "linsep.theory.margin.max_margin",
    "mistake_bounds": "linsep.theory.bounds.mistakes",
    "online_risk_bound": "linsep.theory.bounds.cover",
    "open_data": "linsep.data.sources.open",
    "probe": "linsep.probing.probe",
    "read_tagged": "linsep.data.readers.tagged",
    "report": "linsep.reporting.report",
    "read_origin": "linsep.store",
    "save": "linsep.store",
    "score_table": "linsep.reporting.scores",
    "score_tagger": "linsep.reporting.tagging",
    "separability": "linsep.theory.separability.decide",
    "separability_one_vs_rest": "linsep.theory.separability.one_vs_rest",
    "separation": "linsep.regression.separation",
    "separation_scan": "linsep.regression.scan",
    "sgd_bound": "linsep.theory.bounds.losses",
    "tag_text": "linsep.reporting.tagging",
    "telling_columns": "linsep.data.telling",
}
# Parts that need an extra, and parts with names of their own.
_PARTS = ("distributed", "export", "plots", "theory")

__all__ = [
    "MLP",
    "AveragedPerceptron",
    "Bound",
    "CertificateError",
    "ChainModel",
    "Chunk",
    "ClassScores",
    "Counters",
    "DataError",
    "Description",
    "Direction",
    "Explanation",
    "Exploration",
    "FewColumns",
    "FewestRows",
    "FinitePart",
    "Guard",
    "Hyperplane",
    "KernelPerceptron",
    "LikelihoodRatio",
    "MarginBracket",
    "MarginPerceptron",
    "MissingWarning",
    "MistakeBounds",
    "ModelFileError",
    "PassiveAggressive",
    "Perceptron",
    "PlateauWarning",
    "PocketPerceptron",
    "Position",
    "PrecisionWarning",
    "Predictions",
    "Probe",
    "ProbeRow",
    "Receipt",
    "Remaining",
    "Report",
    "Rocchio",
    "RowsOfCoefficient",
    "SGDClassifier",
    "Scores",
    "Separability",
    "SeparatedGroup",
    "Separation",
    "SeparationError",
    "SeparationWarning",
    "SequenceTagger",
    "SmallestSet",
    "Source",
    "StopReason",
    "StreamError",
    "StreamFit",
    "StreamState",
    "StreamWarning",
    "StructuredPerceptron",
    "TableCheck",
    "TableChunk",
    "TableEncoder",
    "TableFit",
    "TableModel",
    "Tagged",
    "TaggerFit",
    "TaggerScores",
    "TellingColumn",
    "Trace",
    "VotedPerceptron",
    "__version__",
    "check_table",
    "describe",
    "explain",
    "explore",
    "few_columns",
    "fewest_rows",
    "fit_stream",
    "fit_table",
    "fit_tagger",
    "guard",
    "iter_predictions",
    "load",
    "load_with_extra",
    "make_separable",
    "max_margin",
    "mistake_bounds",
    "online_risk_bound",
    "open_data",
    "probe",
    "read_origin",
    "read_tagged",
    "report",
    "save",
    "score_table",
    "score_tagger",
    "separability",
    "separability_one_vs_rest",
    "separation",
    "separation_scan",
    "sgd_bound",
    "tag_text",
    "telling_columns",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        found: Any = version("linsep")
    elif name in _HOME:
        if _HOME[name].startswith("linsep.learners."):
            # Before Numba: scikit-learn loads pandas where there is one, a tenth of a second more after it.
            import_module("sklearn.base")
        found = getattr(import_module(_HOME[name]), name)
    elif name in _PARTS:
        return import_module(f"linsep.{name}")
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found  # asked for once
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_PARTS})
