"""Which rows of a regression are separated, and which coefficients are infinite.

In: a design and a response (`model_rows.py`). Out: a proof (`decide.py`; begin there), its JSON (`certificate.py`) and
sentences (`sentences.py`).
"""
