"""Generated data, returned with their true separator or labels.

In: sizes, a margin, a seed. Out: rows, labels, and the separator or labels that are true. Begin with `separable.py`.
"""
