"""Columns to features.

In: typed columns. Out: numbers a learner can read, and the name of each feature. Begin with `encoder.py`;
`exact_decimals.py` keeps numbers exactly as they are written, for verdicts.
"""
