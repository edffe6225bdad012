"""Sparse elimination modulo a prime, and solving with what it leaves.

In: rows in CSR, entries reduced modulo a prime below 2^31. Out: independent rows with their factors
(`elimination.py`).
"""
