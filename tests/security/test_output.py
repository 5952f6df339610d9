"""What a hostile workbook's texts become in every output: text, and nothing that anything acts on."""

from __future__ import annotations

import ast
import io
import os
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.security import hostile, safety
from xlsx_attention.reading import read_workbook

if sys.platform != "linux":
    pytest.skip("children are limited and measured as Linux does it", allow_module_level=True)

from tests.security.workshop import Workshop

CHECKS = {
    "text": safety.terminal,
    "json": safety.as_json,
    "csv": safety.as_csv,
    "junit": safety.as_junit,
    "html": safety.as_html,
    "sarif": safety.as_json,
    "github": safety.as_github,
}
#: A path may hold any octet but NUL and the slash; a comma and a colon end a property in GitHub's log.
NAME = "=1+1<script>alert(5)</script>,a::b\x1b[31m\u202e\n::error::x.xlsx".replace("/", "∕")


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workshop]:
    workshop = Workshop(tmp_path_factory.mktemp("output"))
    (workshop.folder / NAME).write_bytes(hostile.workbook())
    yield workshop
    workshop.close()


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("form", CHECKS)
def test_verify(form: str, language: str, shop: Workshop) -> None:
    run = shop.run("verify", NAME, "--format", form, "--lang", language, "--no-color")
    assert (run.code, run.err, run.forbidden) == (1, "", ())
    assert CHECKS[form](run.out) == []
    assert safety.private(run.out.encode()) == []
    assert "{name}" not in run.out  # a sentence that nobody filled in
    assert len(run.out) > 2_000


def test_the_terminal_in_colour() -> None:
    """Only our own colours are left when they are taken away."""
    import re

    from xlsx_attention.model.report import Report
    from xlsx_attention.pipeline import verify_file
    from xlsx_attention.reporting.formats import FORMATS

    report = verify_file(hostile.workbook())
    shown = FORMATS["text"].render(Report((report,)), "en", True)
    assert safety.terminal(re.sub(r"\x1b\[[\d;]*m", "", shown)) == []
    assert "\x1b[31mred" not in shown


@pytest.mark.parametrize("language", ["en", "zh"])
def test_compare_and_annotate(shop: Workshop, language: str) -> None:
    run = shop.run("compare", NAME, "-o", "compared.xlsx", "--annotate", "annotated.xlsx", "--lang", language)
    assert (run.code, run.err, run.forbidden) == (1, "", ())
    assert safety.terminal(run.out) == []
    compared = (shop.folder / "compared.xlsx").read_bytes()
    assert safety.as_xlsx(compared) == []
    assert safety.private(compared) == []
    texts = [text for text in read_workbook(compared).texts.texts if isinstance(text, str)]
    assert "=1+1" in texts  # there, as a text
    # The copy is the file itself: its formulas stay, ours beside them are notes, and every part is still well formed.
    annotated = read_workbook((shop.folder / "annotated.xlsx").read_bytes())
    original = read_workbook(shop.folder / NAME)
    assert [sheet.formula_texts for sheet in annotated.sheets] == [sheet.formula_texts for sheet in original.sheets]
    with zipfile.ZipFile(shop.folder / "annotated.xlsx") as package:
        notes = [name for name in package.namelist() if "comments" in name]
        assert notes
        for name in notes:
            assert "\x1b" not in package.read(name).decode()


@pytest.mark.parametrize(
    "arguments", [(), ("S!B1",), ("S!A64",), ("B20", "--sheet", "=1+1"), ("--sheet", "\u202etxt.exe")]
)
def test_explain(shop: Workshop, arguments: tuple[str, ...]) -> None:
    run = shop.run("explain", NAME, *arguments)
    assert (run.code, run.err, run.forbidden) == (0, "", ())
    assert safety.terminal(run.out) == []
    assert safety.private(run.out.encode()) == []


def test_the_script_of_explain_runs_nothing_of_the_file(shop: Workshop) -> None:
    """Only NumPy is imported and only NumPy is called, whatever texts and names stand in the sheet."""
    run = shop.run("explain", NAME, "--format", "python")
    assert (run.code, run.err, run.forbidden) == (0, "", ())
    assert safety.terminal(run.out) == []
    tree = ast.parse(run.out)
    imported = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    assert [ast.unparse(node) for node in imported] == ["import numpy as np"]
    loose = [node for node in tree.body if isinstance(node, ast.Expr) and not isinstance(node.value, ast.Constant)]
    assert loose == []
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    assert not names & {"os", "eval", "exec", "open", "__import__", "compile", "getattr", "globals"}
    private_attributes = {
        node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute) and node.attr.startswith("_")
    }
    assert private_attributes == set()


def test_diff(shop: Workshop, tmp_path: Path) -> None:
    """Every text changed from the other's, and a sheet gone."""
    changed = hostile.workbook()
    with zipfile.ZipFile(io.BytesIO(changed)) as package:
        parts = {name: package.read(name) for name in package.namelist()}
    sheet = "xl/worksheets/sheet1.xml"
    parts[sheet] = parts[sheet].replace(b"</t></is>", b"~</t></is>").replace(b'&amp;"!"', b'&amp;"?"')
    parts["xl/workbook.xml"] = parts["xl/workbook.xml"].replace(b'name="@A1"', b'name="@\xe2\x80\xaeA2"')
    from tests.reading import packages

    (shop.folder / "changed.xlsx").write_bytes(packages.pack(parts))
    for form, check in (("text", safety.terminal), ("json", safety.as_json)):
        run = shop.run("diff", NAME, "changed.xlsx", "--format", form, *(["--all"] if form == "text" else []))
        assert (run.code, run.err, run.forbidden) == (1, "", ())
        assert check(run.out) == []
        assert "~" in run.out
        assert safety.private(run.out.encode()) == []


@pytest.mark.parametrize("style", ["cell", "lambda"])
def test_generate(shop: Workshop, style: str) -> None:
    tokens = "=1+1 <b>x</b> @SUM(A1) +x -y http://evil.example/ \x1b[31mred \u202eabc {=1} <r><t>r</t></r>"
    run = shop.run(
        "generate",
        tokens,
        "-o",
        "lesson.xlsx",
        "--title",
        '=HYPERLINK("http://evil.example/","x")',
        "--name",
        "<b>=1+1",
        "--style",
        style,
        "--embedding",
        "--exercise",
        "--mistakes",
        "2",
    )
    if run.code == 2:  # two of the options do not go together
        run = shop.run(
            "generate",
            tokens,
            "-o",
            "lesson.xlsx",
            "--title",
            "=1+1",
            "--name",
            "<b>=1+1",
            "--style",
            style,
            "--embedding",
        )
    assert (run.code, run.err, run.forbidden) == (0, "", ())
    for name in run.out.splitlines():
        assert safety.as_xlsx((shop.folder / name).read_bytes()) == []
    texts = read_workbook(shop.folder / "lesson.xlsx").texts.texts
    assert any(text.startswith("=1+1") for text in texts)
    again = shop.run("verify", "lesson.xlsx")
    assert again.code == 0, again.out
    assert safety.terminal(again.out) == []


@pytest.mark.parametrize("name", ["a/b", "a[b", "n" * 32, "'q'", "History", "\x1b[31m", ""])
def test_a_sheet_name_that_excel_refuses(shop: Workshop, name: str) -> None:
    run = shop.run("generate", "a b", "-o", "named.xlsx", "--name", name)
    if run.code == 0:
        assert safety.as_xlsx((shop.folder / "named.xlsx").read_bytes()) == []
    else:
        assert run.code == 2
        assert safety.terminal(run.err) == []
        assert len(run.err.splitlines()) == 1


def test_error_messages_hold_no_commands(shop: Workshop) -> None:
    """A path and a sheet that the call names, and a part that the file names, are said without their escapes."""
    from tests.reading import packages

    bad = packages.parts("")
    bad["xl/_rels/workbook.xml.rels"] = packages.relationships(
        ("rId1", "worksheet", "worksheets/&#10;::error::\u202e\x9b31m.xml")
    )
    (shop.folder / "bad\x1b[31m\u202e.xlsx").write_bytes(packages.pack(bad))
    for arguments in (
        ("verify", "bad\x1b[31m\u202e.xlsx"),
        ("explain", "bad\x1b[31m\u202e.xlsx"),
        ("compare", "bad\x1b[31m\u202e.xlsx", "-o", "x.xlsx"),
        ("explain", NAME, "--sheet", "\x1b[31m\u202e"),
        ("verify", "none\x1b]0;t\x07\u202e.xlsx"),
        ("explain", NAME, "\x1b[31mA1"),
        ("diff", "bad\x1b[31m\u202e.xlsx", NAME),
        ("verify", "--no\u202e\x1b[31m", "x"),
    ):
        run = shop.run(*arguments)
        assert run.code == 2, (arguments, run.err)
        assert safety.terminal(run.err) == [], arguments
        assert safety.terminal(run.out) == [], arguments


FOLDER_CHECKS = {
    ".html": lambda data: safety.as_html(data.decode()),
    ".csv": lambda data: safety.as_csv(data.decode("utf-8-sig")),
    ".json": lambda data: safety.as_json(data.decode()),
    ".xml": lambda data: safety.as_junit(data.decode()),
    ".xlsx": safety.as_xlsx,
}


@pytest.mark.parametrize("graded", [False, True])
def test_every_report_of_a_batch(tmp_path: Path, graded: bool) -> None:
    """Also of files with names that are no UTF-8, and of one that cannot be read."""
    from tests.cli.shell import run

    submissions = tmp_path / "in"
    submissions.mkdir()
    (submissions / NAME).write_bytes(hostile.workbook())
    (submissions / "@b\x07.xlsx").write_bytes(b"<script>")
    with open(os.fsencode(submissions) + b"/-\xff\xfe.xlsx", "wb") as stream:
        stream.write(hostile.workbook() + b"x")
    key = []
    if graded:
        made = run("generate", "=1+1 <b>x</b> @A", "-o", tmp_path / "key.xlsx", "--name", "=1+1", "-q")
        assert made.returncode == 0, made.stderr
        key = ["--key", tmp_path / "key.xlsx"]
    done = run("batch", submissions, "-o", tmp_path / "out", "--jobs", "1", *key)
    assert done.returncode == 4, done.stderr
    assert "Traceback" not in done.stderr
    assert safety.terminal(done.stderr + done.stdout) == []
    reports = [path for path in (tmp_path / "out").rglob("*") if path.is_file() and path.suffix in FOLDER_CHECKS]
    assert {path.name for path in reports} >= {"index.html", "summary.csv", "summary.xlsx", "junit.xml", "report.json"}
    assert ("grades.csv" in {path.name for path in reports}) == graded
    assert sum(path.suffix == ".html" for path in reports) >= 4
    for path in reports:
        assert FOLDER_CHECKS[path.suffix](path.read_bytes()) == [], path.name
        assert safety.private(path.read_bytes()) == [], path.name
        assert path.name.isascii()
