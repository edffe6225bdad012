"""Bytes to numbers: svmlight and Vowpal Wabbit text, hashed names and n-grams.

In: bytes. Out: indices, values, row pointers, labels. Begin with `svmlight.py`.
"""
