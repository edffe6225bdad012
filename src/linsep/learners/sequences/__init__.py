"""Structured outputs: sequences of tags first.

In: sentences and tags. Out: weights of a chain. Begin with `structured.py`.
"""
