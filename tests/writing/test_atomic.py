"""Files that are there whole or not at all."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from xlsx_attention.errors import UsageError
from xlsx_attention.writing import atomic, atomic_write


def test_a_file_is_written_and_replaced_and_nothing_else_is_left(tmp_path: Path) -> None:
    target = tmp_path / "out.bin"
    atomic_write(target, b"one")
    atomic_write(target, b"two")
    assert target.read_bytes() == b"two"
    assert os.listdir(tmp_path) == ["out.bin"]


def test_a_new_file_has_the_rights_that_open_gives_and_an_old_one_keeps_its_own(tmp_path: Path) -> None:
    (tmp_path / "plain").write_bytes(b"")
    atomic_write(tmp_path / "new", b"")
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == stat.S_IMODE((tmp_path / "plain").stat().st_mode)
    (tmp_path / "new").chmod(0o640)
    atomic_write(tmp_path / "new", b"again")
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640


@pytest.mark.parametrize("way", ["itself", "relative", "symlink", "hard link"])
def test_an_input_is_never_overwritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str) -> None:
    source = tmp_path / "in.xlsx"
    source.write_bytes(b"original")
    other = tmp_path / "other.xlsx"
    if way == "symlink":
        other.symlink_to(source)
    elif way == "hard link":
        other.hardlink_to(source)
    monkeypatch.chdir(tmp_path)
    target = {"itself": source, "relative": Path("./in.xlsx")}.get(way, other)
    with pytest.raises(UsageError, match="input") as caught:
        atomic_write(target, b"new", protect=[tmp_path / "absent.xlsx", source])
    assert caught.value.code == "output-is-input"
    assert source.read_bytes() == b"original"


def test_a_symbolic_link_stays_one(tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_bytes(b"old")
    link.symlink_to(real)
    atomic_write(link, b"new")
    assert link.is_symlink()
    assert real.read_bytes() == b"new"


@pytest.mark.parametrize(("name", "code"), [("", "output-is-folder"), ("absent/out", "no-folder")])
def test_a_place_that_takes_no_file_is_named(tmp_path: Path, name: str, code: str) -> None:
    with pytest.raises(UsageError) as caught:
        atomic_write(tmp_path / name, b"")
    assert caught.value.code == code
    assert str(tmp_path) in str(caught.value)


def test_a_failed_write_leaves_the_old_file_and_no_rest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "out"
    target.write_bytes(b"old")

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(atomic.os, "fsync", full)
    with pytest.raises(UsageError, match="No space left"):
        atomic_write(target, b"new")
    assert target.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["out"]
