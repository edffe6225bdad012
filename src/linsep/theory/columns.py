"""Few columns that separate, and columns that are needed: one search for tables and for probes.

What contains columns that separate does so too. So each set that separates meets the complement of each set that does
not, and an answer about one set answers for all that contain it, or for all that it contains. `ColumnSearch` asks no
more than it has to; what a set of columns is asked, and proved by, is its caller's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from linsep.tables import as_doubles, dense, labelled_table
from linsep.theory.explanation.programmes import hitting_set
from linsep.theory.margin.max_margin import max_margin
from linsep.theory.rows.deadline import Deadline, OutOfTimeError, deadline_of, time_left
from linsep.theory.separability.certificate import Separability
from linsep.theory.separability.decide import separability
from linsep.types import Array, DataError

_MOST_COLUMNS = 60  # among which a smallest set is proved to be one
_ROUNDS, _FEWER_ROUNDS = 60, 20  # of that proof; of rows and labels each takes some ten certificates
_SHORT = 5  # columns of rows and labels up to which it is tried: of more it takes too many rounds
_STEPS = 2000  # of the margin's search: its direction only ranks the columns

Members = frozenset[int]


class ColumnSearch:
    """Which sets of the columns 0, ..., n - 1 separate; all of them together do.

    Parameters
    ----------
    n : int
    prove : callable
        Of columns in ascending order whether they separate, and the proof of the answer. It may raise OutOfTimeError.
    proof : object
        The proof of all columns.

    Attributes
    ----------
    answers : dict of frozenset to (bool, object)
        Every answer so far; a caller may add what it knows.

    Examples
    --------
    >>> search = ColumnSearch(9, lambda some: ({2, 5} <= set(some) or {2, 7, 8} <= set(some), ""), "")
    >>> search.needed()
    [2]
    >>> search.find_fewest(range(9), Deadline()), sorted(search.few)
    (True, [2, 5])
    """

    def __init__(self, n: int, prove: Callable[[list[int]], tuple[bool, Any]], proof: Any) -> None:
        self.every: Members = frozenset(range(n))
        self.prove = prove
        self.answers: dict[Members, tuple[bool, Any]] = {self.every: (True, proof)}

    @property
    def few(self) -> Members:
        """The fewest columns known to separate."""
        return min((some for some, (separates, _) in self.answers.items() if separates), key=len)

    def known(self, some: Members) -> bool | None:
        """Whether these columns separate, as far as the answers tell."""
        for other, (separates, _) in self.answers.items():
            if other <= some if separates else some <= other:
                return separates
        return None

    def separates(self, some: Members) -> bool:
        """Whether these columns separate; asked only if that is not known."""
        found = self.known(some)
        if found is None:
            self.answers[some] = self.prove(sorted(some))
            found = self.answers[some][0]
        return found

    def needed(self) -> list[int]:
        """The columns without which the others do not separate, in ascending order."""
        return list(_essential(sorted(self.every), self.separates, together=False))

    def known_needed(self) -> tuple[list[int], int]:
        """The columns known to be needed, in ascending order, and for how many columns it is known."""
        size, open_ = len(self.every) - 1, self.every
        found: set[int] = set()
        for some, (separates, _) in self.answers.items():
            open_ = open_ & some if separates else open_
            if not separates and len(some) == size:
                found |= self.every - some
        return sorted(found), len(self.every) - len(open_ - found)

    def find_fewest(self, order: Sequence[int], deadline: Deadline, rounds: int = _ROUNDS) -> bool:
        """Make `few` a set of which none can be left out, the first of `order` first; say whether none is smaller.

        Among up to 60 columns that is proved, in so many rounds at most, by an implicit hitting set: the fewest columns
        that meet the complements of all sets known not to separate either separate, and no fewer do, or are made larger
        until no column can be added, which gives one more complement.

        Raises
        ------
        OutOfTimeError
            `few` are the fewest found by then.
        """
        list(_essential(order, self.separates, together=True))
        if len(self.every) > _MOST_COLUMNS:
            return len(self.few) < 2 and not self.separates(frozenset())
        complements: list[Members] = []
        for _ in range(rounds):
            hit = hitting_set(complements, {}, deadline)
            if not hit.exact:
                time_left(deadline)
                return False
            if len(hit.members) >= len(self.few) or self.separates(frozenset(hit.members)):
                return True
            outside = [k for k in order if k not in hit.members]
            complements.append(frozenset(_essential(outside, self._does_not_without, together=True)))
        return False

    def _does_not_without(self, some: Members) -> bool:
        return not self.separates(self.every - some)


def _essential(order: Sequence[int], holds: Callable[[Members], bool], *, together: bool) -> Iterator[int]:
    """The columns without which it does not hold: of all, or, `together`, of those that are left when others go.

    It holds of all, and of more columns where it does of fewer. Halves are left out at first, the first half first.
    """
    left, blocks = frozenset(order), [list(order)]
    while blocks:  # each is settled or halved
        block = blocks.pop()
        if holds(rest := left.difference(block)):
            left = rest if together else left
        elif len(block) > 1:
            blocks += [block[len(block) // 2 :], block[: len(block) // 2]]
        else:
            yield from block


def columns_of_verdict(
    X: Any, y: Any, proof: Separability, groups: Sequence[Sequence[int]], deadline: Deadline
) -> ColumnSearch:
    """The search among groups of columns for those with which the rows are still separable, or quasi-separable.

    Parameters
    ----------
    X : array or CSR matrix of shape (n, p)
    y : array-like of shape (n,)
        Two labels.
    proof : Separability
        The verdict on all columns, "separable" or "quasi-separable".
    groups : sequence of sequences of int
        Columns that are left out together, as the indicators of one category.
    deadline : Deadline

    Examples
    --------
    >>> X, y = np.array([[1, 2, 0], [5, 6, 1], [3, 2, 1], [7, 5, 0]]), [0, 0, 1, 1]
    >>> search = columns_of_verdict(X, y, separability(X, y), [[0], [1], [2]], Deadline())
    >>> search.needed(), search.find_fewest(range(3), Deadline()), sorted(search.few)
    ([0, 1], True, [0, 1])
    """
    open_ = ("undecided", "not-separable") if proof.verdict == "quasi-separable" else ("undecided",)

    def prove(some: list[int]) -> tuple[bool, Separability | None]:
        columns = sorted(j for k in some for j in groups[k])
        if not columns:
            return False, None
        found = separability(X[:, columns], y, time_limit=time_left(deadline))
        if found.verdict in open_:
            raise OutOfTimeError
        return found.verdict == proof.verdict, found

    return ColumnSearch(len(groups), prove, proof)


class FewColumns(NamedTuple):
    """Columns on which the rows are separable.

    Attributes
    ----------
    columns : tuple of int
        Their positions in X, in ascending order.
    proof : Separability
        The certificate for X[:, columns].
    smallest : bool
        Whether it is proved that no smaller set of columns does. Otherwise there may be fewer.
    """

    columns: tuple[int, ...]
    proof: Separability
    smallest: bool


def few_columns(X: Any, y: Any, *, time_limit: float | None = None) -> FewColumns:
    """A small set J such that some w, b have y_i (sum_{j in J} w_j x_ij + b) > 0 for all i: an upper bound, proved.

    Columns are ranked by |w_j| times their standard deviation, w the direction of the largest margin. The lighter half
    is left out at first, then quarters and so on, at last single columns, each where the others still separate; each
    answer on the way is that of `separability`. A set of up to five among up to 60 columns is proved to be a smallest
    one, unless that takes long: a set that separates meets the complement of each set that does not (an implicit
    hitting set).

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows that are separable.
    y : array-like of shape (n_samples,)
        Two labels.
    time_limit : float, optional
        Seconds after which the set is the smallest one found by then.

    Returns
    -------
    FewColumns
        `columns`, `proof`, `smallest`.

    Raises
    ------
    DataError
        The rows are not separable, or are refused by `separability`.

    References
    ----------
    Guyon, Weston, Barnhill and Vapnik, "Gene selection for cancer classification using support vector machines",
    Machine Learning 46 (2002), rank columns by the weights of the largest margin. E. Moreno-Centeno and R. Karp, The
    implicit hitting set approach to solve combinatorial optimization problems, Operations Research 61 (2013).

    Examples
    --------
    >>> X = [[0, 5, 1], [1, 4, 0], [0, 3, 2], [1, 9, 3]]
    >>> found = few_columns(X, [0, 0, 1, 1])
    >>> found.columns, found.smallest, found.proof.verdict
    ((2,), True, 'separable')
    """
    deadline = deadline_of(time_limit)
    X = dense(labelled_table(X, y))
    proof = separability(X, y, time_limit=time_limit)
    if proof.verdict != "separable":
        raise DataError(f"the rows are {proof.verdict} with all {X.shape[1]:,} columns, so with fewer, too")
    return fewer_columns(X, y, proof, deadline)


def fewer_columns(X: Array, y: Any, proof: Separability, deadline: Deadline) -> FewColumns:
    """The same for dense rows and a proof; of quasi-separable rows the columns with which some still separate."""
    search, smallest = columns_of_verdict(X, y, proof, [[j] for j in range(X.shape[1])], deadline), False
    try:
        order: Sequence[int] = range(X.shape[1])
        if proof.verdict == "separable":
            plane = max_margin(as_doubles(X), y, tol=1e-2, max_steps=_STEPS, time_limit=time_left(deadline)).hyperplane
            order = np.argsort(np.abs(plane.w) * X.astype(np.float64).std(axis=0), kind="stable").tolist()
        smallest = search.find_fewest(order, deadline, 0)
        if len(search.few) <= _SHORT and not smallest:
            smallest = search.find_fewest(order, deadline, _FEWER_ROUNDS)
    except OutOfTimeError:
        pass
    return FewColumns(tuple(sorted(search.few)), search.answers[search.few][1], smallest)
