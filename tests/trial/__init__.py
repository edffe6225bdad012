"""The trial: what linsep promises on a machine that is killed, full or lied to, tried many times and counted.

`make trial` prints a row for each file in `rows/`; the suite runs a few times of each.
"""
