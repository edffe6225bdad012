"""The options of each command as a table in Markdown, from what the program declares."""

from linsep.app.cli import COMMANDS
from linsep.app.options import Command, Option


def commands() -> dict[str, Command]:
    """Every command by what is typed after `linsep`."""
    return COMMANDS


def names_of(command: Command) -> list[str]:
    """The spellings of its options, `--help` among them, and those of --read and --set without a name."""
    found = [name for one in command.options if not one.is_argument for name in one.spellings]
    return ["--help", *found, *{one.under for one in command.options if one.under}]


def option_table(command: Command) -> str:
    """A line for each argument and option."""
    lines = ["| argument or option | what it is | default |", "|---|---|---|"]
    for one in command.options:
        name = one.name if one.is_argument else ", ".join(one.spellings) + (f"={one.placeholder}" if one.under else "")
        lines.append(f"| `{name}` | {_words(one)} | {'needed' if one.needed else _default(one)} |")
    return "\n".join(lines) + "\n"


def _default(one: Option) -> str:
    told = one.given if one.default is not True else "yes" if one.under else one.spellings[0]
    return told and f"`{told}`"


def _words(one: Option) -> str:
    said = one.help.replace("|", "\\|").replace("*", "\\*")
    return said + (f" One of {', '.join(f'`{choice}`' for choice in one.choices)}." if one.choices else "")
