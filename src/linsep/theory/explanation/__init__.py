"""Why are rows not separable? The fewest rows that have to go, between two bounds with a proof each.

In: rows and labels. Out: a bracket with its certificate. Begin with `fewest_rows.py`.
"""
