"""With `--json` all of standard output is one JSON object, whatever the libraries would write that linsep calls.

The commands run in a process of their own: what C writes to descriptor 1 is seen only there, and often at its end.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from linsep.app.cli import COMMANDS

# What is asked, in this order, of every command with `--json`, whose object goes to standard error if a proof went to
# standard output; linear programmes are asked by those in the middle.
ASKED = """
fit apart.csv --target label --model apart.linsep --holdout 0
score apart.linsep apart.csv
show apart.linsep
check apart.csv --target label
check mixed.csv --target label
check mixed.csv --target label --explain
check mixed.csv --target label --certificate -
separation apart.csv --target label
separation mixed.csv --target label --certificate -
separation mixed.csv --target label
separation level.csv --target label
separation level.csv --target x2 --family poisson
probe x.npz --labels mixed.csv --label label --set controls=0
probe x.npz --labels mixed.csv --label label --set controls=0 --explain -o rows.jsonl
tag fit words.txt --model words.linsep --holdout 0
tag score words.linsep words.txt
show words.linsep
""".strip().splitlines()
RUN = """
import sys
from linsep.app.cli import main
for asked in sys.argv[1:]:
    sys.argv = ["linsep", *asked.split(), "--json"]
    try:
        main()
    except SystemExit as ended:
        assert ended.code in (0, 1, None), asked  # 1 says that no hyperplane separates
"""


def write_tables(folder: Path) -> None:
    """Small tables: one is separable, one is not, in one a level has one class."""
    x = np.random.default_rng(5).integers(-9, 10, size=(40, 3))
    every = np.arange(40)
    level = np.column_stack([every % 2, every % 4 == 3, x[:, 0]])
    for name, table, positive in (
        ("apart", x, x[:, 0] > 0),
        ("mixed", x, every % 3 > 0),
        ("level", level, (x[:, 1] > 0) | (every % 2 == 0)),
    ):
        lines = [f"{','.join(map(str, row))},{'yes' if y else 'no'}\n" for row, y in zip(table, positive, strict=True)]
        (folder / f"{name}.csv").write_text("x1,x2,x3,label\n" + "".join(lines), encoding="utf-8")
    np.savez(folder / "x.npz", flat=x**2.0, deep=x * 1.0)
    (folder / "words.txt").write_text("The\tdet\ndog\tnoun\n\nIt\tpron\nbarks\tverb\n", encoding="utf-8")


def objects(text: str) -> list[Any]:
    """The JSON values that a text consists of."""
    left, found = text, []
    while left:
        one, end = json.JSONDecoder().raw_decode(left)
        found.append(one)
        left = left[end:].lstrip()
    return found


def test_standard_output_is_json_alone(tmp_path: Path) -> None:
    write_tables(tmp_path)
    command = [sys.executable, "-W", "error", "-c", RUN, *ASKED]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stderr
    found, beside = objects(done.stdout), objects(done.stderr)
    assert (len(found), len(beside)) == (len(ASKED), sum(asked.endswith(" -") for asked in ASKED))
    assert all(isinstance(one, dict) for one in found)
    assert all("verdict" in one for one in beside)


def test_no_command_is_left_out() -> None:
    with_json = {name for name, one in COMMANDS.items() if any(option.name == "as_json" for option in one.options)}
    assert with_json == {name for name in COMMANDS if any(asked.startswith(f"{name} ") for asked in ASKED)}
