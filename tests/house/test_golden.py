"""No number changed: every recorded run gives what it gave, to the last bit with the releases of the record.

With others as near as `golden.compare` says.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from golden.compare import Comparison
from golden.runs import RECORD, all_runs, here, missing, result

KEPT: dict[str, Any] = json.loads(RECORD.read_text(encoding="utf-8"))


def test_every_run_is_recorded() -> None:
    assert list(KEPT["runs"]) == list(all_runs())


@pytest.mark.parametrize("name", KEPT["runs"])
def test_the_run_gives_what_it_gave(name: str) -> None:
    if package := missing(name):
        pytest.skip(f"needs {package}")
    found = Comparison(exact=all(KEPT["made with"].get(key) == value for key, value in here().items()))
    found.compare(KEPT["runs"][name], result(name), name)
    assert not found.differences, "\n".join(found.differences)


def test_a_difference_is_seen() -> None:
    before = {"w": {"dtype": "<f8", "sha256": "a", "some": [1.0, -0.0]}, "n": 3, "said": "yes"}
    changed = {"w": {"dtype": "<f8", "sha256": "b", "some": [1.0 + 1e-12, 0.0]}, "n": 3.0, "said": "no"}
    exact, near = Comparison(), Comparison(exact=False)
    exact.compare(before, changed, "run")
    near.compare(before, changed, "run")
    assert [line.partition(":")[0] for line in exact.differences] == [
        "run.n",
        "run.said",
        "run.w.sha256",
        "run.w.some[0]",
        "run.w.some[1]",
    ]
    assert [line.partition(":")[0] for line in near.differences] == ["run.n", "run.said"]
