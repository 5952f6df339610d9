"""``compare`` and ``verify --format`` from the command line."""

from __future__ import annotations

import io
import json
from pathlib import Path
from xml.etree import ElementTree

import openpyxl
import pytest
from click.testing import CliRunner, Result

from tests.reporting.books import EVIL_SHEET, faults
from xlsx_attention.cli.commands import cli
from xlsx_attention.errors import UnreadableFile, UsageError


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


def test_compare_writes_both_and_exits_1(planted_path: Path, tmp_path: Path) -> None:
    before = planted_path.read_bytes()
    out, copy = tmp_path / "out.xlsx", tmp_path / "copy.xlsx"
    result = run("compare", planted_path, "-o", out, "--annotate", copy, "--lang", "zh")
    assert result.exit_code == 1
    assert str(out) in result.output
    assert faults(out.read_bytes()) == []
    assert openpyxl.load_workbook(out).sheetnames[0] == "摘要"
    assert "差异起点" in openpyxl.load_workbook(copy)[EVIL_SHEET]["C9"].comment.text
    assert planted_path.read_bytes() == before


def test_compare_is_quiet(planted_path: Path, tmp_path: Path) -> None:
    result = run("compare", planted_path, "-o", tmp_path / "out.xlsx", "-q")
    assert (result.exit_code, result.output) == (1, "")


@pytest.mark.parametrize("option", ["-o", "--annotate"])
def test_compare_never_writes_over_its_input(planted_path: Path, tmp_path: Path, option: str) -> None:
    link = tmp_path / "link.xlsx"
    link.symlink_to(planted_path)
    before = planted_path.read_bytes()
    others = () if option == "-o" else ("-o", tmp_path / "out.xlsx")
    result = run("compare", planted_path, option, link, *others)
    assert isinstance(result.exception, UsageError)
    assert planted_path.read_bytes() == before
    assert not (tmp_path / "out.xlsx").exists()


def test_compare_of_nothing_writes_nothing(tmp_path: Path) -> None:
    result = run("compare", tmp_path / "none.xlsx", "-o", tmp_path / "out.xlsx")
    assert isinstance(result.exception, UnreadableFile)  # which the command line shows as a line, with exit code 2
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("form", "read"),
    [
        ("json", json.loads),
        ("sarif", json.loads),
        ("junit", ElementTree.fromstring),
        ("csv", lambda text: text.index("C9")),
        ("github", lambda text: text.index("::error")),
        ("html", lambda text: text.index("<!DOCTYPE html>")),
        ("text", lambda text: text.index("C9")),
    ],
)
def test_every_form_is_rendered(planted_path: Path, form: str, read: object) -> None:
    result = run("verify", planted_path, "--format", form)
    assert result.exit_code == 1
    read(result.output)  # type: ignore[operator]


def test_a_text_of_the_longest_kind(tmp_path: Path) -> None:
    """32,767 units, the most that a cell holds, and a character beyond the basic plane at the end."""
    source, out = tmp_path / "long.xlsx", tmp_path / "out.xlsx"
    book = openpyxl.Workbook()
    book.active["A1"] = "x" * 32_765 + "𝕏"
    book.active["A2"] = "=LEN(A1)"
    book.save(source)
    assert run("compare", source, "-o", out).exit_code in (0, 1)
    data = out.read_bytes()
    assert faults(data) == []
    assert openpyxl.load_workbook(io.BytesIO(data))["Sheet"]["A1"].value == "x" * 32_765 + "𝕏"
