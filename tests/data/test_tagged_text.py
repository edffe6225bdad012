"""Tagged text: the readers, and `linsep tag` on two columns and on CoNLL-U."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from in_process import linsep
from linsep import load
from linsep.data.readers.tagged import read_tagged
from linsep.types import DataError

COLUMNS = "The\tdet\ndog\tnoun\n\n\nIt pron\nbarks verb\n"
CONLLU = """# sent_id = 1
# text = Don't go
1-2\tDon't\t_\t_\t_\t_\t_\t_\t_\t_
1\tDo\tdo\tAUX\tVB\t_\t3\taux\t_\t_
2\tn't\tnot\tPART\tRB\t_\t3\tadvmod\t_\t_
3\tgo\tgo\tVERB\tVB\t_\t0\troot\t_\t_
3.1\tgone\tgo\tVERB\tVBN\t_\t_\t_\t_\t_

1\tYes\tyes\tINTJ\t_\t_\t0\troot\t_\t_

"""


def write(folder: Path, name: str, text: str) -> Path:
    (folder / name).write_text(text, encoding="utf-8", newline="")
    return folder / name


def tag(*words: Any, status: int = 0) -> Any:
    return linsep("tag", *words, status=status)


# --------------------------------------------------------------------- readers
def test_two_columns(tmp_path: Path) -> None:
    for text in (COLUMNS, COLUMNS.replace("\n", "\r\n"), "\ufeff" + COLUMNS):
        read = read_tagged(write(tmp_path, "t.txt", text))
        assert read.tokens == [["The", "dog"], ["It", "barks"]]
        assert read.gold() == [["det", "noun"], ["pron", "verb"]]
        assert read.lines == [[0, 1], [4, 5]]
    (tmp_path / "t.gz").write_bytes(gzip.compress(COLUMNS.encode()))
    assert read_tagged(tmp_path / "t.gz").tokens == read.tokens
    assert read_tagged(write(tmp_path, "t.txt", "New York\tname\n\u2028 x\n")).tokens == [["New York", "x"]]


def test_conllu(tmp_path: Path) -> None:
    read = read_tagged(write(tmp_path, "t.conllu", CONLLU))
    assert read.tokens == [["Do", "n't", "go"], ["Yes"]]
    assert read.gold() == [["AUX", "PART", "VERB"], ["INTJ"]]
    other = read_tagged(write(tmp_path, "t.txt", CONLLU), "conllu", "xpos")
    assert other.tags == [["VB", "RB", "VB"], [None]]
    with pytest.raises(DataError, match=r"t.txt:9: this token has no tag"):
        other.gold()


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("t.txt", "a b\nc d e\n", "t.txt:2: expected a token and its tag with a tab or a blank between, got 'c d e'"),
        ("t.txt", "a\t\n", "t.txt:1: expected a token and its tag"),
        ("t.txt", "\n\n", "t.txt: there are no sentences"),
        ("t.conllu", "1\ta\n", "t.conllu:1: expected 10 columns with tabs between, got 2"),
        (
            "t.conllu",
            CONLLU.replace("\n3\tgo", "\n4\tgo"),
            "t.conllu:6: expected the ID 3 in the first column, got",
        ),
        ("t.conllu", CONLLU.replace("3.1\t", "x.1\t"), "t.conllu:7: expected the ID 4 in the first column, got 'x.1'"),
        ("t.conllu", CONLLU.replace("3\tgo\t", "3\t\t"), "t.conllu:6: the second column, the word, is empty"),
        ("t.conllu", "# nothing\n", "t.conllu: there are no sentences"),
    ],
)
def test_what_is_malformed_is_refused_by_line(tmp_path: Path, name: str, text: str, message: str) -> None:
    with pytest.raises(DataError) as caught:
        read_tagged(write(tmp_path, name, text))
    assert message in str(caught.value)


def test_other_things_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_bytes(b"a b\n\xff c\n")
    with pytest.raises(DataError, match=r"t.txt:2: not UTF-8 text"):
        read_tagged(tmp_path / "t.txt")
    with pytest.raises(DataError, match="there is no file"):
        read_tagged(tmp_path / "none.txt")
    with pytest.raises(DataError, match="no format called 'xml': choose columns or conllu"):
        read_tagged(tmp_path / "t.txt", "xml")
    with pytest.raises(DataError, match="no tag column called 'pos': choose upos or xpos"):
        read_tagged(tmp_path / "t.txt", "columns", "pos")


# ---------------------------------------------------------------- command line
def test_fit_predict_score_show_on_two_columns(tmp_path: Path) -> None:
    text, model = write(tmp_path, "t.txt", (COLUMNS + "\n") * 5), tmp_path / "m.linsep"
    fitted = json.loads(tag("fit", text, "--model", model, "--holdout", 0.2, "--json").stdout)
    assert (fitted["sentences"], fitted["tokens"], fitted["tags"]) == (10, 20, 4)
    assert (fitted["training_accuracy"], fitted["held_out_accuracy"]) == (1.0, 1.0)
    assert fitted["stop_reason"] == "clean pass"
    for bound in fitted["bounds"]:
        assert bound["allowed"] is None or bound["mistakes"] <= bound["allowed"]
    assert load(model).predict([["The", "dog"]]) == [["det", "noun"]]
    tag("predict", model, text, "-o", tmp_path / "out.txt")
    assert read_tagged(tmp_path / "out.txt").gold() == read_tagged(text).gold()
    plain = write(tmp_path, "plain.txt", "The\ndog\n")
    assert tag("predict", model, plain).stdout == "The\tdet\ndog\tnoun\n\n"
    strange = write(tmp_path, "s.txt", "The det\ndog odd\n\nIt pron\n")
    scored = tag("score", model, strange, "--json")
    assert "tokens with a tag that was not in training: 1, the first with 'odd'" in scored.stderr
    told = json.loads(scored.stdout)
    assert (told["accuracy"], told["sentence_accuracy"], told["counts"]) == (2 / 3, 0.5, {"odd predicted noun": 1})
    shown = json.loads(linsep("show", model, "--weights", 3, "--json").stdout)
    assert shown["classes"] == ["det", "noun", "pron", "verb"]
    assert len(shown["weights"]) == len(shown["transitions"]) == 3
    assert "->" in linsep("show", model).stdout


def test_conllu_comes_back_with_its_tags_replaced(tmp_path: Path) -> None:
    text, model = write(tmp_path, "t.conllu", CONLLU * 4), tmp_path / "m.linsep"
    tag("fit", text, "--model", model, "--set", "n_bits=12", "--max-iter", 30)
    untagged = CONLLU
    for tagged in ("AUX", "PART", "VERB\tVB\t", "INTJ"):
        untagged = untagged.replace(f"\t{tagged}", "\t_" + tagged[4:])
    tag("predict", model, write(tmp_path, "u.conllu", untagged), "-o", tmp_path / "out.conllu")
    assert (tmp_path / "out.conllu").read_text() == CONLLU
    assert json.loads(tag("score", model, text, "--json").stdout)["accuracy"] == 1.0


def test_models_of_rows_and_taggers_are_told_apart(tmp_path: Path) -> None:
    text, model = write(tmp_path, "t.txt", COLUMNS), tmp_path / "m.linsep"
    tag("fit", text, "--model", model)
    table, rows = write(tmp_path, "t.csv", "a,b\n1,x\n2,y\n"), tmp_path / "rows.linsep"
    linsep("fit", table, "--target", "b", "--model", rows)
    assert "holds a tagger" in linsep("predict", model, table, status=2).stderr
    assert "holds a TableModel, not a tagger" in tag("score", rows, text, status=2).stderr


def test_errors_name_the_line_and_write_nothing(tmp_path: Path) -> None:
    text, model = write(tmp_path, "t.txt", "a x\nb\n"), tmp_path / "m.linsep"
    assert "t.txt:2: this token has no tag" in tag("fit", text, "--model", model, status=2).stderr
    assert "there is no folder" in tag("fit", text, "--model", tmp_path / "none" / "m.linsep", status=2).stderr
    assert not model.exists()
