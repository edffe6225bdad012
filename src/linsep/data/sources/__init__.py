"""Where rows come from: files, folders, patterns, pipes, dataframes, arrays.

In: what the user names. Out: a `Source`, whose chunks can be read from any position. Begin with `open.py`.
"""
