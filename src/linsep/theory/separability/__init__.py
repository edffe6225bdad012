"""Is there a separator? The question of two classes.

In: rows and labels. Out: a verdict with its certificate. Begin with `decide.py`.
"""
