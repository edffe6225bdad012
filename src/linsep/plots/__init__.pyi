from .depth import plot_probe as plot_probe
from .margins import plot_losses as plot_losses
from .margins import plot_margins as plot_margins
from .points import plot_boundary as plot_boundary
from .points import plot_points as plot_points
from .proofs import plot_separated_rows as plot_separated_rows
from .proofs import plot_separation as plot_separation
from .proofs import plot_witness as plot_witness
from .runs import plot_mixing as plot_mixing
from .runs import plot_survival as plot_survival
from .runs import plot_trace as plot_trace
from .steps import animate_run as animate_run
from .steps import plot_step as plot_step
from .weights import plot_weights as plot_weights

__all__: list[str]
