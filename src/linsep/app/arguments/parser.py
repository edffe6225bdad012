"""Commands as tables of options: each is the keyword of a call, and stands in `--help` and on a page of the docs."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from inspect import getdoc
from math import inf
from typing import Any, NoReturn, Self

from linsep.types import DataError

_KINDS: Mapping[Any, tuple[str, str]] = {int: ("N", "a whole number"), float: ("NUMBER", "a number"), str: ("TEXT", "")}
_MORE = "Further options"


@dataclass(frozen=True)
class Option:
    """An option, or an argument of a command if its name is written in capitals.

    `name` is the keyword of the call. An option of `many` values may be repeated, and they are a tuple; a truth value
    has nothing to write after it, and there is also --no-name where True or None is the default. `spelled` are other
    spellings than --name. Numbers are from `least` to `most`; `group` is the title above it in `--help`.
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
    spelled: tuple[str, ...] = ()
    group: str = ""

    @property
    def is_argument(self) -> bool:
        return self.name.isupper()

    @property
    def spellings(self) -> tuple[str, ...]:
        """How it is typed."""
        plain = self.spelled or ("--" + self.name.replace("_", "-"),)
        return (*plain, "--no-" + plain[0][2:]) if self.kind is bool and self.default is not False else plain

    def but(self, **changed: Any) -> Self:
        """The same option with something else about it."""
        return replace(self, **changed)

    def read(self, text: str) -> Any:
        """The value that is written, or what is wrong with it."""
        try:
            value = self.kind(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r:.80} is not {_KINDS[self.kind][1]}") from None
        if self.kind in (int, float) and not self.least <= value <= self.most:
            limit = f"at least {self.least:g}" if value < self.least else f"at most {self.most:g}"
            raise argparse.ArgumentTypeError(f"{text} is not {limit}")
        return value

    def add_to(self, parser: Any) -> None:
        """Declare it to argparse."""
        given = "" if self.kind is bool or self.default is None else f" [{self.default}]"
        said: dict[str, Any] = {"help": f"{self.help}{given}".replace("%", "%%")}
        if self.is_argument:
            count = "+" if self.many else None if self.needed else "?"
            parser.add_argument(self.name.lower(), metavar=self.name, nargs=count, **said)
            return
        said |= {"dest": self.name, "default": self.default}
        if self.kind is bool:
            either = self.default is not False
            action: Any = argparse.BooleanOptionalAction if either else "store_true"
            parser.add_argument(*(self.spellings[:1] if either else self.spellings), action=action, **said)
            return
        kind = None if self.choices else _KINDS[self.kind][0] if self.kind in _KINDS else "FILE"
        action = "append" if self.many else "store"
        said |= {"type": self.read, "metavar": kind, "choices": self.choices or None, "required": self.needed}
        parser.add_argument(*self.spellings, action=action, **said)


@dataclass(frozen=True)
class Command:
    """A command: what it is called, its options, and the function that takes them as keywords."""

    name: str
    options: tuple[Option, ...]
    run: Callable[..., Any]

    @property
    def help(self) -> str:
        return getdoc(self.run) or ""

    def parse(self, program: str, words: Sequence[str]) -> dict[str, Any]:
        """The value of each option, by its name."""
        parser = _Parser(
            prog=f"{program} {self.name}",
            usage=" ".join([f"{program} {self.name} [OPTIONS]", *(o.name for o in self.options if o.is_argument)]),
            description=self.help,
            formatter_class=_Help,
            allow_abbrev=False,
            add_help=False,
        )
        arguments = parser.add_argument_group("Arguments")
        titles = dict.fromkeys(o.group or _MORE for o in self.options if not o.is_argument)
        groups = {title: parser.add_argument_group(title if len(titles) > 1 else "Options") for title in titles}
        first = next(iter(groups.values()), parser)
        for option in self.options:
            option.add_to(arguments if option.is_argument else groups[option.group or _MORE])
        first.add_argument("--help", action="help", help="Show this message and exit.")
        found = parser.parse_intermixed_args(self._joined(words))
        values = {option: getattr(found, option.name.lower()) for option in self.options}
        return {o.name.lower(): tuple(v or ()) if o.many and not o.is_argument else v for o, v in values.items()}

    def _joined(self, words: Sequence[str]) -> list[str]:
        """Each option in one word with its value, which may begin with a dash."""
        known = {spelled for o in self.options if not o.is_argument and o.kind is not bool for spelled in o.spellings}
        out: list[str] = []
        rest = iter(words)
        for word in rest:
            value = next(rest, None) if word in known else None
            out.append(word if value is None else f"{word}={value}" if word.startswith("--") else word + value)
        return out


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Say what is wrong, and what may have been meant."""
        said = message.removeprefix("argument ").replace("the following arguments are required: ", "what is missing: ")
        words = said.removeprefix("unrecognized arguments: ").split()
        strange = next((word.partition("=")[0] for word in words if word.startswith("--")), "")
        if said.startswith("unrecognized") and strange:
            from difflib import get_close_matches

            known = [name for action in self._actions for name in action.option_strings]
            meant = get_close_matches(strange, known, 3)
            said = f"no option called {strange}" + (f"; there is {' and '.join(meant)}" if meant else "")
        raise DataError(f"{said} ({self.prog} --help)")


class _Help(argparse.HelpFormatter):
    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=30)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return "\n\n".join(textwrap.fill(part, width) for part in text.split("\n\n"))

    def add_usage(self, usage: Any, actions: Any, groups: Any, prefix: str | None = None) -> None:
        super().add_usage(usage, actions, groups, "Usage: ")
