"""The same kernels on many machines: iterative parameter mixing on dask.distributed."""

from linsep.distributed.cluster import fit
from linsep.distributed.mixing import Mixing

__all__ = ["Mixing", "fit"]
