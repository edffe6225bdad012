"""Anything a user has, turned into rows.

In: files, pipes, dataframes, arrays. Out: chunks of rows a kernel can read, and the names of their columns. Begin with
`sources/open.py`, the one door; `readers/` has the formats and `features/` turns columns into features.
"""
