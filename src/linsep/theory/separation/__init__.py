"""Which rows of a regression are separated, and which coefficients are infinite.

In: rows of inequalities. Out: a proof, the sign of each coefficient, sentences. Begin with `decide.py`.
"""
