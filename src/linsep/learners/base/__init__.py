"""What learners share: validation, state, epochs, one row at a time.

In: rows and labels. Out: a fitted estimator. Begin with `batch.py`, then `classifier.py`.
"""
