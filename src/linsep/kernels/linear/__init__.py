"""One pass over rows with weights w and b: two classes, several classes, one row, a pocket, a gradient step.

In: rows, weights, a step rule. Out: weights that have moved, and what was counted. Begin with `epoch.py`; `skipping.py`
is the same pass with fewer dot products, `multiclass.py` that of several classes.
"""
