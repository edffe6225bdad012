"""Margins: the geometry of a plane, and the best margin between two bounds.

In: rows, labels, a plane. Out: margins, a bracket around the best one. Begin with `max_margin.py`.
"""
