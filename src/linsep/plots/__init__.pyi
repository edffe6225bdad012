from .points import plot_boundary as plot_boundary
from .points import plot_margins as plot_margins
from .points import plot_points as plot_points
from .points import plot_trace as plot_trace
from .proofs import plot_witness as plot_witness

__all__: list[str]
