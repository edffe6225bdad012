"""The options of each command as a table in Markdown, asked of the program itself."""

from typing import Any

from typer.main import get_command

from linsep.app.cli import app


def commands() -> dict[str, Any]:
    """Every command by what is typed after `linsep`."""
    found: dict[str, Any] = {}
    for name, command in getattr(get_command(app), "commands", {}).items():
        inner = getattr(command, "commands", None)
        found |= {name: command} if inner is None else {f"{name} {sub}": one for sub, one in inner.items()}
    return found


def names_of(command: Any) -> list[str]:
    """The spellings of its options, `--help` among them."""
    return ["--help", *(name for one in command.params for name in (*one.opts, *one.secondary_opts) if name[0] == "-")]


def option_table(command: Any) -> str:
    """A line for each argument and option."""
    lines = ["| argument or option | what it is | unless given |", "|---|---|---|"]
    for one in command.params:
        is_option = one.opts[0].startswith("-")
        name = ", ".join((*one.opts, *one.secondary_opts)) if is_option else one.name.upper()
        default = "needed" if one.required else _default(one)
        lines.append(f"| `{name}` | {_words(one)} | {default} |")
    return "\n".join(lines) + "\n"


def _default(one: Any) -> str:
    if one.default in (None, False) or callable(one.default):
        return ""
    return f"`{one.opts[0] if one.default is True else _plain(one.default)}`"


def _plain(value: Any) -> str:
    return str(getattr(value, "value", value))


def _words(one: Any) -> str:
    choices = getattr(getattr(one, "type", None), "choices", None)
    said = str(one.help or "").replace("|", "\\|").replace("*", "\\*")
    return said + (f" One of {', '.join(f'`{_plain(choice)}`' for choice in choices)}." if choices else "")
