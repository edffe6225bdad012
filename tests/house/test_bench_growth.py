"""The suite that grows tables: where a series ends, its slope, and what is said of it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from linsep import open_data, separability


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2]))
    yield lambda name: import_module(f"benchmarks.{name}")
    for name in [name for name in sys.modules if name.partition(".")[0] == "benchmarks"]:
        del sys.modules[name]


@pytest.fixture
def growth(bench: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The suite on a clock of its own: a work says how many seconds it takes."""
    module = bench("growth")
    monkeypatch.setattr(module, "seconds", lambda work: work())
    return module


def series(bench: Any, make: Any, *values: int, axis: str = "rows, 10 columns", steep: str = "it squares") -> Any:
    return bench("growth_series").Series("fit", axis, values, make, "each is read once", steep)


def test_values_go_by_factors_of_three_up_to_the_last(bench: Any) -> None:
    assert bench("growth_series").powers(2e4, 3e8) == [
        30_000,
        100_000,
        300_000,
        1_000_000,
        3_000_000,
        10_000_000,
        30_000_000,
        100_000_000,
        300_000_000,
    ]


@pytest.mark.parametrize(
    ("exponent", "last"),
    [
        (1, 10_000),  # 10 s; the next one would take 30
        (2, 100),  # 0.1 s, then 10 s: expected are 1,000 s
        (0, 100_000),  # no longer than before
    ],
)
def test_a_series_ends_where_the_next_call_would_take_too_long(
    bench: Any, growth: Any, exponent: int, last: int
) -> None:
    made = series(bench, lambda n: lambda: 0.001 * float(n) ** exponent, 10, 100, 1_000, 10_000, 100_000)
    points = growth.measured(made)
    assert points[-1].value == last
    assert growth.slope(points, lambda point: point.seconds) == pytest.approx(exponent)


def test_a_slope_is_that_of_the_larger_half(bench: Any, growth: Any) -> None:
    points = [growth.Point(n, max(1.0, (n / 100) ** 2), 0) for n in (1, 10, 100, 1_000)]
    assert growth.slope(points, lambda point: point.seconds) == pytest.approx(2.0)


def test_memory_is_the_most_that_a_call_takes_beside_its_input(bench: Any, growth: Any) -> None:
    def make(n: int) -> Any:
        given = bytearray(10 * n)
        return lambda: 0.5 if bytearray(n) and given else 0.0

    point = growth.measured(series(bench, make, 1_000_000))[0]
    assert 1_000_000 <= point.peak < 1_100_000


def test_what_figures_mean_is_said_of_all_that_was_done_with_the_same_rows(bench: Any, growth: Any) -> None:
    quick, slow = (
        (
            series(bench, None, 100_000, 1_000_000)._replace(work=work),
            [growth.Point(100_000, s, 10**6), growth.Point(1_000_000, 100 * s, 2 * 10**6)],
        )
        for work, s in (("fit", 0.02), ("predict", 0.001))
    )
    assert growth.meanings([quick, slow]) == [
        "- **100,000 rows, 10 columns**: fit 20 ms, 1.0 MB; predict 1 ms, 1.0 MB.",
        "- **1,000,000 rows, 10 columns**: fit 2 s, 2.0 MB; predict 0.1 s, 2.0 MB.",
    ]


def test_most_of_a_steep_cost_is_named_by_a_profile(bench: Any, growth: Any) -> None:
    def sort(n: int) -> None:
        for _ in range(n // 10):
            sorted(range(20_000))

    made = series(bench, lambda n: lambda: sort(n), 10, 100)
    said = growth.steep([(made, [growth.Point(10, 0.01, 0), growth.Point(100, 1.0, 0)])])
    assert len(said) == 1
    head, profiled = said[0].split(" Under a profiler: ")
    assert head == "- **fit**, rows, 10 columns, slope 2.00, last tenfold 100.0 x: it squares."
    assert "`builtins.sorted` " in profiled  # first or second: a busy machine stops the one or the other
    assert "called 10 times, 1 before" in profiled


def test_calls_and_seconds_of_functions_of_one_name_are_added_up(bench: Any) -> None:
    def work() -> None:
        for values in ([3, 1], [2], [5]):
            values.sort()

    found = bench("profiled").profiled(work)
    assert found["sort of list"].calls == 3
    assert found[f"house/{Path(__file__).name}: work"].calls == 1


def test_a_cost_is_steep_by_its_slope_or_by_its_last_tenfold(bench: Any, growth: Any) -> None:
    linear = [growth.Point(10**k, 0.01 * 10**k, 0) for k in range(1, 6)]
    assert not growth.is_steep(linear)
    at_last = [*linear[:-1], growth.Point(10**5, 15 * linear[-2].seconds, 0)]
    assert growth.slope(at_last, growth.time_of) == pytest.approx(1.088, abs=1e-3)
    assert growth.last_tenfold(at_last, growth.time_of) == pytest.approx(15.0)
    assert growth.is_steep(at_last)


def test_the_last_tenfold_starts_at_the_next_value_where_no_tenth_was_measured(growth: Any) -> None:
    points = [growth.Point(n, 1.0 * n, 0) for n in (2, 3, 10)]
    assert growth.last_tenfold(points, growth.time_of) == 5.0


def test_plain_work_stands_beside_a_steep_cost(bench: Any, growth: Any) -> None:
    alone = bench("growth_series").Alone("A read", lambda n: lambda: 0.001 * n)
    made = series(bench, None, 10, 100, 1_000)._replace(alone=alone)
    squares = [growth.Point(n, 1e-5 * n**2, 0) for n in (10, 100, 1_000)]
    assert growth.beside(made, squares) == (
        " A read alone: 0.1 s for 100, 1 s for 1,000, 10.0 x; the whole is 10.0 times that."
    )
    assert growth.beside(made._replace(alone=None), squares) == ""


@pytest.mark.parametrize(("first", "calls"), [(0.1, 5), (0.6, 3), (4.0, 3), (6.0, 1)])
def test_calls_that_are_not_long_are_timed_three_times_at_least(growth: Any, first: float, calls: int) -> None:
    asked: list[float] = []

    def work() -> float:
        asked.append(first)
        return first

    assert growth.timed(work) == pytest.approx(first)
    assert len(asked) == calls


def test_only_series_that_are_steep_or_ended_early_are_named_as_such(bench: Any, growth: Any) -> None:
    made = series(bench, None, 10, 100, 1_000)
    linear = [growth.Point(n, 0.01 * n, 0) for n in (10, 100, 1_000)]
    assert growth.steep([(made, linear)]) == []
    assert growth.ended([(made, linear)]) == []
    assert growth.ended([(made, linear[:2])]) == [
        "- **fit**, rows, 10 columns, at 100 of 1,000: the next call was expected to take 10 s or more."
    ]
    bounded = made._replace(ends="there are no more")
    assert growth.ended([(bounded, linear)]) == ["- **fit**, rows, 10 columns, at 1,000: there are no more."]


def test_every_series_has_sizes_that_the_page_speaks_of(bench: Any, growth: Any, tmp_path: Path) -> None:
    for one in bench("growth_series").all_series(tmp_path):
        assert set(growth.SIZES[one.axis.split(",")[0].split()[0]]) & set(one.values), one.axis
        assert list(one.values) == sorted(set(one.values))


@pytest.mark.parametrize("p", [10, 40])
def test_rows_have_the_verdict_that_their_series_is_named_after(bench: Any, p: int) -> None:
    rows = bench("growth_rows")
    for verdict, table in (
        ("separable", rows.parted(1_000, 0.05, p)),
        ("quasi-separable", rows.parted(1_000, 0.0, p)),
        ("inseparable", rows.dense(1_000, p)),
    ):
        assert separability(*table).verdict == verdict
        rows.decided(verdict, table)()
    with pytest.raises(ValueError, match=rf"1,000 x {p} are inseparable, not separable: change the rows"):
        rows.decided("separable", rows.dense(1_000, p))()


def test_text_to_stream_has_as_many_rows_as_asked_for(bench: Any, tmp_path: Path) -> None:
    rows = bench("growth_rows")
    works = rows.streamed_csv(200_000, 10, tmp_path), rows.streamed_csv(1_000, 3_000, tmp_path)
    tables = [open_data(work.args[0], target="y").read() for work in works]
    assert [(table.n_rows, len(table.names)) for table in tables] == [(200_000, 10), (1_000, 3_000)]
    assert open_data(rows.streamed_svmlight(100_000, tmp_path).args[0]).read().X.shape == (100_000, 10_000)
