"""``xlsx-attention verify`` as a shell sees it: stdout, stderr, exit code."""

from __future__ import annotations

import json
import re
import zipfile
from pathlib import Path

import pytest

from tests.cli.shell import run
from tests.seeding import edit, sheet_parts, write


@pytest.fixture
def course(project: Path) -> Path:
    return project / "workbooks" / "course-self-attention.xlsx"


def test_a_workbook_that_agrees(course: Path, project: Path) -> None:
    result = run("verify", course, "--published", project / "workbooks" / "course-published.json")
    assert result.returncode == 0
    assert result.stderr == ""
    assert "published figures: 53 of 53 agree" in result.stdout
    assert result.stdout.splitlines()[-1].strip().startswith("OK ")
    assert "\x1b" not in result.stdout


def test_a_workbook_that_diverges_names_the_cell_its_values_and_its_formula(course: Path, tmp_path: Path) -> None:
    data = course.read_bytes()
    part = sheet_parts(data)["self-attention"]
    report = json.loads(run("verify", course, "--format", "json").stdout)["files"][0]
    cell = report["attention"][0]["heads"][0]["roles"]["scores"].split(":")[0]
    changed = write(
        tmp_path / "lesson.xlsx",
        edit(data, {(part, cell): lambda c: type(c)(c.attributes, c.formula_tag, c.formula, "9.75")}),
    )
    result = run("verify", changed)
    assert result.returncode == 1
    assert f"self-attention!{cell} scores[0,0]" in result.stdout
    values = re.search(r"stored 9\.75, recomputed ([0-9.]+)", result.stdout)
    assert values is not None
    # The course prints 0.9 for this score, at two decimals.
    assert abs(float(values[1]) - 0.9) <= 0.005
    assert "1 accused" in result.stdout


def test_json_has_the_promised_keys(course: Path) -> None:
    data = json.loads(run("verify", course, "--format", "json").stdout)
    assert data["schema"] == 1
    file = data["files"][0]
    assert file["status"] == "agrees"
    assert file["error"] is None
    assert set(file["provenance"]) == {"application", "digits", "rtol", "calc_mode"}
    assert sum(v for k, v in file["counts"].items() if k != "computed") == file["counts"]["computed"]
    assert file["cells"] == file["findings"] == file["not_computed"] == []
    assert file["attention"][0]["d_k"] == 8
    assert file["attention"][0]["mask"] == "padding"


def broken(folder: Path) -> dict[str, tuple[Path, str]]:
    """Files that cannot be read: what to look for in the one line about each."""
    files: dict[str, tuple[Path, str]] = {"missing.xlsx": (folder / "missing.xlsx", "no such file")}

    def add(name: str, data: bytes, words: str) -> None:
        (folder / name).write_bytes(data)
        files[name] = (folder / name, words)

    add("text.xlsx", b"hello, world\n", "")
    # The signature of a compound file: what .xls and password-protected .xlsx are.
    add("old.xls", bytes.fromhex("d0cf11e0a1b11ae1") + bytes(600), "xls")
    with zipfile.ZipFile(folder / "no-sheets.xlsx", "w") as package:
        package.writestr("hello.txt", "hello")
    files["no-sheets.xlsx"] = (folder / "no-sheets.xlsx", "")
    return files


def test_files_that_cannot_be_read_are_one_line_each_and_the_others_are_verified(course: Path, tmp_path: Path) -> None:
    files = broken(tmp_path)
    whole = course.read_bytes()
    (tmp_path / "cut.xlsx").write_bytes(whole[: len(whole) // 2])
    files["cut.xlsx"] = (tmp_path / "cut.xlsx", "")
    result = run("verify", *(path for path, _ in files.values()), course)
    assert result.returncode == 2
    assert "Traceback" not in result.stderr
    lines = result.stderr.splitlines()
    assert len(lines) == len(files)
    for line, (path, words) in zip(lines, files.values(), strict=True):
        assert path.name in line
        assert words in line.lower()
    assert "OK " in result.stdout
    assert "could not be read" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["verify"], "Missing argument"),
        (["verfy"], "verfy"),
        (["verify", "x", "--rtol", "7"], "--rtol"),
        (["--nope"], "--nope"),
    ],
)
def test_a_wrong_call_is_one_line_and_exit_code_2(arguments: list[str], words: str) -> None:
    result = run(*arguments)
    assert result.returncode == 2
    assert words in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_version_and_help() -> None:
    assert run("--version").stdout.startswith("xlsx-attention 0.")
    assert "verify" in run("--help").stdout


def test_chinese(course: Path) -> None:
    result = run("verify", course, "--lang", "zh")
    assert "一致" in result.stdout


def test_a_terminal_that_knows_only_ascii_still_gets_the_report(course: Path) -> None:
    result = run("verify", course, "--lang", "zh", PYTHONIOENCODING="ascii", LC_ALL="C")
    assert result.returncode == 0
    assert "\\u4e00" in result.stdout


def test_quiet_says_nothing(course: Path) -> None:
    result = run("verify", "--quiet", course)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
