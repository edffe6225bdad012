"""`linsep show`: what a model file holds."""

from __future__ import annotations

from pathlib import Path

from linsep.app.models import load_rows, shown
from linsep.app.result import Result


def show(model: Path, n_weights: int | None) -> Result:
    """The largest weights by feature name, how the model was made, and where the file comes from."""
    return shown(model, load_rows(model), n_weights)
