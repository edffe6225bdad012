"""Rows as the search for separators sees them.

In: tables from the door (`linsep.tables`: an ndarray or a CSR matrix) and labels. Out: rows signed by label and scaled
by powers of two, in floats and as exact integers, their span and exact signs; deadlines. Begin with `signed.py`.
"""
