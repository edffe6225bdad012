"""kill -9 at twenty random moments: the same call goes on, and ends as a run that was not killed."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from linsep.store import load_with_extra

# Fits in children of its own, which kill themselves at the n-th event (call or return) of the interpreter.
DRIVER = """
import os, signal, sys
from linsep import AveragedPerceptron, fit_stream, save
from linsep.data.sources import blocks
blocks.TABLE_BYTES = 700
events, last = 0, -1

def run(name):
    found = fit_stream("t.csv", AveragedPerceptron(), target="sold", passes=2, bits=8, half_life=1000.0,
                       checkpoint=name + ".ck", checkpoint_rows=30)
    save(found.model, name)

def watch(frame, event, arg):
    global events
    if events == last:
        os.kill(os.getpid(), signal.SIGKILL)
    events += 1

run("warm")
sys.setprofile(watch)
run("whole")
sys.setprofile(None)
print(events, flush=True)
for request in sys.stdin:
    name, last = request.split()
    child = os.fork()
    if child == 0:
        events, last = 0, int(last)
        if last >= 0:
            sys.setprofile(watch)
        try:
            run(name)
        except BaseException as error:
            print(repr(error), file=sys.stderr)
            os._exit(1)
        os._exit(0)
    print(os.waitpid(child, 0)[1], flush=True)  # the signal, or 0
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_kill_9_at_twenty_random_moments(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    lines = ["city,size,sold"]
    for size, city in zip(rng.normal(size=120), rng.choice(["Oslo", "Rome"], 120), strict=True):
        lines.append(f"{city},{size:.3f},{'yes' if size + (city == 'Rome') + rng.normal() > 0.5 else 'no'}")
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    process = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", DRIVER],
        cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    events = int(process.stdout.readline())
    whole = (tmp_path / "whole").read_bytes()
    stands = load_with_extra(tmp_path / "whole.ck")[1]["stream"]["counters"]
    resumed = 0
    for moment in random.Random(0).sample(range(events), 20):
        for last in (moment, -1):
            process.stdin.write(f"run{moment} {last}\n")
            process.stdin.flush()
            assert int(process.stdout.readline()) == (signal.SIGKILL if last >= 0 else 0)
            resumed += last >= 0 and (tmp_path / f"run{moment}.ck").exists()
        assert (tmp_path / f"run{moment}").read_bytes() == whole
        assert load_with_extra(tmp_path / f"run{moment}.ck")[1]["stream"]["counters"] == stands
    assert resumed > 10
    process.communicate()
    assert process.returncode == 0
