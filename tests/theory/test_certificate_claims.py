"""What a certificate says is what was checked: the question, one hash for one table, malformed parts in a sentence."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import linsep
from linsep import FewestRows, Separation, fewest_rows, separability, separation
from linsep.app.commands.check import check
from linsep.plots import plot_witness
from linsep.reporting.proof import proof_lines
from linsep.theory import CertificateError, Separability, verify_certificate
from linsep.theory.proof import SAID, plain_vectors, without_words
from linsep.types import DataError

# Rows 0 and 1 contradict each other; a column of its own separates rows 2 and 3, and then another one rows 4 and 5.
ROWS = np.array([[1, 0, 0], [1, 0, 0], [0, 2, 0], [1, -1, 0], [2, 3, 5], [3, 4, -1]])
LABELS = np.array(["no", "yes", "yes", "no", "yes", "no"])
COLOURS = "a,b,kind\n0,0,red\n1,5,green\n7,1,blue\n1,1,red\n2,6,green\n8,1,blue\n"


def refused(plain: Any, X: Any = ROWS, y: Any = LABELS) -> str:
    """The sentence with which a certificate is refused."""
    with pytest.raises((CertificateError, DataError)) as raised:
        verify_certificate(json.dumps(plain), X, y)
    assert "\n" not in str(raised.value)
    return str(raised.value)


def plain_of(X: Any = ROWS, y: Any = LABELS, **options: Any) -> Any:
    return json.loads(separability(X, y, **options).to_json())


def asking(plain: Any, **question: Any) -> Any:
    return plain | {"question": plain["question"] | question}


def test_no_word_is_stored() -> None:
    for found in (separability(ROWS, LABELS), separation(ROWS, LABELS)):
        plain = json.loads(found.to_json())
        assert plain == without_words(found.to_dict())
        assert not SAID & plain.keys() and {"verdict", "summary"} <= found.to_dict().keys()
    assert (
        Separability.from_dict(separability(ROWS, LABELS).to_dict()).to_json() == separability(ROWS, LABELS).to_json()
    )


def test_a_set_that_was_cut_down_is_not_called_the_set() -> None:
    plain = plain_of()
    proof = plain["proof"]
    assert (proof["left"], len(separability(ROWS, LABELS).proof.directions)) == ([0, 1], 2)
    cut = {"directions": plain_vectors(separability(ROWS, LABELS).proof.directions[:1]), "left": [0, 1, 2, 3]}
    assert "not orthogonal" in refused(plain | {"proof": proof | cut})  # rows that a direction moves have no such basis
    without: dict[str, Any] = {"basis": None, "null": {"units": [], "columns": [], "values": []}}
    some = plain | {"proof": proof | cut | without}
    found = verify_certificate(json.dumps(some), ROWS, LABELS)[""]
    assert (found.verdict, found.separated_rows.tolist(), found.maximal) == ("quasi-separable", [4, 5], False)
    assert "a hyperplane has at least 2 rows on their side, and at most 4 exactly on it" in found.summary()
    lines = dict(proof_lines(found, ["a", "b", "c"], [0, 0, 0])[0])
    assert lines["separated rows"] == "at least 2 (5, 6; counted from 1)"
    assert lines["rows left"] == "4 (1, 2, 3, 4; counted from 1): whether all such planes go through them is not proved"


def test_what_is_only_read_of_many_columns_is_said_without_them() -> None:
    plain = plain_of()
    nothing: dict[str, Any] = {
        "weights": {"rows": [], "values": []},
        "basis": None,
        "null": {"units": [], "columns": [], "values": []},
    }
    other = {"question": plain["question"] | {"columns": 2**40}, "proof": plain["proof"] | nothing, "ended": 1.0}
    assert "undecided" in repr(Separability.from_json(json.dumps(plain | other)))


def test_what_was_only_read_is_not_called_proved() -> None:
    plain = plain_of()
    read = Separability.from_json(json.dumps(plain))
    assert repr(read).startswith("<Separability as read, not verified: quasi-separable: ")
    read.verify(ROWS, LABELS)
    assert repr(read) == repr(separability(ROWS, LABELS))
    other = plain | {"proof": plain["proof"] | {"weights": {"rows": [0], "values": [1]}}}
    with pytest.raises(CertificateError, match="do not add up to 0"):
        linsep.report(Separability.from_json(json.dumps(other)), ROWS, LABELS)


# --------------------------------------------------------------- the question
def test_what_was_worked_out_before_is_worked_out_again() -> None:
    X, y = [[0], [1], [1], [2]], [0, 1, 0, 1]
    few, one, of_model = fewest_rows(X, y), separability(X, [0, 1, 1, 1]), separation(X, y)
    for answer, name in ((few, "lower"), (one, "hyperplane"), (of_model, "groups")):
        true = getattr(answer, name)
        vars(answer)[name] = "a lie"
        again = copy.deepcopy(answer)
        again.verify(X, [0, 1, 1, 1] if answer is one else y)
        assert str(getattr(again, name)) == str(true)


def test_the_number_of_columns_is_that_of_the_rows() -> None:
    found = separability(ROWS, LABELS)
    assert found.about is not None
    with pytest.raises(CertificateError, match="is about 6 x 2 rows"):
        replace(found, n_features=2).verify(*found.about)


def test_the_hash_holds_the_intercept_and_the_names_of_the_classes() -> None:
    X, y = np.array([[-1, 2], [-2, 1], [1, 3], [2, -1]]), np.array(["no", "no", "yes", "yes"])
    plain = plain_of(X, y)
    assert "their hash differs" in refused(asking(plain, intercept=False), X, y)
    for classes in (["yes", "no"], ["ill", "well"], ["no", "no"], ["not yes", "yes"], "no", ["no", "yes", "maybe"]):
        refused(asking(plain, classes=classes), X, y)
    assert "the labels are not those of the classes" in refused(plain, X, np.where(y == "no", "ill", "well"))
    same = separation(X, y).to_dict()
    assert separation(X, y, fit_intercept=False).to_dict()["sha256"] != same["sha256"] == plain["sha256"]


def test_the_classes_of_a_certificate_tell_which_rows_are_positive(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(COLOURS)
    X = np.array([[0, 0], [1, 5], [7, 1], [1, 1], [2, 6], [8, 1]])
    y = np.array(["red", "green", "blue"] * 2)
    plain = check(tmp_path / "t.csv", target="kind", positive="green", time_limit=None).data
    assert plain["question"]["classes"] == ["not green", "green"]
    assert verify_certificate(json.dumps(plain), X, y)[""].verdict == "separable"
    (tmp_path / "two.csv").write_text(COLOURS.replace("green", "blue"))
    plain = check(tmp_path / "two.csv", target="kind", positive="blue", time_limit=None).data
    assert plain["question"]["classes"] == ["red", "blue"]
    Separability.from_json(json.dumps(plain)).verify(X, np.where(y == "green", "blue", y))


@pytest.mark.parametrize("labels", ["xxyyxy", "xxxyyy", "xyzxyz"])
def test_what_an_explanation_adds_is_checked(labels: str, tmp_path: Path) -> None:
    X, y = np.array([[0, 0], [1, 5], [2, 1], [7, 1], [8, 6], [9, 1]]), np.array(list(labels))
    table = ["a,b,kind", *(f"{a},{b},{label}" for (a, b), label in zip(X.tolist(), labels, strict=True))]
    (tmp_path / "t.csv").write_text("\n".join(table) + "\n")
    found = check(tmp_path / "t.csv", target="kind", positive=None, time_limit=None, explain=True).data
    plain = json.loads(json.dumps(found))
    verify_certificate(json.dumps(plain), X, y)

    def forged(other: Any) -> str:
        return refused(plain | {"fewest_rows": {"one_against_rest": {"y": other}} if "z" in labels else other}, X, y)

    rows = plain["fewest_rows"]["one_against_rest"]["y"] if "z" in labels else plain["fewest_rows"]
    forged(rows | {"removed": [] if rows["removed"] else [0], "witnesses": []})
    asking_less = {"rest": asking(rows["rest"], intercept=False), "question": rows["question"] | {"intercept": False}}
    assert "other classes or options" in forged(rows | asking_less)


def test_one_against_the_rest_is_about_every_class_once(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(COLOURS)
    plain = check(tmp_path / "t.csv", target="kind", positive=None, time_limit=None).data
    X = np.array([[0, 0], [1, 5], [7, 1], [1, 1], [2, 6], [8, 1]])
    y = np.array(["red", "green", "blue"] * 2)
    assert verify_certificate(json.dumps(plain), X, y).keys() == {"red", "green", "blue"}
    every: dict[str, Any] = plain["one_against_rest"]
    wrong: list[Any] = [
        {},
        [],
        {"red": every["red"], "green": every["green"]},
        dict.fromkeys(every, every["red"]),
        {"red": every["green"], "green": every["red"], "blue": every["blue"]},
        {**every, "pink": every["red"]},
        {"red": every["red"], "green": every["green"], "pink": every["blue"]},
    ]
    for other in wrong:
        refused({"one_against_rest": other}, X, y)
    refused({**plain, "proof": {}}, X, y)
    with pytest.raises(DataError, match="`verify_certificate` reads all of them"):
        Separability.from_json(json.dumps(plain))


# ------------------------------------------------------------------- malformed
ODD: list[Any] = [None, True, -1, 1.5, 1e300, 10**400, "x", "0x", "0X3", [], {}, [[0]], [1e300], [-1], [0, 0], [True]]
EMPTY: dict[str, Any] = {"units": [], "columns": [], "values": []}
VECTORS: list[Any] = [
    EMPTY | {"units": [-1]},
    EMPTY | {"columns": [[0, 0]], "values": [[1, 1]]},
    EMPTY | {"columns": [[0]], "values": [[1.5]]},
    EMPTY | {"columns": [[0]], "values": [[1, 2]]},
    EMPTY | {"columns": [[0]]},
    EMPTY | {"columns": [0], "values": [1]},
]


@pytest.mark.parametrize("part", ["rows", "directions", "left", "weights", "within", "basis", "null"])
def test_a_malformed_part_of_a_proof_is_refused_in_a_sentence(part: str) -> None:
    plain = plain_of()
    of_part = VECTORS if part in ("directions", "null") else []
    of_part += [{"rows": [0], "values": []}, {"rows": [0, 0], "values": [1, 1]}] if part == "weights" else []
    for value in (*ODD, *of_part):
        if part == "basis" and value is None:
            continue
        message = refused(plain | {"proof": plain["proof"] | {part: value}})
        assert "Error" not in message and len(message) < 400
    refused(plain | {"proof": {key: v for key, v in plain["proof"].items() if key != part}})


@pytest.mark.parametrize(
    "part", ["format", "sha256", "numbers", "question", "ended", "proof", "rows", "columns", "intercept", "classes"]
)
def test_a_malformed_certificate_is_refused_in_a_sentence(part: str) -> None:
    plain = plain_of()
    for value in ODD:
        if (part == "ended" and (value is None or type(value) is float)) or (part == "intercept" and value is True):
            continue
        refused(plain | {part: value} if part in plain else asking(plain, **{part: value}))


OTHERS = ["3", "{}", '{"format": "linsep separability certificate 1"}', '{"format": 3, "sha256": "0"}']


@pytest.mark.parametrize(
    "text", ["", "[" * 100_000, "\ud800", '{"format": NaN}', "1" * 5000, '"x', "[1]", "null", *OTHERS]
)
def test_what_is_no_json_object_is_refused_in_a_sentence(text: str) -> None:
    for read in (Separability.from_json, Separation.from_json, lambda text: verify_certificate(text, ROWS, LABELS)):
        with pytest.raises(DataError, match="not a certificate that this version reads: "):
            read(text)


def test_a_key_that_stands_twice_is_refused() -> None:
    for found in (separability(ROWS, LABELS), separation(ROWS, LABELS)):
        with pytest.raises(DataError, match="a key stands twice"):
            type(found).from_json(found.to_json().replace('"ended": null', '"ended": null, "format": "x"'))


@pytest.mark.parametrize("value", [1e300, [1e300], [-1], None, [[0]], 10**400])
def test_a_malformed_regression_is_refused_in_a_sentence(value: Any) -> None:
    plain = json.loads(separation(ROWS, LABELS).to_json())
    some = [{"question": plain["question"] | {name: value}} for name in ("rows", "columns", "family", "link")]
    some += [{"proof": plain["proof"] | {name: value}} for name in plain["proof"]]
    for changed in some:
        with pytest.raises((CertificateError, DataError)) as raised:
            Separation.from_json(json.dumps(copy.deepcopy(plain) | changed)).verify(ROWS, LABELS)
        assert "\n" not in str(raised.value)


def test_a_short_file_does_not_take_much_memory() -> None:
    plain = plain_of()
    for n in (2**40, 2**62, 10**30):
        of_rows = {key: v for key, v in plain["proof"].items() if key != "left"} | {"rows": n, "separated": [0]}
        with pytest.raises(DataError, match="not a certificate"):
            Separability.from_json(json.dumps(asking(plain, rows=n) | {"proof": of_rows}))


# -------------------------------------------------------------------- one hash
B = 2**53
FORMS: dict[str, list[Any]] = {
    "zeros of any kind": [
        np.array([[0.0, 1.0], [2.0, -0.0], [-0.0, 3.0]]),
        np.array([[0, 1], [2, 0], [0, 3]], dtype=np.uint8),
        sp.csr_matrix(([1.0, 0.0, 2.0, -0.0, 3.0], [1, 0, 0, 1, 1], [0, 2, 4, 5]), shape=(3, 2)),
        sp.csr_matrix(([0.5, 0.5, 2, 3.0], ([0, 0, 1, 2], [1, 1, 0, 1]))),
        sp.csr_matrix((np.array([4, -3, 2, 3]), [1, 1, 0, 1], [0, 2, 3, 4]), shape=(3, 2)),
    ],
    "integers beyond 2^53 that are no doubles": [
        np.array([[B + 1, 1], [-B - 5, 0], [B + 3, 3]]),
        np.array([[B + 1, 1], [-B - 5, 0], [B + 3, 3]], dtype=object),
        sp.csr_matrix(np.array([[B + 1, 1], [-B - 5, 0], [B + 3, 3]])),
        sp.csc_matrix(np.array([[B + 1, 1], [-B - 5, 0], [B + 3, 3]])),
    ],
    "integers beyond 2^53 that are doubles": [
        np.array([[4 * B, 1], [-8 * B, 0], [2 * B, 3]]),
        np.array([[4 * B, 1], [-8 * B, 0], [2 * B, 3]], dtype=object),
        np.array([[4.0 * B, 1], [-8.0 * B, 0], [2.0 * B, 3]]),
        sp.csr_matrix(np.array([[4 * B, 1], [-8 * B, 0], [2 * B, 3]])),
    ],
}


@pytest.mark.parametrize("name", FORMS)
def test_one_table_has_one_hash_and_one_verdict(name: str) -> None:
    y = np.array(["a", "b", "b"])
    found = [separability(X, y) for X in FORMS[name]]
    plain = [one.to_dict() for one in found]
    regressions = [separation(X, y).to_dict() for X in FORMS[name]]
    assert len({(one["sha256"], one["numbers"], one["verdict"]) for one in plain}) == 1
    assert {one["sha256"] for one in regressions} == {plain[0]["sha256"]}
    assert len({one["verdict"] for one in regressions}) == 1
    for one in found:
        for X in FORMS[name]:
            Separability.from_json(one.to_json()).verify(X, y)


def test_sparse_integers_are_taken_exactly_or_refused_where_they_would_not_fit() -> None:
    X = np.array([[B + 1, 0], [B, 1], [B + 2, 0], [B + 1, 2]])
    y = np.array(["in", "out", "out", "in"])
    for rows in (X, sp.csr_matrix(X)):  # as doubles the first row would equal its neighbour
        found = separability(rows[[0, 2]], y[[0, 2]])
        assert found.verdict == "separable"
        assert separation(rows[[0, 2]], y[[0, 2]]).verdict == "complete"
    wide = sp.csr_matrix(([B + 1, 1], ([0, 1], [0, 10**9 - 1])), shape=(2, 10**9))
    with pytest.raises(DataError, match=r"integers beyond 2\^53 in a sparse table of 2 x 1,000,000,000"):
        separability(wide, y[:2])


# --------------------------------------------------------------- not-separable
def test_a_witness_is_a_no_although_the_time_is_up(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(-9, 10, (80, 12))
    X[7] = X[0]
    y = np.where(np.arange(80) % 2, "yes", "no")
    head = ",".join([*(f"c{j}" for j in range(12)), "kind"])
    rows = [",".join([*map(str, row), label]) for row, label in zip(X.tolist(), y.tolist(), strict=True)]
    (tmp_path / "t.csv").write_text("\n".join([head, *rows]) + "\n")
    done = check(tmp_path / "t.csv", target="kind", positive=None, time_limit=0.0)
    assert (done.exit_status, dict(done.lines)["verdict"]) == (1, "not-separable")
    assert dict(done.lines)["witness"] == "row 1, row 8: multiply each row by its label and its weight; the sum is 0"
    plain = json.loads(json.dumps(done.data))
    assert (plain["fragile"], plain["proof"]["basis"], plain["ended"]) == (False, None, 0.0)
    found = verify_certificate(json.dumps(plain), X, y)[""]
    assert (found.verdict, found.reason) == ("not-separable", "the time limit of 0 s ended the search")
    # Such a witness on doubles that are no integers could be an accident of rounding.
    assert separability(X * 0.1, y, time_limit=0.0).fragile


def test_one_class_against_the_rest_is_said_wherever_a_certificate_was_read() -> None:
    X, y = [[0], [1], [2], [5], [6], [7]], ["a", "a", "b", "b", "c", "c"]
    sides = np.where(np.array(y) == "a", "z", "y")
    named = separability(X, sides).named(("not a", "a"), y)
    few = fewest_rows(X, sides).named(("not a", "a"), y)
    for read in (Separability.from_json(named.to_json()), FewestRows.from_json(few.to_json())):
        read.verify(X, y)
        assert "a against the rest: " in read.summary()
        if isinstance(read, Separability):
            assert "a against the rest: separable" in read._repr_html_()
    plain = json.loads(separability([[0], [1]], [0, 1]).to_json())
    plain["question"] |= {"columns": 10**12, "classes": ["not \r", "\r"]}
    huge = Separability.from_json(json.dumps(plain))
    assert "\r" not in huge.summary() and "'\\r' against the rest" in huge._repr_html_().replace("&#x27;", "'")


def test_long_weights_are_shown_in_short() -> None:
    X = [[10**5000], [-1], [1], [2]]
    assert "(share of all weights)" in separability(X, [1, 1, 0, 0])._repr_html_()


@pytest.mark.parametrize("rows", [np.array([1.1]), sp.csr_matrix([[1.1]])])
def test_a_margin_of_many_rows_is_not_rounded_below_itself(rows: Any) -> None:
    n = 200_000
    one = np.full((n, 1), 1.1)
    one[:2] = 0
    X = sp.csr_matrix(one) if sp.issparse(rows) else one
    margin = separability(X, np.arange(n) > 1).margin
    assert margin is not None and margin.lower <= 0.55 <= margin.upper


def test_what_was_read_is_neither_drawn_nor_evaluated_before_it_is_verified() -> None:
    X, y = [[0, 0], [1, 1], [0, 1], [1, 0]], [0, 0, 1, 1]
    read = Separability.from_json(separability(X, y).to_json())
    with pytest.raises(DataError, match="was read and proves nothing yet"):
        plot_witness(read, X, y)
    read.verify(X, y)
    assert plot_witness(read, X, y)
    pytest.importorskip("formulaic")
    table = {"y": [0, 1, 0, 1], "x": [1.0, 2, 3, 4]}
    plain = json.loads(separation("y ~ x", data=table).to_json())
    plain["question"]["formula"] = "y ~ I(x + np.f2py.os.system('true'))"
    with pytest.raises(DataError, match="give yours and the table") as told:
        Separation.from_json(json.dumps(plain)).verify([[1.0], [2], [3], [4]], table["y"])
    assert "os.system" not in str(told.value)


def test_numbers_at_the_end_of_doubles_are_written(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("u,v,y\n1.7e308,1.7e308,a\n1e308,1e308,b\n1.6e308,1.7e308,a\n1e308,0.9e308,b\n")
    found = check(str(tmp_path / "t.csv"), target="y", positive=None, time_limit=None)
    assert "e+308 (rounded)" in dict(found.lines)["hyperplane"]


def test_the_settings_of_numpy_change_no_answer() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(8, 3)) * 10.0 ** rng.integers(-300, 300, (8, 3))
    with np.errstate(all="raise"):
        found = separability(X, [0, 1] * 4)
        assert found.verdict == "separable" and found.margin is None and found.fragile in (True, False)
