"""The command line: argument parsing and presentation. Each command is one call of the library.

In: arguments. Out: lines for people, JSON for programs, an exit status. Begin with `cli.py`.
"""
