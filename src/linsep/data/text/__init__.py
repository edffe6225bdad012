"""What texts hold: each distinct one of a column once, and the words of sentences as numbers of features.

In: columns of texts, lists of words. Out: distinct texts and their places, lists of feature numbers. Begin with
`distinct.py`.
"""
