"""A sample of the fuzzing of every reader, and the hostile cases that were kept. `make fuzz` goes on for longer."""

from __future__ import annotations

from random import Random

import pytest

from fuzz.__main__ import has_failed, row
from fuzz.corpus import HOSTILE, Hostile
from fuzz.reading import strictly
from fuzz.run import Found, is_sentence, one, run
from fuzz.target import RefusedError, Target, all_targets
from linsep.types import DataError

LABELLED = {"csv", "jsonl", "parquet"}


@pytest.mark.parametrize("hostile", HOSTILE, ids=lambda hostile: hostile.name)
def test_hostile_cases_are_read_or_refused_with_their_place(hostile: Hostile) -> None:
    asked = {"target": "y"} if hostile.format in LABELLED else {"bits": 10} if hostile.format == "vw" else {}
    read = strictly(hostile.format, **asked)
    if hostile.said is None:
        assert read(hostile.content) == hostile.rows
        return
    with pytest.raises(DataError, match=hostile.said) as caught:
        read(hostile.content)
    assert is_sentence(str(caught.value))


@pytest.mark.parametrize("target", all_targets(), ids=lambda target: target.name)
def test_a_sample_of_made_up_input(target: Target) -> None:
    if target.name == "expressions":
        pytest.importorskip("formulaic")
    found = run(target, seed=1, executions=150)
    assert found.failures == []
    assert 0 < found.refused < 300
    assert found.executions == 150


def test_the_runner_sees_what_goes_wrong() -> None:
    def read(case: int) -> int:
        if case == 0:
            raise KeyError(case)
        if case == 1:
            raise DataError("'utf-8' codec can't decode byte 0xff")
        if case == 2:
            raise DataError("t.csv:3: a sentence")
        return case

    def naive(case: int) -> int:
        if case < 4:
            raise RefusedError
        return case + (case == 5)

    found = Found("made up")
    for case in range(7):
        one(Target("made up", Random.random, read, naive), case, found)
    assert (found.executions, found.refused, found.tracebacks, found.wrong) == (7, 2, 2, 2)
    assert [(kind, case) for kind, case, _ in found.failures] == [
        ("traceback", 0),
        ("no sentence", 1),
        ("wrong", 3),
        ("wrong", 5),
    ]
    assert has_failed(found)
    assert row(found).startswith("| made up | 7 | 0 | 2 | 2 | 2 |")
