"""`separation`: which coefficients of a regression are infinite.

In: dataframes, arrays or a table file, and a family. Out: a `Separation` with its proof. Begin with `separation.py`.
"""
