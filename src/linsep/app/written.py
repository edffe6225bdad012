"""What a command writes beside what it prints: a certificate, what it is about, and the page of `--report`.

A program without linsep reads a plain CSV file, or the design beside the certificate.
"""

from __future__ import annotations

import csv
import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from linsep.app.present import Result, command_line
from linsep.app.tables import inputs
from linsep.data.features.exact_decimals import ExactNumbers
from linsep.data.sources.source import Source
from linsep.files import open_output
from linsep.tables import is_sparse
from linsep.theory.proof import without_words
from linsep.types import Array

if TYPE_CHECKING:
    from linsep.regression.found import Separation
    from linsep.reporting.page.html import Page
    from linsep.theory.separability.certificate import Separability

_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
_FAR = re.compile("[eE][+-]?[0-9]{5}")
_NO_PLAIN_END = re.compile(rb"\r(?!\n)|\0")


def with_report(result: Result, path: Path | None, compose: Callable[[Any, str, Sequence[str]], Page]) -> Result:
    """Write the page that is composed of the pages' file, the command and the warnings, and say where it is."""
    if path is not None:
        from linsep.reporting.page import content
        from linsep.reporting.page.html import render

        render(compose(content, command_line(), result.warnings)).save(path)
        result.lines.append(("report", str(path)))
        result.data["report"] = str(path)
    return result


def written_certificate(
    path: Path | None,
    data: dict[str, Any],
    table: Any,
    design: Mapping[str, Any] | None,
    proved: Sequence[Separability | Separation],
) -> list[tuple[str, str]]:
    """Write the certificate, if one is asked for, and its design; return the lines that say where they are.

    Parameters
    ----------
    path : Path or None
        None: nothing is written.
    data : dict
        The answer, which is written without its words. It is given the name of the design and its SHA-256.
    table : path or data
        What the command reads, which nothing may replace.
    design : dict or None
        `design_data`; None if `is_plain` says that the table itself can be read.
    proved : list of answers
        What a file for other programs is about: one answer.
    """
    if path is None:
        return []
    for_strangers = is_for_strangers(path)
    if for_strangers and proved[0].verdict == "undecided":
        return [("certificate", "not written: nothing is decided")]
    files: list[tuple[str, Path, str]] = []
    if design is not None:
        beside, text = path.with_name(f"{path.stem}.design.json"), _json(design)
        # Its names are in no other hash.
        data["design"], data["design_sha256"] = beside.name, hashlib.sha256(text.encode()).hexdigest()
        files = [("design", beside, text)]
    proofs = {key: value for key, value in data.items() if key != "columns_behind"}
    if not for_strangers:
        files.append(("certificate", path, _json(without_words(proofs))))
    for what, at, text in files:
        with open_output(at, f"the {what}", reads=inputs(table)) as file:
            file.write(text)
    written: list[Path] = []
    if for_strangers:
        written = (proved[0].to_vipr if path.suffix == ".vipr" else proved[0].to_smtlib)(path)
    return [(what, str(at)) for what, at, _ in files] + [("certificate", str(at)) for at in written]


def is_for_strangers(path: Path | None) -> bool:
    """Whether a certificate is to be a file for VIPR's checkers or SMT solvers, for which weights have to be exact."""
    return path is not None and path.suffix in (".vipr", ".smt2")


def _json(plain: Any) -> str:
    return json.dumps(plain, allow_nan=False) + "\n"


def design_data(
    X: Any,
    y: Sequence[Any],
    names: Sequence[str],
    rows: Array | None,
    beside: Mapping[str, Array] | None = None,
    effects: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """A design as plain values for JSON; a sparse row is {column: value}, `rows` are places in the table."""
    table: list[Any] = [] if is_sparse(X) else X.tolist()
    if is_sparse(X):
        X = X.tocsr()
        cuts = zip(X.indptr[:-1].tolist(), X.indptr[1:].tolist(), strict=True)
        columns, values = X.indices.tolist(), X.data.tolist()
        table = [dict(zip(map(str, columns[a:b]), values[a:b], strict=True)) for a, b in cuts]
    data = {"X": table, "y": list(y), "names": list(names), "effects": dict(effects or {})}
    data |= {name: column.tolist() for name, column in (beside or {}).items()}
    return data if rows is None else data | {"rows": rows.tolist()}


def is_plain(
    table: Any, source: Source, numbers: ExactNumbers, beside: Mapping[str, Sequence[Any]], certificate: Path | None
) -> bool:
    """Whether a program of `examples` reads in the file what linsep has read: for strangers all columns have to count.

    It reads one CSV file of UTF-8 with commas, of which each line has as many cells as the header. A cell is text, or a
    number without a unit, blanks or a mark for thousands. Labels and what stands `beside` the features are the shortest
    text of their numbers if every cell is a number, and text otherwise: {column: values} says what linsep has read.
    """
    files, levels = inputs(table), numbers.levels or {}
    usual = source.format == "csv" and len(files) == 1 and not source.read_as
    usual = usual and source.asked.header and not (source.asked.na or source.asked.skip_rows)
    if not usual or numbers.left_out is not None or numbers.derived or len(set(numbers.names)) < len(numbers.names):
        return False
    try:
        if _NO_PLAIN_END.search(Path(files[0]).read_bytes()):
            return False
        with open(files[0], encoding="utf-8-sig", newline="") as file:
            header, *lines = csv.reader(file, strict=True)
    except (OSError, ValueError, csv.Error):  # an address, compressed, other text, or cells that are too long
        return False
    at = {name: k for k, name in enumerate(header)}
    if len(at) < len(header) or any(len(line) != len(header) for line in lines):
        return False
    if is_for_strangers(certificate):
        others = [name for name in header if name != source.target]
        texts = [line[at[str(source.target)]] for line in lines]
        if others != list(numbers.names) or files[0].endswith(".json") or not _are_read_alike(texts):
            return False
    places = [at[name] for name in numbers.names if name not in levels]
    if not all(_NUMBER.fullmatch(line[k]) and not _FAR.search(line[k]) for line in lines for k in places):
        return False
    read = {name: _as_read([line[at[name]] for line in lines]) for name in beside}
    if _has_floats(read.get(source.target or "")) != _has_floats(beside.get(source.target or "")):
        return False  # where one label is 1.0, another is 2.0
    return all(read[name] == list(values) for name, values in beside.items())


def _are_read_alike(labels: list[str]) -> bool:
    """Whether labels that differ differ without blanks, too, and as numbers."""
    named = {text for text in labels if text.strip()}
    plain = set(map(str.strip, named))
    values = {Fraction(text) if _NUMBER.fullmatch(text) else text for text in plain if not _FAR.search(text)}
    return len(values) == len(named)


def _has_floats(values: Sequence[Any] | None) -> bool:
    return any(isinstance(value, float) for value in values or ())


def _as_read(cells: list[str]) -> list[Any] | None:
    """Numbers if every cell is one, or else the text; None where numbers are not in their shortest text."""
    words = [cell for cell in cells if not _NUMBER.fullmatch(cell)]
    if any(any(map(str.isalpha, word)) for word in words):
        return cells if all(cell.strip() for cell in cells) else None
    if words:
        return None
    values = [int(cell) if cell.lstrip("-").isdigit() else float(cell) for cell in cells]
    return values if all(str(value + 0) == cell for value, cell in zip(values, cells, strict=True)) else None
