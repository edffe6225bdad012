"""`make test-odd`: a sample of the suite where machines and shells are unlike that of the authors; a line for each."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
SAMPLE = [
    "tests/house/test_files.py",
    "tests/app/test_json_output.py",
    "tests/app/test_command_interrupts.py",
    "tests/data/test_column_kinds.py",
    "tests/theory/test_verify_certificate.py",
    "src/linsep/theory/rows/deadline.py",
    "src/linsep/data/features/dates.py",
]
# How root becomes nobody, or, where nobody may not run the interpreter, loses the right to write everywhere.
NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
NO_RIGHTS = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-all"]


def run(name: str, folder: Path = ROOT, first: Sequence[str] = (), **how: Any) -> bool:
    """Run the sample in a folder, with what is said of environment and process, behind a command; say how it went."""
    told = {"PYTHONPATH": str(folder / "src"), "PYTHONHASHSEED": "random", **how.pop("env", {})}
    env = {key: value for key, value in (os.environ | told).items() if value}
    command = [*first, sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", *SAMPLE]
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False, **how)
    print(f"{name}: {(done.stdout or done.stderr).strip().splitlines()[-1].strip('= ')}", flush=True)
    for line in done.stdout.splitlines():
        if line.startswith(("FAILED", "ERROR")):
            print(f"  {line[:160]}", flush=True)
    return done.returncode == 0


def turkish(folder: Path) -> dict[str, str]:
    """The locale tr_TR.UTF-8, compiled into a folder where the system does not have it; nothing without its source."""
    command = ["localedef", "-i", "tr_TR", "-f", "UTF-8", str(folder / "tr_TR.UTF-8")]
    made = shutil.which("localedef") and not subprocess.run(command, capture_output=True, check=False).returncode
    return {"LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8", "LOCPATH": str(folder)} if made else {}


def read_only_copy(folder: Path) -> Path:
    """The files of the repository, which nobody may write to."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    for path in [folder, *folder.rglob("*")]:
        path.chmod(path.stat().st_mode & 0o555 | (0o555 if path.is_dir() else 0o444))
    return folder


def environments(folder: Path) -> dict[str, Callable[[str], bool]]:
    """What is tried, by its name."""
    ignore: Any = {"preexec_fn": lambda: signal.signal(signal.SIGINT, signal.SIG_IGN)}
    ascii_only = {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    no_home = {"HOME": "/nonexistent", "XDG_CACHE_HOME": "", "NUMBA_CACHE_DIR": ""}

    def copied(name: str) -> bool:
        copy = read_only_copy(folder / "copy")
        if os.geteuid():
            return run(name, copy, env=no_home)
        # Behind a shell that is nobody already: nobody has to start interpreters too.
        asked = [*NOBODY, "sh", "-c", 'exec "$0" -c ""', sys.executable]
        if subprocess.run(asked, capture_output=True, check=False).returncode:
            return run(f"{name} (root without rights: nobody may not run Python)", copy, NO_RIGHTS, env=no_home)
        return run(name, copy, NOBODY, env=no_home)

    found: dict[str, Callable[[str], bool]] = {
        "Ctrl-C ignored by the parent": lambda name: run(name, **ignore),
        "LC_ALL=C, ASCII": lambda name: run(name, env=ascii_only),
        "TZ=Pacific/Kiritimati": lambda name: run(name, env={"TZ": "Pacific/Kiritimati"}),
        "TZ=America/Anchorage": lambda name: run(name, env={"TZ": "America/Anchorage"}),
        "umask 077": lambda name: run(name, umask=0o077),
        "read-only sources, no home, not root": copied,
    }
    if locale := turkish(folder):
        found["tr_TR.UTF-8"] = lambda name: run(name, env=locale)
    else:
        print("tr_TR.UTF-8: not tried, the system has no localedef or no source of it", flush=True)
    return found


def main(asked: list[str]) -> int:
    """Try the environments whose names contain a word that is asked for; all without any."""
    with tempfile.TemporaryDirectory() as at:
        Path(at).chmod(0o755)
        chosen = {k: v for k, v in environments(Path(at)).items() if not asked or any(word in k for word in asked)}
        went_well = [attempt(name) for name, attempt in chosen.items()]
        for path in Path(at).rglob("*"):
            if path.is_dir():
                path.chmod(0o755)
    return 0 if went_well and all(went_well) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
