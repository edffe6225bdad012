"""The one writer: whole or not there, never over what is read."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from linsep.files import check_output, open_output, write_whole
from linsep.types import DataError

posix = pytest.mark.skipif(os.name != "posix", reason="links, pipes and devices of POSIX")


def test_a_file_appears_when_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "a"
    with open_output(path) as file:
        file.write("ä\n")
        assert not path.exists()
    assert path.read_bytes() == "ä\n".encode()


def test_an_error_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("old")
    with pytest.raises(ZeroDivisionError), open_output(path) as file:
        file.write("new")
        raise ZeroDivisionError
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["a"]


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_says_which_file(tmp_path: Path, code: int) -> None:
    with (
        pytest.raises(OSError, match=r"cannot write the table .*has room") as caught,
        open_output(tmp_path / "a", "the table"),
    ):
        raise OSError(code, os.strerror(code))
    assert caught.value.filename == str(tmp_path / "a")


def test_errors_of_the_block_are_not_taken_for_errors_of_the_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"input\.csv"), open_output(tmp_path / "a"):
        raise FileNotFoundError(errno.ENOENT, "no such file", "input.csv")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("folder", "cannot write the model: .*folder is a folder; give a file name"),
        ("no/where", "cannot write the model to .*: there is no folder .*no; make it first"),
    ],
)
def test_what_cannot_be_written_is_known_before(tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(DataError, match=message):
        check_output(tmp_path / name, "the model")


@posix
@pytest.mark.parametrize("other", ["same", "link", "hard", "dots"])
def test_what_is_read_is_not_replaced(tmp_path: Path, other: str) -> None:
    path = tmp_path / "table.csv"
    path.write_text("x")
    if other == "link":
        (tmp_path / other).symlink_to(path)
    elif other == "hard":
        (tmp_path / other).hardlink_to(path)
    names = {"same": path, "link": tmp_path / other, "hard": tmp_path / other, "dots": tmp_path / "." / "table.csv"}
    with (
        pytest.raises(DataError, match="would be replaced by the report, but this command reads or writes it too"),
        open_output(names[other], "the report", reads=(None, str(path))),
    ):
        raise AssertionError
    assert path.read_text() == "x"


@posix
def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("target")
    write_whole(tmp_path / "link", b"1", "the number")
    write_whole(tmp_path / "link", b"2", "the number")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_bytes() == b"2"


@posix
def test_a_link_planted_where_the_temporary_file_goes_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("secrets.token_hex", lambda n: "0" * 16)
    victim = tmp_path / "victim"
    victim.write_text("mine")
    (tmp_path / f".linsep-{'0' * 16}.tmp").symlink_to(victim)
    with pytest.raises(OSError, match=r"cannot write the number .*File exists"):
        write_whole(tmp_path / "a", b"123", "the number")
    assert victim.read_text() == "mine"
    assert not (tmp_path / "a").exists()


@posix
def test_a_pipe_is_written_into(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    heard: list[bytes] = []
    reader = threading.Thread(target=lambda: heard.append((tmp_path / "pipe").read_bytes()))
    reader.start()
    write_whole(tmp_path / "pipe", b"123", "the number")
    reader.join()
    assert heard == [b"123"]
    assert os.listdir(tmp_path) == ["pipe"]


@posix
def test_a_device_is_written_into(tmp_path: Path) -> None:
    (tmp_path / "null").symlink_to(os.devnull)
    write_whole(tmp_path / "null", b"123", "the number")
    assert os.readlink(tmp_path / "null") == os.devnull
    program = "from linsep.files import write_whole; write_whole('/dev/stdout', b'123', 'the number')"
    found = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)
    assert found.stdout == b"123"


def test_what_a_killed_process_left_is_removed_after_a_day(tmp_path: Path) -> None:
    stale, recent = (tmp_path / f".linsep-{digit * 16}.tmp" for digit in "01")
    other = tmp_path / ".linsep-notes.tmp"
    yesterday = time.time() - 90_000
    for path in (stale, recent, other):
        path.write_text("half")
        if path is not recent:
            os.utime(path, (yesterday, yesterday))
    write_whole(tmp_path / "a", b"1", "the number")
    assert sorted(os.listdir(tmp_path)) == sorted(["a", recent.name, other.name])


def test_two_writers_of_one_file_each_write_a_whole_one(tmp_path: Path) -> None:
    path = tmp_path / "a"
    with open_output(path) as first:
        first.write("first")
        with open_output(path) as second:
            second.write("second")
        assert path.read_text() == "second"
    assert path.read_text() == "first"


def test_standard_output(capsys: Any) -> None:
    with open_output("-") as file:
        file.write("123")
    assert capsys.readouterr().out == "123"
