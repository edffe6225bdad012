"""Results in words, pictures and tables, and as one HTML page; extras are imported when a page is made.

In: a model, a certificate or a separation, and the rows. Out: lines for people, data for programs, a `Report`. Begin
with `receipt.py`; `page/` makes the HTML page.
"""
