"""How many mistakes, how much loss, how much error the theory allows.

In: a separator, radii, counts. Out: bounds, each with its conditions. Begin with `mistakes.py`.
"""
