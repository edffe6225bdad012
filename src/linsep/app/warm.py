"""`linsep warm`: run the other commands on small tables, so that what they use is compiled."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from linsep.app.commands.check import check
from linsep.app.commands.fit import fit
from linsep.app.commands.fit_stream import StreamOptions, fit_on_stream
from linsep.app.commands.predict import predict
from linsep.app.commands.score import score
from linsep.app.learners import LEARNERS, new_learner
from linsep.streaming.progressive import can_stream
from linsep.types import DataError

# Numbers, quoted text, two classes and three, dense and sparse rows: each is compiled by itself. The classes are apart.
_TABLES = {
    "two.csv": 'size,kind,label\n1,"a, b",no\n2,"c",no\n7,"a, b",yes\n9,"c",yes\n',
    "three.csv": "size,label\n1,a\n2,a\n5,b\n6,b\n9,c\n11,c\n",
    "rows.svmlight": "1 1:1 3:2\n1 2:1 3:3\n-1 1:-1\n-1 3:-4\n",
}


def warm(learners: Sequence[str]) -> str:
    """Compile what each of these learners runs on small tables; return a sentence that says how long that took."""
    strange = [name for name in learners if name not in (*LEARNERS, "auto")]
    if strange:
        raise DataError(f"no learner called {strange[0]!r}: choose from {', '.join(LEARNERS)} or auto")
    began = time.perf_counter()
    with TemporaryDirectory() as folder:
        for name, text in _TABLES.items():
            table = Path(folder, name)
            table.write_text(text, encoding="utf-8")
            for learner in learners:
                _run(learner, table, "label" if name.endswith(".csv") else None)
    return f"compiled for this processor: {', '.join(learners)}, in {time.perf_counter() - began:.2f} s"


def _run(learner: str, table: Path, target: str | None) -> None:
    """Fit, use and check on one table."""
    model = table.with_suffix(".linsep")
    fit(str(table), target=target, positive=None, learner=learner, max_iter=None, time_limit=None, holdout=0.0,
        model=model)  # fmt: skip
    predict(model, str(table), str(table.with_suffix(".out")))
    score(model, str(table))
    check(str(table), target=target, positive=None, time_limit=None)
    if learner == "auto":  # it needs all rows
        return
    if can_stream(new_learner(learner)):
        fit_on_stream(str(table), StreamOptions(), target=target, positive=None, learner=learner, model=model,
                      columns={}, reading={}, say=lambda words: None)  # fmt: skip
