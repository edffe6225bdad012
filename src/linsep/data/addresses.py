"""Addresses with "://" and the passwords in them, which are shown nowhere."""

from __future__ import annotations

import re
from urllib.parse import unquote

HIDDEN = "***"
POSTGRES = ("postgresql://", "postgres://")
_SCHEME = r"[A-Za-z][A-Za-z0-9+.-]*://"
# In messages an address may have lost a slash, as in those about paths.
_ANY_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/{1,2}(?=[^/])")
# Names of parameters whose value is a secret: ?password=, ?X-Amz-Signature=, &sig=, and password=... of libpq.
_SECRET = re.compile(
    r"(?i)(\b[\w-]*(?:password|passwd|passphrase|pwd|secret|token|signature|credential)[\w-]*|\bsig|\b(?:api|access)_?key)"
    r"(\s*=\s*)('[^']*'|\"[^\"]*\"|[^\s&'\";]+)"
)


def is_address(name: str) -> bool:
    """Whether this names something on a server or in a store, and no file of this machine.

    Examples
    --------
    >>> is_address("s3://bucket/rows.csv"), is_address("rows.csv")
    (True, False)
    """
    return re.match(_SCHEME, name) is not None


def shown(name: str) -> str:
    """What messages call a file or an address: a path as it is, an address without its passwords.

    Examples
    --------
    >>> shown("token=1.csv"), shown("https://host/rows.csv?token=1")
    ('token=1.csv', 'https://host/rows.csv?token=***')
    """
    return without_secrets(name) if is_address(name) else name


def without_secrets(text: str) -> str:
    """An address, or words with addresses among them, with ``***`` for each password.

    Examples
    --------
    >>> without_secrets("postgresql://ann:secret@host/db?sslmode=require")
    'postgresql://ann:***@host/db?sslmode=require'
    >>> without_secrets("get https://host:8000/rows.csv?sig=abc&part=2 again")
    'get https://host:8000/rows.csv?sig=***&part=2 again'
    """
    text = _without_password(text) if is_address(text) else re.sub(rf"{_ANY_SCHEME.pattern}\S+", _masked, text)
    return _SECRET.sub(rf"\1\2{HIDDEN}", text)


def without_secrets_of(address: str, text: str) -> str:
    """What another program says of an address, without its password, however that is written there.

    Examples
    --------
    >>> without_secrets_of("postgresql://ann:not%20me@host/db", 'wrong: "not me"')
    'wrong: "***"'
    """
    text = without_secrets(text)
    hidden = {password_of(address), *(match[3].strip("'\"") for match in _SECRET.finditer(address))}
    # Where a password is written wrongly, a message may hold a part of it.
    hidden |= {part for one in hidden for part in re.split(r"[/@:?#&=%\s]", one) if len(part) > 2}
    for secret in sorted({form for one in hidden for form in (one, unquote(one)) if form}, key=len, reverse=True):
        text = text.replace(secret, HIDDEN)
    return text


def password_of(address: str) -> str:
    """What stands between the user and the host; "" where there is none.

    Examples
    --------
    >>> password_of("postgresql://ann:pa/ss@host/db"), password_of("https://host:8000/a@b")
    ('pa/ss', '')
    """
    begin, end = _place_of_password(address)
    return address[begin:end]


def _masked(found: re.Match[str]) -> str:
    return _without_password(found[0])


def _without_password(address: str) -> str:
    begin, end = _place_of_password(address)
    return address if begin == end else address[:begin] + HIDDEN + address[end:]


def _place_of_password(address: str) -> tuple[int, int]:
    """Where the password begins and ends. One with a / or an @ in it, which should be %2F and %40, is found too."""
    scheme = _ANY_SCHEME.match(address)
    if scheme is None:
        return 0, 0
    start = scheme.end()
    host_ends = address.find("/", start)
    host_ends = len(address) if host_ends < 0 else host_ends
    colon = address.find(":", start)
    at = address.rfind("@", start, host_ends)
    if at < 0 and start <= colon < host_ends and not address[colon + 1 : host_ends].isdigit():
        at = address.rfind("@", start)
    return (colon + 1, at) if start <= colon < at else (0, 0)
