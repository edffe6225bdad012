"""`--report FILE`: the page that a command writes beside what it prints."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from linsep.app.result import Result, command_line
from linsep.files import check_output
from linsep.reporting.page.html import Page, check_extras, render
from linsep.types import DataError

if TYPE_CHECKING:  # what the pages are about: a command has it if it is there
    from linsep.data.sources.source import Source
    from linsep.learners.table_model import TableModel
    from linsep.reporting.receipt import Receipt
    from linsep.reporting.table_check import TableCheck
    from linsep.reporting.table_fit import TableFit


def check_report(path: Path | None, *others: Any) -> None:
    """Check before the work that the page can be written and replaces none of the other files."""
    if path is None:
        return
    check_output(path, "the report", reads=others)
    try:
        check_extras()
    except ImportError as error:
        raise DataError(str(error)) from error


def with_report(result: Result, path: Path | None, compose: Callable[[Sequence[str]], Page]) -> Result:
    """Write the page that `compose` makes (of the warnings of the result) and say where it is."""
    if path is None:
        return result
    render(compose(result.warnings)).save(path)
    result.lines.append(("report", str(path)))
    result.data["report"] = str(path)
    return result


def page_of_fit(found: TableFit) -> Callable[[Sequence[str]], Page]:
    """The page of a model of a table."""

    def page(said: Sequence[str]) -> Page:
        from linsep.reporting.page.about import about_encoded
        from linsep.reporting.page.model import of_model

        chunk = found.source.read() if found.kept is None else found.source.read().take(found.kept)
        about = about_encoded(found.rows, found.y, chunk, found.model.encoder_)
        return of_model(found.model, about, found.receipt, command_line(), said)

    return page


def page_of_stream(model: TableModel, receipt: Receipt) -> Callable[[Sequence[str]], Page]:
    """The page of a model of a stream; its rows are no longer there."""

    def page(said: Sequence[str]) -> Page:
        from linsep.reporting.page.model import of_model

        return of_model(model, None, receipt, command_line(), said)

    return page


def page_of_check(
    found: TableCheck, source: Source, columns: Mapping[str, str] | None, lines: list[tuple[str, str]]
) -> Callable[[Sequence[str]], Page]:
    """The page of a certificate, or of one for each class; `columns` says which columns are skipped."""

    def page(said: Sequence[str]) -> Page:
        from linsep.reporting.page.about import about_exact
        from linsep.reporting.page.proofs import of_certificates

        about = about_exact(found.numbers, found.numbers.of(source.read()), columns)
        powers = found.numbers.exponents
        return of_certificates(found.asked, about, powers, lines, command_line(), said, found.explanation)

    return page
