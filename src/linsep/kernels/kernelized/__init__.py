"""One block of rows of a kernel perceptron whose decision values are known.

In: decision values of a block and kernel values within it. Out: steps of the mistaken rows. Begin with `blocks.py`.
"""
