"""A run on a table as a page that moves: `linsep explore`.

In: rows and two classes. Out: a story (plain values), one HTML page, a local server. Begin with
`explore.py`; what a story holds is in `story.py`.
"""
