"""Cells without a digit in a column of amounts: the option that makes them missing values is named."""

from __future__ import annotations

import pytest

from linsep import open_data
from linsep.data.features.kinds import find_kinds


@pytest.mark.parametrize(
    ("others", "told"),
    [
        (
            ["unknown"],
            "leave those empty that have no value, or say --read na=unknown if 'unknown' stands for no value;",
        ),
        (
            ["unknown", "not read"],
            "--read na=unknown --read na='not read' if 'unknown' and 'not read' stand for no value;",
        ),
        (["about 7"], "leave those empty that have no value; if it holds categories"),
    ],
)
def test_words_among_amounts(others: list[str], told: str) -> None:
    cells = [f"{1000 + k} mi" for k in range(60)] + 2 * others
    rows = "km,y\n" + "".join(f"{cell},{k % 2}\n" for k, cell in enumerate(cells))
    (doubt,) = find_kinds(open_data(rows.encode(), target="y").read(), {}).doubts
    assert told in doubt
    if len(others) == 1 and "--read na" in doubt:
        chunk = open_data(rows.encode(), target="y", na=others).read()
        assert find_kinds(chunk, {}).kinds["km"].endswith("mi")
