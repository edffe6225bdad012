"""`linsep show`: what a model file holds."""

from __future__ import annotations

from pathlib import Path

from linsep.app.commands.models import load_rows
from linsep.app.result import Result
from linsep.reporting.shown import describe


def show(model: Path, n_weights: int) -> Result:
    """The largest weights by feature name and how the model was made."""
    return Result(*describe(load_rows(model), n_weights))
