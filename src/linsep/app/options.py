"""Commands as tables of options: each is the keyword of a call, and stands in `--help` and on a page of the docs.

Below them stand the arguments and options that several commands share.
"""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from inspect import getdoc
from math import inf
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn, Self

from linsep.app.present import Line, Result
from linsep.types import DataError

_MORE = "Further options"
_UNDER = {
    "--read": "How the file is read: a name from the list below, and its value. May be repeated.",
    "--set": "Less usual settings: a name from the list below, and its value. May be repeated.",
}


def listed(text: str) -> tuple[str, ...]:
    """The parts of A,B,C."""
    return tuple(part.strip() for part in text.split(","))


def _truth(text: str) -> bool:
    if text not in ("yes", "no"):
        raise ValueError
    return text == "yes"


def seconds_of(text: str) -> float:
    """A time such as 60s, 5m, 2h or 90 as seconds.

    Examples
    --------
    >>> seconds_of("60s"), seconds_of("1.5m"), seconds_of("90")
    (60.0, 90.0, 90.0)
    """
    return float(text.rstrip("smh")) * {"m": 60.0, "h": 3600.0}.get(text[-1:], 1.0)


_KINDS: Mapping[Any, tuple[str, str]] = {
    int: ("N", "a whole number"),
    float: ("NUMBER", "a number"),
    str: ("TEXT", ""),
    bool: ("", "yes or no"),
    listed: ("A,B,C", ""),
    seconds_of: ("TIME", "a time, such as 60s, 5m or 2h"),
}


@dataclass(frozen=True)
class Option:
    """An option, or an argument of a command if its name is written in capitals.

    `name` is the keyword of the call. An option of `many` values may be repeated, and they are a tuple; a truth value
    has nothing to write after it, and there is also --no-name where True or None is the default. `spelled` are other
    spellings than --name. Numbers are from `least` to `most`, or the `word`; `group` is the title above it in `--help`.
    What is seldom needed stands `under` --read or --set, and is written --read name=value; of a truth value the name
    alone is a yes.
    """

    name: str
    help: str
    kind: Callable[[str], Any] = str
    default: Any = None
    choices: tuple[str, ...] = ()
    many: bool = False
    needed: bool = False
    least: float = -inf
    most: float = inf
    word: str = ""
    spelled: tuple[str, ...] = ()
    group: str = ""
    under: str = ""

    @property
    def is_argument(self) -> bool:
        return self.name.isupper()

    @property
    def spellings(self) -> tuple[str, ...]:
        """How it is typed."""
        if self.under:
            return (f"{self.under} {self.name}",)
        plain = self.spelled or ("--" + self.name.replace("_", "-"),)
        return (*plain, "--no-" + plain[0][2:]) if self.kind is bool and self.default is not False else plain

    @property
    def placeholder(self) -> str:
        """What stands for the value in the help."""
        if self.kind is bool:
            return "no" if self.default else "yes"
        return _KINDS[self.kind][0] if self.kind in _KINDS else "FILE"

    @property
    def given(self) -> str:
        """The default, as one would type it."""
        if self.default is None or self.default is False:
            return ""
        if self.kind not in (float, seconds_of):
            return str(self.default)
        return f"{self.default:g}{'s' if self.kind is seconds_of else ''}"

    def but(self, **changed: Any) -> Self:
        """The same option with something else about it."""
        return replace(self, **changed)

    def read(self, text: str) -> Any:
        """The value that is written, or what is wrong with it."""
        if self.word and text == self.word:
            return text
        try:
            value = (_truth if self.kind is bool else self.kind)(text)
        except ValueError:
            told = _KINDS[self.kind][1] + (f" or {self.word}" if self.word else "")
            raise argparse.ArgumentTypeError(f"{text!r:.80} is not {told}") from None
        if self.kind in (int, float, seconds_of) and not self.least <= value <= self.most:
            limit = f"at least {self.least:g}" if value < self.least else f"at most {self.most:g}"
            raise argparse.ArgumentTypeError(f"{text} must be {limit}")
        return value

    def add_to(self, parser: Any) -> None:
        """Declare it to argparse."""
        given = "" if self.kind is bool or self.default is None else f" [{self.given}]"
        said: dict[str, Any] = {"help": f"{self.help}{given}".replace("%", "%%")}
        if self.is_argument:
            count = ("+" if self.needed else "*") if self.many else None if self.needed else "?"
            said |= {"type": self.read, "metavar": self.name, "default": self.default}
            parser.add_argument(self.name.lower(), nargs=count, **said)
            return
        said |= {"dest": self.name, "default": self.default}
        if self.kind is bool and not self.under:
            either = self.default is not False
            action: Any = argparse.BooleanOptionalAction if either else "store_true"
            parser.add_argument(*(self.spellings[:1] if either else self.spellings), action=action, **said)
            return
        action, shown = "append" if self.many else "store", None if self.choices else self.placeholder
        said |= {"type": self.read, "metavar": shown, "choices": self.choices or None, "required": self.needed}
        parser.add_argument(*self.spellings, action=action, **said)


@dataclass(frozen=True)
class Command:
    """A command: what it is called, its options, and the function that is given their values as attributes."""

    name: str
    options: tuple[Option, ...]
    run: Callable[[Any], Result | None]

    @property
    def help(self) -> str:
        return getdoc(self.run) or ""

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        """Run it: arguments in their order, options by name, all others as if nothing were typed."""
        names = [option.name.lower() for option in self.options]
        unless_given = (() if option.many else option.default for option in self.options)
        asked = dict(zip(names, unless_given, strict=True)) | dict(zip(names, arguments, strict=False)) | options
        assert len(asked) == len(names), f"{self.name} has no option {asked.keys() - set(names)}"
        with Line() as line:
            return self.run(SimpleNamespace(**asked, line=line))

    def parse(self, words: Sequence[str]) -> dict[str, Any]:
        """The value of each option, by its name."""
        parser = _Parser(
            prog=f"linsep {self.name}",
            usage=" ".join([f"linsep {self.name} [OPTIONS]", *(o.name for o in self.options if o.is_argument)]),
            description=self.help,
            formatter_class=_Help,
            allow_abbrev=False,
            add_help=False,
        )
        arguments = parser.add_argument_group("Arguments")
        plain = [o for o in self.options if not o.is_argument and not o.under]
        titles = dict.fromkeys(o.group or _MORE for o in plain) or {_MORE: None}
        groups = {title: parser.add_argument_group(title if len(titles) > 1 else "Options") for title in titles}
        first = next(iter(groups.values()))
        groups |= {name: parser.add_argument_group(f"Names for {name}") for name in self._under}
        for option in self.options:
            option.add_to(arguments if option.is_argument else groups[option.under or option.group or _MORE])
        for name in self._under:
            first.add_argument(name, metavar="NAME=VALUE", help=_UNDER[name])
        first.add_argument("--help", action="help", help="Show this message and exit.")
        found = parser.parse_intermixed_args(self._joined(words, parser))
        values = {option: getattr(found, option.name.lower()) for option in self.options}
        return {o.name.lower(): tuple(v or ()) if o.many and not o.is_argument else v for o, v in values.items()}

    @property
    def _under(self) -> dict[str, list[Option]]:
        """The options that are written under --read, and those under --set."""
        return {name: found for name in _UNDER if (found := [o for o in self.options if o.under == name])}

    def _joined(self, words: Sequence[str], parser: _Parser) -> list[str]:
        """Each option in one word with its value, which may begin with a dash."""
        known = {spelled for o in self.options if not o.is_argument and o.kind is not bool for spelled in o.spellings}
        out: list[str] = []
        rest = iter(words)
        for word in rest:
            under, _, named = word.partition("=")
            if under in self._under:
                out.append(self._named(under, named or next(rest, ""), parser))
                continue
            value = next(rest, None) if word in known else None
            out.append(word if value is None else f"{word}={value}" if word.startswith("--") else word + value)
        return out

    def _named(self, under: str, text: str, parser: _Parser) -> str:
        """NAME=VALUE as one word that argparse knows."""
        name, equals, value = text.partition("=")
        kinds = {o.name: o.kind for o in self._under[under]}
        if name not in kinds:
            parser.error(f"{under} has no name {name!r:.80}{parser.meant(name) or '; there is ' + ', '.join(kinds)}")
        if not equals and kinds[name] is not bool:
            parser.error(f"{under} {name} needs a value: {under} {name}=VALUE")
        return f"{under} {name}={value if equals else 'yes'}"


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Say what is wrong, and what may have been meant."""
        said = message.removeprefix("argument ").replace("the following arguments are required: ", "missing: ")
        words = said.removeprefix("unrecognized arguments: ").split()
        strange = next((word.partition("=")[0] for word in words if word.startswith("--")), "")
        if said.startswith("unrecognized") and strange:
            said = f"no option called {strange}{self.meant(strange)}"
        raise DataError(f"{said} ({self.prog} --help)")

    def meant(self, name: str) -> str:
        """What may have been meant by a name that is not known, however that is written."""
        from difflib import get_close_matches

        spelled = (one for action in self._actions for one in action.option_strings)
        plain = {one.rpartition(" ")[2].lstrip("-").replace("_", "-"): one for one in spelled}
        near = [plain[one] for one in get_close_matches(name.lstrip("-").replace("_", "-"), plain, 3)]
        told = " and ".join(f"{one}=VALUE" if " " in one else one for one in near)
        return f"; there is {told}" if near else ""


class _Help(argparse.HelpFormatter):
    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=30)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return "\n\n".join(textwrap.fill(part, width) for part in text.split("\n\n"))

    def _format_action_invocation(self, action: argparse.Action) -> str:
        """What stands under another option is told without it."""
        name = action.option_strings[0].rpartition(" ")[2] if action.option_strings else ""
        if not name or name in action.option_strings:
            return super()._format_action_invocation(action)
        return f"{name}={self._format_args(action, 'VALUE')}"

    def add_usage(self, usage: Any, actions: Any, groups: Any, prefix: str | None = None) -> None:
        super().add_usage(usage, actions, groups, "Usage: ")


# --------------------------------------------------------------- what several commands share
_USED_FIRST = "Options that people use first"
_TABLE = "The table"
FORMATS = ("csv", "parquet", "svmlight", "jsonl", "vw", "excel")
under_read = partial(Option, under="--read")
under_set = partial(Option, under="--set")
used_first = partial(Option, group=_USED_FIRST)

_KINDS_OF_FILES = "CSV, Parquet, svmlight, JSON lines, Vowpal Wabbit text or Excel, also as .gz or .zst"
TABLE = Option("TABLE", f"{_KINDS_OF_FILES}; - is standard input.", needed=True)
ROWS = TABLE.but(help=f"{_KINDS_OF_FILES}: a file, a folder or a quoted pattern; - is standard input.")
MODEL = Option("MODEL", "A model file written by `linsep fit`.", Path, needed=True)
TARGET = used_first("target", "The column of the labels (not needed for svmlight files).")
POSITIVE = used_first("positive", "The label of the positive class; all other labels together are the other class.")
# How a table is read, as `open_data` takes it.
READING = (
    under_read("format", "The format, if the name of the file does not show it.", choices=FORMATS),
    under_read("sep", "CSV: the character between the columns, or tab, if the first lines do not show it."),
    under_read("decimal", "CSV: the decimal mark, a point or a comma, if the first lines do not show it."),
    under_read("encoding", "The encoding of text, such as cp1252. Default: UTF-8, or UTF-16 with its mark."),
    under_read(
        "query", "The rows of this SELECT are read; TABLE is then a SQLite or DuckDB database (needs the extra sql)."
    ),
    under_read(
        "na", "CSV, JSON lines, Excel: what a cell without a value says, such as -99. May be repeated.", many=True
    ),
    under_read("skip_rows", "CSV, Excel: the number of lines above the names of the columns.", int, 0, least=0),
    under_read("sheet", "Excel: the sheet to read, if several sheets hold cells."),
    under_read(
        "header", "CSV: no, if the first line is a row and names no columns. They are then called 1, 2, 3.", bool, True
    ),
)
# The same of a table with labels.
LABELLED = (
    *READING,
    under_read("drop_unlabelled", "Leave out the rows whose label is missing, and count them.", bool, False),
)
MISSING = Option(
    "missing",
    "Cells without a value: drop the row, take the mean or the median of the column, take the mean and mark them in an "
    "extra 0/1 column (indicator, the default), or end with an error. A stream takes the mean by default, and has no "
    "median.",
    choices=("drop", "mean", "median", "indicator", "error"),
    group=_TABLE,
)
PROOF_MISSING = MISSING.but(
    help="Cells without a value: drop the row and count it, or end with an error at the first. By default a missing "
    "number is an error, and missing categories are a category of their own. Row numbers count all rows of the file.",
    choices=("drop", "error"),
)
COLUMN = Option(
    "column",
    "What a column holds, as NAME=KIND. KIND is number, category, date, a pattern of dates such as %d.%m.%Y, a number "
    "with a unit such as '0.0 mg', text, words1-2 (runs of one or two words), chars3-5 (runs of 3 to 5 characters), or "
    "skip. May be repeated.",
    many=True,
    group=_TABLE,
)
OUTPUT = Option("output", "CSV file to write; - is standard output.", default="-", spelled=("-o", "--output"))
PREDICTIONS = OUTPUT.but(spelled=(*OUTPUT.spelled, "--predictions"))
TIME_LIMIT = used_first("time_limit", "", float, least=0)
JSON = used_first("as_json", "Print one JSON object instead of a table.", bool, False, spelled=("--json",))
DETAILS = used_first(
    "details", "Print more: rows of each class, lengths of vectors, bounds of margin and mistakes.", bool, False
)
REPORT = used_first("report", "Also write one HTML page with pictures and tables (needs the extra report).", Path)
CERTIFICATE = used_first(
    "certificate",
    "Write the proof to this file, as JSON; as p.vipr for checkers of VIPR; as p.smt2 the question alone, for z3.",
    Path,
)
EXACT_WEIGHTS = under_set(
    "exact", "With many columns, too, write the weights of the proof exactly, not numbers close to them.", bool, False
)


def reading_of(asked: Any) -> dict[str, Any]:
    """How the table is read, as `open_data` takes it."""
    return {option.name: getattr(asked, option.name) for option in LABELLED if hasattr(asked, option.name)}
