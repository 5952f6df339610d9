"""The pattern accepts exactly what it should: whatever it takes, expat takes alike; whatever it leaves, expat reads."""

# ruff: noqa: E501 - a row of XML, and a row of a table, stays on one line

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reading import packages
from xlsx_attention.errors import UnreadableFile
from xlsx_attention.model.grid import WorkbookGrid
from xlsx_attention.model.values import NOT_COMPUTED, TEXT
from xlsx_attention.reading import read_workbook, sheet_fast
from xlsx_attention.reading.regular_rows import Irregular, decode_entities, parse_attributes, tokenise

CELL = '<c r="A1" s="2" t="str"><f>B1</f><v>x</v></c>'


def with_expat_alone(source: bytes | Path) -> WorkbookGrid:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sheet_fast, "read_fast", lambda *_: None)
        return read_workbook(source)


def assert_alike(first: WorkbookGrid, second: WorkbookGrid) -> None:
    for a, b in zip(first.sheets, second.sheets, strict=True):
        assert a.cached.rect == b.cached.rect
        assert np.array_equal(a.cached.kind, b.cached.kind)
        has_text = (a.cached.kind == TEXT) | (a.cached.kind == NOT_COMPUTED)
        assert np.array_equal(a.cached.number[~has_text], b.cached.number[~has_text])
        assert [first.texts[index] for index in a.cached.number[has_text].tolist()] == [
            second.texts[index] for index in b.cached.number[has_text].tolist()
        ]
        assert a.cached.outliers.keys() == b.cached.outliers.keys()
        assert np.array_equal(a.styles, b.styles)  # type: ignore[arg-type]
        assert a.formula_texts == b.formula_texts
        assert a.formula_rows.tolist() == b.formula_rows.tolist()
        assert a.formula_columns.tolist() == b.formula_columns.tolist()
        assert (a.shared, a.arrays, a.column_widths, a.merged) == (b.shared, b.arrays, b.column_widths, b.merged)
    assert first.notices == second.notices


def test_public_workbooks_by_both_ways(corpus: Path) -> None:
    for path in sorted(corpus.rglob("*.xlsx")):
        assert_alike(read_workbook(path), with_expat_alone(path))


def test_regular_rows_do_not_reach_expat(monkeypatch: pytest.MonkeyPatch) -> None:
    fed: list[bytes] = []
    original = sheet_fast._feed
    monkeypatch.setattr(sheet_fast, "_feed", lambda rows, xml: fed.append(rows) or original(rows, xml))
    regular = [packages.row(n, f'<c r="A{n}" s="1"><f>B{n}&amp;"x"</f><v>{n}.5</v></c>') for n in range(1, 200)]
    irregular = packages.row(100, '<c r="A100" t="inlineStr"><is><t>x</t></is></c>')
    read_workbook(packages.book("".join(regular)))
    assert not fed
    regular[99] = irregular
    grid = read_workbook(packages.book("".join(regular)))
    assert fed == [irregular.encode()]
    assert grid.value(0, 99, 0).python == "x"
    assert grid.sheets[0].formula_count == 198


def test_rows_in_many_batches() -> None:
    """About 4 MiB of rows: cut between rows, with an irregular row now and then."""
    rows = []
    for n in range(1, 8001):
        cells = "".join(f'<c r="{letter}{n}"><f>SUM($A$1:$B${n})+{n}</f><v>{n}.25</v></c>' for letter in "ABCDEFGHIJ")
        rows.append(packages.row(n, cells if n % 900 else cells.replace("<c ", "<c  ")))
    data = packages.book("".join(rows), after='<mergeCells><mergeCell ref="A1:B1"/></mergeCells>')
    assert_alike(read_workbook(data), with_expat_alone(data))
    assert read_workbook(data).sheets[0].formula_count == 80_000


@pytest.mark.parametrize(
    "rows",
    [
        packages.row(1, CELL),
        packages.row(1, '<c r="A1"><f>1</f><v></v></c><c r="B1"><f>1</f><v/></c><c r="C1"><f>1</f><v /></c>'),
        packages.row(1, CELL) + "\n  " + packages.row(2, CELL.replace("1", "2")),
        "<row r=\"1\" spans=\"1:3\" x14ac:dyDescent=\"0.2\">\n" + CELL + "\n</row>\n<row r=\"2\"/><row r=\"3\">" + '<c r="A3"/></row>',
        packages.row(1, '<c r="A1"/><c r="B1" s="1" /><c r="C1"></c><c r="D1"><f/></c><c r="E1"><f t="shared" si="0"/><v>1</v></c>'),
    ],
)  # fmt: skip
def test_regular(rows: str) -> None:
    assert tokenise(rows.encode()) is not None


@pytest.mark.parametrize(
    "rows",
    [
        "",
        "x",
        CELL,
        "<row r=\"1\">" + CELL,
        "<row r=\"1\">" + CELL + "</row></row>",
        "<row r=\"1\"><row r=\"2\">" + CELL + "</row></row>",
        packages.row(1, CELL) + CELL,
        packages.row(1, CELL) + "x",
        packages.row(1, "x" + CELL),
        packages.row(1, CELL + "&amp;"),
        packages.row(1, '<c r="A1"/></c>'),
        packages.row(1, '<c r="A1"/><v>1</v></c>'),
        packages.row(1, '<c r="A1"/><f>1</f></c>'),
        packages.row(1, '<c r="A1"><v>1</v>'),
        packages.row(1, '<c r="A1"><v>1</v><f>1</f></c>'),
        packages.row(1, '<c r="A1"><f></f></c>'),
        packages.row(1, '<c r="A1"><f/></f></c>'),
        packages.row(1, '<c r="A1"><f>a<b/></f></c>'),
        packages.row(1, '<c r="A1"><v>]]></v></c>'),
        packages.row(1, '<c r="A1"><v>a\rb</v></c>'),
        packages.row(1, '<c r="A1"><v>\x00</v></c>'),
        packages.row(1, '<c r="A1"><v>\uffff</v></c>'),
        packages.row(1, '<c r="a1"><v>1</v></c>'),
        packages.row(1, '<c r="AAAA1"><v>1</v></c>'),
        packages.row(1, '<c r="A1" t="inlineStr"><is><t>x</t></is></c>'),
        packages.row(1, '<c s="1" r="A1"><v>1</v></c>'),
        "<row><c r=\"A1\"/></row>",
        "<row r='1'><c r=\"A1\"/></row>",
        "<row r=\"1\" a=\"<\"><c r=\"A1\"/></row>",
    ],
)  # fmt: skip
def test_irregular(rows: str) -> None:
    with pytest.raises(Irregular):
        tokenise(rows.encode())


def test_octets_that_are_no_utf8() -> None:
    with pytest.raises(Irregular):
        tokenise(packages.row(1, CELL).encode().replace(b"<v>x", b"<v>\xff"))


@pytest.mark.parametrize("text", ["&", "&amp", "&x;", "&#65;", "&amp;&", "& amp;", "a&lt"])
def test_entities_left_to_expat(text: str) -> None:
    with pytest.raises(Irregular):
        decode_entities(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("a&lt;b", "a<b"), ("&amp;lt;", "&lt;"), ("&amp;amp;", "&amp;"), ("&quot;&apos;&gt;", "\"'>")],
)
def test_entities(text: str, expected: str) -> None:
    assert decode_entities(text) == expected


@pytest.mark.parametrize("text", ['s="1"', ' s="1"s="2"', ' s="1" s="2"', " s='1'", ' s=1', ' s="<"', ' s="&amp;"', " /x", ' a:b="1"'])  # fmt: skip
def test_attributes_that_are_not_regular(text: str) -> None:
    assert parse_attributes(text) is None


def test_attributes() -> None:
    assert parse_attributes("") == {}
    assert parse_attributes("/") == {}
    assert parse_attributes(' t="s" cm="1" /') == {"t": "s", "cm": "1"}


FRAGMENTS = [
    "<row", ' r="1"', ' r="2"', ">", "/>", "</row>", "<c", ' r="A1"', ' r="B1"', ' s="1"', ' t="s"', ' t="str"', ' cm="1"', "<f>",
    "<f/>", "</f>", '<f t="shared" si="0">', '<f t="shared" si="0" ref="A1:B2">', '<f t="array" ref="A1:B2">', "<v>", "</v>", "<v/>",
    "</c>", "1", "-2.5E3", "A1&amp;B1", "&lt;", "&#65;", "&x;", "]]>", " ", "\n", "<!-- x -->", "<is><t>x</t></is>", "é", "_x0041_",
]  # fmt: skip
cells = st.sampled_from(
    [
        '<c r="{}1"><v>1.5</v></c>',
        '<c r="{}1" s="1"/>',
        '<c r="{}1"><f>A1+1</f><v>2</v></c>',
        '<c r="{}1" t="s"><v>0</v></c>',
    ]
)
rows_of_cells = st.lists(cells, min_size=1, max_size=6).map(
    lambda found: packages.row(1, "".join(cell.format(letter) for cell, letter in zip(found, "ABCDEF", strict=False)))
)


@st.composite
def mutated(draw: Any) -> str:
    """Rows of cells with a few fragments put in, taken out or doubled anywhere."""
    text = "".join(draw(st.lists(rows_of_cells, min_size=1, max_size=3)))
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(text)))
        cut = draw(st.integers(0, 8))
        text = text[:at] + draw(st.sampled_from(["", *FRAGMENTS])) + text[at + cut :]
    return text


@settings(max_examples=400)
@given(st.one_of(mutated(), st.lists(st.sampled_from(FRAGMENTS), max_size=12).map("".join)))
def test_both_ways_agree_on_anything(rows: str) -> None:
    data = packages.book(rows, strings="<si><t>text</t></si>")
    expected, found = outcome(with_expat_alone, data), outcome(read_workbook, data)
    if isinstance(expected, WorkbookGrid) and isinstance(found, WorkbookGrid):
        assert_alike(found, expected)
    else:
        assert found == expected


def outcome(read: Callable[[bytes], WorkbookGrid], data: bytes) -> WorkbookGrid | tuple[str, str]:
    """The grid, or code and message of the refusal."""
    try:
        return read(data)
    except UnreadableFile as refusal:
        return refusal.code, refusal.message
