"""Signs of per cent and of currencies: which ones training had, and what to say of new rows with another one."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from linsep.data.columns import Column, TableChunk


def signs_of(chunk: TableChunk) -> dict[str, str]:
    """Return the sign of each column of numbers that has one.

    Examples
    --------
    >>> from linsep import open_data
    >>> signs_of(open_data(b"rate,paid,n\\n2%,$3,1\\n5%,$40,2\\n").read())
    {'rate': '%', 'paid': '$'}
    """
    columns = [chunk.cells(name) for name in chunk.names]
    return {column.name: column.sign for column in columns if column is not None and column.sign}


def doubts_of_signs(chunk: TableChunk, known: Mapping[str, str], numbers: list[str]) -> dict[str, str]:
    """Return what to say of each column of numbers whose cells have another sign than in training.

    A % that is there in training or in new rows alone is another sign, and so is another currency. A currency beside
    none is not: amounts are often written without.

    Examples
    --------
    >>> from linsep import open_data
    >>> rows = open_data(b"rate,paid\\n0.02,5\\n0.05,70\\n").read()
    >>> doubts_of_signs(rows, {"rate": "%", "paid": "$"}, ["rate", "paid"])["rate"]
    "column 'rate': its cells had a % in training and have none here: 0.02 (buffer:2) is read as 0.02 %"
    """
    found = {}
    for name in numbers:
        column, before = chunk.cells(name), known.get(name, "")
        if column is None or column.values is None or column.sign == before:
            continue
        there = np.ones(chunk.n_rows, np.bool_) if column.missing is None else ~column.missing
        if not there.any() or ("%" not in (before, column.sign) and "" in (before, column.sign)):
            continue
        row = int(there.argmax())
        cell, plain = _shown(column, row), f"{_number(column, row)} {before}".strip()
        found[name] = (
            f"column {name!r:.80}: its cells had {_said(before)} in training and have {_said(column.sign)} here: "
            f"{cell} ({chunk.where(row)}) is read as {plain}"
        )
    return found


def _number(column: Column, row: int) -> str:
    assert column.values is not None
    return f"{column.values[row]:.12g}" if column.text is None else str(column.text[row].as_py())[:40]


def _shown(column: Column, row: int) -> str:
    number = _number(column, row)
    return f"{number} {column.sign}".strip()


def _said(sign: str) -> str:
    return f"a {sign}" if sign else "none"
