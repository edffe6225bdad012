"""Which rows of a regression are separated, and which coefficients are infinite.

In: a design and an outcome (`outcome.py`), of which a family (`families.py`) makes inequalities (`model_rows.py`). Out:
a proof (`search/decide.py`; begin there).
"""
