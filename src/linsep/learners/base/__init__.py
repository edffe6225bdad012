"""What learners share: parameters, validation, state, the loop and its trace, epochs, one row at a time.

In: rows and labels. Out: a fitted estimator. Begin with `classifier.py`, then `training.py`.
"""
