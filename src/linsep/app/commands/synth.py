"""`linsep synth`: a separable table with a known separator."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.csv

from linsep.app.present import write_csv
from linsep.data.synthetic import make_separable
from linsep.files import open_output


def synth(rows: int, features: int, margin: float, seed: int, output: str) -> str:
    """Write a separable table; return a sentence about its separator."""
    X, y, w, b = make_separable(rows, features, margin, random_state=seed)
    columns = {f"x{j + 1}": X[:, j] for j in range(features)} | {"label": y}
    with open_output(output, "the table") as stream:
        write_csv(pa.table(columns), stream)
    shown = ", ".join(f"{value:.6g}" for value in w[:5]) + (", ..." if features > 5 else "")
    return f"planted separator: w = ({shown}), b = {b:.6g}; every row is more than {margin:g} away from it"
