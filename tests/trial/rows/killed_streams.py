"""kill -9 of `linsep fit --stream` at random moments, also inside writes, on a disk that loses what was not flushed."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from linsep.types import DataError
from trial.disk import Disk
from trial.row import Outcome
from trial.streams import RUNS, Asked, learn, rows_of, state_of, write_table

CLAIM = (
    "a stream killed at a random moment, every second time inside a write, with the loss of what was not flushed, goes "
    "on by the same command; the model has the bits of a run that was not killed, and no announced checkpoint is lost"
)
TIMES = 500


def run(times: int, seed: int) -> Outcome:
    """Kill so many runs, the kinds of run in turn."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-W", "ignore", "-m", "trial.rows.killed_streams", str(times), str(seed)]
        done = subprocess.run(command, cwd=folder, env=_with_paths(), stdout=subprocess.PIPE, text=True, check=True)
        said = json.loads(done.stdout.splitlines()[-1])
    return Outcome(times, said["failures"], f"{said['resumed']} went on from a checkpoint")


def _with_paths() -> dict[str, str]:
    """The environment, with what this process imports from: the child runs in another folder."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}


# ------------------------------------------------------------------- the child
class _Kind:
    """A kind of run, with what it leaves when nobody kills it."""

    def __init__(self, number: int, asked: Asked) -> None:
        self.asked, name = asked, f"whole{number}"
        learn(asked, name, lambda text: None)  # compiled now, so that no event is of a compiler
        self.leaves = _left_by(name)

        def count(pipe: int) -> None:
            moments = Moments(random.Random(0))
            moments.watch()
            learn(asked, f"counted{number}", lambda text: None)
            sys.setprofile(None)
            os.write(pipe, f"{moments.events} {moments.writes}".encode())

        _, said = _forked(count)
        self.events, self.writes = map(int, said.split())


class Moments:
    """Counts what the interpreter does (calls and returns) and the steps of writes; dies at the moment chosen."""

    def __init__(self, chance: random.Random, event: int = -1, write: int = -1) -> None:
        self.events = self.writes = 0
        self._event, self._write = event, write
        self._disk = Disk(chance, self._in_write)

    def watch(self) -> None:
        """Count from here on."""
        self._disk.interpose()
        sys.setprofile(self._see)

    def _see(self, frame: Any, event: str, argument: Any) -> None:
        if self.events == self._event:
            sys.setprofile(None)
            self._disk.die()
        self.events += 1

    def _in_write(self) -> None:
        if self.writes == self._write:
            sys.setprofile(None)
            self._disk.die()
        self.writes += 1


def _left_by(name: str) -> list[dict[str, Any]]:
    return [state_of(Path(name)), state_of(Path(name + ".ck"))]


def _forked(work: Callable[[int], None]) -> tuple[int, str]:
    """Do the work in a child of its own; return how it ended, and what it wrote to the pipe it was given."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        _end(work, writing)
    os.close(writing)
    with open(reading, encoding="utf-8") as pipe:
        said = pipe.read()
    return os.waitpid(child, 0)[1], said


def _end(work: Callable[[int], None], writing: int) -> NoReturn:
    status = 1
    try:
        work(writing)
        status = 0
    except BaseException as error:
        os.write(writing, repr(error).encode())
    finally:
        os._exit(status)


def _try(kind: _Kind, name: str, moments: Moments) -> tuple[bool, str]:
    """Kill one run and let it go on; return whether there was a checkpoint, and what is wrong ('' for nothing)."""

    def killed(pipe: int) -> None:
        moments.watch()

        def say(text: str) -> None:
            os.write(pipe, f"{text}\n".encode())

        learn(kind.asked, name, say)

    status, said = _forked(killed)
    if status != signal.SIGKILL:
        return False, f"it should have been killed, and ended with {status}: {said[-300:]}"
    kept = Path(name + ".ck")
    announced = [int(rows.replace(",", "")) for rows in re.findall(r"holds the first ([\d,]+) rows", said)]
    try:
        resumed = kept.exists()
        if announced and not (resumed and rows_of(kept) >= announced[-1]):
            return False, f"a checkpoint of {announced[-1]} rows was announced and is lost"
        status, said = _forked(lambda pipe: learn(kind.asked, name, lambda text: None))
        if status:
            return resumed, f"it did not go on: {said[-300:]}"
        if _left_by(name) != kind.leaves:
            return resumed, "it ended with another state"
    except DataError as error:
        return False, f"a file is damaged: {error}"
    return resumed, ""


def main(times: int, seed: int) -> None:
    """In a folder of its own: print the failures, and how many runs went on from a checkpoint, as JSON."""
    write_table(Path())
    names = list(RUNS)[: max(1, times // 4)]  # to warm up a kind costs more than to kill it
    kinds = {name: _Kind(number, RUNS[name]) for number, name in enumerate(names)}
    chance = random.Random(seed)
    failures, resumed = [], 0
    for number in range(times):
        name = names[number % len(names)]
        kind = kinds[name]
        inside = (number + number // len(names)) % 2 == 1
        place = chance.randrange(kind.writes if inside else kind.events)
        moments = Moments(random.Random(chance.random()), **{"write" if inside else "event": place})
        went_on, wrong = _try(kind, f"run{number}", moments)
        resumed += went_on
        if wrong:
            failures.append(f"{name}, killed at {'write' if inside else 'event'} {place}, seed {seed}: {wrong}")
        for path in Path().glob(f"run{number}*"):
            path.unlink()
    print(json.dumps({"failures": failures, "resumed": resumed}))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
