"""The words that name the tables of the benchmark of defaults."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

NAMES = ["iris", "Vehicle", "Vowel", "20 Newsgroups", "Brown, genres"]


@pytest.fixture
def meant(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.syspath_prepend(str(Path(__file__).parent.parent))
    yield import_module("benchmarks.defaults").meant
    for name in [name for name in sys.modules if name.partition(".")[0] == "benchmarks"]:
        del sys.modules[name]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], NAMES),
        (["20news", "brown"], ["20 Newsgroups", "Brown, genres"]),
        (["v"], ["Vehicle", "Vowel"]),
        (["IRIS", "iris"], ["iris"]),
    ],
)
def test_tables_are_meant_by_how_their_names_begin(meant: Any, words: list[str], expected: list[str]) -> None:
    assert meant(words, NAMES) == expected


@pytest.mark.parametrize("word", ["news", "-", "irises"])
def test_a_word_without_a_table_is_refused_with_their_names(meant: Any, word: str) -> None:
    with pytest.raises(ValueError, match=f"no table begins with '{word}': choose from iris, Vehicle"):
        meant(["iris", word], NAMES)
