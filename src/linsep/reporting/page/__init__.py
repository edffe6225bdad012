"""One HTML page of what was found.

In: a model or a certificate, the rows that it is about, and a receipt. Out: a `Report`. Begin with `content.py`;
`html.py` fills the template.
"""
