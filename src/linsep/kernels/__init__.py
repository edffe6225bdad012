"""Numba kernels, and all of them: arrays in, arrays out.

In: rows (`rows.py` is the only file that knows how they are stored), weights, a visiting order. Out: the same arrays,
changed in place. Begin with `linear/epoch.py`, one pass of a binary learner, and `steps.py`, how far an update moves.
"""
