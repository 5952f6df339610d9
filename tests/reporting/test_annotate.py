"""The annotated copy: what it changes, and that nothing else changes by a byte."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import ironcalc
import openpyxl
import pytest

from tests.reporting.books import EVIL_SHEET, faults
from xlsx_attention.errors import UsageError
from xlsx_attention.model.report import FileReport
from xlsx_attention.pipeline import verify_file
from xlsx_attention.reporting.annotate import annotate
from xlsx_attention.reporting.annotate.package import Package, _append
from xlsx_attention.reporting.annotate.sheet_part import restyled, with_notes_drawing
from xlsx_attention.reporting.facts import BAD

_TYPES = "[Content_Types].xml"
#: Public workbook → the parts that its copy must change, and those that it must add.
PARTS = {
    "ai-by-hand/LSTM": (
        {
            _TYPES,
            "xl/styles.xml",
            "xl/worksheets/sheet2.xml",
            "xl/worksheets/sheet3.xml",
            "xl/worksheets/_rels/sheet2.xml.rels",
            "xl/worksheets/_rels/sheet3.xml.rels",
        },
        {"xl/comments1.xml", "xl/comments2.xml", "xl/drawings/vmlDrawing1.vml", "xl/drawings/vmlDrawing2.vml"},
    ),
    # This workbook has notes on another sheet, so comments1 and vmlDrawing1 are taken.
    "pysheetgrader/TestModeSubmission": (
        {_TYPES, "xl/styles.xml", "xl/worksheets/sheet9.xml"},
        {"xl/comments2.xml", "xl/drawings/vmlDrawing2.vml", "xl/worksheets/_rels/sheet9.xml.rels"},
    ),
}


def raw_members(data: bytes) -> dict[str, bytes]:
    """Each member as it is packed, its local header included."""
    package = Package(data)
    return {info.filename: package._raw(info) for info in package.zip.infolist()}


@pytest.mark.parametrize("name", PARTS)
def test_only_the_parts_named_change(public: Callable[[str], FileReport], corpus: Path, name: str) -> None:
    changed, added = PARTS[name]
    original = (corpus / f"{name}.xlsx").read_bytes()
    copy = annotate(public(name), original)
    before, after = raw_members(original), raw_members(copy)
    assert set(after) - set(before) == added
    assert {part for part in before if before[part] != after[part]} == changed
    assert list(after)[: len(before)] == list(before)
    assert zipfile.ZipFile(io.BytesIO(copy)).testzip() is None


@pytest.mark.parametrize("name", PARTS)
def test_two_other_readers_see_the_same_cells_and_results(
    public: Callable[[str], FileReport], corpus: Path, tmp_path: Path, name: str
) -> None:
    report = public(name)
    source, target = corpus / f"{name}.xlsx", tmp_path / "copy.xlsx"
    target.write_bytes(annotate(report, source.read_bytes()))
    for values in (False, True):
        old = openpyxl.load_workbook(source, data_only=values)
        new = openpyxl.load_workbook(target, data_only=values)
        assert old.sheetnames == new.sheetnames
        for sheet in old.sheetnames:
            for row in old[sheet].iter_rows():
                for cell in row:
                    other = new[sheet][cell.coordinate]
                    same = getattr(cell.value, "text", cell.value) == getattr(other.value, "text", other.value)
                    assert same, (sheet, cell.coordinate)
                    assert cell.number_format == other.number_format
                    assert (cell.font.name, cell.font.sz, cell.font.b) == (other.font.name, other.font.sz, other.font.b)
    before, after = (ironcalc.load_from_xlsx(str(path), "en", "UTC", "en") for path in (source, target))
    for cell in report.cells[:400]:
        place = (cell.sheet, cell.row + 1, cell.column + 1)
        assert before.get_cell_content(*place) == after.get_cell_content(*place)
        assert before.get_formatted_cell_value(*place) == after.get_formatted_cell_value(*place)


@pytest.mark.parametrize("name", PARTS)
def test_the_copy_is_judged_as_the_original_is(
    public: Callable[[str], FileReport], corpus: Path, tmp_path: Path, name: str
) -> None:
    report = public(name)
    target = tmp_path / "copy.xlsx"
    target.write_bytes(annotate(report, (corpus / f"{name}.xlsx").read_bytes()))
    again = verify_file(target)
    assert again.counts == report.counts
    assert [(c.sheet, c.cell, c.verdict, c.cached) for c in again.cells] == [
        (c.sheet, c.cell, c.verdict, c.cached) for c in report.cells
    ]
    assert [sheet.arrays for sheet in again.grid.sheets] == [sheet.arrays for sheet in report.grid.sheets]  # type: ignore[union-attr]


def test_every_diverging_cell_has_a_fill_and_a_note(planted_report: FileReport, planted_path: Path) -> None:
    copy = annotate(planted_report, planted_path.read_bytes())
    assert faults(copy) == []
    sheet = openpyxl.load_workbook(io.BytesIO(copy))[EVIL_SHEET]
    noted = {cell.coordinate for row in sheet.iter_rows() for cell in row if cell.comment}
    filled = {cell.coordinate for row in sheet.iter_rows() for cell in row if cell.fill.fill_type == "solid"}
    assert noted == filled == {cell.cell for cell in planted_report.cells if cell.verdict in BAD} == {"C9", "D9", "B10"}
    assert "From inputs: 2.2" in sheet["C9"].comment.text


def test_chinese_notes(planted_report: FileReport, planted_path: Path) -> None:
    copy = annotate(planted_report, planted_path.read_bytes(), "zh")
    assert "差异起点" in openpyxl.load_workbook(io.BytesIO(copy))[EVIL_SHEET]["C9"].comment.text


def test_notes_that_are_there_stay(planted_path: Path, tmp_path: Path) -> None:
    """A copy annotated once more: its notes stay as they are, and nothing is noted twice."""
    first = tmp_path / "first.xlsx"
    first.write_bytes(annotate(verify_file(planted_path), planted_path.read_bytes()))
    second = annotate(verify_file(first), first.read_bytes(), "zh")
    assert faults(second) == []
    sheet = openpyxl.load_workbook(io.BytesIO(second))[EVIL_SHEET]
    assert "a difference" not in sheet["C9"].comment.text
    assert "origin" in sheet["C9"].comment.text


def test_old_notes_are_joined_by_new_ones(planted_path: Path, tmp_path: Path) -> None:
    """openpyxl writes a note on A1; ours come beside it, in its part and its drawing."""
    book = openpyxl.load_workbook(planted_path)
    book[EVIL_SHEET]["A1"].comment = openpyxl.comments.Comment("mine", "teacher")
    theirs = tmp_path / "theirs.xlsx"
    book.save(theirs)
    # openpyxl drops stored results, so the report of the original serves: cells stand in the same places.
    report = verify_file(planted_path)
    copy = annotate(report, theirs.read_bytes())
    assert faults(copy) == []
    assert [name for name in zipfile.ZipFile(io.BytesIO(copy)).namelist() if "comment" in name.lower()] == [
        "xl/comments/comment1.xml",
        "xl/drawings/commentsDrawing1.vml",
    ] or len([n for n in zipfile.ZipFile(io.BytesIO(copy)).namelist() if "omment" in n]) == 2
    sheet = openpyxl.load_workbook(io.BytesIO(copy))[EVIL_SHEET]
    assert sheet["A1"].comment.text == "mine"
    assert "origin" in sheet["C9"].comment.text


def test_where_nothing_diverges_nothing_changes(public: Callable[[str], FileReport], corpus: Path) -> None:
    name = "ai-by-hand/Self-Attention"
    original = (corpus / f"{name}.xlsx").read_bytes()
    assert annotate(public(name), original) == original


@pytest.mark.parametrize(
    ("xml", "expected"),
    [
        (
            b'<worksheet><sheetData><row><c><v>1</v></c><c s="2"/></row></sheetData></worksheet>',
            b'<worksheet><sheetData><row><c><v>1</v></c><c s="9"/></row></sheetData></worksheet>',
        ),
        (
            b"<x:worksheet><x:sheetData><x:row r='1'><x:c r='B1' t='str'/></x:row></x:sheetData></x:worksheet>",
            b"<x:worksheet><x:sheetData><x:row r='1'><x:c r='B1' t='str' s=\"9\"/></x:row></x:sheetData></x:worksheet>",
        ),
        (
            b'<worksheet><sheetData><row><c r="B1" s="1"><f>"&lt;c r=\'B1\'>"</f></c></row></sheetData></worksheet>',
            b'<worksheet><sheetData><row><c r="B1" s="9"><f>"&lt;c r=\'B1\'>"</f></c></row></sheetData></worksheet>',
        ),
    ],
)
def test_cells_by_place_or_by_count(xml: bytes, expected: bytes) -> None:
    """B1, by its name or as the second cell of the first row."""
    assert restyled(xml, {(0, 1): "origin"}, lambda old, verdict: 9) == expected


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        (b"<drawing/><tableParts/>", b"<drawing/>@<tableParts/>"),
        (b"<pageMargins/><extLst/>", b"<pageMargins/>@<extLst/>"),
        (b"<pageMargins/>", b"<pageMargins/>@"),
    ],
)
def test_the_drawing_of_notes_has_its_place(after: bytes, expected: bytes) -> None:
    """ECMA-376 part 1, 18.3.1.99."""
    xml = with_notes_drawing(b"<worksheet><sheetData/>" + after + b"</worksheet>", "rId7")
    tag = (
        b'<legacyDrawing xmlns:xa="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xa:id="rId7"/>'
    )
    assert xml == b"<worksheet><sheetData/>" + expected.replace(b"@", tag) + b"</worksheet>"


@pytest.mark.parametrize(
    ("xml", "expected"),
    [
        (b'<Types xmlns="t"><Default/></Types>', b'<Types xmlns="t"><Default/><Row/></Types>'),
        (
            b'<ct:Types xmlns:ct="t"><ct:Default/></ct:Types>',
            b'<ct:Types xmlns:ct="t"><ct:Default/><ct:Row/></ct:Types>',
        ),
        (b'<r:Relationships xmlns:r="t"/>', b'<r:Relationships xmlns:r="t"><r:Row/></r:Relationships>'),
    ],
)
def test_lists_grow_whatever_their_prefix(xml: bytes, expected: bytes) -> None:
    assert _append(xml, b"<Row/>") == expected


def test_a_part_that_declares_entities_is_refused(planted_report: FileReport, planted_path: Path) -> None:
    """The reader refuses such parts where it reads them; the list of relationships is read here as well."""
    out = io.BytesIO()
    with zipfile.ZipFile(planted_path) as source, zipfile.ZipFile(out, "w") as target:
        for name in source.namelist():
            data = source.read(name)
            if name == "xl/styles.xml":
                data = data.replace(b"<styleSheet", b'<!DOCTYPE a [<!ENTITY b "c">]><styleSheet', 1)
            target.writestr(name, data)
    with pytest.raises(UsageError, match="entities"):
        annotate(planted_report, out.getvalue())
