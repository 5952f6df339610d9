"""What a batch takes in, and the line that it gives for all that it leaves out."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from xlsx_attention.batch.inputs import gather, read_list
from xlsx_attention.errors import UsageError
from xlsx_attention.model.budget import Budgets


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "b").mkdir()
    for name in ("a.xlsx", "b/c.XLSM", "b/d.xlsx", "~$a.xlsx", "notes.txt", ".hidden.xlsx"):
        (tmp_path / name).write_bytes(name.encode())
    return tmp_path


def names(files: object, root: Path) -> list[str]:
    return [os.path.relpath(file.name, root) for file in files]  # type: ignore[attr-defined]


def test_a_folder_is_walked_and_the_rest_is_named(folder: Path) -> None:
    found = gather([folder])
    assert names(found.files, folder) == ["a.xlsx", "b/c.XLSM", "b/d.xlsx"]
    assert {os.path.relpath(item.name, folder): item.reason for item in found.skipped} == {
        "~$a.xlsx": "is the lock file of an open workbook",
        "notes.txt": "is no .xlsx or .xlsm workbook",
        ".hidden.xlsx": "is a hidden file",
    }
    assert found.files[0].digest == hashlib.sha256(b"a.xlsx").hexdigest()


def test_globs_lists_and_repeated_paths(folder: Path) -> None:
    assert names(gather([f"{folder}/**/*.xlsx"]).files, folder) == ["a.xlsx", "b/d.xlsx"]
    (folder / "list.txt").write_text(f"# the class\n{folder}/b/d.xlsx\n\n{folder}/a.xlsx\n{folder}/b/../a.xlsx\n")
    assert names(gather(read_list(str(folder / "list.txt"))).files, folder) == ["a.xlsx", "b/d.xlsx"]


def test_a_list_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        read_list(str(tmp_path / "none.txt"))


def test_links_and_special_files_are_rows_with_a_reason(folder: Path) -> None:
    (folder / "link.xlsx").symlink_to(folder / "a.xlsx")
    (folder / "away").symlink_to("/etc")
    os.mkfifo(folder / "pipe.xlsx")
    found = gather([folder, folder / "gone.xlsx"])
    refusals = {os.path.relpath(file.name, folder): file.refusal[0] for file in found.files if file.refusal}
    assert refusals == {"link.xlsx": "symlink", "pipe.xlsx": "not-a-file", "gone.xlsx": "missing-file"}
    assert "away" in {os.path.relpath(item.name, folder) for item in found.skipped}


def test_excluded_folders_and_files_are_left_out(folder: Path) -> None:
    found = gather([folder], exclude=[folder / "b", folder / "a.xlsx"])
    assert found.files == ()
    assert [item.reason for item in found.skipped].count("is the folder of the report itself") == 1
    assert found.skipped[-1].reason == "holds no .xlsx or .xlsm workbook"


def test_the_reports_own_workbook_is_no_input(folder: Path) -> None:
    found = gather([folder / "b" / "d.xlsx", folder / "a.xlsx"], exclude=[folder / "b"])
    assert names(found.files, folder) == ["a.xlsx"]


def test_a_file_over_the_budget_is_refused(folder: Path) -> None:
    found = gather([folder / "a.xlsx"], budgets=Budgets(file_bytes=3))
    assert found.files[0].refusal is not None
    assert found.files[0].refusal[0] == "over-budget"


def test_names_that_are_no_utf8(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"caf\xe9.xlsx")).write_bytes(b"x")
    [file] = gather([tmp_path]).files
    assert file.name.endswith("caf\\xe9.xlsx")
    file.name.encode()


def test_fsspec_addresses() -> None:
    fsspec = pytest.importorskip("fsspec")
    memory = fsspec.filesystem("memory")
    memory.pipe("/class/one.xlsx", b"1")
    memory.pipe("/class/sub/two.xlsx", b"2")
    memory.pipe("/class/readme.md", b"3")
    found = gather(["memory://class"])
    assert [file.name for file in found.files] == ["memory:///class/one.xlsx", "memory:///class/sub/two.xlsx"]
    assert found.files[1].digest == hashlib.sha256(b"2").hexdigest()
    assert [item.name for item in found.skipped] == ["memory:///class/readme.md"]
