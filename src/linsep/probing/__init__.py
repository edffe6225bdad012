"""Linear probes: is a concept linearly separable in the layers of a network, and could chance do it?

In: activations in memory or in files, one layer at a time, and labels. Out: a `Probe`, one row for each layer and
concept. Begin with `probe.py`; `layers.py` and `labels.py` read, `measured.py` asks one layer about one concept.
"""
