"""One file a format, and one for both kinds of sparse text: bytes in, a `TableChunk` or a `Chunk` of rows out.

What is malformed is refused with file, line and column. Begin with `lines.py`, what every reader of text
offers, then `csv.py`. `arrow.py` serves several formats, and dataframes.
"""
