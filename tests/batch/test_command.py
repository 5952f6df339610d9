"""The command: options, exit codes, what stands on which stream."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.batch.class_set import ClassSet
from tests.batch.test_grading import EARLY, book
from xlsx_attention.cli.commands import cli


def call(*arguments: object) -> Result:
    return CliRunner().invoke(cli, ["batch", *map(str, arguments)])


def test_all_agree(class_set: ClassSet, tmp_path: Path) -> None:
    result = call(class_set.folder / "student-0000.xlsx", "-o", tmp_path / "out", "--jobs", 1)
    assert result.exit_code == 0
    assert result.stdout == f"1 files: 1 agrees; 0 cells accused, 0 findings\n{tmp_path / 'out' / 'index.html'}\n"


def test_something_diverges(class_set: ClassSet, tmp_path: Path) -> None:
    assert call(class_set.folder / min(class_set.slips), "-o", tmp_path / "out", "--jobs", 1).exit_code == 1


def test_some_could_not_be_judged(class_set: ClassSet, tmp_path: Path) -> None:
    paths = tmp_path / "list.txt"
    (tmp_path / "~$lock.xlsx").write_bytes(b"lock")
    names = [class_set.folder / "student-0000.xlsx", class_set.folder / min(class_set.broken), tmp_path / "~$lock.xlsx"]
    paths.write_text("\n".join(map(str, names)))
    result = call("--from", paths, "-o", tmp_path / "out", "--jobs", 1)
    assert result.exit_code == 4
    assert "~$lock.xlsx: is the lock file of an open workbook" in result.stderr
    assert min(class_set.broken) in result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "name a file"),
        (["."], "no .xlsx or .xlsm workbook"),
        (["a.xlsx", "--memory", "much"], "is no size"),
        (["a.xlsx", "--rubric", "r.toml"], "needs --key"),
        (["--from", "list.txt"], "cannot be read"),
    ],
)
def test_a_wrong_call(tmp_path: Path, arguments: list[str], message: str) -> None:
    (tmp_path / "r.toml").write_text("")
    (tmp_path / "folder").mkdir()
    command = [sys.executable, "-m", "xlsx_attention", "batch", *arguments, "-o", "out"]
    project = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        command, cwd=tmp_path, env={"PYTHONPATH": str(project)}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.splitlines()) <= 3
    assert "Traceback" not in done.stderr


def test_grading(tmp_path: Path) -> None:
    folder = tmp_path / "class"
    folder.mkdir()
    key = book(tmp_path / "key.xlsx")
    book(folder / "ann.xlsx")
    book(folder / "ben.xlsx", EARLY)
    rubric = tmp_path / "rubric.toml"
    rubric.write_text('[[step]]\nname = "doubling"\ncells = "work!D2:D4"\npoints = 3\n\n[[step]]\ncells = "work!F6"\n')
    result = call(folder, "-o", tmp_path / "out", "--key", key, "--rubric", rubric, "--jobs", 1)
    assert result.exit_code == 1
    report = json.loads((tmp_path / "out" / "report.json").read_text(encoding="utf-8"))
    grades = {Path(file["path"]).stem: (file["grade"]["points"], file["grade"]["out_of"]) for file in report["files"]}
    # Ben doubled one of three numbers wrongly and added up rightly: 2 of 3 points, and 1 of 1.
    assert grades == {"ann": (4, 4), "ben": (3, 4)}
    assert (tmp_path / "out" / "grades.csv").is_file()
    assert call(folder, "-o", tmp_path / "out", "--jobs", 1).exit_code == 0
    assert not (tmp_path / "out" / "grades.csv").exists()


def test_macros_are_named(tmp_path: Path) -> None:
    book(tmp_path / "macro.xlsm")
    result = call(tmp_path / "macro.xlsm", "-o", tmp_path / "out", "--jobs", 1)
    assert result.exit_code == 0
    assert "yes" in (tmp_path / "out" / "summary.csv").read_text(encoding="utf-8-sig")
