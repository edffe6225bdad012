"""Bytes to numbers: svmlight and Vowpal Wabbit text, cells of CSV, hashed names and n-grams.

In: bytes. Out: indices, values, row pointers, labels. Begin with `svmlight.py`; `numbers.py` reads the numbers for both
formats, `hashing.py` finds the column of a name, `cells.py` numbers the distinct cells of CSV.
"""
