"""How text is written: separators, decimal commas and encodings give the same table, or a question."""

from __future__ import annotations

import csv
import gzip
import io
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import linsep
from linsep import DataError, TableModel, fit_table, load, open_data, save
from linsep.data.cells import are_amounts
from linsep.data.columns import Column, TableChunk
from linsep.data.features.kinds import find_kinds
from linsep.data.numbers import read_amounts
from linsep.data.readers import lines as blocks
from linsep.data.readers.written import HEAD_BYTES
from linsep.reporting.scores import iter_predictions

# Cells of a column of text; a digit first would make some columns numbers.
WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\0\r\ufeff"), max_size=6).map(lambda text: "w" + text)
NUMBERS = st.decimals(-1000, 1000, allow_nan=False, places=2)


def as_text(rows: list[list[str]], sep: str) -> str:
    out = io.StringIO()
    csv.writer(out, delimiter=sep, lineterminator="\n").writerows(rows)
    return out.getvalue()


def plain(column: Column) -> list[Any]:
    if column.values is not None:
        return list(column.values.tolist())
    assert column.text is not None
    return list(column.text.to_pylist())


def columns(source: linsep.Source) -> list[Any]:
    chunk = source.read()
    return [(c.name, plain(c)) for c in map(chunk.cells, chunk.names) if c is not None]


def streamed(source: linsep.Source) -> list[Any]:
    """Columns of chunks put together."""
    found: dict[str, list[Any]] = {}
    for chunk, _ in source.chunks():
        assert isinstance(chunk, TableChunk)
        for c in chunk.columns:
            found.setdefault(c.name, []).extend(plain(c))
    return list(found.items())


@given(
    rows=st.lists(st.tuples(NUMBERS, WORDS), min_size=1, max_size=8),
    sep=st.sampled_from(",;\t|~"),
    decimal=st.sampled_from(".,"),
    encoding=st.sampled_from(["utf-8", "utf-16", "utf-16-le", "utf-32", "utf-8-sig"]),
    packed=st.booleans(),
)
def test_a_table_is_the_same_however_it_is_written(
    rows: list[Any], sep: str, decimal: str, encoding: str, packed: bool
) -> None:
    plain = [["a", "t"], *([str(number), word] for number, word in rows)]
    other = [["a", "t"], *([str(number).replace(".", decimal), word] for number, word in rows)]
    written = as_text(other, sep).encode(encoding)
    asked: dict[str, Any] = {"format": "csv", "sep": sep, "decimal": decimal, "encoding": encoding}
    expected = columns(open_data(as_text(plain, ",").encode(), sep=",", decimal="."))
    content = gzip.compress(written, mtime=0) if packed else written
    assert columns(open_data(content, **asked)) == expected
    assert streamed(open_data(content, **asked)) == expected


# Without a time, as processes that run tests side by side must find the same ones.
PACKED = gzip.compress("a;b\n1,5;x\n".encode("utf-16"), mtime=0)


@pytest.mark.parametrize(
    ("content", "said", "found"),
    [
        (b"a,b\n1.5,x\n", "", [1.5]),
        (b"a;b\n1,5;x\n-2;y\n", "columns separated by ';', decimal comma", [1.5, -2.0]),
        (b"a\tb\n1.5\tx\n", "columns separated by tab", [1.5]),
        (b"a|b\n15|x,y\n", "columns separated by '|'", [15.0]),
        (b"a;b, c\n1,5;x\n2,5;y\n3;z\n", "columns separated by ';', decimal comma", [1.5, 2.5, 3.0]),
        (b'a,b\n1,"x;y"\n2,z\n', "", [1.0, 2.0]),
        (b"a,b;c\n1,x\n2,y;z\n", "", [1.0, 2.0]),
        ("a;b\n1,5;x\n".encode("utf-16"), "columns separated by ';', decimal comma, UTF-16", [1.5]),
        (PACKED, "columns separated by ';', decimal comma, UTF-16", [1.5]),
        (b"\xef\xbb\xbfa;b\n0,125;x\n2,500;y\n", "columns separated by ';', decimal comma", [0.125, 2.5]),
    ],
)
def test_the_first_lines_tell(content: bytes, said: str, found: list[float]) -> None:
    whole, stream = open_data(content), open_data(content)
    assert columns(whole)[0] == streamed(stream)[0] == ("a", found)
    assert whole.read_as == stream.read_as == said


@pytest.mark.parametrize(
    ("content", "asked", "message"),
    [
        (b"a,b;c\n1,5;6\n2,7;8\n", {}, r"buffer:1: .* separated by ',' or ';', .* with --read sep \(sep=\)"),
        (b"a;b|c\n1;5|6\n", {}, "separated by ';' or '|'"),
        (b"a;b\n1;2;3\n", {}, "one column, or several with ';' between them, but not all lines"),
        (b"a;b\n1;2;3\n", {"sep": ";"}, "buffer:2: 3 fields where the header has 2; quote fields that hold ';'"),
        (b"a;b\n1;2\n", {"sep": ","}, "one column only, 'a;b': should --read sep .* be ';'"),
        (b"a;b\n1,500;x\n2,250;y\n", {}, "'1,500' may be a number with a decimal comma, or a comma between thousands"),
        (b"a;b\n1,5;2.5\n", {}, "'1,5' .* and other columns have points: use --read decimal=','"),
        (b'a,b\n"1,5",x\n' * 1 + b'"2,5",x\n' * 4, {}, "buffer:2, column 'a': '1,5' is a number if the decimal mark"),
        (
            "a,b\n1,Москва\n".encode("cp1251"),
            {},
            r"buffer:2: not UTF-8 .* --read encoding \(encoding=\), such as latin-1",
        ),
        ("a,b\n1,男\n".encode("gbk"), {}, "buffer:2: not UTF-8"),
        (b"a,b\n1,\x9dx\xe9\n", {}, "buffer:2: not UTF-8"),
        (b"a,b\n1,\x01x\xe9\n", {}, "buffer:2: not UTF-8"),
        (b"\xef\xbb\xbfa,b\n1,x\xe9\n", {}, "buffer:2: not UTF-8"),
        (b'{"a": "x\xe9", "b": 1}\n', {"format": "jsonl"}, "buffer:1: not UTF-8"),
        ("a,b\n1,x\n".encode("utf-16-le"), {}, "a NUL byte.*--read encoding=utf-16-le"),
        ("a,b\n1,x\n".encode("utf-16")[:-1], {}, "buffer:2: not utf-16 text"),
        (b"a,b\n1,x\n", {"sep": "::"}, "one character between the columns"),
        (b"a,b\n1,x\n", {"sep": "1"}, "one character between the columns"),
        (b"a,b\n1,x\n", {"decimal": ";"}, "is '.' or ',', not ';'"),
        (b"a,b\n1,x\n", {"encoding": "rot13"}, "no encoding called 'rot13'"),
        (b"1 1:2\n", {"format": "svmlight", "sep": ";"}, "sep is for csv, and this is svmlight"),
        (
            np.eye(2).tobytes(),
            {"format": "parquet", "encoding": "latin-1"},
            "svmlight, vw, and this is parquet",
        ),
    ],
)
def test_what_is_open_is_asked(content: bytes, asked: dict[str, Any], message: str) -> None:
    for read in (columns, streamed):
        with pytest.raises(DataError, match=message):
            read(open_data(content, **asked))


def test_a_decimal_comma_is_found_among_thousands_and_cells_that_are_no_numbers() -> None:
    thousands = b"x;z;y\n1.851,54;2.300;p\n499,30;7.100;q\n12.001,00;4.000;p\n"
    assert columns(open_data(thousands, target="y")) == [
        ("x", [1851.54, 499.3, 12001.0]),
        ("z", [2300.0, 7100.0, 4000.0]),
    ]
    with pytest.raises(DataError, match=r"buffer:4, column 'x': 'k.A.' is not a finite number.*--read na=k.A."):
        columns(open_data(b"x;y\n1,5;p\n2,5;q\nk.A.;p\n3,5;q\n", target="y"))
    # Points that are no thousands, and text with commas: nothing tells of a decimal comma.
    for point in (b"x;y\n0.123;p\n1.5;q\n", b"x;y\n1,5 kg;p\n1,5;q\n", b"x;y\n1,234.50;p\n2,345.25;q\n"):
        source = open_data(point, target="y")
        source.read()
        assert source.read_as == "columns separated by ';'"
    assert columns(open_data(b"x;y\n1,234.50;p\n2,345.25;q\n", target="y")) == [("x", [1234.5, 2345.25])]


# 30 cells below 1000 and 30 above, as European programs write whole numbers.
THOUSANDS = [f"{k * 37 % 1000}" for k in range(30)] + [f"{k + 1}.{k * 37 % 1000:03d}" for k in range(30)]


def thousands(cells: list[str], sep: str = ";", beside: str = "7") -> bytes:
    """A table that the second column separates."""
    rows = [[cell, "2" * (k % 2) + beside, "np"[k % 2]] for k, cell in enumerate(cells)]
    return as_text([["a", "b", "y"], *rows], sep).encode()


@pytest.mark.parametrize("sep", [";", "\t"])
def test_points_between_thousands_alone_are_no_decimal_points(sep: str) -> None:
    expected = [float(cell.replace(".", "")) for cell in THOUSANDS]
    source = open_data(thousands(THOUSANDS, sep), target="y")
    assert columns(source)[0] == streamed(open_data(thousands(THOUSANDS, sep), target="y"))[0] == ("a", expected)
    said = "decimal comma ('1.000' in column 'a' is read as 1000; if that is wrong, use --read decimal=.)"
    assert source.read_as.endswith(said)
    asked = open_data(thousands(THOUSANDS, sep), target="y", decimal=".")
    assert columns(asked)[0][1] == [float(cell) for cell in THOUSANDS]


@pytest.mark.parametrize(
    ("cells", "beside", "sep"),
    [
        ([*THOUSANDS, "0.125"], "7", ";"),
        ([*THOUSANDS, "12.5"], "7", ";"),
        ([*THOUSANDS, "1234"], "7", ";"),
        ([*THOUSANDS, "7 kg"], "7", ";"),
        (THOUSANDS[:32], "7", ";"),
        (THOUSANDS[28:], "7", ";"),
        (THOUSANDS[22:38:2] + THOUSANDS[22:38:3], "7", ";"),
    ],
)
def test_less_than_that_is_no_evidence(cells: list[str], beside: str, sep: str) -> None:
    source = open_data(thousands(cells, sep, beside), target="y", categorical=["a"])
    assert source.decimal is None


@pytest.mark.parametrize("between", [" ", "\u00a0", "\u2009", "\u202f", "'", "\u2019"])
@pytest.mark.parametrize(
    ("decimal", "sign"), [(",", ""), (".", ""), (",", "{} \u20ac"), (".", "-${}"), (",", "{}\u202f%")]
)
def test_blanks_and_apostrophes_between_thousands(between: str, decimal: str, sign: str) -> None:
    numbers = [k * 617.25 + 0.5 for k in range(24)]
    turned = str.maketrans({",": between, ".": decimal})
    cells = [(sign or "{}").format(f"{number:,.2f}".translate(turned)) for number in numbers]
    source = open_data(thousands(cells), target="y")
    assert columns(source)[0] == ("a", [-number for number in numbers] if "-" in sign else numbers)
    assert source.decimal == ("," if decimal == "," else None)
    if not sign:
        kind, amounts = f"0{decimal}0 mg", pa.array([f"{cell} mg" for cell in cells])
        assert find_kinds(open_data(pa.table({"a": amounts})).read(), {}).kinds == {"a": kind}
        assert plain(read_amounts(amounts, kind)[0]) == numbers


@pytest.mark.parametrize("cell", ["<1,0", "> 500", "\u2264 3", "n.d. (1)", "it's", "a $b", "?!"])
def test_what_a_message_says_to_type_is_quoted_for_the_shell(cell: str) -> None:
    content = thousands(["2,5", "3,5", cell, "4,5"])
    with pytest.raises(DataError) as found:
        columns(open_data(content, target="y", decimal=","))
    typed = str(found.value).partition("--read na=")[2].partition(" (na=")[0]
    assert shlex.split(f"echo {typed} #", comments=True) == ["echo", cell]
    said = f"buffer:4, column 'a': {cell!r} is a limit, not a number: write numbers in place of such cells"
    assert str(found.value).startswith(said) == (cell[0] in "<>\u2264")
    assert columns(open_data(content, target="y", decimal=",", na=[cell]))[0] == ("a", [2.5, 3.5, 0.0, 4.5])


def test_what_else_has_blanks_is_left_alone() -> None:
    phones = open_data(b"a;b\n555 123 456;1\n555 123 457;2\n").read().columns[0]
    salaries = open_data(b"a;b\n35 000;1\n48 500;2\n").read().columns[0]
    assert (phones.values, plain(salaries)) == (None, [35000.0, 48500.0])
    for cell in ("1 23", "0 123", "1 2345", "1,234 567"):
        assert not are_amounts(pa.array([cell]), ".").any()


EUROS = ["491,50 \u20ac", "\u20ac1.204,50", "(3,25 \u20ac)", "16,00 \u20ac", "7 \u20ac"]


def test_a_decimal_comma_is_found_beside_signs_of_currencies() -> None:
    content = thousands(EUROS * 5)
    source = open_data(content, target="y")
    assert columns(source)[0][1] == [491.5, 1204.5, -3.25, 16.0, 7.0] * 5
    assert source.read_as == "columns separated by ';', decimal comma"
    # Where more speaks for points, or the user does, the message says what to do.
    said = r"buffer:2, column 'a': '491,50 €' is a number if the decimal mark is ',': use --read decimal=','"
    for asked in (
        open_data(content, target="y", decimal="."),
        open_data(thousands(EUROS * 5, ","), target="y"),
        open_data(thousands(EUROS * 5, ";", "0.5"), target="y"),
    ):
        with pytest.raises(DataError, match=said):
            columns(asked)
    dollars = thousands(["$6,087.46", "$12.50"] * 10, ",")
    with pytest.raises(
        DataError, match=r"'\$6,087\.46' is a number if the decimal mark is '\.': use --read decimal='\.'"
    ):
        columns(open_data(dollars, target="y", decimal=","))
    thousand = thousands([f"{cell} \u20ac" for cell in THOUSANDS])
    assert columns(open_data(thousand, target="y"))[0][1] == [float(cell.replace(".", "")) for cell in THOUSANDS]


@pytest.mark.parametrize("streaming", [False, True])
def test_new_rows_are_read_with_the_decimal_mark_of_training(tmp_path: Path, streaming: bool) -> None:
    table, model = tmp_path / "t.csv", tmp_path / "m.linsep"
    table.write_text("x;y\n" + "1.851,5;big\n499,25;small\n" * 10)
    if streaming:
        saved = linsep.fit_stream(str(table), linsep.Perceptron(), target="y").model
    else:
        saved = TableModel(linsep.Perceptron()).fit(open_data(table, target="y"))
    save(saved, model)
    (tmp_path / "groups.csv").write_text("x\n2.300\n1.900\n")
    (tmp_path / "plain.csv").write_text("x\n2300\n1900\n")
    (tmp_path / "points.csv").write_text("x;z\n2.5;1\n100.25;1\n")
    (tmp_path / "small.csv").write_text("x;z\n2,5;1\n100,25;1\n")
    found = {
        name: [list(part.labels) for part in iter_predictions(load(model), tmp_path / f"{name}.csv")]
        for name in ("groups", "plain", "points", "small")
    }
    assert found["groups"] == found["plain"] == [["big", "big"]]
    assert found["points"] == found["small"] == [["small", "small"]]


@pytest.mark.parametrize("streaming", [False, True])
def test_a_model_reads_new_rows_as_its_file_does(tmp_path: Path, streaming: bool) -> None:
    table = tmp_path / "t.csv"
    table.write_text("x;y\n" + "1851.5;big\n499.25;small\n" * 10)
    if streaming:
        model = linsep.fit_stream(str(table), linsep.Perceptron(), target="y").model
    else:
        model = TableModel(linsep.Perceptron()).fit(open_data(table, target="y"))
    save(model, tmp_path / "m.linsep")
    (tmp_path / "new.csv").write_text("x;z\n2,300;1\n1,900;1\n")
    for one in (model, load(tmp_path / "m.linsep")):
        with pytest.raises(DataError, match="'2,300' may be a number with a decimal comma, or a comma between"):
            list(iter_predictions(one, tmp_path / "new.csv"))


def test_only_the_first_bytes_tell_whether_read_whole_or_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """A comma after the first bytes is no sign of a decimal comma, in neither way of reading."""
    lines = b"1;x\n" * (HEAD_BYTES // 4 + 1)
    late = b"a;b\n" + lines + b"1,5;x\n"
    for read in (columns, streamed):
        with pytest.raises(DataError, match=r"column 'a': '1,5' is a number if the decimal mark is ','"):
            read(open_data(late))
    monkeypatch.setattr(blocks, "TABLE_BYTES", 2 * HEAD_BYTES)
    early = b"a;b\n1,5;x\n" + lines
    assert columns(open_data(early)) == streamed(open_data(early))


def test_a_stream_goes_on_in_the_middle_of_a_later_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the first file says holds for all, also when reading begins in another one."""
    monkeypatch.setattr(blocks, "TABLE_BYTES", 64)
    for k, cell in enumerate(("1,5", "2")):
        (tmp_path / f"{k}.csv").write_text("a;b\n" + f"{cell};x\n" * 30)
    whole: list[Any] = list(open_data(tmp_path).chunks())
    values = [chunk.column("a").values.tolist() for chunk, _ in whole]
    for k, (_, position) in enumerate(whole):
        rest: list[Any] = list(open_data(tmp_path).chunks(position))
        assert [chunk.column("a").values.tolist() for chunk, _ in rest] == values[k + 1 :]


def test_labels_have_decimal_commas_too() -> None:
    assert open_data(b"a;y\n1,5;0,5\n2;1\n", target="y").read().y.tolist() == [0.5, 1.0]


def test_exact_numbers_are_those_written_with_commas() -> None:
    """(.1, .3)+, (.2, .6)-, (.3, .9)+ is inseparable as written and separable as doubles."""
    written = b"a;b;y\n0,1;0,3;p\n0,2;0,6;n\n0,3;0,9;p\n"
    assert linsep.check_table(open_data(written, target="y", decimal=",")).verdict == "inseparable"


def test_csv_that_is_not_utf8_is_refused_unless_its_encoding_is_named() -> None:
    content = "city,size,y\nKöln,1,a\nUlm,2,b\n".encode("cp1252")
    with pytest.raises(DataError, match=r"buffer:2: not UTF-8 text .* --read encoding"):
        open_data(content, target="y").read()
    source = open_data(content, target="y", encoding="cp1252")
    assert source.read().columns[0].text.to_pylist() == ["Köln", "Ulm"]
    assert source.read_as == "CP1252"


@pytest.mark.parametrize("unit", [" kWh", "kg", " °C"])
def test_points_between_thousands_are_seen_behind_a_unit(unit: str) -> None:
    numbers = [491 + 97 * k for k in range(40)]
    cells = [f"{one:,}".replace(",", ".") + unit for one in numbers]
    rows = "use;y\n" + "".join(f"{cell};{'np'[k % 2]}\n" for k, cell in enumerate(cells))
    source = open_data(rows.encode(), target="y")
    source.read()
    assert "decimal comma ('1.073' in column 'use' is read as 1073; if that is wrong, use --read" in source.read_as
    found = fit_table(source)
    assert found.model.encoder_ is not None
    assert found.model.encoder_.kinds_ == {"use": f"0,0 {unit.strip()}"}
    means = found.model.encoder_.transform(source).X.mean(axis=0)
    np.testing.assert_allclose(means, 0.0, atol=1e-12)


def test_a_model_of_utf_16_reads_new_rows_in_another_encoding() -> None:
    rows = "stadt;größe;y\n" + "".join(f"{['Köln', 'Bonn'][k % 2]};{k % 7},5;{'np'[k % 2]}\n" for k in range(30))
    model = fit_table(open_data(rows.encode("utf-16"), target="y")).model
    wanted = [part.decision_values.tolist() for part in iter_predictions(model, rows.encode("utf-16"))]
    assert [part.decision_values.tolist() for part in iter_predictions(model, rows.encode())] == wanted
    with pytest.raises(DataError, match=r"buffer:1: not utf-16 text \(no byte order mark\); name .* --read encoding"):
        open_data(rows.encode("latin-1"), target="y", encoding="utf-16").read()


def test_a_table_without_names_is_read_under_numbers(tmp_path: Path) -> None:
    rows = b"".join(b"%g,%d,%s\n" % (i * 1.5, i * i % 7, b"pq"[i % 2 : i % 2 + 1]) for i in range(20))
    (tmp_path / "t.csv").write_bytes(rows)
    named = open_data(b"1,2,3\n" + rows, target="3").read()
    for skipped in (0, 2):
        above = b"title\n" * skipped
        source = open_data(above + rows, target="3", header=False, skip_rows=skipped)
        pieces = [chunk for chunk, _ in open_data(above + rows, target="3", header=False, skip_rows=skipped).chunks()]
        for found in (source.read(), *pieces):
            assert (found.names, found.where(0), found.where(19)) == (
                ["1", "2"],
                f"buffer:{1 + skipped}",
                f"buffer:{20 + skipped}",
            )
            assert np.array_equal(found.y, named.y)
            for mine, same in zip(found.columns, named.columns, strict=True):
                assert np.array_equal(mine.values, same.values)
    for target, text in (("3", rows), ("y", b"0,1,p\n" + rows)):
        with pytest.raises(
            DataError, match=r"if the first line holds a row and no names, use --read header=no \(header=False"
        ):
            open_data(text, target=target).read()
    model = linsep.fit_stream(str(tmp_path / "t.csv"), target="3", header=False).model
    assert linsep.score_table(model, str(tmp_path / "t.csv"), header=False).rows == 20
    for bad, line in ((b"1,2\n3\n", 2), (b"1,2\n3,4\n5,6,7\n", 3)):
        with pytest.raises(DataError, match=f"buffer:{line}: . fields where"):
            open_data(bad, target="2", header=False).read()
    with pytest.raises(DataError, match="is for csv, and this is jsonl"):
        open_data(b"{}", format="jsonl", header=False)


def test_a_line_that_only_names_the_separator_is_told() -> None:
    with pytest.raises(DataError, match=r"buffer:1: this line only says that ';' separates the columns: leave it out"):
        open_data(b"sep=;\na;b\n1;2\n").read()
