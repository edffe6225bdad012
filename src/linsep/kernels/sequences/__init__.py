"""Chains of tags: Viterbi, one pass over sentences, and the margin of the gold tags.

In: sentences as feature numbers and the weights of a chain. Out: best tags, weights that have moved. Begin with
`chain.py`.
"""
