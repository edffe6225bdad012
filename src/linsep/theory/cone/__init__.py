"""Which rows can a direction put strictly on their side while no row is on the wrong one?

In: a table and the sign of each row. Out: directions, the rows that they separate, and exact weights that prove that
no direction does more. Begin with `search.py`.
"""
