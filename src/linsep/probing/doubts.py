"""What may not be meant: a class that is another one misspelt, rows matched by position though there is a key."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from linsep.data.lookalikes import NO_VALUE, lookalikes
from linsep.markup import quote
from linsep.probing.labels import Labels, in_another_order
from linsep.probing.layers import Layer
from linsep.probing.measured import ProbeRow

_MUCH_MORE = 10  # times as many rows has the class that a rare one may be
_SHORTEST, _LONGEST = 3, 40  # letters of names that are compared; one letter of two is no slip
_SHOWN = 3
_NO_LABEL = {*NO_VALUE, "none", "?"}


def doubts_of(layers: Sequence[Layer], labels: Labels, folds: int) -> list[str]:
    """What to say before a layer is read; only arrays that may be keys are."""
    found = [doubt for concept, sizes in labels.sizes.items() for doubt in _of_classes(concept, sizes, folds)]
    if labels.keys is None:
        found += _of_keys(layers, labels)
    return found


def _of_classes(concept: str, sizes: Mapping[str, int], folds: int) -> list[str]:
    """Of one concept: names that may be one, and classes that are smaller than the folds."""
    pairs = misspelt(sizes)
    said = [f"{_sized(one, sizes)} and {_sized(other, sizes)} differ in {how}" for one, other, how in pairs]
    advice = "they count as classes of their own: write them alike if they are one"
    found = [f"concept {concept!r:.40}: {_first(said)}; {advice}"] if said else []
    empty = [_sized(name, sizes) for name in sizes if name.strip().lower() in _NO_LABEL]
    if empty:
        are = "is a class of its own" if len(empty) == 1 else "are classes of their own"
        found.append(
            f"concept {concept!r:.40}: {_first(empty)} {are}: leave the label empty (None in Python) where it stands "
            "for no label"
        )
    named = {one for one, _, _ in pairs}
    rare = [_sized(name, sizes) for name, size in sizes.items() if size < folds and name not in named]
    if rare:
        have = "has" if len(rare) == 1 else "have"
        found.append(
            f"concept {concept!r:.40}: {_first(rare)} {have} fewer rows than there are parts to hold out ({folds}), so "
            "that fewer parts are held out: is the label meant?"
        )
    return found


def misspelt(sizes: Mapping[str, int]) -> list[tuple[str, str, str]]:
    """Pairs of names that may be one, the rarer one first, and in what they differ.

    That is blanks or case alone; or one letter that is missing, too many, another one, or has changed places with the
    next, where one class has ten times as many rows.

    Examples
    --------
    >>> for pair in misspelt({"dog": 40, "dgo": 1, "Cat": 9, "cat": 12, "s1": 1, "s2": 99}):
    ...     print(pair)
    ('Cat', 'cat', 'blanks or case alone')
    ('dgo', 'dog', 'one letter')
    >>> len(misspelt({"dog": 40, "dot": 35}))
    0
    """
    found = []
    for group in lookalikes(set(sizes)):
        *others, most = sorted(group, key=sizes.__getitem__)
        found += [(name, most, "blanks or case alone") for name in others]
    done = {name for name, _, _ in found}
    near: dict[str, list[str]] = {}
    for name in sizes:
        if _SHORTEST <= len(name) <= _LONGEST and name not in done:
            for part in {name, *(name[:k] + name[k + 1 :] for k in range(len(name)))}:
                near.setdefault(part, []).append(name)
    for names in near.values():
        most = max(names, key=sizes.__getitem__)
        for name in names:
            if name not in done and _MUCH_MORE * sizes[name] <= sizes[most] and _one_letter_apart(name, most):
                found.append((name, most, "one letter"))
                done.add(name)
    return found


def _one_letter_apart(one: str, other: str) -> bool:
    """Whether a slip of the fingers makes one of the other; digits are no slip, as s1 and s2 are two names."""
    k = next((k for k, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    swapped = one[k : k + 2] == other[k : k + 2][::-1] and one[k + 2 :] == other[k + 2 :]
    rests = ((one[k + 1 :], other[k + 1 :]), (one[k + 1 :], other[k:]), (one[k:], other[k + 1 :]))
    return (one[k : k + 1] + other[k : k + 1]).isalpha() and (swapped or any(a == b for a, b in rests))


def _of_keys(layers: Sequence[Layer], labels: Labels) -> list[str]:
    """A column of the labels that an array beside the layers also holds, in another order."""
    done = set()
    for layer in layers:
        for name in labels.shared(layer.beside):
            read = layer.beside[name]
            if id(read) not in done and in_another_order(read(), labels.beside[name]):
                return [
                    f"the labels and the activations (layer {layer.name!r:.40}) both have {name!r:.40}, in another "
                    f"order, and rows are matched by their position: --key {quote(name)} (key=) matches them by it"
                ]
            done.add(id(read))
    return []


def doubts_of_unused(rows: Iterable[ProbeRow], labels: Labels) -> list[str]:
    """How many labels belong to no row of a layer, where rows are matched by a key."""
    wanted = {one.concept: len(one.rows) for one in labels.questions}
    unused = {(row.concept, wanted[row.concept] - row.n): row for row in rows if row.n < wanted[row.concept]}
    said = [
        f"{less:,} of {wanted[concept]:,} of {concept!r:.40} (layer {row.layer!r:.40})"
        for (concept, less), row in unused.items()
    ]
    return [f"labels whose key names no row of the activations are not used: {_first(said)}"] if said else []


def _sized(name: str, sizes: Mapping[str, int]) -> str:
    return f"{name!r:.40} ({sizes[name]:,} row{'' if sizes[name] == 1 else 's'})"


def _first(said: Sequence[str]) -> str:
    more = len(said) - _SHOWN
    return ", ".join(said[:_SHOWN]) + (f" and {more:,} more" if more > 0 else "")
