"""What a learner is given: tables, labels, weights of rows and classes, parameters.

In: whatever the user passed. Out: arrays a kernel reads, or an error before anything is learnt. Begin with `labels.py`.
"""
