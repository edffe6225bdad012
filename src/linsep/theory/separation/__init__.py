"""Which rows of a regression are separated, and which coefficients are infinite.

In: a design and an outcome, of which a family (`families.py`) makes inequalities (`model_rows.py`). Out: a
`SeparationProof` (`find.py`; begin there: it asks `theory/cone`, and `coefficient_signs.py` proves the signs of
infinite coefficients).
"""
