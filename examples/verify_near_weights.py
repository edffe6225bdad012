"""Check that exact positive weights exist near given ones, with nothing but Python's standard library.

The program verify_certificate.py asks this file when a certificate of separability has `near_weights`: it must lie
beside it. The theorem, with its proof, is on the page theory/separability of the documentation of linsep:

Let u > 0 be weights of signed rows z_i, the columns of C be as many of the rows u_k z_k as there are columns, r = sum
u_i z_i, and R any matrix. If, for every row k of R, sum_l |(I - R C)_kl| <= 1/2 and 2 sum_j |R_kj| |r_j| <= within < 1,
then weights within that share of u bring the rows to exactly 0, and the rows have full rank.

Any R will do, so its rounding does not matter. The sum of n products of floats is off by at most n / 2^52 times the
sum of their sizes, in whatever order they are added, and by less than TINY where products underflow.
"""

from collections import Counter
from math import lcm
from operator import mul

FAR = 500  # powers of two between the entries of a column of C
TINY = 2.0**-900
MORE = 1.001  # the rounding of sums of positive floats is far less


def check_near(Z, left, columns, part, require, numbers_of, whole):
    """Check `near_weights` of signed rows Z = [({column: integer}, factor)] among `left`; return the rows it names.

    What is 0 in these columns is 0 in all. The last three are the ways of verify_certificate.py to refuse, and to read
    lists and integers.
    """
    rows, basis = numbers_of(part["rows"], len(Z), "near_weights"), numbers_of(part["basis"], len(Z), "the basis")
    u, within = dict(zip(rows, map(whole, part["weights"]), strict=True)), part["within"]
    require(u and min(u.values()) > 0, "a weight is not positive")
    require(set(rows) <= set(left), "a weight is of a row that a direction separates")
    require(u.keys() >= set(basis), "a row of the basis has no weight")
    require(len(basis) == len(columns) > 0, "the basis has not as many rows as columns")
    require(type(within) is float and 0 < within < 1, "within is not between 0 and 1")
    B, tops = [[] for _ in basis], []
    for j in columns:
        entries = [(u[i] * Z[i][0].get(j, 0), Z[i][1]) for i in basis]
        sizes = [abs(v).bit_length() - factor.bit_length() for v, factor in entries if v]
        require(sizes and max(sizes) - min(sizes) <= FAR, "entries of a column of the basis are too far apart")
        tops.append(max(sizes))
        for row, (v, factor) in zip(B, entries, strict=True):
            row.append(shifted(v, factor, tops[-1]))
    R = list(zip(*inverse(B, require), strict=True))
    total, common = exact_sum(Z, u)
    r = [abs(shifted(total[j], common, top)) + TINY for j, top in zip(columns, tops, strict=True)]
    size = [sum(map(abs, column)) for column in zip(*B, strict=True)]
    for k, row in enumerate(R):
        off = sum(abs(sum(map(mul, row, column)) - (k == at)) for at, column in enumerate(B))
        off += (len(B) + 8) * 2.0**-52 * sum(map(mul, map(abs, row), size)) + TINY
        require(off * MORE <= 0.5, "rounding leaves open whether the rows of the basis are independent")
        change = 2 * MORE * sum(map(mul, map(abs, row), r))
        require(change <= within, "exact weights may be farther away than it says")
    return rows


def shifted(value, factor, power):
    """The float nearest value / factor / 2^power, of integers."""
    return value / (factor << power) if power >= 0 else (value << -power) / factor


def exact_sum(Z, u):
    """The sum of the weighted rows, column -> integer, and what these integers are over."""
    common, total = lcm(*(Z[i][1] for i in u)), Counter()
    for i, k in u.items():
        row, factor = Z[i]
        for j, v in row.items():
            total[j] += k * (common // factor) * v
    return total, common


def inverse(matrix, require):
    """The inverse as well as floats give it, by Gauss and Jordan."""
    rows, order, p = [list(row) for row in matrix], list(range(len(matrix))), len(matrix)
    for k in range(p):
        best = max(range(k, p), key=lambda i: abs(rows[i][k]))
        rows[k], rows[best], order[k], order[best] = rows[best], rows[k], order[best], order[k]
        pivot, rows[k][k] = rows[k][k], 1.0
        require(pivot, "the rows of the basis are not independent")
        rows[k] = chosen = [v / pivot for v in rows[k]]
        for i in range(p):
            if i != k:
                factor, rows[i][k] = rows[i][k], 0.0
                rows[i] = [a - factor * b for a, b in zip(rows[i], chosen, strict=True)]
    back = sorted(range(p), key=order.__getitem__)
    return [[row[k] for k in back] for row in rows]
