"""What the library computes, recorded before it was regrouped: weights, counts, verdicts, certificates and sentences.

`python -m golden compare` runs it all again and compares; `python -m golden record` writes the record anew, which
is right only where a number is meant to change. Both take `src` and `tests` on PYTHONPATH.
"""
