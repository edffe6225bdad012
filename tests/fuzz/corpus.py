"""Hostile cases, found by fuzzing or by hand: what is read of them, or the words that they are refused with."""

from __future__ import annotations

from typing import Any, NamedTuple

_DEEP = b"[" * 100_000 + b"]" * 100_000


class Hostile(NamedTuple):
    """A case of a format. `said` is a pattern of the error, or None if the rows are `rows`."""

    name: str
    format: str
    content: bytes
    said: str | None
    rows: Any = None


HOSTILE = (
    Hostile("csv: quote never closed", "csv", b'a,y\n1,p\n2,"q\n3,p\n' * 3, r"buffer:3: malformed quotes"),
    Hostile("csv: quote closed in a field", "csv", b'a,y\n1,p\n2,"q"r\n', r"buffer:3: malformed quotes \(text follows"),
    Hostile("csv: quote opened in a later line", "csv", b'a,y\n"two\nlines","p\n', "buffer:[23]: malformed quotes"),
    Hostile("csv: inch mark", "csv", b'a,y\n5",p\nx,q\n', None, [(["p", "q"], {"a": ['5"', "x"]})]),
    Hostile("csv: NUL in a label", "csv", b"a,y\n1,p\n2,q\0\n", "buffer:3: a NUL byte"),
    Hostile("csv: NUL in a number", "csv", b"a,y\n1,p\n2\0,q\n", "buffer:3: a NUL byte"),
    Hostile("csv: UTF-16", "csv", "a,y\n1,p\n".encode("utf-16"), None, [(["p"], {"a": [1.0]})]),
    Hostile("csv: half of UTF-16", "csv", "a,y\n1,p\n".encode("utf-16")[:-1], "buffer:2: not utf-16 text"),
    Hostile("csv: header alone", "csv", b"a,y", None, []),
    Hostile(
        "csv: long quoted field", "csv", b'a,y\n"' + b"x" * 200_000 + b'",p\n', None, [(["p"], {"a": ["x" * 200_000]})],
    ),
    Hostile("csv: CR alone below quotes", "csv", b'"a",y\r1,p\r2,"q"\r', None, [(["p", "q"], {"a": [1.0, 2.0]})]),
    Hostile("csv: infinite number", "csv", b"a,y\n1,p\n1e999,q\n", "buffer:3, column 'a': '1e999'"),
    Hostile("csv: an infinity beside a padded number", "csv", b"a,y\n1 ,p\n-inf,q\n", "buffer:3, column 'a': '-inf'"),
    Hostile("csv: bad UTF-8 below an empty name", "csv", b"a,,y\n1,,2\n\xe3,,1\n", "buffer:3: not UTF-8 text"),
    Hostile(
        "jsonl: nested lists", "jsonl", b'{"a":1,"y":"p"}\n{"a":' + _DEEP + b',"y":"p"}\n', "buffer:2: .*more than 64",
    ),
    Hostile("jsonl: nested first line", "jsonl", b'{"a":' + _DEEP + b',"y":"p"}\n', "buffer:1: .*more than 64 deep"),
    Hostile(
        "jsonl: bad UTF-8 in a label", "jsonl", b'{"a":1,"y":"p"}\n{"a":2,"y":"\xff"}\n', "buffer:2: not UTF-8 text",
    ),
    Hostile(
        "jsonl: infinite number", "jsonl", b'{"a":1,"y":"p"}\n{"a":1e999,"y":"q"}\n', "buffer:2: Number too big",
    ),
    Hostile("jsonl: null at first", "jsonl", b'\n null\n{"a":1,"y":1}\n', "buffer:2: null is no row"),
    Hostile("jsonl: null at last", "jsonl", b'{"a":1,"y":1}\nnull\n', "buffer:1: not one JSON object"),
    Hostile("jsonl: two objects", "jsonl", b'{"a":1,"y":1}\n{"a":1,"y":2}{"a":3,"y":4}\n', "buffer:1: not one JSON"),
    Hostile("jsonl: two and none", "jsonl", b'{"a":1,"y":2}{"a":3,"y":4}\n\n', "buffer:1: not one JSON"),
    Hostile(
        "jsonl: object on two lines", "jsonl", b'{"a":1,"y":2}{"a":3,"y":4}\n{"a":5,\n"y":6}', "buffer:1: not one JSON",
    ),
    Hostile("jsonl: NUL in a label", "jsonl", b'{"a":1,"y":"p"}\n{"a":2,"y":"p\\u0000"}\n', "buffer:2, .* NUL"),
    Hostile("jsonl: half a surrogate", "jsonl", b'{"a":1,"y":"\\ud800"}\n', "buffer:1: .*one JSON object"),
    Hostile("jsonl: a key twice", "jsonl", b'{"a":1,"y":"p"}\n{"a":1,"a":2,"y":"p"}\n', "buffer:2: .*one JSON object"),
    Hostile("jsonl: an object as the label", "jsonl", b'{"a":1,"y":{}}\n', "no column called 'y'"),
    Hostile("jsonl: a key twice in an object", "jsonl", b'{"a":{"b":1,"b":2},"y":"p"}\n', "buffer:1: .* JSON object"),
    Hostile(
        "jsonl: dates keep their column", "jsonl", b'{"a":1,"d":"2020-01-01","y":1}\n', None,
        [([1], {"a": [1.0], "d": ["2020-01-01"]})],
    ),
    Hostile("svmlight: huge index", "svmlight", b"1 1:1\n1 99999999999:1\n", "buffer:2:3: expected an index below"),
    Hostile("svmlight: infinite number", "svmlight", b"1 1:1\n1 2:1e999\n", "buffer:2:5: expected a finite number"),
    Hostile(
        "vw: namespace with many digits", "vw", b"1 |a:0.18114088176534263 b\n", None,
        [([1], [[(313, 0.18114088176534263)]])],
    ),
    Hostile("vw: carriage returns as blanks", "vw", b"1 |a" + b"\rb" * 500, None, [([1], [[(313, 1.0)] * 500])]),
    Hostile("vw: value before a comment sign", "vw", b"1 |a b:1#c\n", "buffer:1:8: expected a finite number"),
    Hostile("vw: product too large", "vw", b"1 |a b\n1 |a:1e300 b:1e300\n", "buffer:2: a value times that of"),
    Hostile(
        "parquet: index of noise", "parquet", b"PAR1" + b"\x15\x04" * 40 + b"\x50\0\0\0PAR1", "not a whole",
    ),
    Hostile("gz: cut short", "csv", b"\x1f\x8b\x08\0\0\0\0\0\0\x03KT\xa8\xe4", "cut short or damaged"),
)  # fmt: skip
