"""One file a row: `CLAIM`, `TIMES` and `run(times, seed)`, as in `trial.row.Row`."""
