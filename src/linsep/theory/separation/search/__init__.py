"""Which rows are separated, and which coefficients are infinite: the searches, and the proof that they make.

In: rows of inequalities and equalities. Out: a `SeparationProof`. Begin with `decide.py`, which tries one search after
another; `coefficient_signs.py` proves the signs of infinite coefficients.
"""
