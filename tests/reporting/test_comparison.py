"""The comparison workbook, read back by another reader and held to the rules of the format."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from pathlib import Path

import openpyxl
import pytest

from tests.reporting.books import EVIL_SHEET, EVIL_TEXTS, faults
from xlsx_attention.errors import UsageError
from xlsx_attention.model.published import Published
from xlsx_attention.model.report import FileReport
from xlsx_attention.model.values import NUMBER
from xlsx_attention.pipeline import verify_file
from xlsx_attention.reporting.comparison import Limits, comparison_workbook

PUBLIC = (
    "ai-by-hand/Self-Attention",
    "ai-by-hand/LSTM",
    "ai-by-hand/Temperature",
    "ai-by-hand/Transformer",
    "ai-by-hand/Transformer-Full-Stack",
    "ai-by-hand/W3_Linear-Layer",
    "backprop-class/backprop",
    "google-style/Neural-Network",
    "ironcalc/INFORMATION/CELL",
    "ironcalc/LOGICAL/LAMBDA",
    "ironcalc/LOOKUP_AND_REFERENCE/SORT",
    "ironcalc/STATISTICAL/GEOMEAN",
    "ironcalc/TEXT/TEXT",
    "pysheetgrader/TestModeSubmission",
)


def written(report: FileReport, language: str = "en", **options: object) -> bytes:
    stream = io.BytesIO()
    comparison_workbook(report, stream, language, **options)  # type: ignore[arg-type]
    return stream.getvalue()


def opened(data: bytes, *, values: bool = False) -> openpyxl.Workbook:
    return openpyxl.load_workbook(io.BytesIO(data), data_only=values)


@pytest.fixture(scope="module")
def planted_data(planted_report: FileReport) -> bytes:
    return written(planted_report)


def texts(sheet: object) -> Iterator[str]:
    for row in sheet.iter_rows():  # type: ignore[attr-defined]
        yield from (cell.value for cell in row if isinstance(cell.value, str))


def test_the_sheets_and_their_order(planted_data: bytes) -> None:
    names = opened(planted_data).sheetnames
    assert names == ["Summary", EVIL_SHEET, "Steps", "Divergences", f"Live {EVIL_SHEET}"[:31]]


def test_the_mirror_holds_the_instructors_values_in_their_places(planted_data: bytes, planted_path: Path) -> None:
    mirror = opened(planted_data)[EVIL_SHEET]
    original = openpyxl.load_workbook(planted_path, data_only=True)[EVIL_SHEET]
    for row in original.iter_rows():
        for cell in row:
            if cell.value is not None:
                assert mirror[cell.coordinate].value == cell.value, cell.coordinate


def test_notes_tell_formula_values_verdict_and_cause(planted_data: bytes) -> None:
    mirror = opened(planted_data)[EVIL_SHEET]
    note = mirror["C9"].comment.text
    # By hand: C9 = 3·0.2 + 4·0.4 = 2.2, stored 0.5 too high.
    assert "origin" in note
    assert "=$B4*F$3+$C4*F$4" in note
    assert "Instructor: 2.7" in note
    assert "From inputs: 2.2" in note
    assert "Difference: 0.5" in note
    assert "the stored value is not what the cell's own formula gives" in note
    inherited = mirror["D9"].comment.text
    assert "inherited" in inherited
    assert "Begins at: C9" in inherited
    assert "overridden" in mirror["B10"].comment.text
    assert mirror["B8"].comment is not None
    assert mirror["B3"].comment is None


def test_verdicts_have_their_own_fills(planted_data: bytes) -> None:
    mirror = opened(planted_data)[EVIL_SHEET]
    fills = {cell: mirror[cell].fill.fgColor.rgb for cell in ("B8", "C9", "D9", "B10")}
    assert len(set(fills.values())) == 4
    assert mirror["B3"].fill.fill_type is None


def test_no_text_of_the_input_becomes_a_formula_or_a_link(planted_data: bytes) -> None:
    book = opened(planted_data)
    for name in (EVIL_SHEET, f"Live {EVIL_SHEET}"[:31]):
        for row, text in enumerate(EVIL_TEXTS, 13):
            cell = book[name].cell(row, 1)
            assert cell.data_type == "s"
            assert cell.value == text.replace("\x07", "_x0007_") or cell.value == text
            assert cell.hyperlink is None
    assert faults(planted_data) == []  # links that leave the workbook are among the faults


def test_differences_are_live_formulas_with_their_results(planted_data: bytes, planted_report: FileReport) -> None:
    steps, results = opened(planted_data)["Steps"], opened(planted_data, values=True)["Steps"]
    found = []
    for row in steps.iter_rows():
        for cell in row:
            if cell.data_type == "f" and isinstance(cell.value, str):
                mine, theirs = cell.value.lstrip("=").split("-")
                expected = results[mine].value - results[theirs].value
                assert results[cell.coordinate].value == expected
                found.append(expected)
    assert len(found) >= planted_report.computed - 1
    assert sum(abs(value - 0.5) < 1e-12 for value in found) == 2  # C9 and D9


def test_the_live_sheet_recomputes_from_the_inputs(planted_data: bytes) -> None:
    name = f"Live {EVIL_SHEET}"[:31]
    formulas, results = opened(planted_data)[name], opened(planted_data, values=True)[name]
    assert formulas["C9"].value == "=$B4*F$3+$C4*F$4"
    assert results["C9"].value == 3.0 * 0.2 + 4.0 * 0.4
    # The typed number has its block's formula here.
    assert formulas["B10"].value == "=$B5*E$3+$C5*E$4"
    assert formulas["B3"].value == 1


def test_divergences_are_a_table_with_links(planted_data: bytes) -> None:
    sheet = opened(planted_data)["Divergences"]
    table = sheet.tables["Divergences"]
    assert table.ref == "A1:M4"
    assert [cell.value for cell in sheet["B"]][1:] == ["C9", "D9", "B10"]
    assert sheet["B2"].hyperlink.location == f"'{EVIL_SHEET}'!C9"
    assert sheet["J3"].hyperlink.location == f"'{EVIL_SHEET}'!C9"


def test_steps_tell_the_mathematics_numpy_and_excel(public: Callable[[str], FileReport]) -> None:
    """Self-Attention.xlsx holds scores = KᵀQ, tokens in columns, in U10:X13 of its first sheet."""
    lines = list(texts(opened(written(public("ai-by-hand/Self-Attention")))["Steps"]))
    at = next(i for i, line in enumerate(lines) if line.startswith("scores · small!U10:X13 · 4 × 4"))
    mathematics, numpy, excel = lines[at + 1 : at + 4]
    assert mathematics.startswith("Mathematics: ")
    assert numpy.startswith("NumPy: scores = ")
    assert excel == "Excel: =MMULT($Q10:$S10,U$5:U$7)"


def test_the_mirror_keeps_widths_and_number_formats(public: Callable[[str], FileReport], corpus: Path) -> None:
    name = "ai-by-hand/Self-Attention"
    mirror = opened(written(public(name)))["small"]
    original = openpyxl.load_workbook(corpus / f"{name}.xlsx")["small"]
    for row in original.iter_rows():
        for cell in row:
            if cell.value is not None:
                assert mirror[cell.coordinate].number_format == cell.number_format, cell.coordinate
    assert mirror.column_dimensions["J"].width == pytest.approx(original.column_dimensions["J"].width, abs=0.01)


def test_weights_have_a_colour_scale(public: Callable[[str], FileReport]) -> None:
    steps = opened(written(public("ai-by-hand/Self-Attention")))["Steps"]
    scales = [
        area.sqref.ranges
        for area, rules in steps.conditional_formatting._cf_rules.items()
        if rules[0].type == "colorScale"
    ]
    assert len(scales) == 6  # instructor and NumPy on each of three sheets


def test_published_figures_stand_against_the_recomputed(project: Path) -> None:
    report = verify_file(
        project / "workbooks" / "course-self-attention.xlsx",
        published=Published.load(project / "workbooks" / "course-published.json"),
    )
    data = written(report)
    assert faults(data) == []
    sheet, results = opened(data)["Published"], opened(data, values=True)["Published"]
    assert sheet.max_row == len(report.published) + 1
    for row, figure in enumerate(report.published, 2):
        assert sheet.cell(row, 7).value == f"=D{row}-F{row}"
        assert results.cell(row, 7).value == figure.printed - figure.recomputed
        assert abs(results.cell(row, 7).value) <= 0.5 * 10**-figure.decimals * (1 + 1e-9)


def test_chinese(planted_report: FileReport) -> None:
    book = opened(written(planted_report, "zh"))
    assert book.sheetnames[0] == "摘要"
    assert "步骤" in book.sheetnames
    assert "差异起点" in book[EVIL_SHEET]["C9"].comment.text
    assert "与 NumPy 的对照" in set(texts(book["摘要"]))


def test_limits_are_kept_and_said(planted_report: FileReport) -> None:
    limits = Limits(mirror=5, live=5, notes=2, blocks=1, block_rows=2, rows=1)
    book = opened(written(planted_report, limits=limits))
    assert not any(name.startswith("Live") for name in book.sheetnames)
    said = " ".join(texts(book["Summary"]))
    for words in (
        "the mirrors show the blocks that diverge",
        "Notes stand on 2 cells",
        "live sheets are left out",
        "1 of 3 rows",
    ):
        assert words in said
    notes = [cell.coordinate for row in book[EVIL_SHEET].iter_rows() for cell in row if cell.comment]
    assert len(notes) == 2
    assert "C9" in notes
    assert book["Divergences"]["B2"].value == "C9"


def test_the_input_is_never_overwritten(planted_report: FileReport, planted_path: Path, tmp_path: Path) -> None:
    link = tmp_path / "other.xlsx"
    link.symlink_to(planted_path)
    before = planted_path.read_bytes()
    for target in (planted_path, link):
        with pytest.raises(UsageError, match="input"):
            comparison_workbook(planted_report, target)
    assert planted_path.read_bytes() == before


def test_a_file_that_could_not_be_read_has_no_comparison(unreadable_report: FileReport, tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        comparison_workbook(unreadable_report, tmp_path / "out.xlsx")
    assert list(tmp_path.iterdir()) == []


def test_the_same_report_gives_the_same_bytes(planted_report: FileReport, planted_data: bytes) -> None:
    assert written(planted_report) == planted_data


@pytest.mark.parametrize("name", PUBLIC)
def test_public_workbooks_keep_the_rules_and_every_bit(public: Callable[[str], FileReport], name: str) -> None:
    report = public(name)
    data = written(report)
    assert faults(data) == []
    book = opened(data, values=True)
    assert report.grid is not None
    live = [sheet for sheet in book.sheetnames if sheet.startswith("Live ")]
    for position, sheet in enumerate(report.sheets):
        target = book[live[position]]
        rect = sheet.from_inputs.rect
        for row, column in rect.cells():
            number, kind = sheet.from_inputs.get(row, column)
            if kind == NUMBER and sheet.verdict(row, column) is not None:
                assert target.cell(row + 1, column + 1).value == number, (sheet.name, row, column)
