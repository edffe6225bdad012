"""The processors that one machine can stand for: kernels compiled for them, and the code that NumPy and BLAS choose."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path

# What Numba compiles for, and which of the kernels of OpenBLAS runs; the last two without the faster code of NumPy.
MACHINES = {
    "haswell": {"NUMBA_CPU_NAME": "haswell", "OPENBLAS_CORETYPE": "Haswell"},
    "skylake-avx512": {"NUMBA_CPU_NAME": "skylake-avx512", "OPENBLAS_CORETYPE": "Sandybridge"},
    "znver3": {"NUMBA_CPU_NAME": "znver3", "OPENBLAS_CORETYPE": "Zen", "NPY_DISABLE_CPU_FEATURES": "all"},
    "generic": {
        "NUMBA_CPU_NAME": "generic",
        "NUMBA_CPU_FEATURES": "+fma",
        "OPENBLAS_CORETYPE": "Nehalem",
        "NPY_DISABLE_CPU_FEATURES": "all",
    },
}


def environment_of(name: str, kept: Path) -> dict[str, str]:
    """The environment in which a process runs as if on this processor; its kernels are in a folder in `kept`."""
    asked = dict(MACHINES[name])
    if "NPY_DISABLE_CPU_FEATURES" in asked:
        asked["NPY_DISABLE_CPU_FEATURES"] = " ".join(_numpy_features())
    return {**os.environ, **asked, "NUMBA_CACHE_DIR": str(kept / name)}


def _numpy_features() -> list[str]:
    """What NumPy has faster code for and this processor can do."""
    inner = import_module("numpy._core._multiarray_umath")
    features: dict[str, bool] = inner.__cpu_features__
    return [name for name in inner.__cpu_dispatch__ if features.get(name)]
