"""The same kernels on many machines: iterative parameter mixing on dask.distributed."""

from linsep.scale.cluster import fit
from linsep.scale.mixing import Mixing

__all__ = ["Mixing", "fit"]
