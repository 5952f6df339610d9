"""Live formulas recalculated by LibreOffice, from copies without stored results, against NumPy's values.

One call converts all the copies: starting the program takes longer than the work.
"""

from __future__ import annotations

import io
import re
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pytest

from tests.reporting.books import EVIL_SHEET
from xlsx_attention.model.formula import Apply, Binary, Call, NameRef, Single, Spill, Tree, Unary
from xlsx_attention.model.report import FileReport
from xlsx_attention.model.values import LOGICAL, NUMBER, TEXT
from xlsx_attention.reporting.comparison import comparison_workbook

NAMES = (
    "ai-by-hand/Self-Attention",
    "ai-by-hand/Backpropgation",
    "ai-by-hand/Softmax",
    "ai-by-hand/Temperature",
    "ai-by-hand/W1_Dot-Product",
    "backprop-class/backprop",
    "google-style/Neural-Network",
    "ironcalc/MATH_AND_TRIGONOMETRY/PRODUCT",
    "ironcalc/STATISTICAL/LINEST_LOGEST",
    "pysheetgrader/TestModeSubmission",
)
#: What LibreOffice 7.4 lacks (it gives #NAME?); its release notes name the version that brought each.
LACKING = frozenset(
    [
        "BYCOL",
        "BYROW",
        "CHOOSECOLS",
        "CHOOSEROWS",
        "DROP",
        "EXPAND",
        "FILTER",
        "HSTACK",
        "LAMBDA",
        "LET",
        "MAKEARRAY",
        "MAP",
        "RANDARRAY",
        "REDUCE",
        "SCAN",
        "SEQUENCE",
        "SORT",
        "SORTBY",
        "TAKE",
        "TEXTAFTER",
        "TEXTBEFORE",
        "TEXTSPLIT",
        "TOCOL",
        "TOROW",
        "UNIQUE",
        "VSTACK",
        "WRAPCOLS",
        "WRAPROWS",
        "XLOOKUP",
        "XMATCH",
        "ARRAYTOTEXT",
        "VALUETOTEXT",
        "REGEXTEST",
        "REGEXEXTRACT",
        "REGEXREPLACE",
    ]
)
_RESULT = re.compile(r'(<c [^>]*?)(?: t="(?:str|e|b)")?((?: cm="1")?>)(<f[^>]*>[^<]*</f>)<v>[^<]*</v>')
#: LibreOffice writes 15 digits, and its functions may differ from Excel's in the last bits.
_RTOL = 1e-11


def without_results(data: bytes) -> bytes:
    """A copy of a workbook whose formula cells hold no stored result."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as source, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as target:
        for name in source.namelist():
            part = source.read(name)
            if name.startswith("xl/worksheets/sheet"):
                part = _RESULT.sub(r"\1\2\3", part.decode()).encode()
            target.writestr(name, part)
    return out.getvalue()


def _calls(tree: Tree) -> set[str]:
    found: set[str] = set()
    stack: list[Tree] = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, Call):
            found.add(node.name)
            stack.extend(node.args)
        elif isinstance(node, Apply):
            found.add("LAMBDA")
            stack.extend((node.callee, *node.args))
        elif isinstance(node, Binary):
            stack.extend((node.left, node.right))
        elif isinstance(node, Unary | Single | Spill):
            stack.append(node.operand)
        elif isinstance(node, NameRef):
            found.add("LAMBDA")
    return found


def _out_of_reach(report: FileReport) -> set[int]:
    """Steps that use what LibreOffice lacks, and all that follow from them."""
    assert report.plan is not None
    lost = {step.index for step in report.plan.steps if _calls(step.tree) & LACKING}
    grown = True
    while grown:
        more = {step for step, before in report.plan.edges.items() if before & lost} - lost
        lost |= more
        grown = bool(more)
    return lost


@pytest.fixture(scope="module")
def recalculated(
    public: Callable[[str], FileReport],
    planted_report: FileReport,
    soffice: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> list[tuple[FileReport, Path]]:
    folder = tmp_path_factory.mktemp("libreoffice")
    reports = [planted_report, *(public(name) for name in NAMES)]
    for number, report in enumerate(reports):
        stream = io.BytesIO()
        comparison_workbook(report, stream)
        (folder / f"{number}.xlsx").write_bytes(without_results(stream.getvalue()))
    out = folder / "out"
    subprocess.run(
        [
            soffice,
            f"-env:UserInstallation={(folder / 'profile').as_uri()}",
            "--headless",
            "--convert-to",
            "xlsx",
            "--outdir",
            str(out),
            *(str(folder / f"{number}.xlsx") for number in range(len(reports))),
        ],
        check=True,
        capture_output=True,
        timeout=300,
    )
    return [(report, out / f"{number}.xlsx") for number, report in enumerate(reports)]


@pytest.mark.timeout(360)
def test_libreoffice_confirms_numpy_with_the_live_formulas(recalculated: list[tuple[FileReport, Path]]) -> None:
    compared = 0
    for report, path in recalculated:
        book = openpyxl.load_workbook(path, data_only=True)
        lost = _out_of_reach(report)
        live = [name for name in book.sheetnames if name.startswith("Live ")]
        for position, sheet in enumerate(report.sheets):
            target = book[live[position]]
            for block in sheet.blocks:
                if block.step in lost:
                    continue
                for row, column in block.rect.cells():
                    number, kind = sheet.from_inputs.get(row, column)
                    value = target.cell(row + 1, column + 1).value
                    where = f"{report.path} {sheet.name} {row + 1},{column + 1} {block.formula}"
                    if kind == NUMBER:
                        assert isinstance(value, int | float), where
                        assert value == pytest.approx(number, rel=_RTOL, abs=1e-290), where
                        compared += 1
                    elif kind == LOGICAL:
                        assert bool(value) == bool(number), where
                    elif kind == TEXT:
                        assert report.grid is not None
                        assert (value or "") == report.grid.texts[number], where
    assert compared > 2_500


def test_no_sheet_of_ours_shows_an_error(recalculated: list[tuple[FileReport, Path]]) -> None:
    """Summary, Steps and Divergences hold no formula that fails, but for the checks of live formulas beyond
    LibreOffice.
    """
    for report, path in recalculated:
        book = openpyxl.load_workbook(path, data_only=True)
        beyond = bool(_out_of_reach(report))
        for name in ("Summary", "Steps", "Divergences"):
            for row in book[name].iter_rows():
                for cell in row:
                    if cell.data_type == "e":
                        assert name == "Steps", (report.path, name, cell.coordinate, cell.value)
                        assert cell.value != "#NAME?" or beyond
                        assert cell.value == "#NAME?" or _is_theirs(report, cell.value)


def _is_theirs(report: FileReport, error: str) -> bool:
    """The instructor's own sheet holds that error, which Steps repeats as a constant."""
    assert report.grid is not None
    return any(
        report.grid.scalar(0.0, int(kind)).python == error
        for sheet in report.grid.sheets
        for kind in set(sheet.cached.kind.ravel().tolist())
        if kind > 16
    )


def test_the_sheets_survive(recalculated: list[tuple[FileReport, Path]]) -> None:
    names = openpyxl.load_workbook(recalculated[0][1]).sheetnames
    assert names == ["Summary", EVIL_SHEET, "Steps", "Divergences", f"Live {EVIL_SHEET}"[:31]]
