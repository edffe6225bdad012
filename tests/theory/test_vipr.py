"""Proofs as files of VIPR: a checker of the format accepts what is written, and refuses what does not follow."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from linsep import separability
from trial.row import all_rows
from vipr import RefusedError, check, files_of, stated

# x >= 1 and 2 x <= 0, and between them x <= 0, which is derived.
TWO = """% a comment
VER 1.0
VAR 1
x
INT 0
OBJ min
0
CON 2 0
A G 1 1 0 1
B L 0/1 1 0 2.0
RTP infeas
SOL 0
DER 2
C L 0 1 0 1 { lin 1 1 1/2 } 3
D G 1 0 { lin 2 0 1 2 -1 } -1
"""


def test_every_part_of_a_verdict_has_a_file(tmp_path: Path) -> None:
    X = np.array([[0], [1], [1], [2]])
    for y, statements in (
        ([0, 0, 1, 1], {"a direction", "no plane", "no more direction"}),
        ([0, 1, 0, 1], {"a direction", "no plane", "no more direction"}),
        ([1, 0, 0, 1], {"no plane", "no more direction"}),
        ([0, 1, 1, 1], {"separable"}),
    ):
        found = separability(X, y)
        Z = [[(2 * b - 1) * v for v in (x, 1)] for (x,), b in zip(X.tolist(), y, strict=True)]
        files = files_of(Z, found.proof)
        assert files.keys() == statements
        for name, text in files.items():
            said = stated(text, Z)
            assert said is not None and said[1:] == (name in ("separable", "no plane"), not name.startswith("no"))
            assert stated(text, [[2 * v for v in z] for z in Z]) is None
            if (program := shutil.which("viprchk")) is not None:
                (tmp_path / "a.vipr").write_text(text)
                assert subprocess.run([program, tmp_path / "a.vipr"], check=False).returncode == 0


def test_what_does_not_follow_is_refused() -> None:
    assert check(TWO) is False
    assert check(TWO.replace("CON 2 0", "CON 1 0").replace("B L 0/1 1 0 2.0\n", "").partition("RTP")[0] + (
        "RTP range -inf 0\nSOL 1\nd 1 0 3/2\nDER 0\n"
    ))  # fmt: skip
    for before, after, why in (
        ("lin 1 1 1/2", "lin 1 1 1/3", "does not follow"),
        ("lin 1 1 1/2", "lin 1 2 1/2", "no index"),
        ("lin 2 0 1 2 -1", "lin 2 0 1 2 1", "both senses"),
        ("lin 2 0 1 2 -1", "lin 2 0 1 0 1", "stands twice"),
        ("lin 2 0 1 2 -1", "lin 1 0 1", "does not follow"),
        ("C L 0", "A L 0", "A stands twice"),
        ("2.0", "2.0/0", "no value"),
        ("2.0", "2e0", "no value"),
        ("} -1", "} -1 x", "more follows"),
        ("infeas", "range -inf 0", "nothing is proved"),
        ("SOL 0", "SOL 1 d 1 0 1", "breaks a constraint"),
        ("lin 1 1", "rnd 1 1", "stands where"),
        ("VER 1.0", "VER 1.1", "stands where"),
        ("DER 2", "DER 1", "more follows"),
        ("DER 2", "DER 3", "stands where"),
    ):
        assert TWO.count(before) == 1
        with pytest.raises(RefusedError, match=why):
            check(TWO.replace(before, after))
    with pytest.raises(RefusedError, match="nothing is proved"):
        check(TWO.partition("DER")[0] + "DER 1\nC L 0 1 0 1 { lin 1 1 1/2 } 3\n")


def test_a_sample_of_altered_files() -> None:
    found = all_rows()["vipr_files"].run(600, seed=1)
    assert found.failures == []
    assert all(name in found.note for name in ("refused", "true", "about another table"))
