"""Check proofs in exact arithmetic; nothing of the search is imported, and the search uses nothing of this room.

In: rows and what is claimed of them. Out: nothing, or `CertificateError`. Begin with `cone.py`.
"""
