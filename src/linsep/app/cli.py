"""The command line: argument parsing and presentation. Each command is one call of the library.

What a command runs is imported when it runs, so that `--help` and usage errors answer at once.
"""

from __future__ import annotations

import gc
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from linsep.app.arguments import explore, fit, probe, separation, tag
from linsep.app.arguments.options import (
    CERTIFICATE,
    COLUMN,
    DETAILS,
    EXACT_WEIGHTS,
    JSON,
    LABELLED,
    MODEL,
    OUTPUT,
    POSITIVE,
    PROOF_MISSING,
    READING,
    REPORT,
    ROWS,
    TABLE,
    TARGET,
    TIME_LIMIT,
    under_set,
    with_kinds,
)
from linsep.app.arguments.parser import Command, Option
from linsep.app.present import fail, finish, print_lines, say, warn
from linsep.app.result import program
from linsep.types import DataError


def predict(*, model: Path, table: str, output: str, **asked: Any) -> None:
    """Label the rows of TABLE and write CSV with the columns prediction and decision_value (w.x + b)."""
    from linsep.app.commands.predict import predict as run

    for message in run(model, table, output, **asked):
        warn(message)


def score(*, model: Path, table: str, as_json: bool, **asked: Any) -> None:
    """Compare the model's predictions with the labels in TABLE."""
    from linsep.app.commands.score import score as run

    finish(run(model, table, **asked), as_json)


def check(*, table: str, details: bool, as_json: bool, **asked: Any) -> None:
    """Prove whether a hyperplane separates the classes of TABLE, for the numbers exactly as they are written.

    Exit status: 0 separable, 1 quasi-separable, inseparable or not-separable (with three or more classes, if any class
    is not separable from the rest), 3 undecided, 2 bad usage or input, 130 after Ctrl-C (what is known by then is
    printed).
    """
    from linsep.app.progress import Line

    with Line() as line:
        line.step("starting")
        from linsep.app.commands.check import check as run
        from linsep.app.searching import until_ctrl_c

        result = until_ctrl_c(run, table, on_step=line.step, **with_kinds(asked))
    finish(result, as_json, details)


def show(*, model: Path, weights: int | None, as_json: bool) -> None:
    """Print what a model file holds: its largest weights by feature name, how it was made, and where it comes from."""
    from linsep.app.commands.show import show as run

    finish(run(model, weights), as_json)


def export(**asked: Any) -> None:
    """Write a model for other programs: all that they need to compute decision values and labels from raw rows."""
    from linsep.app.commands.export import export_model

    export_model(**asked)


def synth(**asked: Any) -> None:
    """Make a separable table with a known separator: columns x1, x2, ..., label."""
    from linsep.app.commands.synth import synth as run

    say(run(**asked))


def demo(*, folder: Path) -> None:
    """Show on the breast-cancer table what linsep does: the table is separable after all."""
    from linsep.app.commands.demo import demo as run

    result = run(folder, lambda text: print(text, flush=True))
    print_lines([*result.lines, *result.details], result.data, False)
    sys.stdout.write(result.closing + "\n")


_PREDICT = (
    MODEL,
    ROWS,
    OUTPUT,
    Option(
        "keep",
        "A column of TABLE to write in front of each prediction, such as a customer number. May be repeated.",
        many=True,
    ),
    Option("probabilities", "Also write the probability of each class, of a model that has them.", bool, False),
    *READING,
)
_CHECK = (
    TABLE,
    TARGET,
    POSITIVE,
    TIME_LIMIT.but(help="Answer after this number of seconds with what is proved by then; --explain has so many more."),
    CERTIFICATE,
    REPORT,
    DETAILS,
    JSON,
    Option(
        "explain",
        "Also look for the fewest rows that have to go before the classes are separable, and for the columns behind "
        "the verdict, for 30 seconds; with --time-limit as long as that after the verdict, for each class.",
        bool,
        False,
        group=TARGET.group,
    ),
    COLUMN,
    PROOF_MISSING,
    *LABELLED,
    under_set(
        "suspects",
        "Write the rows of --explain to this CSV file, those most out of place first, each with the three nearest rows "
        "of the other class.",
        Path,
    ),
    EXACT_WEIGHTS,
    under_set(
        "n_jobs",
        "With three classes or more decide so many at a time, each in a process of its own; -1: one a core.",
        int,
    ),
)
_SHOW = (
    MODEL,
    Option(
        "weights",
        "The number of weights of each class to print, the largest ones. Unless given, 20, or of several classes about "
        "ten in all.",
        int,
        least=1,
    ),
    JSON.but(group=""),
)
_EXPORT = (
    MODEL,
    Option(
        "to",
        "The format: json, sql (DuckDB, SQLite), postgresql or onnx.",
        choices=("json", "sql", "postgresql", "onnx"),
        needed=True,
    ),
    OUTPUT.but(help="File to write; - is standard output."),
    Option("table", "In SQL: the name of the table that the query reads.", default="rows"),
)
_SYNTH = (
    Option("ROWS", "The number of rows.", int, 1000, least=1),
    Option("FEATURES", "The number of features.", int, 2, least=1),
    Option("margin", "The smallest distance of a row from the planted separator.", float, 0.1, least=0),
    Option("seed", "Seed of the random numbers.", int, 0, least=0),
    OUTPUT,
)
_FOLDER = Option("FOLDER", "Where to write the table and the model.", Path, Path("linsep-demo"))
COMMANDS = {
    command.name: command
    for command in (
        Command("fit", fit.OPTIONS, fit.fit),
        Command("predict", _PREDICT, predict),
        Command("score", (MODEL, ROWS, JSON, *LABELLED), score),
        Command("check", _CHECK, check),
        Command("separation", separation.OPTIONS, separation.separation),
        Command("show", _SHOW, show),
        Command("export", _EXPORT, export),
        Command("synth", _SYNTH, synth),
        Command("demo", (_FOLDER,), demo),
        Command("probe", probe.OPTIONS, probe.probe),
        Command("explore", explore.OPTIONS, explore.explore),
        *tag.COMMANDS,
    )
}


def run(words: Sequence[str]) -> None:
    """Run the command that was typed, with the words after it."""
    if words[:1] == ["--version"]:
        from importlib.metadata import version

        packages = ("linsep", "numpy", "numba", "scikit-learn")
        sys.stdout.write("\n".join(f"{name} {version(name)}" for name in packages) + "\n")
        return
    size = 2 if words[:1] == ["tag"] else 1
    name = " ".join(words[:size])
    if name in COMMANDS:
        COMMANDS[name].run(**COMMANDS[name].parse(program(), words[size:]))
    elif list(words) not in ([], ["--help"], ["tag"], ["tag", "--help"]):
        raise DataError(f"no command called {name!r}: choose from {', '.join(COMMANDS)} ({program()} --help)")
    else:
        sys.stdout.write(_overview("tag " if size == 2 else ""))


def _overview(prefix: str) -> str:
    """The commands, with the first line of what is said of each."""
    width = max(map(len, COMMANDS)) + 2
    shown = [one for name, one in COMMANDS.items() if name.startswith(prefix)]
    return "\n".join(
        [
            f"Usage: {program()} [OPTIONS] COMMAND [ARGS]...\n",
            "Linear separators with receipts: train one, use one, or ask whether one exists.\n",
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
    except (DataError, ValueError, OSError, MemoryError) as error:
        from linsep.files import unreadable

        told = f"not enough memory: {error}" if isinstance(error, MemoryError) else str(error)
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
