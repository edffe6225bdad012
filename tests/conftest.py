"""What all tests share.

Hypothesis measures no time: compiling, and whatever else the machine does, would decide what passes. It tries a few
dozen examples of each property, and `make test-long` hundreds. Model files say when they were made; here that is one
moment, so that equal models make equal files.
"""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

# Examples that failed are kept in the repository, where it can be written to.
kept: Any = {} if os.access(Path(__file__).parents[1], os.W_OK) else {"database": None}
settings.register_profile("few", deadline=None, max_examples=40, **kept)
settings.register_profile("many", deadline=None, max_examples=400, **kept)
settings.load_profile("few")
# A parent may ignore Ctrl-C, as a shell does for what it starts in the background, and its children then do so too.
signal.signal(signal.SIGINT, signal.default_int_handler)
os.environ["SOURCE_DATE_EPOCH"] = "1700000000"

# Neither tests nor examples: read where tests import them.
collect_ignore = ["fuzz", "golden", "trial"]
# Tests of `make test-long`, which `make test` leaves out. They ask of one more variety, each of which has kernels of
# its own to compile or a network to train, what `make test` asks of its sisters; `make gallery` draws all pictures.
LONG = re.compile(
    r"sklearn_integration\.py::test_scikit_learn_checks\[(Margin|PassiveAggressive|Pocket|SGDClassifier\(\)|Voted)"
    r"|online\.py::test_(\w+\[.*PassiveAggressive|columns_join_as_zeros\[P|two_classes_that_join\w+\[A)"
    r"|gallery\.py::test_the_claim\w+\[hidden_"
    r"|scaling\.py::test_it_is_a_column\w+\[(PassiveAggressive.*pa'|\w+\(.*pa2|(Voted|Pocket|SGD|PassiveA)\w+\(.*-3-)"
)
# Processes that come to the same kernel at the same time all compile it. So one learns, while the others begin with
# what learns little.
LEARNING = re.compile(r"tests/(learners|kernels)/")
LITTLE = re.compile(r"tests/(theory/(?!test_bounds_of_learners)|regression/)")


@pytest.fixture(scope="module")
def small_blocks() -> Iterator[None]:
    """Kernel values in blocks of 7 rows and tiles of 5, so that small tables have many of both."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("linsep.learners.kernel_function._BLOCK", 7)
        patch.setattr("linsep.learners.kernel_function._TILE", 5)
        yield


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the long tests, and put what begins first; examples in docstrings end, as they are short."""
    for item in items:
        if LONG.search(item.nodeid):
            item.add_marker(pytest.mark.long)
    order = (LEARNING, LITTLE, re.compile("tests/"), re.compile(""))
    items.sort(key=lambda item: [bool(one.match(item.nodeid)) for one in order].index(True))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: Any, log: Any) -> Any:
    """With `--dist loadfile` a file stays in one process, and so do all that learn."""
    if config.getvalue("dist") != "loadfile":
        return None
    scheduling: Any = import_module("xdist.scheduler").LoadFileScheduling(config, log)
    by_file = scheduling._split_scope
    scheduling._split_scope = lambda nodeid: "learning" if LEARNING.match(nodeid) else by_file(nodeid)
    config.option.loadscopereorder = False
    return scheduling
