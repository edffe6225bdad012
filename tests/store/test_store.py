"""Model files: what is saved comes back to the bit, whatever else is in the file is refused, and no kill breaks it."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import safetensors.numpy
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from linsep import ModelFileError, learners, model_file
from linsep.learners import AveragedPerceptron, Perceptron
from linsep.model_file import from_jsonable, to_jsonable
from linsep.store import load, save
from linsep.types import DataError, StopReason

X = np.array([[0.0, 1.0], [1.0, 0.0], [3.0, 4.0], [4.0, 3.0]])
Y = np.array([0, 0, 1, 1])


def fitted(**parameters: Any) -> Perceptron:
    return Perceptron(**parameters).fit(X, Y)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "model.safetensors"


def reseal(raw: bytes, old: bytes, new: bytes) -> bytes:
    """Alter the model's JSON as someone would who also puts the right digest of the file in it."""
    assert raw.count(old) == 1
    end = 8 + int.from_bytes(raw[:8], "little")
    outer = raw[8:end].rstrip().replace(old, new)
    outer += b" " * (-len(outer) % 8)
    sealed = bytearray(len(outer).to_bytes(8, "little") + outer + raw[end:])
    at = sealed.index(model_file._MARK) + len(model_file._MARK)
    sealed[at : at + 64] = model_file._ZEROS
    sealed[at : at + 64] = hashlib.sha256(sealed).hexdigest().encode()
    return bytes(sealed)


# ------------------------------------------------------------------- round trip
def assert_same(a: Any, b: Any) -> None:
    assert type(a) is type(b)
    assert a.get_params() == b.get_params()
    assert a.classes_.dtype == b.classes_.dtype
    assert a.classes_.tolist() == b.classes_.tolist()
    (meta_a, arrays_a), (meta_b, arrays_b) = a.get_state(), b.get_state()
    assert meta_a == meta_b
    assert arrays_a.keys() == arrays_b.keys()
    for name, array in arrays_a.items():
        assert array.dtype == arrays_b[name].dtype
        assert array.shape == arrays_b[name].shape
        assert array.tobytes() == arrays_b[name].tobytes()


@pytest.mark.parametrize(
    "labels",
    [
        np.array([0, 0, 1, 1]),
        np.array([-3, -3, 7, 7], dtype=np.int8),
        np.array([-1.0, -1.0, 2.0, 2.0], dtype=np.float32),
        np.array([False, False, True, True]),
        np.array(["no", "no", "yes", "yes"]),
        np.array(['"', '"', "é\n\ud800", "é\n\ud800"], dtype=object),
    ],
    ids=lambda labels: labels.dtype.str,
)
def test_labels_keep_their_type(labels: Any, path: Path) -> None:
    learner = Perceptron().fit(X, labels)
    save(learner, path)
    again = load(path)
    assert_same(learner, again)
    assert again.predict(X).tolist() == labels.tolist()
    assert type(again.predict(X)[0]) is type(learner.predict(X)[0])


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"max_iter": None, "time_limit": float("inf"), "shuffle": True, "random_state": 3},
        {"class_weight": {0: 0.1, 1: np.float64(2.5)}, "max_iter": np.int32(900)},
        {"random_state": np.int64(5), "warm_start": True, "trace": "updates"},
    ],
)
def test_parameters_come_back(parameters: Any, path: Path) -> None:
    learner = fitted(**parameters)
    save(learner, path)
    assert_same(learner, load(path))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("class_weight", [None, {0: 2.0, 1: 1.0}])
def test_saving_in_the_middle_changes_no_bit(dtype: Any, class_weight: Any, path: Path) -> None:
    rng = np.random.default_rng(0)
    rows, y = rng.normal(size=(300, 7)).astype(dtype), rng.integers(2, size=300)
    straight = Perceptron(class_weight=class_weight)
    stopped: Any = Perceptron(class_weight=class_weight)
    for start in range(0, 300, 60):
        part = slice(start, start + 60)
        straight.partial_fit(rows[part], y[part], classes=[0, 1])
        stopped.partial_fit(rows[part], y[part], classes=[0, 1])
        save(stopped, path)
        stopped = load(path)
    assert straight.n_mistakes_ > 100
    assert_same(straight, stopped)


def test_a_warm_start_goes_on_from_a_loaded_model(path: Path) -> None:
    learner = fitted(warm_start=True)
    save(learner, path)
    again = load(path)
    assert_same(learner.fit(X + 1, Y), again.fit(X + 1, Y))


def test_attributes_after_loading(path: Path) -> None:
    learner = Perceptron().fit(pd.DataFrame(X, columns=["left", "right"]), Y)
    save(learner, path)
    again = load(path)
    assert again.feature_names_in_.tolist() == ["left", "right"]
    assert again.n_features_in_ == 2
    assert again.n_iter_ == learner.n_iter_
    assert again.n_mistakes_ == learner.n_mistakes_
    assert again.stop_reason_ is StopReason.CLEAN_PASS
    with pytest.raises(ValueError, match="feature names"):
        again.predict(pd.DataFrame(X, columns=["right", "left"]))


def test_the_same_model_gives_the_same_bytes(path: Path) -> None:
    save(fitted(), path)
    first = path.read_bytes()
    save(load(path), path)
    assert path.read_bytes() == first


def test_other_tools_can_read_the_file(path: Path) -> None:
    learner = fitted()
    save(learner, path)
    with safetensors.safe_open(path, framework="np") as file:
        header = json.loads(file.metadata()["linsep"])
        assert file.get_tensor("state/coef_").tolist() == learner.coef_.tolist()
    assert header["format"] == 1
    assert header["class"] == "Perceptron"
    assert header["parameters"]["max_iter"] == 1000
    assert header["arrays_sha256"] == model_file.digest(safetensors.numpy.load_file(path))


class Counter(BaseEstimator):
    """A learner with state of many dtypes, shapes and layouts."""

    def __init__(self, tag: Any = None) -> None:
        self.tag = tag

    def fit(self, X: Any, y: Any) -> Any:
        raise NotImplementedError

    def check_parameters(self) -> None: ...

    def check_state(self, *state: Any) -> None: ...

    def get_state(self) -> tuple[dict[str, Any], dict[str, Any]]:
        return self.meta_, self.arrays_

    def set_state(self, meta: dict[str, Any], arrays: dict[str, Any], classes: Any, names: Any) -> None:
        self.meta_, self.arrays_, self.classes_ = meta, arrays, classes

    def with_state(self, meta: dict[str, Any], arrays: dict[str, Any]) -> Any:
        self.set_state(meta, arrays, np.array([0, 1]), None)
        return self


@pytest.fixture
def counter(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(learners, "Counter", Counter, raising=False)
    monkeypatch.setattr(learners, "__all__", [*learners.__all__, "Counter"])
    return Counter


def test_any_plain_state_comes_back(counter: Any, path: Path) -> None:
    meta = {"big": 2**80, "nan": float("nan"), "minus": -float("inf"), "$": (1, [2, (3,)]), "none": None}
    arrays = {
        "scalar": np.array(2.5),
        "empty": np.zeros((0, 3)),
        "fortran": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        "strided": np.arange(10)[::3],
        "big endian": np.arange(3, dtype=">i4"),
        "odd": np.array([-0.0, np.nan, np.inf, 5e-324]),
        "bool": np.array([True, False]),
        "half": np.array([1.5], dtype=np.float16),
        "unsigned": np.array([2**64 - 1], dtype=np.uint64),
    }
    save(counter("0" * 64).with_state(meta, arrays), path)
    again = load(path)
    assert again.tag == "0" * 64
    assert repr(again.meta_) == repr(meta)
    for name, array in arrays.items():
        assert again.arrays_[name].shape == array.shape
        assert again.arrays_[name].tobytes() == array.astype(array.dtype.newbyteorder("=")).tobytes()
        assert again.arrays_[name].flags.writeable


scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
keys = st.text() | st.integers() | st.sampled_from(["$", True, None, (1, "a")])
values = st.recursive(scalars, lambda v: st.lists(v) | st.lists(v).map(tuple) | st.dictionaries(keys, v), max_leaves=20)


@given(values)
def test_plain_values_survive_strict_json(value: Any) -> None:
    text = json.dumps(to_jsonable(value, "value"), allow_nan=False)
    assert repr(from_jsonable(json.loads(text))) == repr(value)


# -------------------------------------------------------------- refused to save
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"random_state": np.random.RandomState(0)}, "parameter random_state of Perceptron is or holds a RandomState"),
        ({"random_state": np.random.default_rng(0)}, "random_state of Perceptron is or holds a Generator"),
        ({"verbose": print}, r"parameter verbose .* a builtin_function.*set_params\(random_state=0, verbose=0\)"),
        ({"class_weight": {0: np.ones(2)}}, "parameter class_weight of Perceptron is or holds a ndarray"),
    ],
)
def test_a_parameter_that_is_an_object_is_refused(parameters: Any, message: str, path: Path) -> None:
    save(fitted(), path)
    before = path.read_bytes()
    with pytest.raises(DataError, match=message):
        save(fitted().set_params(**parameters), path)
    assert os.listdir(path.parent) == [path.name]
    assert path.read_bytes() == before


@pytest.mark.parametrize("array", [np.array([None]), np.array(["a"]), np.array([1j]), np.zeros(2, np.longdouble)])
def test_arrays_without_a_place_in_the_format_are_refused(counter: Any, array: Any, path: Path) -> None:
    with pytest.raises(DataError, match="cannot save the array state/a: safetensors has no type for"):
        save(counter().with_state({}, {"a": array}), path)
    assert not path.exists()


def test_only_fitted_learners_of_the_library_are_saved(path: Path) -> None:
    class Impostor(Perceptron):
        pass

    Impostor.__name__ = "Perceptron"
    with pytest.raises(
        DataError, match=r"cannot save a Perceptron: a model file holds a TableModel or one of .*Perceptron"
    ):
        save(Impostor().fit(X, Y), path)
    with pytest.raises(DataError, match="cannot save a dict"):
        save({}, path)
    with pytest.raises(NotFittedError):
        save(Perceptron(), path)
    assert not path.exists()


# -------------------------------------------------------------- refused to load
def refusal(path: Path, raw: bytes | bytearray) -> str:
    path.write_bytes(raw)
    with pytest.raises(ModelFileError) as caught:
        load(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    return message


def test_a_flipped_bit_is_refused_in_every_byte(path: Path) -> None:
    save(fitted(), path)
    raw = bytearray(path.read_bytes())
    assert len(raw) < 4000
    for position in range(len(raw)):
        bit = 1 << position % 8
        raw[position] ^= bit
        refusal(path, raw)
        raw[position] ^= bit
    path.write_bytes(raw)
    assert load(path).n_iter_ == 4


def test_every_truncation_and_extension_is_refused(path: Path) -> None:
    save(fitted(), path)
    raw = path.read_bytes()
    messages = [refusal(path, raw[:length]) for length in range(len(raw))]
    header = 8 + int.from_bytes(raw[:8], "little")
    assert all("the file is cut short inside its header" in message for message in messages[9:header])
    assert all("altered or cut short since it was saved" in message for message in messages[header:])
    assert "altered" in refusal(path, raw + b"\0")


PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(40)


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"", "the file is empty; linsep.save and `linsep fit --model` write model files"),
        (PNG, "not a linsep model file"),
        (b"a,b\n1,2\n", "not a linsep model file"),
        (b"\x02" + bytes(7) + b"{}", "not a linsep model file"),
        (b"\x04" + bytes(7) + b"null", "not a linsep model file"),
        ((10**5).to_bytes(8, "little") + b"[" * 10**5, "not a linsep model file"),
        (b"\x80\x04\x95" + bytes(30), "not a linsep model file"),
        (safetensors.numpy.save({"weight": np.ones(3)}), "not a linsep model file"),
        (safetensors.numpy.save({"weight": np.ones(3)}, {"linsep": "3"}), "not a linsep model file"),
        (safetensors.numpy.save({}, {"linsep": '{"format": 1}'}), "altered"),
    ],
    ids=["empty", "png", "csv", "braces", "null", "deep", "binary", "safetensors", "number", "bare"],
)
def test_foreign_files_are_refused(raw: bytes, message: str, path: Path) -> None:
    assert message in refusal(path, raw)


def test_a_newer_format_says_upgrade(path: Path) -> None:
    save(fitted(), path)
    message = refusal(path, reseal(path.read_bytes(), rb"\"format\":1", rb"\"format\":12"))
    assert "format 12" in message
    assert "is newer than format 1" in message
    assert message.endswith("upgrade linsep")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (rb"\"Perceptron\"", rb"\"os.system\"", "the class 'os.system' is not a learner of this version"),
        (rb"\"Perceptron\"", rb"\"__all__\"", "the class '__all__' is not a learner of this version"),
        (
            rb"\"Perceptron\"",
            rb"[]",
            "cannot rebuild the model (class is [], and this kind of model has no",
        ),
        (rb"\"max_iter\"", rb"\"patience\"", "cannot rebuild the model (TypeError: "),
        (rb"\"max_iter\"", rb"\"" + b"x" * 2000 + rb"\"", "unexpected keyword argument '" + "x" * 100),
        (rb"\"class\"", rb"\"kind\"", "cannot rebuild the model (the value class is missing)"),
        (
            rb"\"parameters\":{",
            rb"\"parameters\":[],\"x\":{",
            "cannot rebuild the model (parameters is [], and this kind of model has no such value)",
        ),
        (
            rb"\"dtype\":null",
            rb"\"dtype\":\"nonsense\"",
            "cannot rebuild the model (the classes are no list of labels)",
        ),
        (rb"state/coef_", rb"state/c", "the arrays are not those that were saved"),
        (rb"[0,16]", rb"[0,99]", "cannot rebuild the model (SafetensorError: "),
    ],
)
def test_a_sealed_file_that_does_not_fit_is_refused(old: bytes, new: bytes, message: str, path: Path) -> None:
    save(fitted(), path)
    assert message in refusal(path, reseal(path.read_bytes(), old, new))


def test_a_missing_file_is_an_os_error(path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=path.name):
        load(path)


def test_mostly_zeros_take_no_room(path: Path) -> None:
    rows = sp.csr_matrix(([1.0, -1.0, 2.0], ([0, 1, 2], [3, 70_000, 99_999])), shape=(3, 100_000))
    model = AveragedPerceptron(max_iter=2).fit(rows, [0, 1, 0])
    model.coef_[0, 5] = -0.0
    save(model, path)
    assert path.stat().st_size < 6_000 < model.coef_.nbytes
    again = load(path)
    assert again.coef_.tobytes() == model.coef_.tobytes()
    assert np.array_equal(again.partial_fit(rows, [1, 1, 0]).coef_, model.partial_fit(rows, [1, 1, 0]).coef_)
    raw = path.read_bytes()
    for new in (b"[2, 100000]", b"[1,-100000]", b"[1,9000000000]", b"[1,true]"):
        path.write_bytes(reseal(raw, b'state/coef_\\":[1,100000]', b'state/coef_\\":' + new))
        with pytest.raises(ModelFileError):
            load(path)
