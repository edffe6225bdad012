"""The part of dask.distributed that linsep uses."""

from typing import Any

Client: Any
LocalCluster: Any
