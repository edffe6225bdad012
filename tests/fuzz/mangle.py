"""Small damage to input, and pieces that readers have stumbled over."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

NUMBERS = (
    "0", "-0", "1", "-1", "+1", "1.", ".5", "-.5", "1e5", "1E-5", "1e999", "-1e999", "1e-999", "1e200", "nan",
    "NaN", "inf", "-inf", "Infinity", "0x10", "1_000", "1,5", "007", "12345678901234567890", "9007199254740993",
    "0.1", "1e", "e1", "--1", "1.2.3", " 1", "1 ", "\t2", "١", "1e+3", "1d5", "1f", "true", "+", "-", ".",
    "3.14159265358979323846264338327950288",
)  # fmt: skip
WORDS = (
    "", " ", "a", "yes", "no", "Oslo", "é", "𝄞", "\ufeff", "\u2028", "\x85", "\x0b", "\x0c", "NA", "null", "None", "-",
    "--", "#N/A",
    '"', '""', "a b", "a,b", "a\nb", "a\r\nb", "\r", "'", "\\", "\\n", "#", ":", "|", "x" * 200, "\x00", "\x7f",
    "\u200b", "a\u0301", "True", "false", "$1,204.50", "12%", "1,000", "($3.50)", "(2)",
)  # fmt: skip
BYTES = (
    b"\x00", b"\xff", b"\xfe\xff", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xc0\x80", b"\r", b"\n", b"\r\n", b'"',
    b'""', b",", b"\n\n", b" ", b"\t", b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PAR1", b"{", b"}", b"[", b"]", b":",
    b"|", b"#", b"\\", b"1e999",
)  # fmt: skip


def number(rng: Random) -> str:
    """A number as people and programs write it, or nearly one."""
    if rng.random() < 0.15:
        return rng.choice(NUMBERS)
    if rng.random() < 0.5:
        return str(rng.randrange(-99, 100))
    return repr(rng.choice([rng.gauss(0, 1), rng.uniform(-1, 1) * 10.0 ** rng.randrange(-40, 40)]))


def word(rng: Random) -> str:
    """A word, or what should not be in one."""
    if rng.random() < 0.1:
        return rng.choice(WORDS)
    return "".join(rng.choice("abcxyzé") for _ in range(rng.randrange(1, 6)))


def mangle(rng: Random, content: bytes, tokens: Sequence[bytes] = BYTES) -> bytes:
    """Content with one to three pieces put in, taken out, doubled or changed."""
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        a = rng.randrange(len(content) + 1)
        b = min(len(content), a + rng.choice([0, 1, 1, 2, 5, 20]))
        kind = rng.randrange(5)
        if kind == 0:
            content = content[:a] + rng.choice(tokens) + content[a:]
        elif kind == 1:
            content = content[:a] + content[b:]
        elif kind == 2:
            content = content[:b] + content[a:b] * rng.choice([1, 1, 2, 50]) + content[b:]
        elif kind == 3:
            content = content[:a] + bytes(c ^ (1 << rng.randrange(8)) for c in content[a:b]) + content[b:]
        else:
            content = content[:a]
    return content


def often(rng: Random, content: bytes, tokens: Sequence[bytes] = BYTES) -> bytes:
    """Content, mangled every third time."""
    return mangle(rng, content, tokens) if rng.random() < 0.33 else content
