"""What each command does, in terms of the library, one file a command.

In: parsed arguments. Out: a `Result` to print. Begin with `fit.py`.
"""
