"""Tokens to features.

In: lists of words. Out: lists of feature numbers. Begin with `word_shapes.py`.
"""
