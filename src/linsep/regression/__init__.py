"""`separation`: does a regression have finite estimates, and which coefficients are infinite if not?

In: dataframes, arrays or a table file, and a family. Out: a `Separation` with its proof. Begin with `separation.py`;
`formulas/formula.py` and `design.py` make the matrix, `model.py` the inequalities, `found.py` is the answer and its
JSON, and `what_to_do.py` has the methods for what can be done about it.
"""
