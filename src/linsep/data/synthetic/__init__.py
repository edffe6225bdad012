"""Made data that return the truth planted in them.

In: sizes, a margin, a seed. Out: rows, labels, and the separator or labels that are true. Begin with `separable.py`.
"""
