"""What the library computes, recorded: weights, counts, verdicts and sentences, to the last bit.

`python -m golden compare` runs it all again and compares; `machines` does so as if on other processors; `record` writes
the record anew, which is right only where a number is meant to change. All take `src` and `tests` on PYTHONPATH. Where
a search in floating point found a proof, that it is one is recorded, not which: other processors find others.
"""
