"""Layers and labels from every kind of array and file: the same rows, whatever holds them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet
import pytest
from safetensors.numpy import save_file

from linsep import DataError, probe
from linsep.probing.labels import open_labels
from linsep.probing.layers import open_layers
from linsep.types import Array

RNG = np.random.default_rng(5)
A, B = RNG.normal(size=(7, 3)).astype(np.float32), RNG.integers(-9, 9, size=(7, 2))


def read(given: Any, **asked: Any) -> dict[str, Array]:
    return {layer.name: layer.read() for layer in open_layers(given, **asked)}


def check(found: dict[str, Array], **wanted: Array) -> None:
    assert list(found) == list(wanted)
    for name, array in wanted.items():
        assert found[name].tolist() == array.tolist()


class ByArray:
    """As a tensor in main memory."""

    shape = A.shape

    def __array__(self, dtype: Any = None, copy: Any = None) -> Array:
        return A


class ByDLPack:
    """As an array of another library, which only DLPack reads."""

    shape = A.shape

    def __dlpack__(self, **asked: Any) -> Any:
        return A.__dlpack__(**asked)

    def __dlpack_device__(self) -> Any:
        return A.__dlpack_device__()


class OnlyDLPack:
    """As a capsule with nothing but its two methods."""

    __dlpack__ = ByDLPack.__dlpack__
    __dlpack_device__ = ByDLPack.__dlpack_device__


class Elsewhere:
    """As a tensor on an accelerator."""

    shape = A.shape

    def __array__(self, dtype: Any = None, copy: Any = None) -> Array:
        raise TypeError("not in main memory")


def test_arrays_in_memory() -> None:
    check(read({"a": ByArray(), "b": B}), a=A, b=B)
    check(read(ByDLPack()), X=A)
    check(read(OnlyDLPack()), X=A)
    both: dict[str, Array] = {"0": A, "1": B}
    check(read([A, B]), **both)
    check(read(A.tolist()), X=A)
    check(read(np.stack([A, -A], axis=1), axis=1), **{"0": A, "1": -A})
    check(read(np.stack([A, -A], axis=-1), axis=-1), **{"0": A, "1": -A})
    (layer,) = open_layers(Elsewhere())
    with pytest.raises(DataError, match=r"does not become an array: not in main memory; give float32 numbers"):
        layer.read()


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_short_floats_are_widened_exactly(name: str, tmp_path: Path) -> None:
    short = A.astype(np.float16 if name == "float16" else pytest.importorskip("ml_dtypes").bfloat16)
    save_file({"x": short}, tmp_path / "s.safetensors")
    for found in (read(short), read(tmp_path / "s.safetensors")):
        (X,) = found.values()
        assert X.dtype == np.float32
        assert X.tolist() == short.astype(np.float64).tolist()


def test_npy_and_npz_files(tmp_path: Path) -> None:
    np.save(tmp_path / "one.npy", A)
    np.save(tmp_path / "two.npy", np.stack([A, -A]))
    check(read(tmp_path / "one.npy"), one=A)
    check(read(tmp_path / "two.npy", axis=0), **{"0": A, "1": -A})
    both = read([tmp_path / "one.npy", tmp_path / "two.npy"], axis=0)
    check(both, **{"one": A, "two/0": A, "two/1": -A})
    np.savez(tmp_path / "z.npz", b=B, a=A, y=np.arange(7))
    check(read(tmp_path / "z.npz"), b=B, a=A)
    check(read(str(tmp_path / "*.npz")), b=B, a=A)


def test_layers_stand_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    for name in ("l1", "l10", "l2"):
        np.save(tmp_path / f"{name}.npy", A)
    for given in (tmp_path, str(tmp_path / "l*.npy"), [tmp_path]):
        assert [layer.name for layer in open_layers(given)] == ["l1", "l2", "l10"]
    chosen = [tmp_path / f"{name}.npy" for name in ("l10", "l1", "l2")]
    assert [layer.name for layer in open_layers(chosen)] == ["l10", "l1", "l2"]
    (tmp_path / "z").mkdir()
    by_hand: dict[str, Any] = {"l²": A, "l1": A, "l10": B, "l2": A}
    np.savez(tmp_path / "z" / "z.npz", **by_hand)
    check(read(tmp_path / "z" / "z.npz"), **by_hand)
    np.savez(tmp_path / "z" / "z.npz", l1=A, l10=B, l2=A)
    check(read(tmp_path / "z" / "z.npz"), l1=A, l2=A, l10=B)
    pyarrow.parquet.write_table(
        pa.table({"l1": A.tolist(), "l10": B.tolist(), "l2": A.tolist()}), tmp_path / "t.parquet"
    )
    check(read(tmp_path / "t.parquet"), l1=A, l2=A, l10=B)
    save_file({name: by_hand[name] for name in ("l²", "l10", "l2")}, tmp_path / "s.safetensors")
    check(read(tmp_path / "s.safetensors"), **{name: by_hand[name] for name in ("l2", "l10", "l²")})


def test_safetensors_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    parts: dict[str, Array] = {"h.10": A, "h.9": B, "cube": np.stack([A, -A], axis=1), "flag": B > 0}
    save_file(parts, tmp_path / "s.safetensors")
    found = read(tmp_path / "s.safetensors", axis=1)
    check(found, **{"cube/0": A, "cube/1": -A, "flag": B > 0, "h.9": B, "h.10": A})
    brain = pytest.importorskip("ml_dtypes").bfloat16
    save_file({"x": np.stack([A, A]).astype(brain)}, tmp_path / "b.safetensors")
    check(read(tmp_path / "b.safetensors", axis=0), **dict.fromkeys("01", A.astype(brain)))


def test_datasets_of_hdf5_files_one_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    h5py = pytest.importorskip("h5py")
    path, cube = tmp_path / "x.h5", np.stack([A, -A], axis=1)
    with h5py.File(path, "w") as file:
        for name, array in {
            "h10": A,
            "h9": B,
            "deep/cube": cube,
            "flag": B > 0,
            "id": list("gfedcba"),
            "loss": 0.5,
        }.items():
            file[name] = array
    got: list[tuple[str, Any]] = []
    take = h5py.Dataset.__getitem__

    def seen(part: Any, at: Any) -> Any:
        got.append((part.name, at))
        return take(part, at)

    monkeypatch.setattr(h5py.Dataset, "__getitem__", seen)
    layers = open_layers(path, axis=1, key="id")
    assert not got
    check(
        {layer.name: layer.read() for layer in layers},
        **{"deep/cube/0": A, "deep/cube/1": -A, "flag": B > 0, "h9": B, "h10": A},
    )
    everything = slice(None)
    assert got[:3] == [("/deep/cube", (everything, 0)), ("/deep/cube", (everything, 1)), ("/flag", ())]
    assert layers[0].read_keys is not None
    assert layers[0].read_keys().tolist() == list("gfedcba")
    whole = path.read_bytes()
    (tmp_path / "y.hdf5").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataError, match=r"y\.hdf5: not a whole \.hdf5 file"):
        read(tmp_path / "y.hdf5")


def test_a_damaged_part_of_an_hdf5_file_is_named(tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "x.h5", "w") as file:
        place = file.create_dataset("x", data=A, compression="gzip").id.get_chunk_info(0).byte_offset
    with (tmp_path / "x.h5").open("r+b") as raw:
        raw.seek(place)
        raw.write(bytes(16))
    with pytest.raises(DataError, match=r"x\.h5: 'x' cannot be read: "):
        read(tmp_path / "x.h5")


def test_hdf5_without_h5py_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x.h5").write_bytes(b"\x89HDF")
    monkeypatch.setitem(sys.modules, "h5py", None)
    with pytest.raises(DataError, match=r"x\.h5: reading HDF5 needs h5py, .* pip install 'linsep\[hdf5\]'"):
        read(tmp_path / "x.h5")


def test_columns_of_parquet_and_arrow_files(tmp_path: Path) -> None:
    lists = {
        "fixed": pa.array(A.tolist(), pa.list_(pa.float32(), 3)),
        "free": pa.array(B.tolist()),
        "word": pa.array(list("abcdefg")),
    }
    table = pa.table(lists)
    pyarrow.parquet.write_table(table, tmp_path / "t.parquet")
    for name, new in (("t.feather", pyarrow.ipc.new_file), ("t.arrow", pyarrow.ipc.new_stream)):
        with new(str(tmp_path / name), table.schema) as writer:
            writer.write_table(table)
    for name in ("t.parquet", "t.feather", "t.arrow"):
        check(read(tmp_path / name), fixed=A, free=B)
        (first, _) = open_layers(tmp_path / name, key="word")
        assert first.read_keys is not None
        assert first.read_keys().tolist() == list("abcdefg")
    plain = pa.table({"x": A[:, 0], "y": A[:, 1], "word": list("abcdefg")})
    pyarrow.parquet.write_table(plain, tmp_path / "plain.parquet")
    check(read(tmp_path / "plain.parquet", key="word"), plain=A[:, :2])
    with pytest.raises(DataError, match=r"column 'word' holds string, no number"):
        read(tmp_path / "plain.parquet")


@pytest.mark.parametrize(
    ("column", "said"),
    [
        (pa.array([[1.0, 2.0], [3.0]]), "the lists are not all of the same length"),
        (pa.array([[1.0, 2.0], None]), "row 1, column 'x': the value is missing"),
        (pa.array([[1.0, None], [2.0, 3.0]]), "a number in a list is missing"),
    ],
)
def test_ragged_lists_and_holes_are_refused(column: Any, said: str, tmp_path: Path) -> None:
    pyarrow.parquet.write_table(pa.table({"x": column}), tmp_path / "t.parquet")
    with pytest.raises(DataError, match=said):
        read(tmp_path / "t.parquet")


@pytest.mark.parametrize("suffix", [".npy", ".npz", ".safetensors", ".parquet", ".arrow"])
def test_damaged_files_are_refused_in_a_sentence(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"x{suffix}"
    for raw in (b"", b"\x07\0\0\0\0\0\0\0nothing"):
        path.write_bytes(raw)
        with pytest.raises(DataError, match=f"not a whole {suffix} file"):
            read(path)


def test_other_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("a\n1\n")
    with pytest.raises(DataError, match=r"activations are read from \.npy, \.npz, "):
        read(tmp_path / "x.csv")
    with pytest.raises(DataError, match="there is no file of that name"):
        read(tmp_path / "y.npy")
    np.save(tmp_path / "o.npy", np.array([{}], dtype=object), allow_pickle=True)
    with pytest.raises(DataError, match="not a whole"):
        read(tmp_path / "o.npy")
    (tmp_path / "f").mkdir()
    for folder in (tmp_path, tmp_path / "f"):
        np.save(folder / "same.npy", A)
    with pytest.raises(DataError, match="two layers are called 'same'"):
        read([tmp_path / "same.npy", tmp_path / "f" / "same.npy"])
    np.savez(tmp_path / "y.npz", y=np.stack([A, A]))
    with pytest.raises(DataError, match="three axes"):
        read(tmp_path / "y.npz")


def test_labels_of_every_file_are_the_same_questions(tmp_path: Path) -> None:
    (tmp_path / "y.csv").write_text("kind,size\nred,1\nblue,2\nred,1\n,2\n")
    (tmp_path / "y.jsonl").write_text(
        '{"kind": "red", "size": 1}\n{"kind": "blue", "size": 2}\n{"kind": "red", "size": 1}\n'
        '{"kind": null, "size": 2}\n'
    )
    table = {"kind": ["red", "blue", "red", None], "size": [1, 2, 1, 2]}
    pyarrow.parquet.write_table(pa.table(table), tmp_path / "y.parquet")
    for given in (table, *(tmp_path / f"y{suffix}" for suffix in (".csv", ".jsonl", ".parquet"))):
        kind, size = open_labels(given, ["kind", "size"]).questions
        assert (kind.rows.tolist(), kind.positive.tolist()) == ([0, 1, 2], [True, False, True])
        assert (size.rows.tolist(), size.positive.tolist()) == ([0, 1, 2, 3], [False, True, False, True])
    np.save(tmp_path / "y.npy", np.array([3, 5, 3]))
    assert open_labels(tmp_path / "y.npy").questions[0].positive.tolist() == [False, True, False]
    (tmp_path / "bad.npy").write_bytes(b"?")
    with pytest.raises(DataError, match=r"not a whole \.npy file"):
        open_labels(tmp_path / "bad.npy")
    with pytest.raises(DataError, match="labels are columns with names"):
        (tmp_path / "y.svm").write_text("1 1:2\n")
        open_labels(tmp_path / "y.svm")


def test_rows_are_matched_by_their_key(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    X, order = rng.normal(size=(40, 3)), rng.permutation(40)
    side = X[:, 0] > 0
    np.savez(tmp_path / "x.npz", h=X, id=np.arange(40.0))
    y = {"side": side[order], "id": order}
    (row,) = probe(tmp_path / "x.npz", y, key="id", controls=0).rows
    assert row == probe({"h": X[order]}, {"side": side[order]}, controls=0).rows[0]
    for theirs, said in (
        (np.arange(1, 41), "layer 'h' has 40 rows and the labels 40: 1 keys are not in the labels, such as '40'"),
        (np.zeros(40), "layer 'h': the key '0' names two rows"),
    ):
        with pytest.raises(DataError, match=said):
            probe({"h": X[: len(theirs)], "id": theirs}, y, key="id")


def test_labels_of_rows_that_a_layer_has_not_are_counted_and_left_out(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    X, some = rng.normal(size=(40, 3)), rng.permutation(40)[:25]
    side, group = X[:, 0] > 0, np.arange(40) // 2
    np.savez(tmp_path / "x.npz", h=X[some], id=some)
    y = {"side": side, "other": [None, *side[1:]], "id": range(40), "group": group}
    asked: dict[str, Any] = {"labels": ["side", "other"], "groups": "group", "controls": 1}
    found = probe(tmp_path / "x.npz", y, key="id", **asked)
    kept = np.sort(some)
    less = {name: np.array(values, dtype=object)[kept] for name, values in y.items()}
    assert found.rows == probe({"h": X[kept]}, less, **asked).rows
    assert found.rows[0].n == 25
    others = 14 if 0 not in some else 15
    assert found.warnings[-1] == (
        "labels whose key names no row of the activations are not used: 15 of 40 of 'side' (layer 'h'), "
        f"{others} of 39 of 'other' (layer 'h')"
    )
    one = some[side[some]]
    with pytest.raises(DataError, match="layer 'h' has no row of one side of 'side': leave those labels out"):
        probe({"h": X[one], "id": one}, y, key="id", **asked)


@pytest.mark.parametrize("name", ["x.npz", "lists.parquet", "numbers.arrow"])
def test_a_key_that_is_not_named_is_hinted_at_where_the_order_differs(name: str, tmp_path: Path) -> None:
    X, side = np.random.default_rng(2).normal(size=(9, 3)), np.arange(9) % 2
    names = np.arange(9)
    np.savez(tmp_path / "x.npz", h=X, id=names, length=names)
    lists = pa.table({"h": X.tolist(), "id": names, "length": names})
    pyarrow.parquet.write_table(lists, tmp_path / "lists.parquet")
    plain = pa.table({"a": X[:, 0], "b": X[:, 1], "id": names, "length": names})
    with pyarrow.ipc.new_file(str(tmp_path / "numbers.arrow"), plain.schema) as writer:
        writer.write_table(plain)

    def warnings(**y: Any) -> tuple[str, ...]:
        return probe(tmp_path / name, {"side": side, **y}, labels="side", controls=0).warnings[1:]

    probe(tmp_path / name, {"side": side, "id": names[::-1]}, labels="side", key="id", controls=0)
    layer = {"x.npz": "h", "lists.parquet": "h", "numbers.arrow": "numbers"}[name]
    [said] = warnings(id=names[::-1], length=names)
    assert said.startswith(f"the labels and the activations (layer '{layer}') both have 'id', in another order, and ")
    assert said.endswith("--key id (key=) matches them by it")
    assert warnings(id=names) == warnings(id=names + 1) == warnings(length=[0] * 9) == ()
    with pytest.raises(DataError, match=r"9 rows and the labels 7: .* both have 'id'$"):
        probe(tmp_path / name, {"side": side[:7], "id": names[:7]}, labels="side", controls=0)


def test_a_misspelt_label_is_named_beside_the_one_that_it_may_be() -> None:
    classes = {"dog": 60, "cat": 50, "dgo": 1, "Dog": 3, "dog ": 2, "cta": 1, "owl": 2, "emu": 2, "k1": 50, "k2": 5}
    y = np.repeat(list(classes), list(classes.values()))
    X = np.random.default_rng(0).normal(size=(len(y), 2))
    first, second = probe(X, {"animal": y}, controls=0, time_limit=0.0).warnings
    assert first == (
        "concept 'animal': 'dog ' (2 rows) and 'dog' (60 rows) differ in blanks or case alone, 'Dog' (3 rows) and "
        "'dog' (60 rows) differ in blanks or case alone, 'cta' (1 row) and 'cat' (50 rows) differ in one letter and 1 "
        "more; they count as classes of their own: write them alike if they are one"
    )
    assert second == (
        "concept 'animal': 'emu' (2 rows), 'owl' (2 rows) have fewer rows than there are parts to hold out (5), so "
        "that fewer parts are held out: is the label meant?"
    )
    found = probe(X, {"animal": y}, controls=0, time_limit=0.0)
    assert found.summary().splitlines()[-2].startswith("warning      concept 'animal': 'dog ' (2 rows)")
    assert len(found.rows) == len(classes)
    assert not probe(X, np.where(X[:, 0] > 0, "male", "female"), controls=0, time_limit=0.0).warnings


def test_one_layer_is_read_at_a_time(tmp_path: Path) -> None:
    """A layer that cannot be read does not keep those before it from being asked."""
    np.save(tmp_path / "good.npy", np.arange(8.0).reshape(4, 2))
    np.save(tmp_path / "nan.npy", np.full((4, 2), np.nan))
    seen: list[str] = []
    with pytest.raises(DataError, match=r"layer 'nan', row 0"):
        paths = [tmp_path / "good.npy", tmp_path / "nan.npy"]
        probe(paths, [0, 0, 1, 1], controls=0, callback=lambda row: seen.append(row.layer))
    assert seen == ["good"]


def test_ctrl_c_keeps_the_rows_found() -> None:
    X = np.random.default_rng(0).normal(size=(30, 2))
    y = {"one": X[:, 0] > 0, "two": X[:, 1] > 0}

    def stop_after(n: int) -> Any:
        seen: list[str] = []

        def callback(row: Any) -> None:
            seen.append(row.concept)
            if len(seen) == n:
                raise KeyboardInterrupt

        return probe({"a": X, "b": X**2}, y, labels=["one", "two"], controls=0, callback=callback)

    whole, found = stop_after(5), stop_after(3)
    assert (len(whole.rows), whole.interrupted, whole.warnings) == (4, False, ())
    assert (found.rows, found.interrupted) == (whole.rows[:3], True)
    assert list(found.directions) == list(whole.directions)[:3]
    assert found.summary().splitlines()[-1].split(maxsplit=1)[1] == "interrupted: these are 3 of 4 rows"


def test_ctrl_c_before_there_is_a_row_is_an_interruption(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*given: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr("linsep.probing.probe.measured", interrupted)
    with pytest.raises(KeyboardInterrupt):
        probe(np.eye(4), [0, 0, 1, 1], controls=0)
