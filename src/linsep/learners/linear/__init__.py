"""Linear learners, one file a family.

In: rows and labels. Out: w and b, and what happened on the way. Begin with `perceptron.py`.
"""
