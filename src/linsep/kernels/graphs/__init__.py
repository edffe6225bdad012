"""Passes over the vertices of graphs that SciPy's `csgraph` has not.

In: arcs and orders of vertices as arrays of integers. Out: one number a vertex (`trees.py`).
"""
