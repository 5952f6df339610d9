"""What the writer stores, read back by other readers: openpyxl, and the XML itself."""

from __future__ import annotations

import io
import math
import zipfile
from pathlib import Path

import numpy as np
import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from xlsx_attention.errors import UsageError
from xlsx_attention.model.address import Rect
from xlsx_attention.writing import AttentionSheet, CellError, number_text, open_workbook


def written(fill) -> bytes:
    stream = io.BytesIO()
    with open_workbook(stream) as book:
        sheet = book.add_worksheet("s")
        assert isinstance(sheet, AttentionSheet)
        fill(sheet)
    return stream.getvalue()


def sheet_xml(data: bytes) -> str:
    return zipfile.ZipFile(io.BytesIO(data)).read("xl/worksheets/sheet1.xml").decode()


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_reads_back_as_the_same_double(number: float) -> None:
    assert float(number_text(number)) == number


@pytest.mark.parametrize(
    ("number", "text"),
    [(5.0, "5"), (-1e9, "-1000000000"), (0.1, "0.1"), (0.1 + 0.2, "0.30000000000000004"), (-0.0, "0")],
)
def test_a_number_is_written_as_short_as_it_can_be(number: float, text: str) -> None:
    assert number_text(number) == text


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_is_refused(number: float) -> None:
    with pytest.raises(ValueError):
        number_text(number)
    with pytest.raises(ValueError):
        written(lambda sheet: sheet.write_number17(0, 0, number))
    with pytest.raises(ValueError):
        written(lambda sheet: sheet.write_formula_cached(0, 0, "A1", None, number))


def test_constants_and_results_keep_their_last_bit() -> None:
    third = 0.1 + 0.2  # XlsxWriter itself writes 0.3

    def fill(sheet: AttentionSheet) -> None:
        sheet.write_number17(0, 0, third)
        sheet.write_number(0, 1, third)
        sheet.write_formula_cached(0, 2, "A1", None, third)
        sheet.write_block_cached(1, 0, lambda i, j: f"A{i + 1}+{j}", np.array([[third, 1.0]]))
        sheet.write_numbers(2, 0, np.array([[third, 2.0]]))

    sheet = openpyxl.load_workbook(io.BytesIO(written(fill)), data_only=True)["s"]
    assert [[cell.value for cell in row] for row in sheet.iter_rows()] == [
        [third, third, third], [third, 1, None], [third, 2, None],
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    ["=1+1", "+1", "-1", "@SUM(A1)", "{=1}", "http://example.org", "mailto:a@b.c", "internal:s!A1", "12", "1e5", "TRUE",
     "#N/A",
     "<r><t>bold</t></r>", "<r>", "a & b", " space ", "two\nlines", "_x0041_", "我", "\t", "'quoted", "\x01bell",
     "😀", "tail \ufffe"],
)  # fmt: skip
def test_text_stays_text_whatever_it_begins_with(text: str) -> None:
    data = written(lambda sheet: sheet.write_text(0, 0, text))
    xml = sheet_xml(data)
    assert "<f>" not in xml
    assert "hyperlink" not in xml
    cell = openpyxl.load_workbook(io.BytesIO(data))["s"]["A1"]
    assert cell.data_type in ("s", "inlineStr")
    value = cell.value
    if "_x" in value:  # openpyxl leaves Excel's escapes in place
        value = value.replace("_x005F_", "_").replace("_x0001_", "\x01").replace("_xFFFE_", "\ufffe")
    assert value == text


def test_text_is_cut_at_the_length_of_a_cell_and_lone_surrogates_are_marked() -> None:
    def fill(sheet: AttentionSheet) -> None:
        sheet.write_text(0, 0, "😀" * 20_000)
        sheet.write_text(1, 0, "a\ud800b")

    sheet = openpyxl.load_workbook(io.BytesIO(written(fill)))["s"]
    long = sheet["A1"].value
    assert long.endswith("…")
    assert len(long.encode("utf-16-le")) // 2 == 32_767
    assert sheet["A2"].value == "a\ufffdb"


def test_each_kind_of_result_is_stored_as_its_kind() -> None:
    def fill(sheet: AttentionSheet) -> None:
        for row, value in enumerate((1.5, 2, True, np.bool_(False), "a<b", "#N/A", CellError("#DIV/0!"), None)):
            sheet.write_formula_cached(row, 0, 'IF(A1<2,"&",1)', None, value)

    data = written(fill)
    values = openpyxl.load_workbook(io.BytesIO(data), data_only=True)["s"]
    assert [values.cell(row, 1).value for row in range(1, 9)] == [1.5, 2, True, False, "a<b", "#N/A", "#DIV/0!", None]
    xml = sheet_xml(data)
    assert '<c r="A6" t="str">' in xml  # the text "#N/A" is no error
    assert '<c r="A7" t="e">' in xml
    assert '<c r="A8"><f>IF(A1&lt;2,"&amp;",1)</f></c>' in xml
    formulas = openpyxl.load_workbook(io.BytesIO(data))["s"]
    assert formulas["A1"].value == '=IF(A1<2,"&",1)'


def test_arrays_and_spills() -> None:
    def fill(sheet: AttentionSheet) -> None:
        sheet.write_array_cached(Rect(0, 0, 2, 2), "MMULT(D1:E2,D1:E2)", None, [[1, 2], [3, 4.5]])
        sheet.write_array_cached(Rect(4, 0, 5, 2), "=_xlfn.ANCHORARRAY(A1)", None, np.array([[5.0, 6.0]]), dynamic=True)

    data = written(fill)
    xml = sheet_xml(data)
    assert '<c r="A1"><f t="array" ref="A1:B2">MMULT(D1:E2,D1:E2)</f><v>1</v></c><c r="B1"><v>2</v></c>' in xml
    assert '<c r="A5" cm="1"><f t="array" ref="A5:B5">_xlfn.ANCHORARRAY(A1)</f><v>5</v></c>' in xml
    metadata = zipfile.ZipFile(io.BytesIO(data)).read("xl/metadata.xml").decode()
    assert 'fDynamic="1"' in metadata
    with pytest.raises(ValueError, match="shape"):
        written(lambda sheet: sheet.write_array_cached(Rect(0, 0, 2, 2), "A1", None, [[1.0]]))


def test_a_cell_outside_the_sheet_is_refused() -> None:
    for write in ("write_text", "write_number17", "write_formula_cached"):
        with pytest.raises(UsageError, match="outside"):
            written(
                lambda sheet, write=write: getattr(sheet, write)(0, 16_384, "1" if write != "write_number17" else 1)
            )


def test_properties_hold_no_control_characters() -> None:
    stream = io.BytesIO()
    with open_workbook(stream, properties={"title": "a\x01\ud800<b>", "author": "我"}) as book:
        book.add_worksheet()
    properties = openpyxl.load_workbook(stream).properties
    assert (properties.title, properties.creator) == ("a\ufffd<b>", "我")


def test_rows_are_told_as_they_are_written() -> None:
    told: list[tuple[int, int]] = []

    def fill(sheet: AttentionSheet) -> None:
        sheet.on_row = lambda done, total: told.append((done, total))
        sheet.write_numbers(3, 0, np.ones((3, 2)))

    written(fill)
    assert told == [(1, 3), (2, 3), (3, 3)]


def test_the_same_calls_give_the_same_bytes() -> None:
    def fill(sheet: AttentionSheet) -> None:
        sheet.write_text(0, 0, "a")
        sheet.write_formula_cached(1, 0, "1+1", None, 2.0)

    assert written(fill) == written(fill)


def test_a_workbook_that_failed_is_not_written(tmp_path: Path) -> None:
    target = tmp_path / "out.xlsx"
    target.write_bytes(b"old")

    def fail() -> None:
        with open_workbook(target) as book:
            book.add_worksheet()
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert target.read_bytes() == b"old"
    with pytest.raises(UsageError, match="input"):
        open_workbook(target, protect=[target])
    with open_workbook(target) as book:
        book.add_worksheet("whole")
    assert openpyxl.load_workbook(target).sheetnames == ["whole"]
