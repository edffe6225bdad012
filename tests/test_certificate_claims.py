"""What a certificate says is what was checked: the set, the question, the words; one table has one hash."""

from __future__ import annotations

import contextlib
import copy
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import linsep
from altered_certificates import standalone
from linsep import Separation, separability, separation
from linsep.app.commands.check import check
from linsep.reporting.proof import proof_lines
from linsep.theory import CertificateError, Separability, verify_certificate
from linsep.types import DataError

PROGRAM = standalone()
# Rows 0 and 1 contradict each other; a column of its own separates rows 2 and 3, and then another one rows 4 and 5.
ROWS = np.array([[1, 0, 0], [1, 0, 0], [0, 2, 0], [1, -1, 0], [2, 3, 5], [3, 4, -1]])
LABELS = np.array(["no", "yes", "yes", "no", "yes", "no"])
COLOURS = "a,b,kind\n0,0,red\n1,5,green\n7,1,blue\n1,1,red\n2,6,green\n8,1,blue\n"


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def by_program(plain: Any, X: Any = ROWS, y: Any = LABELS) -> tuple[int, str]:
    """The exit status and the last line of the standalone program."""
    Path("claim.json").write_text(json.dumps(plain))
    Path("data.json").write_text(json.dumps({"X": X.tolist(), "y": y.tolist()}))
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        status = PROGRAM.main(["claim.json", "data.json"])
    return status, printed.getvalue().splitlines()[-1]


def refused(plain: Any, X: Any = ROWS, y: Any = LABELS) -> str:
    """The sentence with which the library refuses a certificate that the standalone program refuses too."""
    with pytest.raises((CertificateError, DataError)) as raised:
        verify_certificate(json.dumps(plain), X, y)
    status, said = by_program(plain, X, y)
    assert (status, said.partition(": ")[0]) == (1, "not proved")
    assert "\n" not in str(raised.value)
    return str(raised.value)


def plain_of(X: Any = ROWS, y: Any = LABELS, **options: Any) -> Any:
    found = separability(X, y, **options)
    return json.loads(found.to_json())


# --------------------------------------------------------------- the whole set
def cut_down() -> dict[str, Any]:
    """Without the second direction and what proved that there is no third; rows 2 and 3 are called left."""
    plain = plain_of()
    assert (plain["verdict"], plain["maximal"], len(plain["directions"])) == ("quasi-separable", True, 2)
    del plain["rows_left"]
    plain |= {"directions": plain["directions"][:1], "separated_rows": [4, 5], "overlap": None, "null": []}
    return dict(plain)


def test_a_set_that_was_cut_down_is_not_called_the_set() -> None:
    plain = cut_down()
    assert "its summary says something else than its parts" in refused(plain)
    some = "a direction has at least 2 rows on their side, and at most 4 are exactly on its plane"
    plain["summary"] = f"quasi-separable: {some}, and no hyperplane separates the 2 rows 0, 1 (counted from 0)"
    assert "its maximal is True, and its parts say False" in refused(plain)
    plain["maximal"] = False
    found = verify_certificate(json.dumps(plain), ROWS, LABELS)[""]
    assert (found.separated_rows.tolist(), found.maximal) == ([4, 5], False)
    lines = dict(proof_lines(found, ["a", "b", "c"], [0, 0, 0])[0])
    assert lines["separated rows"] == "at least 2 (4, 5)"
    assert lines["rows left"] == "4 (0, 1, 2, 3): whether another direction moves some of them is not proved"
    assert by_program(plain) == (0, "proved: quasi-separable: at least 2 rows are separated")
    # Rows that a direction moves have no overlap that spans them.
    whole = plain_of()
    plain |= {"overlap": whole["overlap"], "null": whole["null"], "maximal": True, "summary": whole["summary"]}
    assert refused(plain)


def test_what_was_only_read_is_not_called_proved() -> None:
    plain = plain_of()
    read = Separability.from_json(json.dumps(plain))
    assert repr(read).startswith("<Separability as read, not verified: quasi-separable: ")
    read.verify(ROWS, LABELS)
    assert repr(read) == repr(separability(ROWS, LABELS))
    other = plain | {
        "witness": {"rows": [0, 5], "weights": [1, 1]},
        "summary": plain["summary"].replace("0, 1", "0, 5"),
    }
    with pytest.raises(CertificateError, match="do not add up to 0"):
        linsep.report(Separability.from_json(json.dumps(other)), ROWS, LABELS)


def test_rounding_of_a_margin_is_not_an_alteration() -> None:
    # A margin far below the last places of the rows: what doubles make of it differs between machines.
    X, y = np.array([[0.1, 0.3], [0.2, 0.6], [0.3, 0.9]]) + 1e3, np.array(["in", "out", "in"])
    found = separability(X, y)
    plain = json.loads(found.to_json())
    assert plain["verdict"] == "separable"
    plain["margin"] = {"lower": 1e-13, "upper": plain["margin"]["upper"] if plain["margin"] else 0.05, "bias": "free"}
    if found.margin is not None:
        Separability.from_json(json.dumps(plain)).verify(X, y)
        assert by_program(plain, X, y)[0] == 0
    refused(plain | {"margin": {**plain["margin"], "lower": 1e-3}}, X, y)


# --------------------------------------------------------------- the question
def test_the_hash_holds_the_intercept_and_the_names_of_the_classes() -> None:
    X, y = np.array([[-1, 2], [-2, 1], [1, 3], [2, -1]]), np.array(["no", "no", "yes", "yes"])
    plain = plain_of(X, y)
    assert plain["hyperplane"]["b"] == 0.0  # so that it would hold without an intercept too
    through = f"separable (no intercept){plain['summary'].removeprefix('separable')}"
    message = refused(plain | {"fit_intercept": False, "margin": None, "summary": through}, X, y)
    assert "other rows, labels or options: their hash differs" in message
    for classes in (["yes", "no"], ["ill", "well"], ["no", "no"], ["not yes", "yes"]):
        refused(plain | {"classes": classes}, X, y)
    assert "the labels are not those of the classes" in refused(plain, X, np.where(y == "no", "ill", "well"))
    same = separation(X, y).to_dict()
    assert separation(X, y, fit_intercept=False).to_dict()["sha256"] != same["sha256"] == plain["sha256"]
    with pytest.raises(DataError, match="not a certificate"):
        Separation.from_json(json.dumps(same | {"summary": "All is well."}))


def test_the_classes_of_a_certificate_tell_which_rows_are_positive(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(COLOURS)
    X = np.array([[0, 0], [1, 5], [7, 1], [1, 1], [2, 6], [8, 1]])
    y = np.array(["red", "green", "blue"] * 2)
    plain = check(tmp_path / "t.csv", target="kind", positive="green", time_limit=None).data
    assert plain["classes"] == ["not green", "green"]
    assert verify_certificate(json.dumps(plain), X, y)[""].verdict == "separable"
    # Of two classes the one asked about may be the one that sorts first.
    two = check(tmp_path / "t.csv", target="a", positive=None, time_limit=None)
    assert two.exit_status in (0, 1)
    (tmp_path / "two.csv").write_text(COLOURS.replace("green", "blue"))
    plain = check(tmp_path / "two.csv", target="kind", positive="blue", time_limit=None).data
    assert plain["classes"] == ["red", "blue"]
    Separability.from_json(json.dumps(plain)).verify(X, np.where(y == "green", "blue", y))


# ----------------------------------------------------------- verdict and words
def test_a_verdict_says_all_that_its_parts_prove_and_no_more() -> None:
    X = np.array([[0.1], [0.2], [5.3]])
    y = np.array(["a", "a", "b"])
    separable = plain_of(X, y)
    late = "undecided: the time limit of 2 s ended the search"
    changed = {"verdict": "undecided", "reason": late[11:], "summary": late, "maximal": False}
    refused(separable | changed, X, y)
    for rows, verdict in ((ROWS[:, :1], "inseparable"), (ROWS, "quasi-separable"), (X, "separable")):
        labels = LABELS if len(rows) == len(LABELS) else y
        plain = plain_of(rows, labels)
        assert plain["verdict"] == verdict
        for other in {"separable", "quasi-separable", "inseparable", "not-separable", "undecided", "maybe"} - {verdict}:
            refused(plain | {"verdict": other}, rows, labels)
            words = plain["summary"].replace(verdict, other, 1)
            refused(plain | {"verdict": other, "summary": words}, rows, labels)


@pytest.mark.parametrize(
    "margin",
    [
        {"lower": -1.0, "upper": 2.0},
        {"lower": 3.0, "upper": 2.0},
        {"lower": 0.5, "upper": 4.0},
        {"lower": 1e300, "upper": 1e301},
        {"lower": "1", "upper": True},
    ],
)
def test_a_margin_is_computed_again(margin: dict[str, Any]) -> None:
    X, y = np.array([[0.1, 3.0], [0.2, 1.0], [5.3, 2.0]]), np.array(["a", "a", "b"])
    plain = plain_of(X, y)
    assert plain["margin"]["bias"] == "free" and by_program(plain, X, y)[0] == 0
    Separability.from_json(json.dumps(plain)).verify(X, y)
    if isinstance(margin["lower"], float):
        refused(plain | {"margin": {**margin, "bias": "free"}}, X, y)
    else:
        with pytest.raises(DataError):
            Separability.from_json(json.dumps(plain | {"margin": {**margin, "bias": "free"}}))
    refused(plain | {"margin": {**plain["margin"], "bias": None}}, X, y)


@pytest.mark.parametrize("name", ["summary", "fragile", "reason"])
def test_what_only_repeats_other_parts_must_say_what_they_say(name: str) -> None:
    plain = plain_of()
    other = {"summary": "separable: all is well", "fragile": True, "reason": "a witness proves the contrary"}[name]
    if name == "fragile":  # with a summary that says so too
        plain["summary"] += ". Fragile: rounding the numbers that are no integers could change this verdict"
    with pytest.raises((CertificateError, DataError), match=r"says something else|fragile on these rows|its reason is"):
        verify_certificate(json.dumps(plain | {name: other}), ROWS, LABELS)


def test_one_against_the_rest_is_about_every_class_once(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(COLOURS)
    plain = check(tmp_path / "t.csv", target="kind", positive=None, time_limit=None).data
    X = np.array([[0, 0], [1, 5], [7, 1], [1, 1], [2, 6], [8, 1]])
    y = np.array(["red", "green", "blue"] * 2)
    assert verify_certificate(json.dumps(plain), X, y).keys() == {"red", "green", "blue"}
    assert by_program(plain, X, y)[0] == 0
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
    refused({**plain, "verdict": "separable"}, X, y)
    with pytest.raises(DataError, match="`verify_certificate` reads all of them"):
        Separability.from_json(json.dumps(plain))


# ------------------------------------------------------------------- malformed
@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("separated_rows", [1e300]),
        ("separated_rows", [10**400]),
        ("separated_rows", 1e300),
        ("separated_rows", [-1]),
        ("separated_rows", [0, 0]),
        ("separated_rows", [True, False]),
        ("rows", 1e300),
        ("rows", 10**12),
        ("rows", -1),
        ("rows", True),
        ("features", 10**15),
        ("directions", [{"columns": [-1], "values": [1], "b": 0}]),
        ("directions", [{"columns": [0, 0], "values": [1, 1], "b": 0}]),
        ("directions", [{"columns": [0], "values": [1.5], "b": 0}]),
        ("directions", [{"columns": [0], "values": [1], "b": 1e300}]),
        ("directions", [3]),
        ("directions", None),
        ("hyperplane", {"w": [float("inf")] * 3, "b": 0.0}),
        ("hyperplane", {"w": [1e300], "b": 0.0}),
        ("hyperplane", []),
        ("witness", {"rows": [0, 1], "weights": [1]}),
        ("witness", {"rows": [0, 1e9], "weights": [1, 1]}),
        ("null", [{"columns": [-1], "values": [1]}]),
        ("null", {"columns": 0}),
        ("fit_intercept", 1),
        ("sha256", ["0"] * 64),
        ("classes", "no"),
        ("classes", ["no", "yes", "maybe"]),
        ("numbers", "halves"),
        ("format", "linsep separability certificate 1"),
        ("format", None),
    ],
)
def test_a_malformed_part_is_refused_in_a_sentence(part: str, value: Any) -> None:
    plain = plain_of()
    if part == "separated_rows":
        del plain["rows_left"]
    message = refused(plain | {part: value})
    assert message[0].islower() and "Error" not in message and len(message) < 400


@pytest.mark.parametrize("text", ["", "[" * 100_000, "\ud800", '{"format": NaN}', "1" * 5000, '"x', "[1]", "null"])
def test_what_is_no_json_object_is_refused_in_a_sentence(text: str) -> None:
    Path("claim.json").write_text(text, encoding="utf-8", errors="surrogatepass")
    for read in (Separability.from_json, Separation.from_json, lambda text: verify_certificate(text, ROWS, LABELS)):
        with pytest.raises(DataError, match="not a certificate that this version reads: "):
            read(text)
    Path("data.json").write_text(json.dumps({"X": ROWS.tolist(), "y": LABELS.tolist()}))
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        assert PROGRAM.main(["claim.json", "data.json"]) == 1
    assert printed.getvalue().startswith("not proved: ")


def test_a_key_that_stands_twice_is_refused() -> None:
    text = json.dumps(plain_of())
    with pytest.raises(DataError, match="a key stands twice"):
        Separability.from_json(text.replace('"reason": ""', '"reason": "", "verdict": "separable"'))
    found = separation(ROWS, LABELS).to_json()
    with pytest.raises(DataError, match="a key stands twice"):
        Separation.from_json(found.replace('"reason": ""', '"reason": "", "verdict": "overlap"'))


@pytest.mark.parametrize("value", [1e300, [1e300], [-1], None, [[0]], 10**400])
def test_a_malformed_regression_is_refused_in_a_sentence(value: Any) -> None:
    plain = json.loads(separation(ROWS, LABELS).to_json())
    proof = plain["proof"]
    some = [{name: value} for name in ("separated_rows", "rows", "rank", "pairs", "levels", "coefficients")]
    some += [{"proof": proof | {name: value}} for name in proof]
    for changed in some:
        with pytest.raises((CertificateError, DataError)) as raised:
            Separation.from_json(json.dumps(copy.deepcopy(plain) | changed)).verify(ROWS, LABELS)
        assert "\n" not in str(raised.value)


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
    plain = [json.loads(one.to_json()) for one in found]
    regressions = [separation(X, y).to_dict() for X in FORMS[name]]
    assert len({(one["sha256"], one["numbers"], one["verdict"]) for one in plain}) == 1
    assert {one["sha256"] for one in regressions} == {plain[0]["sha256"]}
    assert len({one["verdict"] for one in regressions}) == 1
    for one in found:
        for X in FORMS[name]:
            Separability.from_json(one.to_json()).verify(X, y)
    dense = [X for X in FORMS[name] if not sp.issparse(X)]
    assert [by_program(one, X, y)[0] for one in plain for X in dense] == [0] * len(plain) * len(dense)


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
    assert dict(done.lines)["witness"] == "row 0, row 7 add up to 0 once signed by label"
    plain = json.loads(json.dumps(done.data))
    assert (plain["maximal"], plain["fragile"], plain["overlap"]) == (False, False, None)
    assert verify_certificate(json.dumps(plain), X, y)[""].verdict == "not-separable"
    assert by_program(plain, X, y) == (0, "proved: not-separable")
    # Such a witness on doubles that are no integers could be an accident of rounding.
    assert separability(X * 0.1, y, time_limit=0.0).fragile
