"""`probe`: every layer is asked about every concept, one after the other."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from linsep.probing.chance import Rank
from linsep.probing.directions import Direction, cosines, write_directions
from linsep.probing.doubts import doubts_of, doubts_of_unused
from linsep.probing.labels import Labels, open_labels
from linsep.probing.layers import Layer, open_layers
from linsep.probing.measured import ProbeRow, Settings, measured
from linsep.probing.saved import SavedProofs
from linsep.probing.words import notes, table_lines
from linsep.theory.bounds.cover import holm
from linsep.theory.rows.deadline import deadline_of
from linsep.types import Array, DataError


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
        Labels that may be misspelt, labels that are not used, a key that may have been forgotten, and that Ctrl-C ended
        the probe.
    interrupted : bool
        Whether Ctrl-C ended it: the rows are those found by then.
    """

    rows: tuple[ProbeRow, ...]
    directions: Mapping[tuple[str, str], Direction] = field(default_factory=dict)
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
        return _pandas("Probe.table").DataFrame(self.to_dict())

    def cosines(self, layer: str) -> Any:
        """Return the cosines between the directions of the concepts in a layer: w_j.w_k, as a pandas dataframe.

        Parameters
        ----------
        layer : str
            Its name.

        Returns
        -------
        DataFrame
            A row and a column for each concept.

        Raises
        ------
        DataError
            There is no direction in such a layer.
        """
        names, values = cosines(self.directions, layer)
        return _pandas("Probe.cosines").DataFrame(values, index=names, columns=names)

    def save_directions(self, path: Any) -> None:
        """Write the directions as .safetensors: "layer/concept" is w, "layer/concept/intercept" b.

        Parameters
        ----------
        path : str or PathLike
            Where to write.
        """
        write_directions(Path(path), self.directions)

    @property
    def lines(self) -> list[tuple[str, str]]:
        """The rows as a table, and what is to be said about them: lines of (first cell, the others)."""
        return [*table_lines(self.rows), *notes(self.rows, self.adjusted)] if self.rows else []

    def plot(self, show: Any = "accuracy", *, concepts: Sequence[str] | None = None, ax: Any = None) -> Any:
        """Draw the concepts over the layers, as `linsep.plots.plot_probe` does.

        Parameters
        ----------
        show : {"accuracy", "margin", "separable"}, default="accuracy"
            What to draw.
        concepts : sequence of str, optional
            The concepts to draw; without it all, of "accuracy" and "margin" the first eight.
        ax : Axes, optional
            Where to draw; without it, in a new figure.

        Returns
        -------
        Axes
            The axes with the picture.
        """
        from linsep.plots.depth import plot_probe

        return plot_probe(self, show, concepts=concepts, ax=ax)

    def summary(self) -> str:
        """Return the rows as a table for people, and what is to be said about them."""
        lines = [*self.lines, *(("warning", text) for text in self.warnings)]
        width = max((len(first) for first, _ in lines), default=0)
        return "\n".join(f"{first.ljust(width)}  {rest}" for first, rest in lines)


def _pandas(what: str) -> Any:
    try:
        import pandas
    except ImportError as error:
        raise ImportError(f"{what} needs pandas, which is not installed: pip install pandas") from error
    return pandas


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
        .safetensors (read from the disk as needed), .npz, .h5 and .hdf5 (h5py has to be installed), .parquet, .arrow
        and .feather (a column of lists is a layer, else all columns of numbers together). Arrays are anything with
        `__array__` or `__dlpack__`.
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
        Of rows that are not separable also bracket the fewest that have to go, of separable ones look for few columns
        that still separate.
    explain_limit : float, default=10.0
        Seconds for that, for each layer and concept; more time makes brackets tighter and sets smaller.
    certificates : str or PathLike, optional
        A folder for the proof of each row as JSON, which `examples/verify_certificate.py` checks; it is made if need
        be. `ProbeRow.certificate` is the name of the file. The proof is about the rows that have a label, in the order
        of the labels, and their classes by name. What `explain` says has a proof of its own (`explain_certificate`).
    callback : callable, optional
        Called with each row when it is found.

    Returns
    -------
    Probe
        `rows`, `table()`, `summary()`, `plot()`, `to_json()`, `directions`; after Ctrl-C with the rows found by then,
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
    Association 22 (1927). Newcombe, "Confidence intervals for an effect size measure based on the Mann-Whitney
    statistic. Part 2", Statistics in Medicine 25 (2006).

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> hidden = rng.normal(size=(200, 4))
    >>> found = probe({"first": hidden**2, "second": hidden}, hidden[:, 0] > 0, controls=0)
    >>> [(row.layer, row.verdict, round(row.log10_odds, 1)) for row in found.rows]
    [('first', 'inseparable', -50.9), ('second', 'separable', -50.9)]
    """
    layers, read, settings = asked(
        X,
        y,
        labels,
        groups,
        types,
        key,
        axis,
        pairs,
        controls,
        folds,
        time_limit,
        random_state,
        explain_limit if explain else None,
    )
    rows, directions, interrupted = [], {}, False
    keys = keys_of(layers, read)
    proofs = None if certificates is None else SavedProofs(Path(certificates), keys)
    try:
        for row, direction in probe_rows(layers, read, settings, proofs=proofs):
            rows.append(row)
            if direction is not None:
                directions[row.layer, row.concept] = direction
            if callback is not None:
                callback(row)
    except KeyboardInterrupt:
        if not rows:
            raise
        interrupted = True
    said = [*doubts_of(layers, read, folds), *doubts_of_unused(rows, read)]
    if interrupted:
        said.append(f"interrupted: these are {len(rows):,} of {len(keys):,} rows")
    return Probe(tuple(rows), directions, tuple(said), interrupted)


def asked(
    X: Any,
    y: Any,
    labels: str | Sequence[str],
    groups: Any,
    types: Any,
    key: str | None,
    axis: int | None,
    pairs: bool,
    controls: int,
    folds: int,
    time_limit: float | None,
    random_state: int,
    explain: float | None,
) -> tuple[list[Layer], Labels, Settings]:
    """Open what is asked about, and check it; no layer is read."""
    if controls < 0 or folds < 2:
        raise DataError(f"controls is 0 or more and folds 2 or more, not {controls} and {folds}")
    for seconds in (time_limit, explain):
        deadline_of(seconds)  # refuses what is no number of seconds
    names = (labels,) if isinstance(labels, str) else tuple(labels)
    read = open_labels(y, names, groups=groups, types=types, key=key, pairs=pairs)
    layers = open_layers(X, axis=axis, key=key)
    return layers, read, Settings(controls, folds, time_limit, random_state, explain)


def keys_of(layers: Sequence[Layer], labels: Labels) -> list[tuple[str, str]]:
    """The layers and concepts of all rows."""
    return [(layer.name, question.concept) for layer in layers for question in labels.questions]


def probe_rows(
    layers: Sequence[Layer],
    labels: Labels,
    settings: Settings,
    *,
    known: Mapping[tuple[str, str], tuple[ProbeRow, Direction | None]] | None = None,
    on_layer: Callable[[int, str, str], None] = lambda k, layer, concept: None,
    proofs: SavedProofs | None = None,
) -> Iterator[tuple[ProbeRow, Direction | None]]:
    """Read one layer after the other and ask it; rows that are `known` are given as they are, and need no reading.

    The proofs of the others are written where they are to be kept.
    """
    known = known or {}
    for k, layer in enumerate(layers):
        open_questions = [one for one in labels.questions if (layer.name, one.concept) not in known]
        X, own = None, labels
        alike: dict[bytes, tuple[Rank, Array]] = {}
        if open_questions:
            on_layer(k, layer.name, open_questions[0].concept)
            X = layer.read()
            keys = None if layer.read_keys is None else layer.read_keys()
            order, own = labels.matched(layer.name, len(X), keys, layer.beside)
            X = X if order is None else X[order]
        for question in own.questions:
            if X is None or (layer.name, question.concept) in known:
                yield known[layer.name, question.concept]
                continue
            on_layer(k, layer.name, question.concept)
            types = own.groups if own.types is None else own.types
            row, direction, found = measured(layer.name, X, question, own.groups, types, settings, alike)
            yield (row if proofs is None else proofs.written(row, found)), direction
