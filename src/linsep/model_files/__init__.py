"""Model files as bytes: header and arrays, checksums, where a model comes from.

In: plain values and arrays. Out: one safetensors file, and back. Begin with `container.py`.
"""
