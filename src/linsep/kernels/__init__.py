"""All compiled code (Numba): arrays in, arrays out.

In: rows, weights, a visiting order; or bytes. Out: the same arrays, changed in place, and a record whose columns
`linsep/passes.py` names. Begin with `linear/epoch.py`, one pass of a binary learner; `rows.py` is the only file that
knows how rows are stored, and `optional.py` says how far an update moves.
"""

from linsep.code_cache import find_folder

find_folder()
