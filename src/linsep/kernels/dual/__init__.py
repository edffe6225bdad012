"""Kernel perceptrons, w = sum_j a_j k(x_j, .): one block of rows whose kernel values are known.

In: kernel values of a block with itself and with the rows kept. Out: coefficients, and which rows were mistaken. Begin
with `plain.py`; the other passes keep to a budget of rows.
"""
