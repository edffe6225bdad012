"""Streams that somebody or something has spoilt: each is refused in a sentence, and nothing that was learnt is lost."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
import scipy.sparse as sp

from linsep import fit_stream, open_data
from linsep.data.readers import lines as blocks
from linsep.data.sources import of_batches
from linsep.data.sources.seen import RunningHash
from linsep.kernels.text import quotes
from linsep.streaming.result import StreamError, StreamFit, StreamWarning
from linsep.types import DataError

ROWS = 400


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where files are read in blocks of a few hundred bytes, and batches of 70 rows."""
    monkeypatch.setattr(blocks, "TABLE_BYTES", 700)
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 700)
    monkeypatch.setattr(of_batches, "BATCH_ROWS", 70)
    return tmp_path


def rows(seed: int = 0, n: int = ROWS) -> list[tuple[str, str]]:
    """A number and a label of each row."""
    rng = np.random.default_rng(seed)
    return [(f"{value:.3f}", "p" if value + rng.normal() > 0 else "q") for value in rng.normal(size=n)]


def write(path: Path, table: list[tuple[str, str]]) -> Path:
    """Rows in the format that the name tells."""
    if path.suffix == ".csv":
        path.write_text("a,y\n" + "".join(f"{a},{y}\n" for a, y in table))
    elif path.suffix == ".jsonl":
        path.write_text("".join(f'{{"a": {a}, "y": {json.dumps(y)}}}\n' for a, y in table))
    elif path.suffix == ".parquet":
        columns = {"a": [float(a) for a, _ in table], "y": [y for _, y in table]}
        pyarrow.parquet.write_table(pa.table(columns), str(path))
    else:
        sign = "1:" if path.suffix == ".svm" else "|n a:"
        labels = {"p": "1", "q": "-1"}
        path.write_text("".join(f"{labels.get(y, y)} {sign}{a}\n" for a, y in table))
    return path


def fit(source: Any, **options: Any) -> StreamFit:
    is_table = not isinstance(source, Path) or source.suffix in (".csv", ".jsonl", ".parquet")
    return fit_stream(source, **{"target": "y" if is_table else None, **options})


def refused(source: Any, said: str, **options: Any) -> StreamFit:
    """What was learnt before the error."""
    with pytest.raises(StreamError, match=said) as caught:
        fit(source, **options)
    return caught.value.so_far


def same(a: Any, b: Any) -> bool:
    """Whether two models are equal to the bit, encoders included."""
    left, right = a.model.encoder_.state(), b.model.encoder_.state()
    return bool(
        np.array_equal(a.model.learner_.coef_, b.model.learner_.coef_)
        and left[0] == right[0]
        and all(np.array_equal(left[1][name], right[1][name]) for name in left[1])
    )


# ------------------------------------------------------- numbers, labels, columns
@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet", "svm", "vw"])
@pytest.mark.parametrize(
    ("bad", "said"),
    [
        (("1e200", "p"), r"(:|row )30[0-9].*1e\+200 is too large"),
        (("0.5", "7"), r"(:|row )30[0-9].*label 7 is not one of"),
    ],
    ids=["number", "label"],
)
def test_a_row_that_would_ruin_the_stream_is_refused_at_its_place(
    folder: Path, suffix: str, bad: tuple[str, str], said: str
) -> None:
    """The model is of the rows before it (of Parquet of the pieces), and the encoder has learnt no others."""
    table = rows()
    path = write(folder / f"t.{suffix}", [*table[:300], bad, *table[300:]])
    so_far = refused(path, said)
    before = so_far.counters.rows
    assert before == so_far.model.learner_.t_ == (280 if suffix == "parquet" else 300)
    short = fit(write(folder / f"u.{suffix}", table[:before]))
    assert same(so_far, short)
    for resumed in (0, before):  # a checkpoint in the middle of a piece is gone on from there
        again = refused(path, said, checkpoint=folder / "ck", checkpoint_rows=1)
        assert same(again, short) and again.resumed_rows == resumed
    if suffix != "parquet":
        with pytest.warns(StreamWarning, match="skipped"):
            found = fit(path, lenient=True)
        assert (found.counters.rows, found.counters.skipped) == (ROWS, 1)
        assert same(found, fit(write(folder / f"v.{suffix}", table)))


@pytest.mark.parametrize(("first", "last"), [("true", ["7"]), ("7", ["7", "true"])], ids=["words", "numbers"])
def test_numbers_among_true_and_false_are_refused_at_their_place(
    first: str, last: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("linsep.data.readers.lines.TABLE_BYTES", 200)
    table = ["c,y", *(f"{first},{'pq'[k % 2]}" for k in range(80)), *(f"{cell},p" for cell in last), ""]
    so_far = refused("\n".join(table).encode(), rf"buffer:{len(table) - 1}, column 'c': '{last[-1]}' ", target="y")
    assert so_far.counters.rows == len(table) - 3


def test_a_number_that_is_too_large_in_the_first_row_leaves_nothing(folder: Path) -> None:
    for source in (write(folder / "t.csv", [("-1e101", "p"), *rows()]), (np.array([[1e150], [1.0]]), [0, 1])):
        with pytest.raises(DataError, match="too large to learn from"):
            fit(source, target="y" if isinstance(source, Path) else None)


def test_an_unknown_label_in_memory_is_refused_after_the_rows_before_it(folder: Path) -> None:
    a, y = np.arange(100.0) % 7 - 3, np.array([1, 2] * 50)
    y[77] = 5
    assert refused((a[:, None], y), "row 77 .counted from 0.: label 5 is not one of", target=None).counters.rows == 70
    frame = pa.table({"a": a, "y": y})
    assert refused(frame, "row 77 .counted from 0.: label 5 is not one of").counters.rows == 70
    assert refused(frame, "row 77 .counted from 0.: label 5", classes=["1", "2"]).counters.rows == 70


def test_columns_are_limited_and_take_memory_only_as_they_occur(folder: Path) -> None:
    path = folder / "t.svm"
    path.write_text("1 1:1\n-1 2:1\n" * 300 + "1 268435456:1\n")
    so_far = refused(path, r"t\.svm:601: index 268435456 is beyond 16,777,216 columns.*--set max_columns")
    assert so_far.model.learner_.coef_.shape == (1, 3)
    path.write_text("1 1:1\n-1 2:1\n" * 300 + "1 5000:1\n")
    assert refused(path, "index 5000 is beyond 4,999", max_columns=4999).counters.rows == 600
    found = fit(path, max_columns=5000)
    assert found.model.learner_.coef_.shape == (1, 5001)
    encoder: Any = found.model.encoder_
    assert encoder._fitted.scale.strides == (0,)  # one number, not one a column
    wide = folder / "w.csv"
    wide.write_text(",".join(f"c{k}" for k in range(20)) + ",y\n" + "1," * 20 + "p\n" + "2," * 20 + "q\n")
    with pytest.raises(DataError, match=r"w\.csv:2: 20 columns, and the limit is 19"):
        fit(wide, max_columns=19)


# -------------------------------------------------------------------------- quotes
def test_a_quote_that_is_never_closed_is_refused_where_it_opens(folder: Path) -> None:
    table = rows()
    lines = [f"{a},{y}" for a, y in table]
    lines[300] = '0.5,"p'
    path = folder / "t.csv"
    path.write_text("a,y\n" + "\n".join(lines * 20) + "\n")
    so_far = refused(path, r"t\.csv:302: malformed quotes: the quote that opens here is not closed within 2,000 bytes",
                     max_record_bytes=2000)  # fmt: skip
    assert so_far.counters.rows == 300
    with pytest.warns(StreamWarning) as caught:
        found = fit(path, max_record_bytes=2000, lenient=True)
    assert [f"t.csv:{302 + 400 * k}: malformed" in str(one.message) for k, one in enumerate(caught)] == [True] * 5
    assert (found.counters.rows, found.counters.skipped) == (20 * ROWS - 20, 20)


def test_an_open_quote_takes_time_in_proportion(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each byte is looked at a few times, however many lines follow the quote: 1 MB took half a minute."""
    looked = 0
    end = quotes.record_ends

    def counted(text: Any, mark: int) -> Any:
        nonlocal looked
        looked += text.size
        return end(text, mark)

    monkeypatch.setattr("linsep.kernels.text.quotes.record_ends", counted)
    monkeypatch.setattr(blocks, "TABLE_BYTES", 1 << 12)
    content = b'a,y\n1,"p\n' + b"1,p\n2,q\n" * 200_000
    with pytest.raises(DataError, match=r"buffer:2: malformed quotes \(unexpected end of data\)"):
        fit(content, format="csv")
    assert looked < 4 * len(content)


def test_one_long_line_is_refused_or_skipped_without_being_kept(folder: Path) -> None:
    table = rows()
    for suffix, line in (
        ("jsonl", '{"a": "' + "x" * 9000 + '"}'),
        ("svm", "1 " + " " * 9000 + "1:1"),
        ("csv", "1" * 9000),
    ):
        path = write(folder / f"t.{suffix}", table)
        lines = path.read_text().splitlines()
        path.write_text("\n".join([*lines[:200], line, *lines[200:]]))
        so_far = refused(path, rf"t\.{suffix}:201: this line does not end within 3,000 bytes", max_record_bytes=3000)
        assert so_far.counters.rows == 200 - (suffix == "csv")
        with pytest.warns(StreamWarning, match="skipped"):
            found = fit(path, max_record_bytes=3000, lenient=True)
        assert (found.counters.rows, found.counters.skipped) == (ROWS, 1)
    header = folder / "h.csv"
    header.write_text(",".join(f"c{k}" for k in range(3000)) + ",y\n1,p\n")
    with pytest.raises(DataError, match=r"h\.csv:1: this line does not end"):
        fit(header, max_record_bytes=3000, lenient=True)


# ---------------------------------------------------------------- changed on the way
def test_pieces_have_the_hash_of_the_whole() -> None:
    content = bytes(range(256)) * 5
    whole = RunningHash()
    whole.add(content)
    for size in (1, 7, 31, 32, 33, 400):
        parts = RunningHash()
        for a in range(0, len(content), size):
            parts.add(content[a : a + size])
        assert parts.hex() == whole.hex()
    for k in range(0, len(content), 97):
        other = RunningHash()
        other.add(content[:k] + bytes([content[k] ^ 1]) + content[k + 1 :])
        assert other.hex() != whole.hex()
    longer = RunningHash()
    longer.add(content + b"\0")
    assert longer.hex() != whole.hex()


class StoppedError(Exception):
    """Ends a run in the middle."""


def stop_after(n: int) -> Any:
    def callback(state: Any) -> None:
        if state.counters.rows >= n:
            raise StoppedError

    return callback


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet", "svm"])
def test_a_checkpoint_is_not_gone_on_with_over_rows_that_were_changed(folder: Path, suffix: str) -> None:
    """Name and size are the same: a digit of the third row is another one."""
    table = rows()
    changed = [*table[:2], ("0.777" if table[2][0][0] != "-" else "-0.777", table[2][1]), *table[3:]]
    first, second = write(folder / f"1.{suffix}", table), write(folder / f"2.{suffix}", rows(1))
    asked: dict[str, Any] = {"target": None if suffix == "svm" else "y"}
    for n in (200, 600):  # in the first file, and in the second
        kept: dict[str, Any] = {"checkpoint": folder / f"ck{n}", "checkpoint_rows": 60}
        with pytest.raises(StoppedError):
            fit_stream([first, second], **asked, **kept, callback=stop_after(n))
        whole = fit_stream([first, second], **asked)
        before, stat = first.read_bytes(), os.stat(first)
        write(first, changed)
        os.utime(first, ns=(stat.st_atime_ns, stat.st_mtime_ns))
        if suffix != "parquet":
            assert first.stat().st_size == len(before)
        with pytest.raises(DataError, match=r"the files have changed since"):
            fit_stream([first, second], **asked, **kept)
        first.write_bytes(before)
        found = fit_stream([first, second], **asked, **kept)
        assert same(found, whole) and found.resumed_rows > 0


def test_a_checkpoint_of_rows_in_memory_knows_them(folder: Path) -> None:
    rng = np.random.default_rng(0)
    X: Any = sp.csr_matrix(rng.random((200, 5)) * (rng.random((200, 5)) < 0.5))
    y = np.arange(200) % 2
    other = X.copy()
    other.data[3] += 1
    with pytest.raises(StoppedError):
        fit_stream((X, y), checkpoint=folder / "ck", checkpoint_rows=50, callback=stop_after(100))
    with pytest.raises(DataError, match="arrays is not what was read from it before"):
        fit_stream((other, y), checkpoint=folder / "ck", checkpoint_rows=50)
    assert fit_stream((X, y), checkpoint=folder / "ck", checkpoint_rows=50).resumed_rows >= 100


@pytest.mark.parametrize("when", ["before its second pass", "during its second pass"])
def test_a_file_that_is_replaced_between_passes_is_refused(folder: Path, when: str) -> None:
    path = write(folder / "t.csv", rows())
    changed = write(folder / "u.csv", [*rows()[:-1], ("0.777", "p")])
    touched = [False]

    def replace(state: Any) -> None:
        rows_seen = state.counters.rows
        if not touched[0] and rows_seen >= (ROWS if when.startswith("before") else ROWS + 50):
            touched[0] = True
            if when.startswith("before"):
                os.replace(changed, path)
            else:  # in place, in a part that was not read again yet
                path.write_bytes(changed.read_bytes())

    so_far = refused(path, "the files have changed between two passes", passes=3, callback=replace)
    if when.startswith("before"):
        assert so_far.counters.seen in ([ROWS, 0], [ROWS])


def test_a_file_that_is_only_touched_is_the_same(folder: Path) -> None:
    path = write(folder / "t.csv", rows())
    plain = fit(path, passes=2)
    assert same(fit(path, passes=2, callback=lambda state: os.utime(path, (1, 1))), plain)


def test_skipped_lines_count_once_over_passes(folder: Path) -> None:
    path = write(folder / "t.csv", rows())
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines[:100], "x,y,z", *lines[100:], "1"]))
    with pytest.warns(StreamWarning) as caught:
        found = fit(path, lenient=True, passes=3)
    assert (found.counters.skipped, found.counters.seen) == (2, [ROWS] * 3)
    assert len([one for one in caught if "skipped" in str(one.message)]) == 2


@pytest.mark.parametrize("asked", [{"header": False}, {"skip_rows": 3}, {}])
def test_lines_are_skipped_under_a_title_and_without_a_header(folder: Path, asked: dict[str, Any]) -> None:
    path = write(folder / "t.csv", rows())
    head, *lines = path.read_text().splitlines()
    above = {"header": [], "skip_rows": ["a title", "", "", head]}.get(next(iter(asked), ""), [head])
    path.write_text("\n".join([*above, *lines[:9], "x,y,z", *lines[9:]]))
    with pytest.warns(StreamWarning, match=rf"skipped: .*t\.csv:{len(above) + 10}[:,]"):
        found = fit(path, lenient=True, target="y" if above else "2", **asked)
    assert (found.counters.rows, found.counters.skipped) == (ROWS, 1)


# --------------------------------------------------------------------------- other
def test_files_that_vanish_or_hold_too_much_are_a_sentence(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = write(folder / "1.csv", rows()), write(folder / "2.csv", rows(1))
    gone = refused([first, second], r"2\.csv: there is no file of that name",
                   callback=lambda state: second.unlink(missing_ok=True))  # fmt: skip
    assert gone.counters.rows == ROWS
    bomb = folder / "b.csv.gz"
    bomb.write_bytes(gzip.compress(b"a,y\n1,p\n2,q\n" + b"0" * 10**6))
    with pytest.raises(DataError, match=r"b\.csv\.gz:4: this line does not end within 10,000 bytes"):
        list(open_data(bomb, target="y", max_record_bytes=10_000).chunks())
    monkeypatch.setattr("linsep.data.inputs.free_memory", lambda: 10**6)
    with pytest.raises(DataError, match=r"b\.csv\.gz: the decompressed file has more than 500,000 bytes, half of the"):
        open_data(bomb, target="y").read()


def test_text_of_typed_columns_is_utf8(folder: Path) -> None:
    arrow: Any = pa
    text = b"Oslo\xff\xfeRome"
    offsets = np.array([0, 4, 6, 10], np.int32)
    broken = arrow.StringArray.from_buffers(3, arrow.py_buffer(offsets), arrow.py_buffer(text))
    fine = pa.array(["p", "q", "p"])
    for columns in ({"city": broken, "y": fine}, {"city": fine, "y": broken}):
        name = "city" if columns["y"] is fine else "y"
        pyarrow.parquet.write_table(pa.table(columns), str(folder / "t.parquet"))
        for source in (pa.table(columns), folder / "t.parquet"):
            with pytest.raises(DataError, match=rf"row (1 .*from 0|2 .*from 1)\), column '{name}': not UTF-8"):
                _ = open_data(source, target="y").read().columns


def test_a_parquet_file_of_more_rows_than_memory_holds_is_read_as_a_stream_alone(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(folder / "t.parquet", rows())
    monkeypatch.setattr(of_batches, "free_memory", lambda: 10_000)
    with pytest.raises(DataError, match=r"t\.parquet: 400 rows of 2 columns do not fit half of the free memory"):
        open_data(path, target="y").read()
    assert fit(path).counters.rows == ROWS


def test_a_header_alone_is_an_empty_part(folder: Path) -> None:
    table = rows()
    write(folder / "1.csv", table[:100])
    (folder / "2.csv").write_text("a,y")
    (folder / "3.csv").write_text("a,y\r\n")
    write(folder / "4.csv", table[100:])
    assert same(fit_stream(folder, target="y"), fit(write(folder.parent / "t.csv", table)))
