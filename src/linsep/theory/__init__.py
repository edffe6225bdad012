"""What can be proved about rows, labels and separators.

In: arrays. Out: verdicts with their proofs, margins, bounds. Begin with `separability/decide.py`. `verify/` checks
proofs and imports nothing of the search.
"""
