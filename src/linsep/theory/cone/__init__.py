"""Which rows can a direction put strictly on their side while no row is on the wrong one?

In: signed rows. Out: a direction, the rows it separates, and exact weights that prove that no direction does more.
Begin with `faces.py`.
"""
