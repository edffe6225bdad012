"""What learners share: validation at the door, state in and out, epochs, one row at a time.

In: rows and labels. Out: a fitted estimator. Begin with `classifier.py`.
"""
