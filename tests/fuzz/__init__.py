"""Made-up input for everything that reads what linsep did not write, beside naive readers in plain Python.

`python -m fuzz --seconds 60` (with PYTHONPATH=src:tests, or `make fuzz SECONDS=60`) prints a table. Each file in
`targets/` holds one `TARGET`; a new file there is found without a further line anywhere. `guided.py` follows the
coverage of the code. `corpus.py` keeps hostile cases, each with the words that it is refused with.
"""
