"""The command line: the commands, and every way to end one.

What a command runs is imported when it runs, so that `--help` and usage errors answer at once.
"""

from __future__ import annotations

import gc
import signal
import sys
from collections.abc import Sequence
from typing import Any

from linsep.app.commands import check, demo, explore, fit, probe, separation, tag, with_model
from linsep.app.present import fail, print_result, say
from linsep.types import DataError, RowError

_EVERY = (
    *(fit.fit, with_model.predict, with_model.score, check.check, separation.separation, with_model.show),
    *(with_model.export, demo.synth, demo.demo, probe.probe, explore.explore),
    *(tag.fit, tag.predict, tag.score),
)
COMMANDS = {command.name: command for command in _EVERY}


def run(words: Sequence[str]) -> None:
    """Run the command that was typed, with the words after it; a result that is no success ends the program."""
    size = 2 if words[:1] == ["tag"] else 1
    name = " ".join(words[:size])
    if name == "--version":
        from importlib.metadata import version

        packages = ("linsep", "numpy", "numba", "scikit-learn")
        sys.stdout.write("\n".join(f"{name} {version(name)}" for name in packages) + "\n")
    elif name in COMMANDS:
        asked = COMMANDS[name].parse(words[size:])
        if (result := COMMANDS[name](**asked)) is not None:
            is_taken = "-" in [str(asked.get(name)) for name in ("certificate", "output", "predictions")]
            how = {"as_json": asked.get("as_json", False), "details": asked.get("details", False)}
            print_result(result, sys.stderr if is_taken else sys.stdout, **how)
            result.then()
            raise SystemExit(130 if result.interrupted else result.exit_status)
    elif list(words) not in ([], ["--help"], ["tag"], ["tag", "--help"]):
        raise DataError(f"no command called {name!r}: choose from {', '.join(COMMANDS)} (linsep --help)")
    else:
        sys.stdout.write(_overview("tag " if size == 2 else ""))


def _overview(prefix: str) -> str:
    """The commands, with the first line of what is said of each."""
    width = max(map(len, COMMANDS)) + 2
    shown = [one for name, one in COMMANDS.items() if name.startswith(prefix)]
    return "\n".join(
        [
            "Usage: linsep [OPTIONS] COMMAND [ARGS]...\n",
            "Linear separators with receipts: learn one, use one, or ask whether there is one.\n",
            "Commands:",
            *(f"  {one.name.ljust(width)}{one.help.splitlines()[0]}" for one in shown),
            "\nOptions:",
            "  --version  Print the versions of linsep, NumPy, Numba and scikit-learn, and exit.",
            "  --help     Show this message, or that of a command, and exit.\n",
        ]
    )


def main() -> None:
    """Run the command line; every way to end has an exit status. SIGTERM does what Ctrl-C does."""
    status, before = 0, signal.signal(signal.SIGTERM, _end)
    gc.set_threshold(100_000)  # what loading makes is no garbage: to look for it there took a tenth of the start
    try:
        run(sys.argv[1:])
    except KeyboardInterrupt as interrupt:
        say(str(interrupt) or "interrupted")
        status = 130
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our pipe has gone: nothing left to say
    except (DataError, ImportError, ValueError, OSError, MemoryError) as error:  # an extra may be missing
        from linsep.files import unreadable

        told = error.on_terminal if isinstance(error, RowError) else str(error)
        if isinstance(error, MemoryError):
            told = f"not enough memory: {error}"
        if isinstance(error, OSError) and error.filename is not None:
            told = unreadable(str(error.filename), error)
        fail(told)
        status = 2
    finally:
        signal.signal(signal.SIGTERM, before)
    sys.exit(status)


def _end(number: int, frame: Any) -> None:
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as under nohup
        signal.default_int_handler(number, frame)
    signal.raise_signal(signal.SIGINT)  # which a step that must not be cut holds back
