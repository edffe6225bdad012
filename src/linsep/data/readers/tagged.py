"""Tagged text, two columns or CoNLL-U, and the numbered features of its words: the shipped ones, or a user's own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, groupby
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from linsep.data.inputs import Input, bare_name
from linsep.types import Array, DataError

TaggedFormat = Literal["columns", "conllu"]
TAG_COLUMNS = {"upos": 3, "xpos": 4}
_FIELDS = 10
_NO_WORD = re.compile(r"[0-9]+[-.][0-9]+")  # of words written together, as 3-4, or of an empty node, as 5.1


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
    for _, sentence in groupby(entries, lambda entry: entry is None):
        words = [entry for entry in sentence if entry is not None]
        if words:
            found.lines.append([line for line, _, _ in words])
            found.tokens.append([token for _, token, _ in words])
            found.tags.append([tag for _, _, tag in words])
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


_Entry = tuple[int, str, str | None]


def _columns(text: list[str], name: str) -> Iterator[_Entry | None]:
    """(line, token, tag) of every token, and None where a sentence ends."""
    for number, line in enumerate(text):
        if not line.strip():
            yield None
            continue
        fields = [field.strip() for field in line.split("\t")] if "\t" in line else line.split()
        if len(fields) > 2 or "" in fields:
            raise DataError(
                f"{name}:{number + 1}: expected a token and its tag with a tab or a blank between, got {line!r:.60}"
            )
        yield number, fields[0], fields[1] if len(fields) == 2 else None


def _conllu(text: list[str], name: str, column: int) -> Iterator[_Entry | None]:
    """The same of CoNLL-U: words are numbered 1, 2, ... in each sentence."""
    words = 0
    for number, line in enumerate(text):
        if not line.strip():
            words = 0
            yield None
            continue
        if line.startswith("#"):
            continue
        fields = line.split("\t")
        if len(fields) != _FIELDS:
            raise DataError(f"{name}:{number + 1}: expected {_FIELDS} columns with tabs between, got {len(fields)}")
        if _NO_WORD.fullmatch(fields[0]):
            continue
        words += 1
        if fields[0] != str(words):
            raise DataError(f"{name}:{number + 1}: expected the ID {words} in the first column, got {fields[0]!r:.20}")
        if not fields[1]:
            raise DataError(f"{name}:{number + 1}: the second column, the word, is empty")
        tag = fields[column]
        yield number, fields[1], None if tag in ("", "_") else tag


Extract = Callable[[list[str]], Sequence[Iterable[str]]]

# How far away the neighbours stand whose words are features.
NEAR = (-2, -1, 1, 2)
# Tokens whose features are laid out at once.
_BLOCK = 1 << 18


class Tokens(NamedTuple):
    """Sentence i is the tokens `first[i]:first[i + 1]`, token t the features `indices[indptr[t]:indptr[t + 1]]`."""

    first: Array
    indptr: Array
    indices: Array


class FeatureIndex:
    """The number of each feature name: in the order they first come, or by hashing where `n_bits` says so.

    Names are hashed to `n_bits` bits as streams hash them, without signs. No names are kept then, and
    names of one number share their weights.

    Examples
    --------
    >>> FeatureIndex().numbers(["word:a", "word:b", "word:a"]), FeatureIndex(8).numbers(["word:a", "word:b"])
    ([0, 1, 0], [120, 225])
    """

    def __init__(self, n_bits: int | None = None, names: Iterable[str] = ()) -> None:
        self.n_bits = n_bits
        self._numbers = {name: k for k, name in enumerate(names)}
        self.open = True

    @property
    def size(self) -> int:
        """How many features there are."""
        return len(self._numbers) if self.n_bits is None else 1 << self.n_bits

    @property
    def names(self) -> list[str] | None:
        """Name of each feature; None where they were hashed."""
        return list(self._numbers) if self.n_bits is None else None

    def numbers(self, names: Iterable[str]) -> list[int]:
        """The number of each name; a new one gets the next while the index is open, and -1 once it is closed."""
        if self.n_bits is not None:
            from linsep.kernels.text.hashing import hash_names

            raw = [name.encode("utf-8", "surrogatepass") for name in names]
            bounds = np.cumsum([0, *map(len, raw)])
            columns, _ = hash_names("", np.frombuffer(b"".join(raw), np.uint8), bounds, self.n_bits)
            return [int(column) for column in columns]
        known = self._numbers
        if self.open:
            return [known.setdefault(name, len(known)) for name in names]
        return [known.get(name, -1) for name in names]


def shape(word: str) -> str:
    """The word with X for capitals, x for other letters and 9 for digits, each run of one kind written once.

    Examples
    --------
    >>> shape("McDonald's"), shape("1,234.50")
    ("XxXx'x", '9,9.9')
    """
    kinds = ["9" if c.isdigit() else "X" if c.isupper() else "x" if c.isalpha() else c for c in word]
    return "".join(c for c, before in zip(kinds, ["", *kinds], strict=False) if c != before)


def word_features(word: str) -> list[str]:
    """The features that depend on the word alone.

    The word, its lower case, its first and last one, two and three letters (in lower case), its shape, and whether it
    holds a digit, holds a hyphen, begins with a capital.

    Examples
    --------
    >>> len(word_features("Re-elected")), word_features("Re-elected")[5]
    (11, 'ends:ted')
    """
    low = word.lower()
    size = len(low)
    found = [f"word:{word}", f"lower:{low}", f"shape:{shape(word)}"]
    found += [f"ends:{low[-k:]}" for k in (1, 2, 3) if k < size]
    found += [f"begins:{low[:k]}" for k in (1, 2, 3) if k < size]
    if any(c.isdigit() for c in word):
        found.append("digit")
    if "-" in word:
        found.append("hyphen")
    if word[:1].isupper():
        found.append("capital")
    return found


def word_shapes(sentence: Sequence[str]) -> list[list[str]]:
    """The shipped features of each token: those of its word, and the two words on either side in lower case.

    Outside the sentence the neighbour is the empty word.

    Examples
    --------
    >>> word_shapes(["Go", "on"])[1][-4:]
    ['-2:', '-1:go', '+1:', '+2:']
    """
    low = [word.lower() for word in sentence]
    padded = ["", "", *low, "", ""]
    return [[*word_features(word), *(f"{d:+d}:{padded[t + 2 + d]}" for d in NEAR)] for t, word in enumerate(sentence)]


def index_features(sentences: Sequence[Sequence[str]], index: FeatureIndex, features: Extract | None) -> Tokens:
    """Number the features of every token; names that a closed index does not know are left out.

    Parameters
    ----------
    sentences : lists of tokens
    index : FeatureIndex
        Grows while it is open.
    features : callable, optional
        From the tokens of a sentence to the feature names of each. None: those of `word_shapes`, found faster.

    Raises
    ------
    DataError
        `features` gave another number of lists than there are tokens, or something that is not text.

    Examples
    --------
    >>> found = index_features([["Go", "on"], ["Go"]], FeatureIndex(), None)
    >>> found.first.tolist(), np.diff(found.indptr).tolist()
    ([0, 2, 3], [10, 9, 10])
    """
    first = np.cumsum([0, *map(len, sentences)], dtype=np.int64)
    if features is not None:
        return Tokens(first, *_by_token(sentences, index, features))
    return Tokens(first, *_by_word(list(chain.from_iterable(sentences)), first, index))


def _by_token(sentences: Sequence[Sequence[str]], index: FeatureIndex, features: Extract) -> tuple[Array, Array]:
    counts: list[Array] = []
    numbers: list[Array] = []
    for i, sentence in enumerate(sentences):
        found = features(list(sentence))
        if len(found) != len(sentence):
            raise DataError(f"sentence {i}: features gave {len(found)} lists for {len(sentence)} tokens")
        for t, names in enumerate(found):
            wrong = (
                names if isinstance(names, str) else next((name for name in names if not isinstance(name, str)), None)
            )
            if wrong is not None:
                raise DataError(f"sentence {i}, token {t}: features must give a list of names, got {wrong!r}")
        here = np.array(index.numbers(chain.from_iterable(found)), dtype=np.int32)
        ends = np.cumsum([0, *(len(list(names)) for names in found)])
        known = np.append(0, np.cumsum(here >= 0))
        counts.append(np.diff(known[ends]))
        numbers.append(here[here >= 0])
    none = [np.empty(0, dtype=np.int32)]
    return np.cumsum(np.concatenate([[0], *counts]), dtype=np.int64), np.concatenate(none + numbers)


def _by_word(tokens: list[str], first: Array, index: FeatureIndex) -> tuple[Array, Array]:
    """The features of `word_shapes`, those of a distinct word found once."""
    words, word = _distinct(tokens)
    own = _own_features(words, index)
    lows, low_of_word = _distinct([w.lower() for w in words])
    near = _near_features(lows, low_of_word[word], first, index)
    indices, counts = [], [np.zeros(1, dtype=np.int64)]
    for start in range(0, len(word), _BLOCK):
        part = slice(start, start + _BLOCK)
        table = np.concatenate([own[word[part]], *(column[part, None] for column in near)], axis=1)
        known = table >= 0
        indices.append(table[known])
        counts.append(known.sum(axis=1))
    return np.cumsum(np.concatenate(counts)), np.concatenate([np.empty(0, np.int32), *indices])


def _distinct(values: list[str]) -> tuple[list[str], Array]:
    """The distinct values in the order they first come, and the position of each value among them."""
    position = {value: k for k, value in enumerate(dict.fromkeys(values))}
    return list(position), np.fromiter(map(position.__getitem__, values), dtype=np.int32, count=len(values))


def _own_features(words: list[str], index: FeatureIndex) -> Array:
    """Numbers of the features of each distinct word, one row a word, filled up with -1."""
    names = [word_features(word) for word in words]
    sizes = np.fromiter(map(len, names), dtype=np.int64, count=len(words))
    filled = np.full((len(words), sizes.max(initial=0)), -1, dtype=np.int32)
    filled[np.arange(filled.shape[1]) < sizes[:, None]] = index.numbers(chain.from_iterable(names))
    return filled


def _near_features(lows: list[str], low: Array, first: Array, index: FeatureIndex) -> list[Array]:
    """Numbers of the neighbour features of each token, one array a distance; outside the sentence is the empty word."""
    reach = max(NEAR)
    lengths = np.diff(first)
    place = np.arange(len(low)) + reach * (1 + np.repeat(np.arange(len(lengths)), lengths))
    padded = np.full(len(low) + reach * (1 + len(lengths)), len(lows), dtype=np.int32)
    padded[place] = low
    names: list[Any] = [*lows, ""]
    columns = []
    for d in NEAR:
        neighbour = padded[place + d]
        there = np.flatnonzero(np.bincount(neighbour, minlength=len(names)))
        numbers = np.full(len(names), -1, dtype=np.int32)
        numbers[there] = index.numbers(f"{d:+d}:{names[k]}" for k in there)
        columns.append(numbers[neighbour])
    return columns
