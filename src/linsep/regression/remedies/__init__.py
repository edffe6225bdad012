"""What can be done about separation: rows are dropped, what is finite is fitted, the culprits are named.

In: a `Regression` and its proof. Begin with `what_to_do.py`, whose methods a `Separation` has.
"""
