"""What Numba is told before the first kernel: where to keep compiled code, and whom to tell when it compiles.

Code is kept beside the sources or in the user's cache folder, else in a folder of this process: without a folder to
write to Numba refuses to define a function whose code is to be kept.
"""

from __future__ import annotations

import atexit
import shutil
import tempfile
from typing import Any

from numba import config, njit
from numba.core import event  # Numba's manual describes it for applications

from linsep.clock import COMPILING


class _Listener(event.Listener):
    """The clock of time limits stands still meanwhile."""

    def on_start(self, event: Any) -> None:
        COMPILING.start()

    def on_end(self, event: Any) -> None:
        COMPILING.end()


_register: Any = event.register  # it carries no types
_register("numba:compile", _Listener())


def find_folder() -> None:
    """Let Numba keep compiled code until this process ends, where it finds no folder that lasts."""
    try:
        njit(cache=True)(find_folder)
    except RuntimeError:
        # Not a fixed name: what another user may have put there would be run.
        settings: Any = config  # it carries no types
        settings.CACHE_DIR = folder = tempfile.mkdtemp(prefix="linsep-")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
