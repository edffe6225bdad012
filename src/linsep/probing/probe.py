"""`probe`: every layer is asked about every concept, one after the other."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save

from linsep.files import write_whole
from linsep.probing.evidence import Settings
from linsep.probing.labels import Labels, open_labels
from linsep.probing.layers import Layer, open_layers
from linsep.probing.measured import Direction, ProbeRow, Proof, measured
from linsep.probing.words import doubts_of, notes, table_lines
from linsep.tables import check_index
from linsep.theory.bounds.cover import holm
from linsep.theory.rows.deadline import deadline_of
from linsep.types import DataError

_LONGEST = 60  # characters of a layer and of a concept in the name of a file: each takes four bytes at most
Key = tuple[str, str]


@dataclass(frozen=True, repr=False)
class Probe:
    """What `probe` found: a row for each layer and concept.

    Attributes
    ----------
    rows : tuple of ProbeRow
        In the order of the layers, and for each layer in that of the concepts.
    directions : mapping of (layer, concept) to Direction
        w and b of the maximum margin where the rows are separable, else of a probe fitted on all rows; ||w|| is 1.
    warnings : tuple of str
        Classes that may not be meant, labels that are not used, a key that may have been forgotten, and that Ctrl-C
        ended the probe.
    interrupted : bool
        Whether Ctrl-C ended it: the rows are those found by then.
    """

    rows: tuple[ProbeRow, ...]
    directions: Mapping[Key, Direction] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    interrupted: bool = False

    def __repr__(self) -> str:
        return f"<Probe: {len(self.rows)} rows>"

    @property
    def adjusted(self) -> tuple[float | None, ...]:
        """log10 of the chance of each row after Holm's correction for all of them; 0.0 if the verdict is not separable.

        None where the odds are not known.
        """
        known = [(row.log10_odds if row.verdict == "separable" else 0.0) for row in self.rows]
        found = iter(holm([odds for odds in known if odds is not None]))
        return tuple(None if odds is None else next(found) for odds in known)

    def to_dict(self) -> list[dict[str, Any]]:
        """Return the rows as plain values, each with `log10_holm`, its odds after Holm's correction."""
        return [{**row.to_dict(), "log10_holm": odds} for row, odds in zip(self.rows, self.adjusted, strict=True)]

    def to_json(self) -> str:
        """Return the rows as JSON: one list of objects."""
        return json.dumps(self.to_dict(), allow_nan=False)

    def table(self) -> Any:
        """Return the rows as a pandas dataframe, each with `log10_holm`; a value that is not known is missing."""
        import pandas

        return pandas.DataFrame(self.to_dict())

    def save_directions(self, path: Any) -> None:
        """Write the directions as .safetensors: "layer/concept" is w, "layer/concept/intercept" b; kinds are metadata.

        Parameters
        ----------
        path : str or PathLike
            Where to write.
        """
        named = {"/".join(key): one for key, one in self.directions.items()}
        arrays = {name: one.w for name, one in named.items()}
        arrays |= {f"{name}/intercept": np.array([one.b]) for name, one in named.items()}
        write_whole(path, save(arrays, {name: one.kind for name, one in named.items()}), "the directions")

    @property
    def lines(self) -> list[tuple[str, str]]:
        """The rows as a table, and what is to be said about them: lines of (first cell, the others)."""
        return [*table_lines(self.rows), *notes(self.rows, self.adjusted)] if self.rows else []

    def summary(self) -> str:
        """Return the rows as a table for people, and what is to be said about them."""
        lines = [*self.lines, *(("warning", text) for text in self.warnings)]
        width = max((len(first) for first, _ in lines), default=0)
        return "\n".join(f"{first.ljust(width)}  {rest}" for first, rest in lines)


def probe(
    X: Any,
    y: Any,
    *,
    labels: str | Sequence[str] = (),
    groups: Any = None,
    types: Any = None,
    key: str | None = None,
    axis: int | None = None,
    pairs: bool = False,
    controls: int = 20,
    folds: int = 5,
    time_limit: float | None = None,
    random_state: int = 0,
    explain: bool = False,
    explain_limit: float = 10.0,
    certificates: Any = None,
    callback: Callable[[ProbeRow], None] | None = None,
) -> Probe:
    """Ask in each layer whether the sign of w.x + b tells a concept: of all rows, proved; by chance; of new rows.

    The verdict is that of `separability`, proved in exact arithmetic. The odds are Cover's: log10 of the largest chance
    that shuffled labels of these rows would be separable, too. They count rows that are equal and have one label once.
    The probe that is tried on rows held out is an
    `AveragedPerceptron` on standardised columns, the same on shuffled labels, and on a random label for each type.

    Parameters
    ----------
    X : array, mapping of names to arrays, sequence of arrays, path, or sequence of paths
        Activations, a row for each label: one layer, or several as keys, as files or along an axis. Files are .npy and
        .safetensors (read from the disk as needed), .npz, .h5 and .hdf5 (h5py has to be installed). Arrays are
        anything with `__array__` or `__dlpack__`.
    y : array-like, mapping of names to arrays, dataframe, or path
        Labels: one concept, or a column for each, of two classes or more. Missing labels leave their rows out.
    labels : str or sequence of str, optional
        The columns of y that are concepts; none means the only one there is.
    groups : str or array-like, optional
        A column of y, or a value a row: rows of one group depend on each other. Folds keep groups together, and the
        odds count groups where each has one label; where one has both there are no odds.
    types : str or array-like, optional
        A column of y, or a value a row, such as the word: each gets a random label in the control task. Otherwise the
        groups.
    key : str, optional
        An array of X and a column of y that name the rows, which are matched by it instead of by position. Labels of
        rows that a layer has not are left out.
    axis : int, optional
        The axis of arrays of three axes that counts the layers.
    pairs : bool, default=False
        Of a concept of three classes or more each is asked against the rest; with `pairs` also each against each other,
        as "name=class against class", without the rows of the other classes. Holm's correction counts all questions.
    controls : int, default=20
        Probes on shuffled labels, and on control tasks, each tried on one fold; 0 for none.
    folds : int, default=5
        Parts that are held out in turn; fewer where a class has fewer rows.
    time_limit : float, optional
        Seconds for each proof, each margin, and the proofs of all shuffled labels of a row together; the verdict may
        then be "undecided".
    random_state : int, default=0
        Seed of folds, shuffles and control tasks.
    explain : bool, default=False
        Of rows that are not separable also bracket the fewest that have to go, and the fewest of the negative class in
        a half-space that has all of the positive one; of separable ones look for few columns that still separate.
    explain_limit : float, default=10.0
        Seconds for each of these, for each layer and concept; more time makes brackets tighter and sets smaller.
    certificates : str or PathLike, optional
        A folder for the proof of each row as JSON, which `examples/verify_certificate.py` checks; it is made if need
        be. `ProbeRow.certificate` is the name of the file. The proof is about the rows that have a label, in the order
        of the labels, and their classes by name. What `explain` says has a proof of its own (`explain_certificate`).
    callback : callable, optional
        Called with each row when it is found.

    Returns
    -------
    Probe
        `rows`, `table()`, `summary()`, `to_json()`, `directions`; after Ctrl-C with the rows found by then,
        and `interrupted` is true.

    Raises
    ------
    DataError
        Rows and labels do not match, a number is not finite, a concept has one class, a file cannot be read.
    KeyboardInterrupt
        On Ctrl-C before there is a row.

    References
    ----------
    Cover, "Geometrical and statistical properties of systems of linear inequalities with applications in pattern
    recognition", IEEE Transactions on Electronic Computers EC-14 (1965). Hewitt and Liang, "Designing and interpreting
    probes with control tasks", EMNLP (2019). Wilson, "Probable inference", Journal of the American Statistical
    Association 22 (1927).

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> hidden = rng.normal(size=(200, 4))
    >>> found = probe({"first": hidden**2, "second": hidden}, hidden[:, 0] > 0, controls=0)
    >>> [(row.layer, row.verdict, round(row.log10_odds, 1)) for row in found.rows]
    [('first', 'inseparable', -50.9), ('second', 'separable', -50.9)]
    """
    if controls < 0 or folds < 2:
        raise DataError(f"controls is 0 or more and folds 2 or more, not {controls} and {folds}")
    for seconds in (time_limit, explain_limit):
        deadline_of(seconds)  # refuses what is no number of seconds
    for part in X.values() if isinstance(X, Mapping) else X if isinstance(X, list | tuple) else [X]:
        for name, values in {"y": y, "groups": groups, "types": types}.items():
            check_index(part, values, name)
    settings = Settings(controls, folds, time_limit, random_state, explain_limit if explain else None)
    read = open_labels(y, (labels,) if isinstance(labels, str) else labels, groups, types, key, pairs)
    layers = open_layers(X, axis=axis, key=key)
    folder = None if certificates is None else Path(certificates)
    if folder is not None:
        try:
            folder.mkdir(exist_ok=True)
        except OSError as error:
            raise DataError(f"cannot make the folder of certificates {folder}: {error.strerror}") from None
    rows: list[ProbeRow] = []
    directions: dict[Key, Direction] = {}
    said: list[str] = []
    try:
        for layer in layers:
            for row, direction in _rows_of(layer, read, settings, folder, len(rows) + 1):
                rows.append(row)
                directions[row.layer, row.concept] = direction
                if callback is not None:
                    callback(row)
    except KeyboardInterrupt:
        if not rows:
            raise
        said = [f"interrupted: these are {len(rows):,} of {len(layers) * len(read.questions):,} rows"]
    return Probe(tuple(rows), directions, (*doubts_of(layers, read, rows, folds), *said), bool(said))


def _rows_of(
    layer: Layer, labels: Labels, settings: Settings, folder: Path | None, first: int
) -> Iterator[tuple[ProbeRow, Direction]]:
    """Read a layer and ask it; neither it nor a proof, which holds its rows, is kept when the next one is read."""
    X, known = layer.read(), dict[bytes, Any]()
    for number, (question, at) in enumerate(labels.matched(layer, len(X)), start=first):
        row, direction, proofs = measured(layer.name, X, at, question, labels, settings, known)
        yield (row if folder is None else _written(row, proofs, folder, number)), direction


def _written(row: ProbeRow, proofs: Sequence[Proof], folder: Path, number: int) -> ProbeRow:
    """Write the proofs of a row, unless it is undecided; return the row with the names of the files, no two alike."""
    found: dict[str, Any] = {}
    safe = [re.sub(r"[^\w.=-]+", "_", name)[:_LONGEST] for name in (row.layer, row.concept)]
    for which, proof in zip(("", "explain_"), proofs, strict=True):
        if row.proof is not None and proof is not None:
            raw = proof.to_json().encode()
            name = f"{number}-{safe[0]}--{safe[1]}{'.explained' if which else ''}.json"
            write_whole(folder / name, raw, "a certificate")
            found |= {f"{which}certificate": name, f"{which}sha256": sha256(raw).hexdigest()}
    return replace(row, **found)
