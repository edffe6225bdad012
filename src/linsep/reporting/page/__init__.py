"""One HTML page of what was found.

In: a model, a certificate or a separation, the rows that it is about, and a receipt. Out: a `Report`. Begin with
`model.py` or `proofs.py`; `html.py` fills the template.
"""
