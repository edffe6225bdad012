"""Layers and labels from every kind of array and file: the same rows, whatever holds them, one layer at a time."""

from __future__ import annotations

import gc
import sys
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from safetensors.numpy import save_file

from linsep import DataError, probe
from linsep.probing.labels import open_labels
from linsep.probing.layers import open_layers
from linsep.types import Array

RNG = np.random.default_rng(5)
A, B = RNG.normal(size=(7, 3)).astype(np.float32), RNG.integers(-9, 9, size=(7, 2))
CUBE = RNG.normal(size=(24, 40, 60))


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


class OnlyDLPack:
    """As a capsule with nothing but its two methods."""

    def __dlpack__(self, **asked: Any) -> Any:
        return A.__dlpack__(**asked)

    def __dlpack_device__(self) -> Any:
        return A.__dlpack_device__()


class Elsewhere:
    """As a tensor on an accelerator."""

    shape = A.shape

    def __array__(self, dtype: Any = None, copy: Any = None) -> Array:
        raise TypeError("not in main memory")


def test_arrays_in_memory() -> None:
    check(read({"a": ByArray(), "b": B}), a=A, b=B)
    check(read(OnlyDLPack()), X=A)
    both: dict[str, Array] = {"0": A, "1": B}
    check(read([A, B]), **both)
    check(read(A.tolist()), X=A)
    check(read(np.stack([A, -A], axis=1), axis=1), **{"0": A, "1": -A})
    check(read(np.stack([A, -A], axis=-1), axis=-1), **{"0": A, "1": -A})
    (layer,) = open_layers(Elsewhere())
    with pytest.raises(DataError, match=r"does not become an array: not in main memory; give float32 numbers"):
        layer.read()


def test_a_file_of_every_format_has_the_same_layers(tmp_path: Path) -> None:
    """Arrays of two axes and, along an axis of three, the places; names in the order of the numbers in them."""
    h5py = pytest.importorskip("h5py")
    parts: dict[str, Array] = {"h.10": A, "h.9": B, "cube": np.stack([A, -A], axis=1), "flag": B > 0}
    save_file(parts, tmp_path / "x.safetensors")
    by_name: dict[str, Any] = {name: parts[name] for name in sorted(parts)}
    np.savez(tmp_path / "x.npz", **by_name, odd=np.arange(7))
    with h5py.File(tmp_path / "x.h5", "w") as file:
        for name, array in {**parts, "loss": 0.5, "id": list("gfedcba")}.items():
            file[name] = array
    for name in ("x.safetensors", "x.npz", "x.h5"):
        check(read(tmp_path / name, axis=1), **{"cube/0": A, "cube/1": -A, "flag": B > 0, "h.9": B, "h.10": A})
    keys = open_layers(tmp_path / "x.h5", axis=1, key="id")[0].read_keys
    assert keys is not None
    assert keys().tolist() == list("gfedcba")
    np.save(tmp_path / "one.npy", A)
    np.save(tmp_path / "two.npy", np.stack([A, -A]))
    check(read(tmp_path / "one.npy"), one=A)
    check(read(tmp_path / "two.npy", axis=0), **{"0": A, "1": -A})
    both = read([tmp_path / "one.npy", tmp_path / "two.npy"], axis=0)
    check(both, **{"one": A, "two/0": A, "two/1": -A})


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_short_floats_are_widened_exactly(name: str, tmp_path: Path) -> None:
    short = A.astype(np.float16 if name == "float16" else pytest.importorskip("ml_dtypes").bfloat16)
    save_file({"x": short, "cube": np.stack([short, short])}, tmp_path / "s.safetensors")
    for found in (read(short), read(tmp_path / "s.safetensors", axis=0)):
        for X in found.values():
            assert X.dtype == (np.float16 if name == "float16" else np.float32)  # NumPy has no bfloat16
            assert X.tolist() == short.astype(np.float64).tolist()


def test_layers_stand_in_the_order_of_their_numbers_or_in_one_that_was_chosen(tmp_path: Path) -> None:
    for name in ("l1", "l10", "l2"):
        np.save(tmp_path / f"{name}.npy", A)
    for given in (tmp_path, str(tmp_path / "l*.npy"), [tmp_path]):
        assert [layer.name for layer in open_layers(given)] == ["l1", "l2", "l10"]
    chosen = [tmp_path / f"{name}.npy" for name in ("l10", "l1", "l2")]
    assert [layer.name for layer in open_layers(chosen)] == ["l10", "l1", "l2"]
    by_hand: dict[str, Any] = {"l²": A, "l1": A, "l10": B, "l2": A}
    np.savez(tmp_path / "z.npz", **by_hand)
    check(read(tmp_path / "z.npz"), **by_hand)


ARCHIVES: list[Any] = [
    (write, axis, order) for write in (np.savez, np.savez_compressed) for axis in range(3) for order in "CF"
]


@pytest.mark.parametrize(("write", "axis", "order"), ARCHIVES)
def test_layers_of_an_archive_are_read_alone(write: Any, axis: int, order: Any, tmp_path: Path) -> None:
    cube = np.moveaxis(CUBE, 0, axis)
    write(tmp_path / "z.npz", odd=np.arange(7), h=np.asarray(cube, order=order))
    layers = open_layers(tmp_path / "z.npz", axis=axis)
    assert len(layers) == 24
    for k in (0, 11, 23):
        found = layers[k].read()
        assert found.flags.c_contiguous and found.base is None
        assert np.array_equal(found, cube[(slice(None),) * axis + (k,)])


def test_datasets_of_hdf5_files_are_read_one_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file["deep/cube"], file["flat"] = np.stack([A, -A], axis=1), B
    got: list[tuple[str, Any]] = []
    take = h5py.Dataset.__getitem__

    def seen(part: Any, at: Any) -> Any:
        got.append((part.name, at))
        return take(part, at)

    monkeypatch.setattr(h5py.Dataset, "__getitem__", seen)
    layers = open_layers(tmp_path / "x.h5", axis=1)
    assert not got
    wanted: dict[str, Array] = {"deep/cube/0": A, "deep/cube/1": -A, "flat": B}
    check({layer.name: layer.read() for layer in layers}, **wanted)
    everything = slice(None)
    assert got == [("/deep/cube", (everything, 0)), ("/deep/cube", (everything, 1)), ("/flat", ())]
    monkeypatch.setitem(sys.modules, "h5py", None)
    with pytest.raises(DataError, match=r"x\.h5: HDF5 needs h5py, .* pip install '\.\[hdf5\]'"):
        read(tmp_path / "x.h5")


def flip_a_bit(path: Path, place: int) -> None:
    raw = bytearray(path.read_bytes())
    raw[place] ^= 1
    path.write_bytes(raw)


def test_damaged_bytes_are_found(tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py")
    for write in (np.savez, np.savez_compressed):
        write(tmp_path / "z.npz", h=CUBE)
        flip_a_bit(tmp_path / "z.npz", (tmp_path / "z.npz").stat().st_size // 2)
        for layer in open_layers(tmp_path / "z.npz", axis=0)[::8]:
            with pytest.raises(DataError, match=r"z\.npz: 'h' cannot be read: "):
                layer.read()
    with h5py.File(tmp_path / "x.h5", "w") as file:
        place = file.create_dataset("x", data=A, compression="gzip").id.get_chunk_info(0).byte_offset
    flip_a_bit(tmp_path / "x.h5", place)
    with pytest.raises(DataError, match=r"x\.h5: 'x' cannot be read: "):
        read(tmp_path / "x.h5")


@pytest.mark.parametrize("suffix", [".npy", ".npz", ".safetensors", ".h5"])
def test_damaged_files_are_refused_in_a_sentence(suffix: str, tmp_path: Path) -> None:
    if suffix == ".h5":
        pytest.importorskip("h5py")
    path = tmp_path / f"x{suffix}"
    for raw in (b"", b"\x07\0\0\0\0\0\0\0nothing"):
        path.write_bytes(raw)
        with pytest.raises(DataError, match=f"not a whole {suffix} file"):
            read(path)


def test_other_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("a\n1\n")
    with pytest.raises(DataError, match=r"activations are read from \.npy, \.npz, \.safetensors, \.h5, \.hdf5"):
        read(tmp_path / "x.csv")
    with pytest.raises(DataError, match="there is no file of that name"):
        read(tmp_path / "y.npy")
    np.save(tmp_path / "o.npy", np.array([{}], dtype=object), allow_pickle=True)
    with pytest.raises(DataError, match=r"not a whole \.npy file of numbers or text: .* Python objects"):
        read(tmp_path / "o.npy")
    np.savez(tmp_path / "z.npz", h=CUBE.astype(object))
    for layer in open_layers(tmp_path / "z.npz", axis=0)[:1]:
        with pytest.raises(DataError, match=r"'h' cannot be read: .*(?i:object)"):
            layer.read()
    (tmp_path / "f").mkdir()
    for folder in (tmp_path, tmp_path / "f"):
        np.save(folder / "same.npy", A)
    with pytest.raises(DataError, match="two layers are called 'same'"):
        read([tmp_path / "same.npy", tmp_path / "f" / "same.npy"])
    with pytest.raises(DataError, match="two layers are called '1'"):
        read({1: A, "1": A})


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
    assert open_labels(tmp_path / "y.npy", ()).questions[0].positive.tolist() == [False, True, False]
    (tmp_path / "bad.npy").write_bytes(b"?")
    with pytest.raises(DataError, match=r"not a whole \.npy file"):
        open_labels(tmp_path / "bad.npy", ())
    (tmp_path / "y.svm").write_text("1 1:2\n")
    with pytest.raises(DataError, match="labels are columns with names"):
        open_labels(tmp_path / "y.svm", ())


def test_rows_are_matched_by_their_key(tmp_path: Path) -> None:
    """The rows of the labels in their order, without those that the layer has not; these are counted in a warning."""
    rng = np.random.default_rng(2)
    X, some = rng.normal(size=(40, 3)), rng.permutation(40)[:25]
    np.savez(tmp_path / "x.npz", h=X[some], id=some.astype(float))
    side = X[:, 0] > 0
    y = {"side": side, "other": [None, *side[1:]], "id": range(40), "group": np.arange(40) // 2}
    asked: dict[str, Any] = {"labels": ["side", "other"], "groups": "group", "controls": 1}
    found = probe(tmp_path / "x.npz", y, key="id", **asked)
    kept = np.sort(some)
    less = {name: np.array(values, dtype=object)[kept] for name, values in y.items()}
    assert found.rows == probe({"h": X[kept]}, less, **asked).rows
    assert found.rows[0].n == 25
    others = 14 if 0 not in some else 15
    assert found.warnings == (
        f"labels whose key names no row of the activations are not used: of 'side' (15 rows), 'other' ({others} rows)",
    )
    for theirs, said in (
        (np.arange(16, 41), "layer 'h': 1 of 25 keys are not in the labels, such as '40'"),
        (np.zeros(25), "layer 'h': the key '0' names two rows"),
        (np.arange(9), "layer 'h' has 25 rows and 9 keys"),
    ):
        with pytest.raises(DataError, match=said):
            probe({"h": X[:25], "id": theirs}, y, key="id", **asked)
    one = some[side[some]]
    with pytest.raises(DataError, match="layer 'h' has no row of one side of 'side': leave those labels out"):
        probe({"h": X[one], "id": one}, y, key="id", **asked)


def test_a_key_that_is_not_named_is_hinted_at_where_the_order_differs() -> None:
    X, side, names = np.random.default_rng(2).normal(size=(9, 3)), np.arange(9) % 2, np.arange(9)
    layers = {"g": X, "h": X, "id": names, "length": names}

    def warnings(**y: Any) -> tuple[str, ...]:
        return probe(layers, {"side": side, **y}, labels="side", controls=0).warnings[1:]

    assert warnings(id=names[::-1], length=names) == (
        "the labels and the activations (layer 'h') both have 'id', in another order: rows are matched by position; "
        "--set key=id (key=) matches them by it",
    )
    assert warnings(id=names) == warnings(id=names + 1) == warnings(length=[0] * 9) == ()
    with pytest.raises(DataError, match=r"9 rows and the labels 7: .* both have 'id'$"):
        probe(layers, {"side": side[:7], "id": names[:7]}, labels="side", controls=0)


def test_classes_that_are_small_or_of_no_label_are_told() -> None:
    sizes = {"dog": 60, "cat": 50, "nan": 9, "owl": 2, "emu": 1}
    y = np.repeat(list(sizes), list(sizes.values()))
    X = np.random.default_rng(0).normal(size=(len(y), 2))
    found = probe(X, {"animal": y}, controls=0, time_limit=0.0)
    assert found.warnings == (
        "concept 'animal': 'nan' (9 rows): this may mean a missing label: leave the cell empty (None in Python)",
        "concept 'animal': 'emu' (1 row), 'owl' (2 rows): so few rows that fewer parts can be held out: is this "
        "label right?",
    )
    assert found.summary().splitlines()[-2].startswith("warning      concept 'animal': 'nan' (9 rows)")
    labelled = np.array([None if label in ("nan", "owl", "emu") else label for label in y.tolist()], dtype=object)
    assert not probe(X, labelled, controls=0, time_limit=0.0).warnings


def test_one_layer_is_read_at_a_time(tmp_path: Path) -> None:
    """A layer that cannot be read does not keep those before it from being asked."""
    np.save(tmp_path / "good.npy", np.arange(8.0).reshape(4, 2))
    np.save(tmp_path / "nan.npy", np.full((4, 2), np.nan))
    seen: list[str] = []
    with pytest.raises(DataError, match=r"layer 'nan', row 0"):
        paths = [tmp_path / "good.npy", tmp_path / "nan.npy"]
        probe(paths, [0, 0, 1, 1], controls=0, callback=lambda row: seen.append(row.layer))
    assert seen == ["good"]


def test_no_layer_is_kept_when_the_next_one_is_read() -> None:
    X, kept = np.random.default_rng(0).normal(size=(20, 2)), list[weakref.ref[Array]]()

    class Own:
        shape = X.shape

        def __array__(self, dtype: Any = None, copy: Any = None) -> Array:
            gc.collect()
            assert not any(one() is not None for one in kept)
            layer = X.copy()
            kept.append(weakref.ref(layer))
            return layer

    found = probe(dict.fromkeys("abc", Own()), X[:, 0] > 0, controls=0, explain=True)
    assert [row.layer for row in found.rows] == list("abc")
