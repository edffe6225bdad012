"""Proofs as files of VIPR: a checker of the format accepts what is written, and refuses what does not follow."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from hostile import answers
from in_process import run_linsep
from linsep import DataError, Separability, separability, separation
from linsep.theory.separation.families import Family
from linsep.theory.verify.cone import ConeProof
from trial.row import all_rows
from vipr import PROGRAM, RefusedError, by_program, check, files_of, questions_of, stated

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


def test_every_part_of_a_verdict_has_a_file() -> None:
    X = np.array([[0], [1], [1], [2]])
    for y, statements in (
        ([0, 0, 1, 1], {"direction", "no-plane", "no-direction"}),
        ([0, 1, 0, 1], {"direction", "no-plane", "no-direction"}),
        ([1, 0, 0, 1], {"no-plane", "no-direction"}),
        ([0, 1, 1, 1], {""}),
    ):
        found = separability(X, y)
        Z = [[(2 * b - 1) * v for v in (x, 1)] for (x,), b in zip(X.tolist(), y, strict=True)]
        files = files_of(found)
        assert files.keys() == statements
        for name, text in files.items():
            said = stated(text, Z)
            assert said is not None and said[1:] == (name in ("", "no-plane"), not name.startswith("no"))
            assert stated(text, [[2 * v for v in z[:-1]] + [k * z[-1]] for k, z in enumerate(Z, 1)]) is None
            assert shutil.which("viprchk") is None or stated(text, Z, by_program) == said


@pytest.mark.parametrize("family", ["logistic", "poisson", "multinomial", "cumulative", "cox"])
def test_regressions_too(family: Family) -> None:
    X: list[list[float]] = [[0.5, 1], [0.25, 0], [1, 1], [2, 0], [2, 3], [1, 1]]
    y = [0, 0, 0, 2, 2, 1]
    y = [min(v, 1) for v in y] if family == "logistic" else [v + 1 for v in y] if family == "cox" else y
    for columns in ([0, 1], [1]):
        found = separation([[row[j] for j in columns] for row in X], y, family=family)
        proved = {name: check(text) for name, text in files_of(found).items()}
        assert proved and all(possible is not name.startswith("no") or name == "" for name, possible in proved.items())
        assert (True in proved.values()) is (found.verdict != "overlap")


@pytest.mark.parametrize("family", ["logistic", "poisson", "multinomial", "cumulative", "cox"])
def test_z3_gives_the_answer_that_the_question_names(family: Family) -> None:
    pytest.importorskip("z3", reason="z3-solver is the judge")
    rng, said = np.random.default_rng(5), set()
    for k in range(12):
        X, y = rng.integers(-2, 3, (5, 1 + k % 4)) / 4, rng.permutation([1, 1, 2, 2, 3]) - (family == "poisson")
        labels = np.minimum(y, 2) - 1 if family == "logistic" else y
        found = [separation(X, labels, family=family), *([separability(X, labels)] if family == "logistic" else [])]
        for status, text in (question for one in found for question in questions_of(one)):
            assert answers(text) == [status]
            said.add(status)
    assert said == {"sat", "unsat"}


def test_numbers_of_thousands_of_digits() -> None:
    X, y = [[Fraction(1, 10**3000)], [Fraction(1, 10**3001)], [Fraction(7, 3)]], [0, 1, 0]
    assert files_of(separability(X, y)).keys() == {""}


def test_what_is_near_or_not_known_or_not_decided_has_no_file() -> None:
    X, y = [[0], [1], [1], [2]], [1, 0, 0, 1]
    found = separability(X, y)
    for other, why in (
        (replace(found, proof=replace(found.proof, within=1e-6)), "exact=True"),
        (replace(found, proof=ConeProof(4, (), range(4))), "nothing is decided"),
        (Separability.from_json(found.to_json()), "verify this certificate"),
    ):
        with pytest.raises(DataError, match=why):
            files_of(other)


def said_by_the_program(folder: Path, *words: str) -> str:
    done = subprocess.run([sys.executable, PROGRAM, *words], cwd=folder, capture_output=True, text=True, check=False)
    return done.stdout.splitlines()[-1] if done.returncode == 0 else done.stderr.strip()


def test_a_file_of_the_command_beside_its_table(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("x,w,kind\n0.5,1,a\n2,1e1,a\n1,3,b\n4,-3,b\n2,0,b\n")
    (tmp_path / "other.csv").write_text("x,w,kind\n0.5,1,a\n2,1e1,a\n1,3,b\n4,-3,b\n2,1,b\n")
    name = "p.vipr"
    some, every = " has none of them on its wrong side", "all of them on it."
    for options, plane in (
        ((), f"a plane{some}, and not {every}"),
        (("--set", "fit_intercept=no"), f"a plane through 0 that{some} has {every}"),
    ):
        asked = ("separation", "t.csv", "--target", "kind", "--certificate", name, *options)
        assert name in run_linsep(asked, tmp_path).stdout
        said = said_by_the_program(tmp_path, name, "t.csv", "kind")
        assert said == f"Of all 5 rows: {plane}", said
        assert "is not row 4" in said_by_the_program(tmp_path, name, "other.csv", "kind")
    for label, why in (("w", "a cell is no plain number"), ("nowhere", "cannot be read")):
        assert why in said_by_the_program(tmp_path, name, "t.csv", label)
    text = (tmp_path / name).read_text()
    (tmp_path / "empty.vipr").write_text(text.partition("RTP")[0] + "RTP infeas\nSOL 0\nDER 0\n")
    assert said_by_the_program(tmp_path, "empty.vipr", "t.csv", "kind").startswith("refused")
    late = run_linsep(("check", "t.csv", "--target", "kind", "--certificate", "q.vipr", "--time-limit", "0"), tmp_path)
    assert late.returncode in (0, 3) and ("nothing is decided" in late.stdout) is (late.returncode == 3)
    (tmp_path / "three.csv").write_text("x,kind\n1,a\n2,b\n3,c\n")
    assert "p.smt2" in run_linsep(("check", "t.csv", "--target", "kind", "--certificate", "p.smt2"), tmp_path).stdout
    lines = (tmp_path / "p.smt2").read_text().splitlines()
    assert [line[:2] for line in lines[:2]] == ["; "] * 2
    assert lines[2:5] == ["(set-logic QF_LRA)", "(set-info :status sat)", "(declare-const x0 Real)"]
    several = run_linsep(("check", "three.csv", "--target", "kind", "--certificate", "q.vipr"), tmp_path)
    assert several.returncode == 2 and "--positive" in several.stderr


DROP = ("--missing", "drop", "--read", "drop_unlabelled=yes")


@pytest.mark.parametrize(
    ("table", "options", "commands"),
    [
        ("x,w,kind\n0,1,a\n,2,b\n1,3,b\n2,5,a\n3,1,\n1,1,b\n", DROP, "check separation"),
        ("x,w,kind\n0,red,a\n1,blue,b\n2,red,a\n3,blue,b\n", (), "check separation"),
        ("x,w,kind\n0,5,a\n1,5,b\n2,7,a\n3,8,b\n", ("--column", "w=skip"), "check separation"),
        ("x,w,kind\n0,5,a\n1,5,b\n2,7,a\n3,8,b\n", ("--columns", "x"), "separation"),
        ("x,w,kind\n0,5,a\n1,5,b\n2,7,a\n3,8,b\n", ("--set", "weights=w"), "separation"),
        ("x,w,kind\n0,1,2\n1,5,1.0\n2,7,1\n3,8,2\n", (), "check separation"),
        ("x,w,kind\n0,1,01\n1,5,1\n2,7,1\n3,8,01\n", ("--column", "kind=category"), "check"),
        ("x;w;kind\n0,5;1;a\n1;5;b\n2;7;a\n", (), "check separation"),
        ("x,kind\n0,a\n1,a \n2,a\n", (), "check separation"),
        ("x,kind\n0,1e5\n1,a\n2,100000\n3,a\n", ("--positive", "a"), "check"),
        ("x,kind\n0,1e99999\n1,a\n2,1e99999\n", (), "check separation"),
        ("x,w,kind\n0,0,c\n1,1,a\n2,1,b\n3,1,a\n", ("--set", "weights=w"), "separation"),
        ("x,kind\n0,a\n1,\n2,b\n3,  \n", ("--read", "drop_unlabelled=yes"), "check separation"),
        ("x,kind\n0,\u00e9\n1,\u65e5\n", (), "check separation"),
        ("x,w,kind\n0,1,a\n1,5,b\n2,7,c\n3,8,a\n", ("--positive", "b"), "check"),
    ],
)
def test_the_file_of_each_table_is_proved(tmp_path: Path, table: str, options: tuple[str, ...], commands: str) -> None:
    (tmp_path / "t.csv").write_text(table)
    cells = [re.split("[,;]", line) for line in table.splitlines()[1:]]
    for command in commands.split():
        done = run_linsep((command, "t.csv", "--target", "kind", "--certificate", "p.vipr", *options), tmp_path)
        assert done.returncode in (0, 1), done.stderr
        beside = "p.design.json" if (tmp_path / "p.design.json").exists() else "t.csv"
        files = list(tmp_path.glob("p*.vipr"))
        assert files
        for file in files:
            said = said_by_the_program(tmp_path, file.name, beside, "kind", *options[1:] * ("--positive" in options))
            assert said.startswith("Of "), said
            if not said.startswith("Of all"):  # rows of the table, not of what is left of it
                named = re.findall(r"\d+", said.partition(" rows ")[2].partition("(")[0])
                assert named and all("" not in cells[int(one)] for one in named)
            file.unlink()
        (tmp_path / "p.design.json").unlink(missing_ok=True)


INFEASIBLE = "RTP infeas\nSOL 0\nDER 1\n"
LINE = "x,kind\n0,n\n1,n\n2,p\n3,p\n"  # which a plane separates
PLANE = "RTP range -inf 0\nSOL 1\nd 1 1 1\nDER 0\n"
ROWS = "R0 G 1 1 1 -1\nR1 G 1 2 0 -1 1 -1\nR2 G 1 2 0 2 1 1\nR3 G 1 2 0 3 1 1\n"


@pytest.mark.parametrize(
    ("table", "names", "constraints", "claim"),
    [
        (LINE, "x0 b", ROWS, INFEASIBLE + "D L -1 OBJ { sol } -1\n"),  # of a solution that is not there
        (LINE, "x0 b", ROWS.replace("G 1", "G 0") + "S G 1 1 0 4\n", INFEASIBLE + "D L -1 OBJ { sol } -1\n"),
        (LINE, "x0 b", "R1 G 1 2 0 0 1 -1\nR2 G 1 2 0 0 1 1\n", INFEASIBLE + "D G 2 0 { lin 2 0 1 1 1 } -1\n"),
        (LINE, "x0 b", "R0 G 1 0_1 1\x1c-1\x1cR2 G 1 2 0 2 1 1\n", INFEASIBLE + "D G 1 0 { lin 1 0 1 } -1\n"),
        (LINE, "x0\x1cb", ROWS, "RTP range -inf 0\nSOL 1\nd 2 0 2 1 -3\nDER 0\n"),
        (LINE, "x0 b", ROWS, "RTP range -inf 0\nSOL 1\nd 2 0 1e999999999 1 -3\nDER 0\n"),
        (
            "a,a,kind\n0,5,n\n1,3,n\n2,5,p\n3,3,p\n",  # the last column of a name is not the only one
            *("x0 b", "R0 G 1 2 0 -5 1 -1\nR2 G 1 2 0 5 1 1\n", INFEASIBLE + "D G 2 0 { lin 2 0 1 1 1 } -1\n"),
        ),
        (
            '{"X": [[0], [1, 7]], "y": ["n", "p"], "names": ["x0", "x1"]}',
            *("x0", "R0 G 1 0\nR1 G 1 1 0 1\n", INFEASIBLE + "D G 1 0 { lin 1 0 1 } -1\n"),
        ),
        (
            '{"X": [[0.1, 0.3], [0.2, 0.6], [0.3, 0.9]], "y": ["n", "p", "n"], "names": ["x0", "x1"]}',  # of doubles
            "x0 x1 b",
            "R0 G 1 3 0 -1 1 -3 2 -1\nR1 G 1 3 0 2 1 6 2 1\nR2 G 1 3 0 -3 1 -9 2 -1\n",
            INFEASIBLE + "D G 4 0 { lin 3 0 1 1 2 2 1 } -1\n",
        ),
        (
            "x,kind\n0,1\n1,2\n-1,1.0\n",  # 1 and 1.0 are one class
            "x0 b",
            "R0 G 1 1 1 1\nR1 G 1 2 0 -1 1 -1\nR2 G 1 2 0 1 1 -1\n",
            INFEASIBLE + "D G 4 0 { lin 3 0 2 1 1 2 1 } -1\n",
        ),
        # No row is on the side of a blank class, the first label or the one that is named.
        ("x,kind\n5,\n1,a\n1,n\n", "x0 b", "R1 G 1 2 0 1 1 1\nR2 G 1 2 0 1 1 1\n", PLANE),
        *[
            (f"x,kind\n{rows}", "x0 b", "R0 G 1 1 1 1\nR1 G 1 2 0 1 1 -1\nR2 G 1 2 0 -1 1 1\n", PLANE)
            for rows in (
                '0,1\n1,0\n-1,"1 "\n',  # blanks make no other class
                "0,1\n1,n\n-1,1.0\n",
                "0,07\n1,n\n-1,7\n",
                '0,1\n1,n\n-1,1\n5,\n6," "\n',
            )
        ],
        (  # texts are as they are
            '{"X": [[0], [1], [1]], "y": ["1", "1.0", "1"], "names": ["x0"]}',
            *("x0 b", "R1 G 1 2 0 1 1 1\nR2 G 1 2 0 1 1 1\n", PLANE),
        ),
        (LINE, "x0 b", "R2 G 1 2 0 2 1 1\n", PLANE.replace("d 1 1 1", "d 4 -1 7 0 2 1 -3 99 5")),
        (LINE, "x0 b", "R1 G 1 2 0 -1 1 -1\nR2 G 1 2 0 1 1 1\n", INFEASIBLE + "D G 2 0 { lin 2 -2 1 -1 1 } -1\n"),
        (LINE, "x0 b", "", PLANE),
        (LINE, "x0 b", "S G 1 0\n", INFEASIBLE + "D G 1 0 { lin 1 0 1 } -1\n"),
        ("kind\nn\np\n", "b", "R0 G 1 1 0 1\n", PLANE.replace("d 1 1 1", "d 1 0 1")),
        *[
            (table, "x0 b", "R0 G 1 1 1 -1\nR1 G 1 2 0 1 1 1\n", "RTP range -inf 0\nSOL 1\nd 2 0 2 1 -1\nDER 0\n")
            for table in (
                "x,kind\n0,1e10000\n1,10e9999\n",
                "x,kind\n0,100000\n1,1e00005\n",
                '{"X": [[0], [1]], "y": [0.0, -0.0], "names": ["x"]}',
                '{"X": [[0], [1]], "y": [NaN, 1.0], "names": ["x"]}',
                '{"X": [[0], [1]], "y": [[1], [2]], "names": ["x"]}',
                '{"X": [{"00": 0}, [1]], "y": ["a", "b"], "names": ["x"]}',
            )
        ],
        ("x,kind\n1,n\n2,n\n", "x0 b", "R0 G 1 2 0 1 1 1\n", PLANE),
        (
            '{"X": [[0], [1], [2]], "y": ["n", "p"], "names": ["x0"]}',
            *("x0 b", "R0 G 1 1 1 -1\nR1 G 1 2 0 1 1 1\n", "RTP range -inf 0\nSOL 1\nd 2 0 2 1 -1\nDER 0\n"),
        ),
        (
            '{"X": [[0], [1]], "y": ["n", "p"], "names": ["x0"], "rows": [4, 4]}',
            *("x0 b", "R4 G 1 2 0 1 1 1\n", "RTP range -inf 0\nSOL 1\nd 2 0 2 1 -1\nDER 0\n"),
        ),
        ("{" + '"X":' + "[" * 5000, "x0 b", ROWS, PLANE),
        (
            'x,kind\n0,n\n1,"p\n2,n\n3,p\n',  # an open quote takes rows in
            *("x0 b", "R0 G 1 1 1 -1\nR1 G 1 2 0 1 1 1\n", "RTP range -inf 0\nSOL 1\nd 2 0 2 1 -1\nDER 0\n"),
        ),
        (
            "x,kind\n1/3,n\n1,p\n",  # linsep takes such a cell for text
            *("x0 b", "R0 G 1 2 0 -1/3 1 -1\nR1 G 1 2 0 1 1 1\n", "RTP range -inf 0\nSOL 1\nd 2 0 3 1 -2\nDER 0\n"),
        ),
    ],
)
def test_forged_files_are_refused_whatever_a_checker_says(
    tmp_path: Path, table: str, names: str, constraints: str, claim: str
) -> None:
    name = "t.design.json" if table.startswith("{") else "t.csv"
    (tmp_path / name).write_text(table, "utf-8", newline="")
    head = f"VER 1.0\nVAR {len(names.split())}\n{names}\nINT 0\nOBJ min\n0\nCON {constraints.count(' G ')} 0\n"
    (tmp_path / "p.vipr").write_text(head + constraints + claim, "ascii", newline="")
    labels = [(), ("n",), ("1",), ("",), (" ",)]
    assert all(said_by_the_program(tmp_path, "p.vipr", name, "kind", *one).startswith("refused") for one in labels)
    (tmp_path / "p.vipr").write_text((head + constraints + claim).replace("\n", "\r"), "ascii", newline="")
    assert said_by_the_program(tmp_path, "p.vipr", name, "kind").startswith("refused")


def test_the_honest_file_beside_those_forged_is_proved(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(LINE)
    head = "VER 1.0\nVAR 2\nx0 b\nINT 0\nOBJ min\n0\nCON 4 0\n"
    (tmp_path / "p.vipr").write_text(head + ROWS + "RTP range -inf 0\nSOL 1\nd 2 0 2 1 -3\nDER 0\n")
    assert said_by_the_program(tmp_path, "p.vipr", "t.csv", "kind").startswith("Of all 4 rows: a plane has each")
    table = '{"X": [[0], {"0": 1}, [2], [3]], "y": ["n", "n", "p", "p"], "names": ["w"], "rows": [0, 3, 7, 8]}'
    (tmp_path / "t.design.json").write_text(table)
    assert "row with a label" in said_by_the_program(tmp_path, "p.vipr", "t.design.json", "-")
    text = (tmp_path / "p.vipr").read_text()
    for i, k in ((3, 8), (2, 7), (1, 3)):
        text = text.replace(f"\nR{i} ", f"\nR{k} ")
    (tmp_path / "p.vipr").write_text(text)
    assert said_by_the_program(tmp_path, "p.vipr", "t.design.json", "-").startswith(
        "Of all 4 rows of the design: a plane"
    )


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
