"""Rows as the search for separators sees them.

In: arrays and labels. Out: rows signed by label, scaled by powers of two, as floats or exact integers, and their span.
Begin with `signed.py`.
"""
