"""The commands read European spreadsheets as they read CSV."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from in_process import run_linsep

ROWS = [("1.5", "Rome", "yes"), ("2.25", "Århus", "no"), ("0.75", "Rome", "no"), ("3.5", "Århus", "yes")]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    lines = [("size", "city", "sold"), *ROWS]
    (tmp_path / "plain.csv").write_text("".join(",".join(row) + "\n" for row in lines), encoding="utf-8")
    european = "".join(";".join(row).replace(".", ",") + "\n" for row in lines)
    (tmp_path / "latin.csv").write_text(european, encoding="latin-1")
    (tmp_path / "excel.csv").write_text(european, encoding="utf-16")
    (tmp_path / "t.tsv").write_text(european.replace(";", "\t"), encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("latin.csv", ["--read", "encoding=latin-1"], "columns separated by ';', decimal comma, ISO8859-1"),
        ("excel.csv", [], "columns separated by ';', decimal comma, UTF-16"),
        ("t.tsv", ["--read", "decimal=,"], "columns separated by tab, decimal comma"),
        (
            "latin.csv",
            ["--read", "encoding=cp1252", "--read", "sep=;"],
            "columns separated by ';', decimal comma, CP1252",
        ),
    ],
)
def test_the_commands_agree(folder: Path, name: str, options: list[str], said: str) -> None:
    def ask(*words: str) -> str:
        done = run_linsep(words, folder)
        assert done.returncode in (0, 1), done.stderr
        return done.stdout

    asked = ["--target", "sold", "--max-iter", "3"]
    assert said in ask("fit", name, *asked, *options, "--model", "m.linsep")
    ask("fit", "plain.csv", *asked, "--model", "p.linsep")
    assert ask("predict", "m.linsep", name, *options) == ask("predict", "p.linsep", "plain.csv")
    assert ask("score", "m.linsep", name, *options) == ask("score", "p.linsep", "plain.csv")
    stream = ["--target", "sold", "--stream"]
    assert said in ask("fit", name, *stream, *options, "--model", "s.linsep")
    assert said in ask("separation", name, "--target", "sold", *options)
    assert said in ask("check", name, "--target", "sold", *options)
    found = json.loads(ask("check", name, "--target", "sold", *options, "--json"))
    assert found.pop("guessed_encoding", None) == ("cp1252" if "(guessed" in said else None)
    assert found == json.loads(ask("check", "plain.csv", "--target", "sold", "--json"))
