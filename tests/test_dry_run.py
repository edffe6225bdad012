"""`linsep fit --dry-run`: what a fit would take is said, and nothing is trained or written."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from in_process import linsep
from linsep import KernelPerceptron, Perceptron, open_data
from linsep.data.synthetic.separable import make_separable
from linsep.reporting.dry_run import dry_run


@pytest.fixture
def table(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    lines = [f"{a:.3f},{b:.3f},{'yes' if a + 0.3 * b > 0 else 'no'}" for a, b in rng.normal(size=(400, 2))]
    path = tmp_path / "t.csv"
    path.write_text("a,b,y\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_it_says_what_a_fit_would_take_and_writes_nothing(table: Path) -> None:
    before = sorted(table.parent.iterdir())
    said = linsep("fit", table, "--target", "y", "--dry-run", "--model", table.parent / "m.linsep")
    lines = dict(line.split(maxsplit=1) for line in said.stdout.splitlines() if line[0] != " ")
    assert lines["rows"] == "400"
    assert "measured on 400 rows" in said.stdout
    assert "at most 10 of AveragedPerceptron" in said.stdout
    assert "this was a dry run" in said.stdout
    assert sorted(table.parent.iterdir()) == before


def test_the_figures_add_up(table: Path) -> None:
    said = linsep("fit", table, "--target", "y", "--dry-run", "--max-iter", "7", "--json")
    data = json.loads(said.stdout)
    assert data["dry_run"] is True
    assert (data["rows"], data["features"], data["stored"]) == (400, 2, 800)
    assert data["training_seconds"] == pytest.approx(7 * data["epoch_seconds"])
    assert 1 <= data["proof_power"] <= 2
    assert min(data["reading_seconds"], data["encoding_seconds"], data["epoch_seconds"], data["proof_seconds"]) >= 0


def test_a_run_without_a_budget_has_no_length() -> None:
    X, y, *_ = make_separable(3000, 3, 0.1, random_state=0)
    found = dry_run(open_data((X, y)), Perceptron(max_iter=None))
    assert found.data["training_seconds"] is None
    assert "until a clean pass" in dict(found.lines)["all epochs"]
    rows = np.random.default_rng(0).normal(size=(60, 2))
    three = open_data((rows, np.arange(60) % 3))
    assert dry_run(three, KernelPerceptron("rbf", max_iter=2)).data["rows"] == 60


def test_streams_are_refused(table: Path) -> None:
    said = linsep("fit", table, "--target", "y", "--dry-run", "--stream", status=2)
    assert "reads the whole table" in said.stderr
    said = linsep("fit", table, "--target", "y", "--dry-run", "--passes", "2", status=2)
    assert "--dry-run conflicts with: --passes" in said.stderr
