"""Pictures of fitted models, runs and proofs; each function returns Matplotlib Axes and fits nothing.

In: a model, a trace or a certificate, and rows. Out: Axes. Begin with `points.py`; `subject.py` says what is drawn.
"""

try:
    import matplotlib  # noqa: F401
except ImportError as error:
    raise ImportError("linsep.plots needs Matplotlib, which is not installed: pip install 'linsep[plots]'") from error

from linsep.plots.depth import plot_probe
from linsep.plots.margins import plot_losses, plot_margins
from linsep.plots.points import plot_boundary, plot_points
from linsep.plots.proofs import plot_separated_rows, plot_separation, plot_witness
from linsep.plots.runs import plot_mixing, plot_survival, plot_trace
from linsep.plots.steps import animate_run, plot_step
from linsep.plots.weights import plot_weights

__all__ = [
    "animate_run",
    "plot_boundary",
    "plot_losses",
    "plot_margins",
    "plot_mixing",
    "plot_points",
    "plot_probe",
    "plot_separated_rows",
    "plot_separation",
    "plot_step",
    "plot_survival",
    "plot_trace",
    "plot_weights",
    "plot_witness",
]
