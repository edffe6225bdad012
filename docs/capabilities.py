"""What each learner can do, asked of its code: `python docs/capabilities.py` writes the table into its page."""

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

import linsep
from linsep.app.models import LEARNERS
from linsep.distributed.mixing import check_mix
from linsep.export.formula import formula_of
from linsep.streaming.progressive import can_stream
from linsep.types import DataError

PAGE = Path(__file__).with_name("capabilities.md")
BEGIN, END = "<!-- asked of the code -->\n\n", "\n<!-- end -->"
X, y = np.array([[0.0, 1.0], [1.0, 0.0], [3.0, 4.0], [4.0, 3.0]]), [0, 0, 1, 1]
CHAIN = [["a", "b"], ["b", "a"]], [["A", "B"], ["B", "A"]]


def works(attempt: Callable[[], Any]) -> bool:
    """Whether it is done, not refused with a reason."""
    try:
        attempt()
    except DataError:
        return False
    return True


def bound_of(fitted: Any) -> str:
    """Which promise comes with the fitted learner."""
    if hasattr(fitted, "excess_bound_"):
        return "excess loss: `excess_bound_`"
    for name in ("mistake_bounds", "mistake_bound"):
        if hasattr(fitted, name):
            return f"mistakes: `.{name}`"
    if isinstance(fitted, linsep.PassiveAggressive):
        return "mistakes: `aggressive_bounds`"
    if isinstance(fitted, linsep.MarginPerceptron):
        return "updates: `mistake_bounds`"
    return "mistakes: `mistake_bounds`" if getattr(fitted, "unit_steps", False) else ""


def cluster_of(learner: Any) -> str:
    """How `linsep.distributed.fit` can train it."""
    if works(lambda: check_mix(learner, "uniform")):
        return "mixed"
    return "in turn" if works(lambda: check_mix(learner, None)) else ""


def row_of(name: str, learner: Any) -> list[str]:
    """One line of the table."""
    fitted, tags = clone(learner).fit(X, y), get_tags(learner)
    found = [
        has_fit_parameter(learner, "sample_weight"),
        "class_weight" in learner.get_params(),
        tags.input_tags.sparse,
        tags.classifier_tags.multi_class,
        hasattr(learner, "partial_fit"),
        hasattr(learner, "learn_one"),
        can_stream(learner),
    ]
    cells = ["yes" if value else "" for value in found]
    ends = ["yes" if value else "" for value in (hasattr(fitted, "predict_proba"), works(lambda: formula_of(fitted)))]
    return [f"`{type(learner).__name__}`", f"`{name}`", *cells, cluster_of(learner), bound_of(fitted), *ends]


def rows() -> list[list[str]]:
    """A line for each learner of the command line, and the tagger's."""
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # four rows do not have to converge
        for called in dict.fromkeys(kind for kind, _ in LEARNERS.values()):
            kind = getattr(linsep, called)
            # Of the descent, the loss with probabilities, and a step that does not need to know how many will follow.
            learner = kind(loss="logistic", eta0=0.1) if kind is linsep.SGDClassifier else kind()
            names = "`, `".join(name for name, (other, _) in LEARNERS.items() if other == called)
            found.append(row_of(names, learner))
        tagger = linsep.SequenceTagger().fit(*CHAIN)
    line = ["`SequenceTagger`", "`linsep tag`", "", "", "", "yes", *[""] * 3, "", bound_of(tagger), "", ""]
    return [*found, line]


def table() -> str:
    """The table in Markdown."""
    head = ["learner", "`--learner`", "`sample_weight`", "`class_weight`", "sparse rows", "three classes or more"]
    head += ["`partial_fit`", "`learn_one`", "`--stream`", "cluster", "bound", "`predict_proba`", "export"]
    lines = [head, ["---"] * len(head), *rows()]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def page(text: str) -> str:
    """The page with its table as it should be."""
    before, rest = text.split(BEGIN)
    return before + BEGIN + table() + END + rest.split(END)[1]


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
