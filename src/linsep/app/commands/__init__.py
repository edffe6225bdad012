"""The options of each command and what it does, in terms of the library.

In: the value of each option. Out: a `Result` to print. Begin with `fit.py`.
"""
