"""One file a format: bytes in, a `TableChunk` or a `Chunk` of rows out.

What is malformed is refused with file, line and column. Begin with `csv.py`.
"""
