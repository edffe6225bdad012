"""The same kernels on many machines: iterative parameter mixing on dask.distributed.

In: a learner, a source that can be cut up, a client. Out: the fitted learner with `mixing_`. Begin with `cluster.py`.
"""

from linsep.distributed.cluster import fit
from linsep.distributed.mixing import Mixing

__all__ = ["Mixing", "fit"]
