"""Tagged text: two columns, or CoNLL-U."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple

from linsep.data.inputs import Input, bare_name
from linsep.types import DataError

TaggedFormat = Literal["columns", "conllu"]
TAG_COLUMNS = {"upos": 3, "xpos": 4}
_FIELDS = 10


class Tagged(NamedTuple):
    """Sentences of tokens with their tags, and where each token stands in the text.

    Attributes
    ----------
    tokens : list of lists of str
        The tokens of each sentence.
    tags : list of lists of str or None
        The tag of each token; None where there is none.
    lines : list of lists of int
        The line of each token, from 0.
    text : list of str
        The text, line by line.
    name : str
        What messages call it.
    format : {"columns", "conllu"}
        The layout it was read in.
    column : {"upos", "xpos"}
        The column of a CoNLL-U file that the tags are from.
    """

    tokens: list[list[str]]
    tags: list[list[str | None]]
    lines: list[list[int]]
    text: list[str]
    name: str
    format: TaggedFormat
    column: str

    def gold(self) -> list[list[str]]:
        """Return the tags, every token having one.

        Returns
        -------
        list of lists of str
            The tag of each token.

        Raises
        ------
        DataError
            A token has none: file and line.
        """
        for tags, lines in zip(self.tags, self.lines, strict=True):
            if None in tags:
                raise DataError(f"{self.name}:{lines[tags.index(None)] + 1}: this token has no tag")
        return [[tag for tag in tags if tag is not None] for tags in self.tags]


def read_tagged(source: Any, format: str | None = None, tag: str = "upos") -> Tagged:
    """Read sentences of tagged tokens.

    Two columns: a token and its tag on each line, with a tab or blanks between (a line with one tab may have blanks
    in its token; a token alone has no tag), and an empty line after each sentence. CoNLL-U: ten columns with tabs
    between, comments behind #; of words written together and of empty nodes only the words count.

    Parameters
    ----------
    source : path, "-", bytes-like or binary file object
        "-" is standard input; compressed text (.gz, .zst) is decompressed.
    format : {"columns", "conllu"}, optional
        None: CoNLL-U for a name that ends in .conllu (or .conllu.gz), two columns for any other.
    tag : {"upos", "xpos"}
        The column of a CoNLL-U file that holds the tag; `_` means no tag.

    Returns
    -------
    Tagged
        The sentences, their tags, and their lines.

    Raises
    ------
    DataError
        For anything malformed, with file and line; for a file without a sentence.

    Examples
    --------
    >>> read_tagged(b"The det\\ndog noun\\n").tokens
    [['The', 'dog']]
    """
    given = Input(str(source) if isinstance(source, Path) else source)
    name = given.name
    chosen = format or ("conllu" if bare_name(name.lower()).endswith(".conllu") else "columns")
    if chosen not in ("columns", "conllu"):
        raise DataError(f"no format called {chosen!r}: choose columns or conllu")
    if tag not in TAG_COLUMNS:
        raise DataError(f"no tag column called {tag!r}: choose {' or '.join(TAG_COLUMNS)}")
    text = _decode(given.read_all(), name)
    found = Tagged([], [], [], text, name, "conllu" if chosen == "conllu" else "columns", tag)
    entries = _conllu(text, name, TAG_COLUMNS[tag]) if chosen == "conllu" else _columns(text, name)
    fresh = True
    for line, entry in entries:
        if entry is None:
            fresh = True
            continue
        if fresh:
            found.tokens.append([])
            found.tags.append([])
            found.lines.append([])
            fresh = False
        found.tokens[-1].append(entry[0])
        found.tags[-1].append(entry[1])
        found.lines[-1].append(line)
    if not found.tokens:
        raise DataError(f"{name}: there are no sentences")
    return found


def _decode(content: bytes, name: str) -> list[str]:
    content = content.removeprefix(b"\xef\xbb\xbf")
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise DataError(f"{name}:{line}: not UTF-8 text; convert the file, as with iconv -t utf-8") from None
    # Only line feeds end lines: other separators may be tokens.
    return [line.removesuffix("\r") for line in text.split("\n")]


_Entry = tuple[str, str | None]


def _columns(text: list[str], name: str) -> Iterator[tuple[int, _Entry | None]]:
    """(line, (token, tag)) of every token, and (line, None) where a sentence ends."""
    for number, line in enumerate(text):
        if not line.strip():
            yield number, None
            continue
        fields = [field.strip() for field in line.split("\t")] if "\t" in line else line.split()
        if len(fields) > 2 or "" in fields:
            raise DataError(
                f"{name}:{number + 1}: expected a token and its tag with a tab or a blank between, got {line!r:.60}"
            )
        yield number, (fields[0], fields[1] if len(fields) == 2 else None)


def _conllu(text: list[str], name: str, column: int) -> Iterator[tuple[int, _Entry | None]]:
    """The same of CoNLL-U: words are numbered 1, 2, ... in each sentence."""
    words = 0
    for number, line in enumerate(text):
        if not line.strip():
            words = 0
            yield number, None
            continue
        if line.startswith("#"):
            continue
        fields = line.split("\t")
        if len(fields) != _FIELDS:
            raise DataError(f"{name}:{number + 1}: expected {_FIELDS} columns with tabs between, got {len(fields)}")
        if _is_no_word(fields[0]):
            continue
        words += 1
        if fields[0] != str(words):
            raise DataError(f"{name}:{number + 1}: expected the ID {words} in the first column, got {fields[0]!r:.20}")
        if not fields[1]:
            raise DataError(f"{name}:{number + 1}: the second column, the word, is empty")
        tag = fields[column]
        yield number, (fields[1], None if tag in ("", "_") else tag)


def _is_no_word(identifier: str) -> bool:
    """Whether it is that of words written together, as 3-4, or of an empty node, as 5.1."""
    for mark in "-.":
        left, found, right = identifier.partition(mark)
        if found and left.isdecimal() and right.isdecimal():
            return True
    return False
