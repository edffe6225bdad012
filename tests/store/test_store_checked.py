"""Model files that only the checks can refuse, keys, and where a model comes from."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import linsep
from crafted_models import bases, in_a_child, parts_of, sealed
from in_process import run_linsep
from linsep import DataError, ModelFileError
from linsep.app import tables

X = np.array([[0.0, 1.0], [1.0, 0.0], [3.0, 4.0], [4.0, 3.0]])
Y = np.array([0, 0, 1, 1])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "model"


def refusal(path: Path, model: Any, change: Callable[[dict[str, Any], dict[str, Any]], Any]) -> str:
    """What `load` says of the file after a change, all digests being right."""
    header, arrays = parts_of(model)
    change(header, arrays)
    path.write_bytes(sealed(header, arrays))
    with pytest.raises(ModelFileError) as caught:
        linsep.load(path)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def put(name: str, make: Callable[[Any], Any]) -> Callable[[dict[str, Any], dict[str, Any]], None]:
    """A change of one array."""

    def change(header: dict[str, Any], arrays: dict[str, Any]) -> None:
        arrays[name] = np.ascontiguousarray(make(arrays[name]))

    return change


def test_an_averaged_model_cut_to_width_1_is_refused(path: Path) -> None:
    def cut(header: dict[str, Any], arrays: dict[str, Any]) -> None:
        for name in ("coef_", "last_coef_", "_sum_coef"):
            arrays[f"state/{name}"] = np.ascontiguousarray(arrays[f"state/{name}"][:, :1])

    said = refusal(path, linsep.AveragedPerceptron().fit(X, Y), cut)
    assert "the array coef_ has the shape (1, 1), not (1, 2)" in said


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_columns_that_cost_no_bytes_are_refused_before_they_cost_memory(path: Path) -> None:
    most = 2**31 - 1

    def without_nodes(header: dict[str, Any], arrays: dict[str, Any]) -> None:
        header["state"]["n_features_in_"] = most
        arrays |= {"state/hidden_coef_": np.zeros((0, most)), "state/hidden_intercept_": np.zeros(0)}
        arrays["state/output_coef_"] = np.zeros((1, 0))

    network = linsep.MLP(max_iter=1, random_state=0).fit(X, Y)
    assert "the network has no hidden node" in refusal(path, network, without_nodes)
    kernel = linsep.KernelPerceptron("rbf", gamma=1.0).fit(sp.csr_matrix(X), Y)
    said = refusal(path, kernel, lambda header, arrays: header["state"].update(n_features_in_=most))
    assert f"n_features_in_ is {most}, and this kind of model has no such value" in said


RICH = "TableModel with dates and words"
VOTED = linsep.VotedPerceptron().fit(X, Y)


@pytest.mark.parametrize(
    ("model", "change", "message"),
    [
        (VOTED, put("state/mistake_rows_", lambda a: a + 2**31 - 5), "its entries are below"),
        (VOTED, put("state/mistake_rows_", lambda a: a - 9), "its entries are at least 0"),
        (VOTED, put("state/mistake_visits_", lambda a: a * 0), "the visits of its mistakes do not rise"),
        (VOTED, put("classes", lambda a: a * np.nan), "its classes are not finite numbers"),
        (VOTED, lambda h, a: h.update(version="\x1b[2J", state=3), "saved by linsep ?[2J, this is"),
        (VOTED, put("state/mistake_classes_", lambda a: a + 1), "its entries are below 1"),
        (VOTED, put("state/mistake_steps_", lambda a: a[:-1]), "the array mistake_steps_ has the shape"),
        (VOTED, put("state/coef_", lambda a: a * np.nan), "coef_ holds numbers that are not finite"),
        (VOTED, put("state/coef_", lambda a: a + 1e200), "coef_ holds numbers that are not finite, or are too large"),
        (
            VOTED,
            put("state/coef_", lambda a: a.astype(int)),
            "coef_ holds int64 numbers, not float32 or float64",
        ),
        (VOTED, lambda h, a: a.pop("state/coef_"), "the array coef_ is missing"),
        (VOTED, lambda h, a: a.update({"state/more": np.ones(1)}), "an array is called 'more'"),
        (VOTED, lambda h, a: h["state"].pop("t_"), "the value t_ is missing"),
        (VOTED, lambda h, a: h["state"].update(t_=-1), "t_ is -1, and this kind of model has no such value"),
        (VOTED, lambda h, a: h["state"].update(t_=10**30), "and this kind of model has no such value"),
        (VOTED, lambda h, a: h["state"].update(n_features_in_=2**40), "and this kind of model has no such value"),
        (
            VOTED,
            lambda h, a: h["state"].update(stop_reason_="tired"),
            "stop_reason_ is 'tired', and this kind of model has no",
        ),
        (VOTED, lambda h, a: h.update(feature_names=["one"]), "there are 1 names of columns, not 2"),
        (VOTED, put("classes", lambda a: a * 0), "its classes are not 1 or more distinct labels"),
        (VOTED, put("classes", lambda a: a[::-1]), "its classes are not in sorted order"),
        (VOTED, lambda h, a: h.update(feature_names=["one", "one"]), "two columns have one name"),
        (VOTED, lambda h, a: h.update(format=-5), "format -5 is no format of linsep: there is format 1"),
        (VOTED, lambda h, a: h.update(format="2"), "format '2' is no format of linsep"),
        (VOTED, lambda h, a: h.update(version=99.0), "version is 99.0, and this kind of model has no"),
        (VOTED, lambda h, a: h["parameters"].update(max_iter=-1), "max_iter must be at least 1"),
        (VOTED, lambda h, a: h.update(origin={"time": 3}), "the value linsep is missing"),
    ],
)
def test_a_file_with_one_wrong_thing_is_refused(model: Any, change: Any, message: str, path: Path) -> None:
    assert message in refusal(path, model, change)


def test_coefficients_that_do_not_fit_their_rows_are_a_sentence(path: Path) -> None:
    model, rows, labels = bases()["KernelPerceptron on a budget"]
    header, arrays = parts_of(model)
    for name in arrays:
        if name.endswith("_factor"):
            arrays[name] = arrays[name] * 0
    path.write_bytes(sealed(header, arrays))
    with pytest.raises(DataError, match="do not fit each other: fit again"):
        linsep.load(path).partial_fit(rows, 1 - labels)


def test_cuts_of_sparse_rows_are_looked_at(path: Path) -> None:
    model, _, _ = bases()["VotedPerceptron sparse"]
    assert "does not cut" in refusal(path, model, put("state/_stored_indptr", lambda a: a[::-1]))
    assert "are below 4" in refusal(path, model, put("state/_stored_indices", lambda a: a + 4))


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("TableModel of a stream", lambda h, a: h["encoder"]["running"].update(bits=28), "the encoder makes"),
        ("TableModel", lambda h, a: h["encoder"]["columns"][2].update(levels=[]), "has no levels"),
        ("SGDClassifier two", put("state/_scale", lambda a: a * 0), "its entries are at least 0.000976562"),
        (RICH, lambda h, a: h["encoder"]["kinds"].update(day="%d%d"), "a column is read as number, category"),
        (RICH, lambda h, a: h["encoder"]["kinds"].update(day=3), "is of no kind that there is"),
        (RICH, lambda h, a: h["encoder"]["kinds"].update(note="text"), "is of no kind that there is"),
        (RICH, lambda h, a: h["encoder"]["words"]["note"]["terms"].append("late"), "are not distinct text"),
        (RICH, lambda h, a: h["encoder"]["words"]["note"]["terms"].append("more"), "the array idf has the shape"),
        (RICH, lambda h, a: h["encoder"]["words"]["note"].update(grams="words9"), "text is read as words"),
        (RICH, lambda h, a: h["encoder"]["words"].update(size=h["encoder"]["words"]["note"]), "are not distinct text"),
        (RICH, lambda h, a: h["encoder"]["kinds"].update(size="skip"), "is skip, and its features are not made so"),
        (RICH, lambda h, a: h["encoder"]["kinds"].update(size="date"), "is date, and its features are not made so"),
        (RICH, lambda h, a: h["encoder"]["kinds"].update(note="category"), "is category, and its features are not"),
        (RICH, put("encoder/idf", lambda a: a * np.nan), "idf holds numbers that are not finite"),
    ],
)
def test_a_table_model_with_one_wrong_thing_is_refused(name: str, change: Any, message: str, path: Path) -> None:
    assert message in refusal(path, bases()[name][0], change)


def test_an_encoder_that_lost_a_level_is_refused(path: Path) -> None:
    said = refusal(path, bases()["TableModel"][0], lambda h, a: h["encoder"]["columns"][2]["levels"].pop(0))
    assert "the encoder makes" in said and "columns, the learner has" in said


@pytest.mark.parametrize("command", ["show", "predict", "score", "export"])
@pytest.mark.parametrize("field", ["version", "state", "classes", "parameters", "class", "encoder.kind", "table.names"])
def test_a_missing_field_is_one_sentence_in_every_command(command: str, field: str, tmp_path: Path) -> None:
    model, rows, labels = bases()["TableModel"]
    header, arrays = parts_of(model)
    first, _, inner = field.partition(".")
    del (header[first] if inner else header)[inner or first]
    (tmp_path / "model").write_bytes(sealed(header, arrays))
    rows.assign(kind=labels).to_csv(tmp_path / "rows.csv", index=False)
    table = {"predict": ["rows.csv"], "score": ["rows.csv"], "export": ["--to", "json"]}.get(command, [])
    done = run_linsep([command, "model", *table], tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("Error: model: ") or "model: saved by linsep" in done.stderr
    assert "Traceback" not in done.stderr


def test_sizes_in_the_header_take_no_memory(path: Path) -> None:
    header, arrays = parts_of(linsep.Perceptron().fit(X, ["no", "no", "yes", "yes"]))
    header["classes"]["dtype"] = "<U999999999"
    path.write_bytes(sealed(header, arrays))
    assert linsep.load(path).classes_.dtype == "<U3"
    path.write_bytes((2 * 10**8).to_bytes(8, "little") + b"{" + bytes(20))
    with pytest.raises(ModelFileError, match="cut short inside its header"):
        linsep.load(path)


def test_what_could_not_be_loaded_is_not_saved(path: Path) -> None:
    model = linsep.Perceptron().fit(X, Y)
    model.coef_ = model.coef_ * np.nan
    with pytest.raises(
        DataError, match="cannot save this Perceptron, as it could not be loaded again: the array coef_"
    ):
        linsep.save(model, path)
    assert not path.exists()


@pytest.mark.parametrize(
    ("learner", "changed", "why"),
    [
        (linsep.VotedPerceptron(), {"fit_intercept": False}, "fit_intercept=False was set after training"),
        (linsep.Perceptron(), {"max_iter": 0}, "could not be loaded again: max_iter must be at least 1"),
        (linsep.KernelPerceptron(budget=5), {"average": "averaged"}, "could not be loaded again: average="),
    ],
)
def test_parameters_that_make_another_model_are_not_saved(
    learner: Any, changed: dict[str, Any], why: str, path: Path
) -> None:
    learner.fit(X, Y).set_params(**changed)
    with pytest.raises(DataError, match=why):
        linsep.save(learner, path)
    assert not path.exists()


def test_every_learner_declares_what_it_holds() -> None:
    for model, _, _ in bases().values():
        learner: Any = getattr(model, "learner_", model)
        values, arrays = learner.get_state()
        learner.check_state(values, arrays, learner.classes_, getattr(learner, "feature_names_in_", None))
        for array in arrays:
            with pytest.raises(DataError):
                less = {key: value for key, value in arrays.items() if key != array}
                learner.check_state(values, less, learner.classes_, None)


def test_crafted_files_are_refused_or_behave() -> None:
    found = list(in_a_child(60, seed=7))
    assert len(found) == 60
    assert not [(change, said) for change, said in found if said.startswith("WRONG")]
    assert sum(said == "refused" for _, said in found) > 30


# ------------------------------------------------------------------------ doors
def replaced(cls: Any, **arrays: Any) -> Any:
    model = cls().fit(X, Y)
    for name, array in arrays.items():
        setattr(model, name, array)
    return model


@pytest.mark.parametrize(
    "model",
    [
        replaced(linsep.Perceptron, coef_=np.ones((1, 1))),
        replaced(linsep.Perceptron, coef_=np.ones((1, 7))),
        replaced(linsep.Perceptron, coef_=np.ones(2)),
        replaced(linsep.Perceptron, intercept_=np.zeros(0)),
        replaced(linsep.Perceptron, n_features_in_=1),
        replaced(linsep.Perceptron, classes_=np.arange(5)),
        replaced(linsep.Perceptron, coef_=np.ones((1, 2), dtype=object)),
        replaced(linsep.AveragedPerceptron, last_coef_=np.ones((1, 1))),
        replaced(linsep.PassiveAggressive, coef_=[[1.0, 2.0]]),
        replaced(linsep.Rocchio, _sums=np.ones((1, 1))),
        replaced(linsep.VotedPerceptron, mistake_rows_=np.full(VOTED.n_updates_, 2**31)),
    ],
    ids=lambda model: type(model).__name__,
)
@pytest.mark.parametrize("call", ["partial_fit", "predict"])
def test_an_array_that_was_replaced_is_refused_at_the_door(model: Any, call: str) -> None:
    given = {"partial_fit": (X, Y), "predict": (X,)}[call]
    try:
        getattr(model, call)(*given)
    except ValueError as error:
        assert "Traceback" not in str(error)
    else:  # what is not read does no harm
        assert call.startswith("predict") or isinstance(model, linsep.VotedPerceptron)


def test_a_replaced_array_is_named() -> None:
    model = replaced(linsep.Perceptron, coef_=np.ones((1, 1)))
    for call, given in (("learn_one", (X[0], 1)), ("predict", (X,)), ("predict_one", (X[0],))):
        with pytest.raises(DataError, match=r"coef_ has the shape \(1, 1\), not \(1, 2\).*replaced after training"):
            getattr(model, call)(*given)


# ----------------------------------------------------------------------- origin
def test_where_a_model_comes_from(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = linsep.Perceptron().fit(X, Y)
    linsep.save(model, path, origin={"command": "make", "data_sha256": "ab"})
    first = linsep.read_origin(path)
    assert first["time"] == "2023-11-14T22:13:20Z" and first["command"] == "make" and first["rows_seen"] == model.t_
    assert first["numpy"] == np.__version__
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    linsep.save(linsep.load(path), path)
    second = linsep.read_origin(path)
    assert second["time"] == "1970-01-01T00:00:00Z" and "command" not in second
    assert second["state_sha256"] == first["state_sha256"]
    linsep.save(model.partial_fit(X[:1], [1]), path)
    assert linsep.read_origin(path)["state_sha256"] != first["state_sha256"]
    with pytest.raises(DataError, match="origin has no entry 'colour'"):
        linsep.save(model, path, origin={"colour": "red"})


def test_the_command_tells_its_data(tmp_path: Path) -> None:
    rows = tmp_path / "rows.csv"
    rows.write_text("a,y\n1,no\n2,yes\n3,yes\n")
    run_linsep(["fit", "rows.csv", "--target", "y", "--model", "m"], tmp_path)
    told = json.loads(run_linsep(["show", "m", "--json"], tmp_path).stdout)["origin"]
    assert told["command"] == "linsep fit rows.csv --target y --model m" and told["data"] == "rows.csv"
    assert told["data_sha256"] == hashlib.sha256(rows.read_bytes()).hexdigest()


def test_data_written_while_they_are_read_are_not_claimed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows, given = tmp_path / "rows.csv", tables.open_labelled
    rows.write_text("a,y\n1,no\n2,yes\n3,yes\n")

    def beside(*arguments: Any) -> Any:
        source, columns = given(*arguments)
        source.read()
        rows.write_text("a,y\n1,yes\n2,no\n3,no\n4,no\n")
        return source, columns

    monkeypatch.setattr(tables, "open_labelled", beside)
    done = run_linsep(["fit", "rows.csv", "--target", "y", "--model", "m"], tmp_path)
    assert done.returncode == 2
    assert "rows.csv was written while it was read: try again when it is complete" in done.stderr
    assert not (tmp_path / "m").exists()


def test_what_a_terminal_would_obey_is_written_out(path: Path) -> None:
    model = linsep.Perceptron()
    model.learn_one({"a\x1b[2J": 1.0}, "x").learn_one({"a\x1b[2J": -1.0}, "y\x07")
    linsep.save(model, path)
    said = run_linsep(["show", path], path.parent).stdout
    assert "a\\x1b[2J" in said and "y\\x07" in said
    assert "\x1b" not in said and "\x07" not in said


def test_no_memory_is_a_sentence(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def load(path: Any) -> Any:
        raise MemoryError("Unable to allocate 16.0 GiB")

    monkeypatch.setattr("linsep.app.models.load", load)
    done = run_linsep(["show", path], path.parent)
    assert (done.returncode, done.stderr) == (2, "linsep: error: not enough memory: Unable to allocate 16.0 GiB\n")
