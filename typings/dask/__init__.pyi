"""The part of Dask that linsep uses."""

from typing import Any

from . import config as config

def delayed(obj: Any, pure: bool | None = ...) -> Any: ...
def is_dask_collection(x: Any) -> bool: ...
