"""What stands around the cells: sheets, names, tables, links, settings, provenance, and every way to write the same
part."""

# ruff: noqa: E501 - a row of XML, and a row of a table, stays on one line

from __future__ import annotations

import hashlib
import tracemalloc
from pathlib import Path

import pytest

from tests.reading import packages
from xlsx_attention.errors import UnreadableFile
from xlsx_attention.model.budget import Budgets
from xlsx_attention.model.grid import CalcSettings, DefinedName, ExternalBook, Table, WorkbookGrid
from xlsx_attention.model.values import NUMBER, TEXT, Scalar
from xlsx_attention.reading import load, read_workbook
from xlsx_attention.reading.provenance import measured_digits, significant_digits

ONE = packages.row(1, '<c r="A1"><f>1+1</f><v>2</v></c><c r="B1" t="s"><v>0</v></c>')
TEXTS = "<si><t>text</t></si>"


def is_read(grid: WorkbookGrid) -> bool:
    return (
        grid.value(0, 0, 0).python == 2.0
        and grid.value(0, 0, 1).python == "text"
        and grid.sheets[0].formula_texts == ["1+1"]
        and not grid.notices
    )


def test_the_same_workbook_in_every_spelling() -> None:
    base = packages.parts(ONE, strings=TEXTS)
    assert is_read(read_workbook(packages.pack(base)))


def test_prefix_on_every_element() -> None:
    def prefixed(text: str | bytes) -> str:
        assert isinstance(text, str)
        head, _, body = text.partition("?>\n")
        body = body.replace("</", "\0").replace("<", "<q:").replace("\0", "</q:").replace("xmlns=", "xmlns:q=")
        return f"{head}?>\n{body}"

    base = packages.parts(ONE, strings=TEXTS)
    names = (
        "xl/workbook.xml",
        "xl/worksheets/sheet1.xml",
        "xl/sharedStrings.xml",
        "_rels/.rels",
        "xl/_rels/workbook.xml.rels",
    )
    assert is_read(read_workbook(packages.pack({**base, **{name: prefixed(base[name]) for name in names}})))


def test_strict_namespaces() -> None:
    base = packages.parts(ONE, strings=TEXTS)
    strict = {
        name: text.replace(packages.MAIN, packages.STRICT_MAIN).replace(packages.OFFICE, packages.STRICT_OFFICE)
        for name, text in base.items()
        if isinstance(text, str)
    }
    assert strict != base
    assert is_read(read_workbook(packages.pack(strict)))


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-8-sig", "iso-8859-1", "us-ascii"])
def test_encodings(encoding: str) -> None:
    def encode(text: str | bytes) -> bytes:
        assert isinstance(text, str)
        declared = "utf-8" if encoding == "utf-8-sig" else "utf-16" if encoding.startswith("utf-16") else encoding
        text = text.replace("UTF-8", declared)
        return (b"\xfe\xff" if encoding == "utf-16-be" else b"") + text.encode(encoding)

    base = packages.parts(ONE, strings=TEXTS)
    names = ("xl/workbook.xml", "xl/worksheets/sheet1.xml", "xl/sharedStrings.xml")
    assert is_read(read_workbook(packages.pack({**base, **{name: encode(base[name]) for name in names}})))


@pytest.mark.parametrize("target", ["/xl/worksheets/sheet1.xml", "./worksheets/sheet1.xml", "../xl/worksheets/sheet1.xml",
                                    "Worksheets/SHEET1.xml", "worksheets%2Fsheet1.xml", "worksheets\\sheet1.xml"])  # fmt: skip
def test_targets(target: str) -> None:
    links = packages.relationships(("rId1", "worksheet", target), ("rId2", "sharedStrings", "sharedStrings.xml"))
    base = packages.parts(ONE, strings=TEXTS)
    assert is_read(read_workbook(packages.pack({**base, "xl/_rels/workbook.xml.rels": links})))


def test_names_of_parts_in_another_case() -> None:
    base = packages.parts(ONE, strings=TEXTS)
    assert is_read(read_workbook(packages.pack({name.upper(): text for name, text in base.items()})))


@pytest.mark.parametrize("name", ["/xl/evil.xml", "../evil.xml", "a/../../evil.xml", "..\\evil.xml"])
def test_unsafe_part_names_are_left_out(name: str) -> None:
    grid = read_workbook(packages.pack({**packages.parts(ONE, strings=TEXTS), name: "x"}))
    assert [notice.code for notice in grid.notices] == ["unsafe-part-name"]
    assert grid.value(0, 0, 0).python == 2.0


@pytest.mark.parametrize("around", ["<!-- </row></sheetData> -->", "<?x </row>?>"])
def test_comments_and_instructions_among_the_rows(around: str) -> None:
    rows = packages.row(1, f'<c r="A1">{around}<f>1<![CDATA[+1]]></f><v>2</v></c><c r="B1" t="s"><v>0</v></c>')
    assert is_read(read_workbook(packages.book(around + rows + around, strings=TEXTS)))


@pytest.mark.parametrize("dimension", ["", "A1", "A1:XFD1048576", "nonsense"])
def test_dimension_is_not_believed(dimension: str) -> None:
    grid = read_workbook(packages.book(ONE, before=f'<dimension ref="{dimension}"/>', strings=TEXTS))
    assert is_read(grid)
    assert grid.sheets[0].cached.rect.a1 == "A1:B1"


def test_sheets_charts_and_scoped_names() -> None:
    """Places of names count all sheets; a chart sheet holds no cells and is left out."""
    sheets = "".join(
        f'<sheet name="{name}" sheetId="{number}" r:id="r{number}" {state}/>'
        for number, (name, state) in enumerate([("One", ""), ("Chart", ""), ("Two", 'state="veryHidden"')], 1)
    )
    names = (
        '<definedNames><definedName name="all">One!$A$1</definedName><definedName name="here" localSheetId="2">=Two!$A$1'
        '</definedName><definedName name="there" localSheetId="1">1</definedName><definedName name="lost" localSheetId="9">1'
        '</definedName><definedName name="f" hidden="1">_xlfn.LAMBDA(_xlpm.x,_xlpm.x&amp;"a")</definedName></definedNames>'
    )
    book = {
        **packages.parts(ONE),
        "xl/workbook.xml": packages.workbook(sheets, names),
        "xl/_rels/workbook.xml.rels": packages.relationships(
            ("r1", "worksheet", "worksheets/sheet1.xml"),
            ("r2", "chartsheet", "chartsheets/sheet1.xml"),
            ("r3", "worksheet", "worksheets/sheet2.xml"),
        ),
        "xl/worksheets/sheet2.xml": packages.worksheet(packages.row(1, '<c r="C3"><v>3</v></c>')),
    }
    grid = read_workbook(packages.pack(book))
    assert [(sheet.name, sheet.index, sheet.hidden) for sheet in grid.sheets] == [("One", 0, False), ("Two", 1, True)]
    assert grid.names == (
        DefinedName("all", "One!$A$1"),
        DefinedName("here", "Two!$A$1", 1),
        DefinedName("f", '_xlfn.LAMBDA(_xlpm.x,_xlpm.x&"a")'),
    )
    assert "bad-name" in [notice.code for notice in grid.notices]
    only = read_workbook(packages.pack(book), sheets=["two"])
    assert [sheet.cached.rect.a1 for sheet in only.sheets] == ["A1", "C3"]
    assert only.sheets[0].formula_count == 0


def test_calculation_settings() -> None:
    calc = (
        '<calcPr calcMode="manual" iterate="1" iterateCount="7" iterateDelta="0.5" fullPrecision="0" calcId="191029"/>'
    )
    grid = read_workbook(packages.book(ONE, book_before='<workbookPr date1904="true"/>', book_after=calc))
    assert grid.calc == CalcSettings("manual", True, 7, 0.5, False, True)
    assert read_workbook(packages.book(ONE)).calc == CalcSettings()
    odd = read_workbook(packages.book(ONE, book_after='<calcPr iterateCount="x" iterateDelta="nan" calcMode="?"/>'))
    assert odd.calc == CalcSettings()


def test_dates_of_1904() -> None:
    rows = packages.row(1, '<c r="A1" t="d"><v>1904-01-02</v></c>')
    assert read_workbook(packages.book(rows, book_before='<workbookPr date1904="1"/>')).value(0, 0, 0).python == 1.0


TABLE = (
    f'<table xmlns="{packages.MAIN}" id="1" name="inner" displayName="Data" ref="A1:B4" totalsRowCount="1">'
    '<tableColumns count="2"><tableColumn id="1" name="a_x000a_b"/><tableColumn id="2" name="&lt;c&gt;"/></tableColumns></table>'
)


def test_tables() -> None:
    extra = {
        "xl/worksheets/_rels/sheet1.xml.rels": packages.relationships(
            ("r1", "table", "../tables/table1.xml"),
            ("r2", "comments", "../none.xml"),
            ("r3", "table", "../tables/t2.xml"),
        ),
        "xl/tables/table1.xml": TABLE,
        "xl/tables/t2.xml": TABLE.replace("A1:B4", "A0:B4"),
    }
    grid = read_workbook(packages.book(ONE, extra=extra))
    assert [
        (table.name, table.sheet, table.rect.a1, table.columns, table.header_rows, table.totals_rows)
        for table in grid.tables
    ] == [("Data", 0, "A1:B4", ("a\nb", "<c>"), 1, 1)]
    assert isinstance(grid.tables[0], Table)
    assert ("optional-part", "xl/tables/t2.xml") in [(notice.code, notice.where) for notice in grid.notices]


def test_external_books_keep_their_place() -> None:
    link = (
        f'<externalLink xmlns="{packages.MAIN}"><externalBook><sheetNames><sheetName val="In"/><sheetName val="Out"/></sheetNames>'
        '<definedNames><definedName name="rate" refersTo="=In!$A$1"/></definedNames><sheetDataSet><sheetData sheetId="1">'
        '<row r="2"><cell r="B2"><v>1.5</v></cell><cell r="C2" t="str"><v>text</v></cell><cell r="?"><v>1</v></cell></row>'
        "</sheetData></sheetDataSet></externalBook></externalLink>"
    )
    dde = f'<externalLink xmlns="{packages.MAIN}"><ddeLink ddeService="cmd" ddeTopic="/c calc"/></externalLink>'
    references = '<externalReferences><externalReference r:id="x1"/><externalReference r:id="x2"/><externalReference r:id="x3"/></externalReferences>'
    data = packages.book(
        ONE,
        book_after=references,
        links=(
            ("x2", "externalLink", "externalLinks/l2.xml"),
            ("x1", "externalLink", "externalLinks/l1.xml"),
            ("x3", "externalLink", "gone.xml"),
        ),
        extra={"xl/externalLinks/l1.xml": dde, "xl/externalLinks/l2.xml": link},
    )
    grid = read_workbook(data)
    cells = {(1, 1, 1): Scalar(NUMBER, 1.5), (1, 1, 2): Scalar(TEXT, 0.0, "text")}
    assert grid.external == (ExternalBook((), {}), ExternalBook(("In", "Out"), cells, ("rate",)), ExternalBook((), {}))


@pytest.mark.parametrize("part", ["styles", "metadata", "sharedStrings"])
def test_parts_without_cells_may_be_missing(part: str) -> None:
    base = packages.parts(packages.row(1, '<c r="A1"><v>1</v></c>'), styles="", metadata="", strings="")
    del base[f"xl/{part}.xml"]
    assert read_workbook(packages.pack(base)).value(0, 0, 0).python == 1.0


@pytest.mark.parametrize("part", ["styles", "metadata"])
def test_parts_without_cells_may_be_broken(part: str) -> None:
    base = packages.parts(ONE, styles="", metadata="", strings=TEXTS)
    grid = read_workbook(packages.pack({**base, f"xl/{part}.xml": "<broken"}))
    assert [(notice.code, notice.where) for notice in grid.notices] == [("optional-part", f"xl/{part}.xml")]
    assert grid.value(0, 0, 1).python == "text"


def test_broken_shared_strings_are_refused() -> None:
    with pytest.raises(UnreadableFile, match=r"sharedStrings\.xml") as refusal:
        read_workbook(packages.pack({**packages.parts(ONE, strings=""), "xl/sharedStrings.xml": "<sst><si>"}))
    assert refusal.value.code == "broken-xml"


def test_widths_and_merged_ranges() -> None:
    before = '<cols><col min="1" max="16384" width="9.5"/><col min="2" max="2" width="3"/><col min="0" max="5" width="1"/></cols>'
    after = '<mergeCells><mergeCell ref="A1:B2"/><mergeCell ref="x"/></mergeCells>'
    sheet = read_workbook(packages.book(ONE, before=before, after=after)).sheets[0]
    assert sheet.column_widths == {0: 9.5, 1: 3.0}
    assert [rect.a1 for rect in sheet.merged] == ["A1:B2"]


def test_macros_are_seen_and_not_read() -> None:
    assert not read_workbook(packages.book(ONE)).has_macros
    assert read_workbook(packages.book(ONE, extra={"xl/vbaProject.bin": b"\x00"})).has_macros


def test_memory_follows_the_file_and_not_the_limit(tmp_path: Path) -> None:
    """A single read sets memory aside for all that it may get: the limit on files, a gibibyte."""
    path = tmp_path / "small.xlsx"
    path.write_bytes(packages.book(ONE))
    tracemalloc.start()
    try:
        read_workbook(path)
        assert tracemalloc.get_traced_memory()[1] < 32 * 1024 * 1024
    finally:
        tracemalloc.stop()


def test_a_file_and_its_bytes_are_the_same(tmp_path: Path) -> None:
    data = packages.book(ONE, strings=TEXTS)
    path = tmp_path / "表 %s.xlsx"
    path.write_bytes(data)
    grid = read_workbook(path)
    assert is_read(grid)
    assert grid.path == str(path)
    source = load(path, Budgets())
    path.unlink()  # read once: the file itself is not needed any more
    assert is_read(read_workbook(source))
    assert source.sha256 == hashlib.sha256(data).hexdigest()


APP = '<Properties xmlns="http://schemas.openxmlformats.org/officeDocument/2006/extended-properties"><Application>{}</Application>{}</Properties>'
GOOGLE = (
    'xmlns:mx="http://schemas.microsoft.com/office/mac/excel/2008/main" xmlns:mv="urn:schemas-microsoft-com:mac:vml"'
)


@pytest.mark.parametrize(
    ("application", "version", "expected"),
    [
        ("Microsoft Excel", "<AppVersion>16.0300</AppVersion>", ("Microsoft Excel", "16.0300", 17)),
        ("LibreOffice/7.4.7.2$Linux_X86_64 LibreOffice_project/40$Build-2", "<AppVersion>15.0000</AppVersion>", ("LibreOffice", "7.4.7.2", 15)),
        ("Gnumeric", "", ("Gnumeric", "", 17)),
    ],
)  # fmt: skip
def test_application(application: str, version: str, expected: tuple[str, str, int]) -> None:
    links = packages.relationships(
        ("r1", "officeDocument", "xl/workbook.xml"), ("r2", "extended-properties", "docProps/app.xml")
    )
    extra = {"_rels/.rels": links, "docProps/app.xml": APP.format(application, version)}
    found = read_workbook(packages.book(ONE, extra=extra)).provenance
    assert (found.application, found.version, found.digits) == expected


def test_google_sheets_are_told_by_their_namespaces() -> None:
    book = packages.workbook('<sheet name="S" sheetId="1" r:id="rId1"/>').replace("<workbook ", f"<workbook {GOOGLE} ")
    found = read_workbook(packages.pack({**packages.parts(ONE), "xl/workbook.xml": book})).provenance
    assert (found.application, found.digits) == ("Google Sheets", 10)


def test_excel_without_properties_is_told_by_the_file_version() -> None:
    data = packages.book(ONE, book_before='<fileVersion appName="xl" lastEdited="7" rupBuild="29000"/>')
    found = read_workbook(data).provenance
    assert (found.application, found.version) == ("Microsoft Excel", "7")


@pytest.mark.parametrize(
    ("number", "digits"),
    [("0.1", 1), ("-0.00120", 2), ("1200", 2), ("1.0000000000000002", 17), ("1.5E-300", 2), ("0", 0), ("100.0", 1)],
)
def test_significant_digits(number: str, digits: int) -> None:
    assert significant_digits(number) == digits


def thirds(digits: int, count: int = 40) -> list[str]:
    """Quotients that have no end, written with so many digits."""
    return [f"{n / 7:.{digits}g}" for n in range(1, 2 * count) if n % 7][:count]


@pytest.mark.parametrize(
    ("numbers", "default", "expected"),
    [
        ([], 17, 17),
        (["0.5", "2", "0.25"], 17, 17),  # short numbers say nothing
        ([f"{2.0**-n!r}" for n in range(10, 40)], 17, 17),  # exact ones neither, long as they are
        (thirds(17), 17, 17),
        (thirds(15), 17, 15),
        (thirds(15, 5), 17, 17),  # too few
        (thirds(10), 17, 10),
        (thirds(17), 15, 17),  # more digits than expected are there to be seen
        (thirds(15), 10, 15),
        (["1", "2.5"] * 50, 15, 15),
    ],
)
def test_measured_digits(numbers: list[str], default: int, expected: int) -> None:
    assert measured_digits(numbers, default) == expected
