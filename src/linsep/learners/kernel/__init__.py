"""The kernel perceptron, with all its mistaken rows or a budget of them.

In: rows, labels, a kernel. Out: mistaken rows and their weights. Begin with `perceptron.py`.
"""
