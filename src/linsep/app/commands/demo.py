"""Tables to try linsep with: `linsep synth` makes one, `linsep demo` shows that one of scikit-learn's is separable."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from linsep.app.commands.fit import fit
from linsep.app.options import OUTPUT, Command, Option
from linsep.app.present import Result, say, write_csv


def _synth(asked: Any) -> None:
    """Make a separable table with a known separator: columns x1, x2, ..., label."""
    import pyarrow as pa

    from linsep.data.synthetic import make_separable
    from linsep.files import open_output

    X, y, w, b = make_separable(asked.rows, asked.features, asked.margin, random_state=asked.seed)
    columns = {f"x{j + 1}": X[:, j] for j in range(asked.features)} | {"label": y}
    with open_output(asked.output, "the table") as stream:
        write_csv(pa.table(columns), stream)
    shown = ", ".join(f"{value:.6g}" for value in w[:5]) + (", ..." if asked.features > 5 else "")
    say(f"known separator: w = ({shown}), b = {b:.6g}; every row is more than {asked.margin:g} away from it")


def _demo(asked: Any) -> Result:
    """Show what linsep does, on the breast-cancer table, which is separable."""
    import pyarrow as pa
    from sklearn.datasets import load_breast_cancer
    from sklearn.linear_model import Perceptron
    from sklearn.preprocessing import StandardScaler

    from linsep.files import open_output

    asked.folder.mkdir(parents=True, exist_ok=True)
    data = load_breast_cancer()
    X, label = data.data, data.target_names[data.target]
    theirs = Perceptron().fit(scaled := StandardScaler().fit_transform(X), label)
    print(
        f"scikit-learn's Perceptron() on the standardised breast-cancer table, {X.shape[0]} x {X.shape[1]}: stops\n"
        f"after {theirs.n_iter_} epochs at {theirs.score(scaled, label):.1%} training accuracy, without a message.\n"
        "linsep fits the same table until a whole pass is clean:\n",
        flush=True,
    )
    names = [name.replace(" ", "_") for name in data.feature_names]
    table, model = asked.folder / "breast_cancer.csv", asked.folder / "breast_cancer.linsep"
    with open_output(table, "the table") as stream:
        write_csv(pa.table({**dict(zip(names, X.T, strict=True)), "diagnosis": label}), stream)
    how: dict[str, Any] = {"learner": "perceptron", "time_limit": 60.0, "holdout": 0.2, "stream": False}
    result: Result = fit(table, target="diagnosis", positive="benign", model=model, **how)
    result.lines += result.details
    result.then = lambda: print(
        f"\nThe table is {table}, the model {model}. Next:\n"
        f"  linsep show {model}\n"
        f"  linsep check {table} --target diagnosis\n"
        f"  linsep explore {table} --target diagnosis --set max_iter=300000\n"
    )
    return result


_OF_SYNTH = (
    Option("ROWS", "The number of rows.", int, 1000, least=1),
    Option("FEATURES", "The number of features.", int, 2, least=1),
    Option("margin", "The smallest distance of a row from the known separator.", float, 0.1, least=0),
    Option("seed", "Seed of the random numbers.", int, 0, least=0),
    OUTPUT,
)
synth = Command("synth", _OF_SYNTH, _synth)
_FOLDER = Option("FOLDER", "Where to write the table and the model.", Path, Path("linsep-demo"))
demo = Command("demo", (_FOLDER,), _demo)
