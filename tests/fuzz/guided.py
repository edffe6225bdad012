"""python -m fuzz.guided NAME [--seconds N] [--seed N]: input that follows the coverage of the Python code of linsep.

atheris (libFuzzer) and `mangle` change the cases of a target; those that reach new branches stay in
`build/fuzz/guided/NAME`; a later run goes on from there. Each case is judged as by `python -m fuzz`. It ends at the
first failing case, which stands in `build/fuzz`, or after that time with the number of executions.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from pathlib import Path
from pkgutil import walk_packages
from random import Random

from fuzz.mangle import mangle
from fuzz.run import Found, keep, one, warm
from fuzz.target import all_targets
from linsep import kernels

_KERNELS = [module.name for module in walk_packages(kernels.__path__, f"{kernels.__name__}.")]
_CASES = 500  # of the target's own, to begin with
_LONGEST = 4096  # bytes of a case


def main() -> None:
    """Fuzz one target; atheris ends the process."""
    import atheris  # of the benchmarks' environment

    parser = argparse.ArgumentParser(prog="python -m fuzz.guided", description=__doc__)
    parser.add_argument("name", help="a target whose cases are bytes")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    # Parts of linsep are imported when they are used; kernels are compiled as they stand.
    with atheris.instrument_imports(include=["linsep"], exclude=_KERNELS):
        (target,) = [one for one in all_targets() if one.name == asked.name]
        warm(target, 0)
    folder = Path("build/fuzz/guided") / target.name
    folder.mkdir(parents=True, exist_ok=True)
    for k in range(_CASES):
        (folder / f"made-{k}").write_bytes(target.make(Random(f"guided {k}")))
    found = Found(target.name)

    def tried(case: bytes) -> None:
        one(target, case, found)
        if found.failures:
            print(*keep(found, Path("build/fuzz")), file=sys.stderr)
            raise SystemExit(f"{found.failures[0][0]}: {found.failures[0][2]}")

    def changed(case: bytes, longest: int, seed: int) -> bytes:
        rng = Random(seed)
        return (mangle(rng, case) if rng.random() < 0.5 else atheris.Mutate(case, longest))[:longest]

    options = [
        f"-max_total_time={asked.seconds}",
        f"-seed={asked.seed}",
        f"-max_len={_LONGEST}",
        "-artifact_prefix=build/fuzz/",
        "-print_final_stats=1",
    ]
    atheris.Setup([sys.argv[0], *options, str(folder)], tried, custom_mutator=changed)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
