"""One pass over rows with weights w and b: two classes, several classes, one row, a pocket, a gradient step.

In: rows, weights, a step rule. Out: weights that have moved and a record of the pass. Begin with `epoch.py`.
"""
