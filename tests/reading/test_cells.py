"""Every kind of cell, and every odd one, by the pattern and by expat alike. Values are given by the file format
(ECMA-376 part 1, 18.3.1.4 and 22.9.2.19) or by what the cell says on its face."""

# ruff: noqa: E501 - a row of XML, and a row of a table, stays on one line

from __future__ import annotations

import pytest

from tests.reading import packages
from xlsx_attention.model.grid import WorkbookGrid
from xlsx_attention.model.values import EMPTY, NOT_COMPUTED, TEXT
from xlsx_attention.reading import NOTICES, read_workbook


def grid(cells: str, *, irregular: bool, **more: object) -> WorkbookGrid:
    """One row of cells. A cell with its attributes in another order makes the row irregular, so that expat reads it."""
    if irregular:
        cells += '<c s="0" r="XFC1"/>'
    return read_workbook(packages.book(packages.row(1, cells), **more))


both = pytest.mark.parametrize("irregular", [False, True], ids=["pattern", "expat"])

STRINGS = (
    "<si><t>plain</t></si><si><r><t>ri</t></r><r><rPr><b/></rPr><t xml:space='preserve'>ch </t></r>"
    "<rPh sb='0' eb='1'><t>phonetic</t></rPh><phoneticPr fontId='1'/></si><si><t> trimmed </t></si>"
    "<si><t xml:space='preserve'> kept </t></si><si><t>a_x000D_b_x005F_x000D_c</t></si><si><t>&lt;&amp;&#10;</t></si><si/>"
)
VALUES: list[tuple[str, object]] = [
    ("<v>1.5</v>", 1.5),
    ("<v>-2E-3</v>", -0.002),
    ("<v>.5</v>", 0.5),
    ("<v>5.</v>", 5.0),
    ("<v> 7 </v>", 7.0),
    ("<v>-0</v>", 0.0),
    ("<v>1e-400</v>", 0.0),
    ("<v>1.7976931348623157E+308</v>", 1.7976931348623157e308),
    ("<v></v>", None),
    ("", None),
    ('t="n"|<v>3</v>', 3.0),
    ('t="s"|<v>0</v>', "plain"),
    ('t="s"|<v>1</v>', "rich "),
    ('t="s"|<v>2</v>', "trimmed"),
    ('t="s"|<v>3</v>', " kept "),
    ('t="s"|<v>4</v>', "a\rb_x000D_c"),
    ('t="s"|<v>5</v>', "<&"),
    ('t="s"|<v>6</v>', ""),
    ('t="str"|<v>a&amp;b &lt;c&gt; &quot;d&apos;</v>', "a&b <c> \"d'"),
    ('t="str"|<v>&#233;&#x4e2d;中</v>', "é中中"),
    ('t="str"|<v>=1+1</v>', "=1+1"),
    ('t="str"|<v>_x0041_</v>', "A"),
    ('t="str"|<v></v>', ""),
    ('t="str"|<v/>', ""),
    ('t="str"|', None),
    ('t="b"|<v>1</v>', True),
    ('t="b"|<v>0</v>', False),
    ('t="b"|<v>true</v>', True),
    ('t="e"|<v>#DIV/0!</v>', "#DIV/0!"),
    ('t="e"|<v>#CALC!</v>', "#CALC!"),
    ('t="inlineStr"|<is><t>in</t></is>', "in"),
    ('t="inlineStr"|<is><r><t>in</t></r><r><t>line</t></r><rPh sb="0" eb="1"><t>x</t></rPh></is>', "inline"),
    ('t="d"|<v>2024-01-31</v>', 45322.0),  # =DATE(2024,1,31) in Excel
    ('t="d"|<v>2024-01-31T06:00:00Z</v>', 45322.25),
    ('t="d"|<v>1900-01-01</v>', 1.0),
]  # fmt: skip


def cell(text: str, extra: str = "") -> str:
    attributes, bar, content = text.rpartition("|")
    return f'<c r="B1"{" " + attributes if bar else ""}>{extra}{content}</c>'


@both
@pytest.mark.parametrize(("text", "expected"), VALUES, ids=[text for text, _ in VALUES])
def test_value(text: str, expected: object, irregular: bool) -> None:
    read = grid(cell(text), irregular=irregular, strings=STRINGS)
    value = read.value(0, 0, 1).python
    assert value == expected
    assert type(value) is type(expected)
    assert not read.notices


@both
@pytest.mark.parametrize(("text", "expected"), VALUES, ids=[text for text, _ in VALUES])
def test_value_under_a_formula(text: str, expected: object, irregular: bool) -> None:
    read = grid(cell(text, "<f>A1</f>"), irregular=irregular, strings=STRINGS)
    assert read.value(0, 0, 1).python == expected
    assert read.sheets[0].formula_texts == ["A1"]
    assert read.sheets[0].cached.rect.contains(0, 1)


BAD: list[tuple[str, str]] = [
    ("<v>NaN</v>", "bad-number"),
    ("<v>inf</v>", "bad-number"),
    ("<v>1e999</v>", "bad-number"),
    ("<v>1,5</v>", "bad-number"),
    ("<v>1_000</v>", "bad-number"),
    ("<v>0x10</v>", "bad-number"),
    ("<v>١٢</v>", "bad-number"),
    ("<v>1 2</v>", "bad-number"),
    ("<v>-</v>", "bad-number"),
    ("<v>1e</v>", "bad-number"),
    ("<v>" + "1" * 5000 + "</v>", "bad-number"),
    ('t="s"|<v>7</v>', "bad-string-index"),
    ('t="s"|<v>-1</v>', "bad-string-index"),
    ('t="s"|<v>١</v>', "bad-string-index"),
    ('t="s"|<v>1.0</v>', "bad-string-index"),
    ('t="b"|<v>2</v>', "bad-logical"),
    ('t="e"|<v>#OOPS!</v>', "unknown-error"),
    ('t="zzz"|<v>1</v>', "unknown-type"),
    ('t="d"|<v>yesterday</v>', "bad-date"),
]  # fmt: skip


@both
@pytest.mark.parametrize(("text", "code"), BAD, ids=[text[:30] for text, _ in BAD])
def test_bad_value_is_a_notice_and_the_sheet_goes_on(text: str, code: str, irregular: bool) -> None:
    read = grid('<c r="A1"><v>1</v></c>' + cell(text) + '<c r="C1"><v>3</v></c>', irregular=irregular, strings=STRINGS)
    assert [(notice.code, notice.where) for notice in read.notices] == [(code, "S!B1")]
    assert read.value(0, 0, 1).kind == NOT_COMPUTED
    assert read.value(0, 0, 1).text
    assert [read.value(0, 0, 0).python, read.value(0, 0, 2).python] == [1.0, 3.0]
    assert code in NOTICES


def test_many_bad_cells_are_counted_not_listed() -> None:
    rows = "".join(packages.row(n, f'<c r="A{n}"><v>x</v></c>') for n in range(1, 1001))
    read = read_workbook(packages.book(rows))
    assert len(read.notices) == 101
    assert (read.notices[-1].code, read.notices[-1].where) == ("more", "S")
    assert "900" in read.notices[-1].message


def test_cells_without_an_address_follow_one_another() -> None:
    rows = "<row><c><v>1</v></c><c><v>2</v></c></row><row r='4'><c r='C4'><v>3</v></c><c><v>4</v></c></row><row><c><v>5</v></c></row>"
    read = read_workbook(packages.book(rows))
    places = {(0, 0): 1.0, (0, 1): 2.0, (3, 2): 3.0, (3, 3): 4.0, (4, 0): 5.0}
    assert {place: read.value(0, *place).python for place in places} == places


def test_a_row_without_a_number_follows_regular_rows() -> None:
    rows = packages.row(7, '<c r="A7"><v>1</v></c>') + '<row r="9"/><row><c><v>2</v></c></row>'
    assert read_workbook(packages.book(rows)).value(0, 9, 0).python == 2.0


@pytest.mark.parametrize("name", ["XFE1", "A1048577", "A0", "ZZZ99", "A99999999999"])
def test_cell_outside_the_grid_is_dropped(name: str) -> None:
    read = read_workbook(packages.book(packages.row(1, f'<c r="A1"><v>1</v></c><c r="{name}"><v>2</v></c>')))
    assert [notice.code for notice in read.notices] == ["outside-grid"]
    assert read.sheets[0].cached.rect.size == 1
    assert not read.sheets[0].cached.outliers


@pytest.mark.parametrize("name", ["", "1", "A", "Ä1", "A١", "A1:B2", "R1C1", "-1"])
def test_cell_with_a_bad_address_is_dropped(name: str) -> None:
    read = read_workbook(packages.book(packages.row(1, f'<c r="A1"><v>1</v></c><c r="{name}"><v>2</v></c>')))
    assert [notice.code for notice in read.notices] == ["bad-reference"]


@both
def test_of_cells_written_twice_the_last_counts(irregular: bool) -> None:
    cells = '<c r="A1"><f>1+1</f><v>2</v></c><c r="B1"><f>2+2</f><v>4</v></c><c r="A1"><v>9</v></c><c r="B1"><f>3</f><v>3</v></c>'
    read = grid(cells, irregular=irregular)
    assert [read.value(0, 0, 0).python, read.value(0, 0, 1).python] == [9.0, 3.0]
    assert read.sheets[0].formula_texts == ["3"]
    assert [notice.code for notice in read.notices] == ["duplicate-cell", "duplicate-cell"]


def test_cells_in_any_order_are_sorted() -> None:
    rows = packages.row(2, '<c r="B2"><f>4</f></c><c r="A2"><f>3</f></c>') + packages.row(1, '<c r="C1"><f>1</f></c>')
    sheet = read_workbook(packages.book(rows)).sheets[0]
    assert sheet.formula_texts == ["1", "3", "4"]
    assert list(zip(sheet.formula_rows.tolist(), sheet.formula_columns.tolist(), strict=True)) == [
        (0, 2),
        (1, 0),
        (1, 1),
    ]


def test_style_of_each_cell_and_cells_of_style_alone() -> None:
    styles = (
        '<numFmts><numFmt numFmtId="164" formatCode="0.000"/></numFmts><cellStyleXfs><xf numFmtId="9"/></cellStyleXfs>'
        '<cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="2"/><xf numFmtId="164"/></cellXfs>'
    )
    cells = '<c r="A1" s="1"><v>1</v></c><c r="B1" s="2"/><c r="C1" s="3"><v>1</v></c><c r="D1" s="99"><v>1</v></c><c r="Z1" s="2"/>'
    read = read_workbook(packages.book(packages.row(1, cells), styles=styles))
    sheet = read.sheets[0]
    assert sheet.cached.rect.a1 == "A1:D1"  # Z1 has a style and nothing else
    assert sheet.styles is not None
    assert [read.number_formats[index] for index in sheet.styles[0]] == ["0.000", "0.00", "0.000", "General"]
    assert read.is_blank(0, 0, 1)


def test_empty_sheet() -> None:
    read = read_workbook(packages.book(""))
    assert read.sheets[0].cached.rect.size == 1
    assert read.is_blank(0, 0, 0)
    assert read.sheets[0].formula_count == 0


def test_extensions_are_not_taken_for_cells() -> None:
    """An extension's elements have names of their own namespace, whatever their local names."""
    other = 'xmlns:o="urn:other"'
    cells = f'<c r="A1"><o:f {other}>1+1</o:f><v>1</v><o:v {other}>2</o:v></c>'
    after = f'<extLst><ext><o:sheetData {other}><row r="1"><c r="B1"><v>5</v></c></row></o:sheetData></ext></extLst>'
    read = read_workbook(packages.book(packages.row(1, cells), after=after))
    assert read.value(0, 0, 0).python == 1.0
    assert read.sheets[0].formula_count == 0
    assert read.is_blank(0, 0, 1)


def test_kinds_of_nothing() -> None:
    read = grid('<c r="A1" t="str"><f>B1</f><v></v></c><c r="B1"><f>C1</f><v></v></c>', irregular=False)
    assert read.value(0, 0, 0).kind == TEXT
    assert read.value(0, 0, 1).kind == EMPTY
