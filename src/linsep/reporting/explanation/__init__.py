"""Why is the verdict what it is? The rows that have to go and the columns behind it, as people and programs read them.

In: a verdict with its table. Out: lines, plain data with certificates, a table of suspects. Begin with `suspects.py`.
"""
