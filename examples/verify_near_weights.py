"""Check that exact positive weights exist near given ones, with nothing but Python's standard library.

The program verify_certificate.py asks this file when a certificate of separability has `near_weights`: it must lie
beside it. The theorem, with its proof, is on the page theory/separability of the documentation of linsep:

Let u > 0 be weights of signed rows z_i, rho = sum u_i z_i, the columns of B as many of these rows as there are columns,
and R any matrix. If, for every row k of R, sum_l |(I - R B)_kl| u_l <= theta u_k with theta < 1, and
|(R rho)_k| <= within (1 - theta) u_k with within < 1, then weights within that share of u bring the rows to exactly 0,
and the rows have full rank.

All numbers are Python integers. A column of B is one integer whose fields are its entries, so that a row of R B is a
sum of few products. Entries of B are rounded to a power of two for that, and what this can change is counted in.
"""

import base64
from collections import Counter
from fractions import Fraction

MOST = 900  # powers of two in a shift


def check_near(Z, left, part, null, require, numbers_of, whole):
    """Check `near_weights` of signed rows Z = [({column: integer}, factor)] among `left`; return the rows it names.

    The last three are the ways of verify_certificate.py to refuse, and to read lists and integers.
    """
    rows, basis = numbers_of(part["rows"], len(Z), "near_weights"), numbers_of(part["basis"], len(Z), "the basis")
    u = dict(zip(rows, map(whole, part["weights"]), strict=True))
    require(u and min(u.values()) > 0, "a weight is not positive")
    require(u.keys() >= set(basis), "a row of the basis has no weight")
    require(set(left) >= set(rows), "a weight is of a row that a direction separates")
    require(all(Z[i][1].bit_count() == 1 for i in rows), "a row holds numbers that are no doubles")
    used = {j for i in left for j, v in Z[i][0].items() if v}
    columns = numbers_of(part["columns"], max(used, default=0) + 1, "the columns of the inverse")
    check_columns([Z[i][0] for i in left], used, columns, null, require)
    p = len(columns)
    require(len(basis) == p > 0, "the basis has not as many rows as columns")
    R = inverse_of(part, p, require)
    shifts = [numbers(part[name], p, require) for name in ("row_shifts", "column_shifts")]
    within = Fraction(part["within"]) if type(part["within"]) is float else Fraction(0)
    require(0 < within < 1, "within is not between 0 and 1")
    weights = [u[i] for i in basis]
    theta = distance_from_identity([Z[i] for i in basis], weights, columns, R, shifts, require)
    require(theta < 1, "the inverse is not that of the rows of the basis")
    change = moved([(*Z[i], u[i]) for i in rows], weights, columns, R, shifts)
    require(change <= within * (1 - theta), "exact weights may be farther away than it says")
    return rows


def numbers(values, count, require):
    """A list of so many small integers."""
    require(isinstance(values, list) and len(values) == count, "shifts are not one a row and one a column")
    require(all(type(v) is int and abs(v) <= MOST for v in values), "a shift is no small integer")
    return values


def inverse_of(part, p, require):
    """The rows of R as lists of integers; each has `bytes` bytes, the lowest first."""
    size = part["bytes"]
    packed = base64.b64decode(part["inverse"], validate=True)
    require(type(size) is int and 1 <= size <= 8 and len(packed) == size * p * p, "the inverse has another size")
    whole = [int.from_bytes(packed[k : k + size], "little", signed=True) for k in range(0, len(packed), size)]
    return [whole[k : k + p] for k in range(0, p * p, p)]


def check_columns(rows, used, columns, null, require):
    """`columns` and one column a null vector, which that vector gives by them, are all columns with an entry."""
    own = Counter()
    for k, vector in enumerate(null):
        mine = vector.keys() - set(columns)
        require(len(mine) == 1, f"null vector {k} has not one column of its own")
        own.update(mine)
        sums = (sum(row[j] * v for j, v in vector.items() if j in row) for row in rows)
        require(not any(sums), f"null vector {k} is not orthogonal to every row left")
    require(len(own) == len(null), "two null vectors are about one column")
    require(own.keys() | set(columns) == used, "the columns of the inverse and the null vectors are not all columns")


def distance_from_identity(rows, u, columns, R, shifts, require):
    """A bound of max_k sum_l |(I - R B)_kl| u_l / u_k."""
    p, (row_shifts, column_shifts) = len(rows), shifts
    longest = max(abs(v) for row in R for v in row).bit_length()
    keep = 24 if longest <= 24 else 48
    tops, digits = [], []
    for row, factor in rows:
        powers = [factor.bit_length() - 1 + c for c in column_shifts]  # entry j counts 2^-powers[j]
        entries = [row.get(j, 0) for j in columns]
        require(any(entries), "a row of the basis is 0")
        tops.append(max(abs(v).bit_length() - q for v, q in zip(entries, powers, strict=True) if v))
        digits.append([rounded(v, keep - tops[-1] - q) for v, q in zip(entries, powers, strict=True)])
    width = (keep + longest + p.bit_length() + 2) // 8 + 1  # bytes of a field
    half = 1 << (8 * width - 1)
    bias = sum(half << (8 * width * k) for k in range(p))
    packed = [
        int.from_bytes(b"".join((row[j] + half).to_bytes(width, "little") for row in digits), "little") - bias
        for j in range(p)
    ]
    lowest = min(tops)
    weights = [v << (top - lowest) for v, top in zip(u, tops, strict=True)]
    all_weights, worst = sum(weights), Fraction(0)
    for k in range(p):
        total = sum(a * column for a, column in zip(R[k], packed, strict=True) if a)
        fields = (total + bias).to_bytes(width * p, "little")
        row = [int.from_bytes(fields[at : at + width], "little") - half for at in range(0, width * p, width)]
        one = row_shifts[k] - tops[k] + keep  # the power of two that stands for 1
        require(one >= 0, "a row of the inverse is too large")
        row[k] -= 1 << one
        off = 2 * sum(abs(v) * w for v, w in zip(row, weights, strict=True)) + sum(map(abs, R[k])) * all_weights
        worst = max(worst, Fraction(off, 2 * u[k]) * Fraction(2) ** (lowest - row_shifts[k] - keep))
    return worst


def rounded(value, power):
    """The integer times two to a power, to the nearest integer."""
    return value << power if power >= 0 else (value + (1 << (-power - 1))) >> -power


def moved(weighted, u, columns, R, shifts):
    """A bound of max_k |(R rho)_k| / u_k."""
    row_shifts, column_shifts = shifts
    common = max(factor for _, factor, _ in weighted)
    rho = dict.fromkeys(columns, 0)
    for row, factor, k in weighted:
        times = k * (common // factor)
        for j, v in row.items():
            if j in rho:
                rho[j] += times * v
    top = max(column_shifts)
    size = [abs(rho[j]) << (top - c) for j, c in zip(columns, column_shifts, strict=True)]
    sums = [sum(abs(a) * v for a, v in zip(row, size, strict=True)) for row in R]
    parts = zip(sums, row_shifts, u, strict=True)
    return max(Fraction(v, common * w) / Fraction(2) ** (top + shift) for v, shift, w in parts)
