"""Which rows are separated, and which coefficients are infinite: the question put to the cone, and the proof.

In: rows of inequalities and equalities. Out: a `SeparationProof`. Begin with `decide.py`, which asks `theory/cone`;
`coefficient_signs.py` proves the signs of infinite coefficients, `by_columns.py` answers where columns are many.
"""
