"""Hostile extents: where the cells are, how many, and how they hang together."""

from __future__ import annotations

from collections.abc import Callable

from tests.reading import packages
from tests.security.hazards.build import Cell, book, formula, number, rows
from tests.security.hazards.outcome import Hazard, Outcome, Read, Refused
from xlsx_attention.model.address import cell_name


def _chain(length: int, cached: bool, unlike: bool = False, backwards: bool = False) -> bytes:
    cells: list[Cell] = [number(length if backwards else 0, 0, 1)]
    for i in range(length):
        row = i if backwards else i + 1
        step = i if unlike else 1
        before = cell_name(row + 1 if backwards else row - 1, 0)
        value = (1 + i * (i + 1) // 2 if unlike else i + 2) if cached else None
        cells.append(formula(row, 0, f"{before}+{step}", value))
    return book(*cells)


def _ring(length: int) -> bytes:
    return book(formula(0, 0, f"A{length}+1"), *(formula(row, 0, f"A{row}+1") for row in range(1, length)))


def _unlike(count: int, wrong: bool = False) -> bytes:
    cells = [number(row, 0, row) for row in range(count)]
    return book(*cells, *(formula(row, 1, f"A{row + 1}*{row}+{row}", row * row + row + wrong) for row in range(count)))


def _fragments(count: int, columns: int = 1) -> bytes:
    cells = [number(row, 0, row) for row in range(3 * count)]
    for row in range(0, 3 * count, 3):
        cells += [formula(row, 1 + column, f"$A{row + 1}*{column}", row * column) for column in range(columns)]
    return book(*cells)


def _checkerboard(side: int) -> bytes:
    """A block with a number of its own typed over every fifth cell."""
    return book(
        *(number(row, 0, row) for row in range(side)),
        *(
            number(row, column, 1_000 + 61 * row + column)
            if (row + 2 * column) % 5 == 0
            else formula(row, column, f"$A{row + 1}*2", 2 * row)
            for row in range(side)
            for column in range(1, side)
        ),
    )


def _diagonal(count: int, formulas: bool) -> bytes:
    if formulas:
        return book(*(formula(i, i % 16_384, "1+1", 2) for i in range(count)))
    return book(*(number(i, i % 16_384, i) for i in range(count)))


def _crossed(count: int) -> bytes:
    """Every formula of one column reads every formula of another: count × count dependencies."""
    cells: list[Cell] = []
    for i in range(count):
        cells += [formula(i, 0, f"1+{i}", i + 1), formula(i, 1, f"SUM(A$1:A{count})+{i}", 0)]
    return book(*cells)


def _staircase(count: int) -> bytes:
    """The same with another range for each."""
    cells: list[Cell] = []
    for i in range(count):
        cells += [formula(i, 0, f"1+{i}", i + 1), formula(i, 1, f"SUM(A$1:A{i + 1})+{i}", 0)]
    return book(*cells)


def _range_cycles(count: int) -> bytes:
    return book(
        *(formula(i, 0, f"SUM(A$1:B${count})+{i}") for i in range(count)), *(number(i, 1, i) for i in range(count))
    )


def _spoilt(count: int) -> bytes:
    """A chain in which every other cell is wrong: each origin spoils all that follows."""
    return book(number(0, 0, 1), *(formula(i, 0, f"A{i}+{i}", -i * (1 + i % 2)) for i in range(1, count)))


def _names(count: int) -> bytes:
    listed = {f"n{i}x": "S!$A$1" for i in range(count)}
    return book(number(0, 0, 1), *(formula(i, 1, f"n{i}x*2", 2) for i in range(min(count, 2_000))), names=listed)


def _two_sheets(count: int) -> bytes:
    names = "".join(f'<sheet name="S{i}" sheetId="{i + 1}" r:id="rId1"/>' for i in range(count))
    cells = rows([number(0, 0, 1), formula(0, 1, f"SUM(S0:S{count - 1}!A1)", count)])
    return packages.pack({**packages.parts(cells), "xl/workbook.xml": packages.workbook(names)})


def _dimension(ref: str) -> bytes:
    return packages.book(rows([number(0, 0, 1), formula(0, 1, "A1+1", 2)]), before=f'<dimension ref="{ref}"/>')


def _array(ref: str) -> bytes:
    return packages.book(
        packages.row(1, f'<c r="A1"><v>1</v></c><c r="B1"><f t="array" ref="{ref}">A1*2</f><v>2</v></c>')
    )


def _arrays(count: int) -> bytes:
    return packages.book(
        "".join(
            packages.row(i + 1, f'<c r="A{i + 1}"><f t="array" ref="A{i + 1}:XFD{i + 40}">1</f><v>1</v></c>')
            for i in range(count)
        )
    )


def _shared(ref: str) -> bytes:
    return packages.book(
        packages.row(1, f'<c r="A1"><v>1</v></c><c r="B1"><f t="shared" si="0" ref="{ref}">A1*2</f><v>2</v></c>')
        + packages.row(2, '<c r="A2"><v>2</v></c><c r="B2"><f t="shared" si="0"/><v>4</v></c>')
    )


def _styles_only() -> bytes:
    return packages.book(
        "".join(
            packages.row(i * 1000 + 1, '<c r="A1" s="1"/>'.replace("A1", f"XFD{i * 1000 + 1}")) for i in range(1_000)
        )
    )


def _cells(count: int) -> bytes:
    line = "".join(f'<c r="{cell_name(0, c)}"><v>1</v></c>' for c in range(1_000))
    body = "".join(
        f'<row r="{r + 1}">' + line.replace('1"><v>', f'{r + 1}"><v>') + "</row>" for r in range(count // 1_000)
    )
    return packages.book(body)


ONE, TWO = Read({"agrees": 1}), Read({"agrees": 2})
LINKS = Refused("over-budget", "--max-links")
BLOCKS = Refused("over-budget", "--max-blocks")
ROWS: list[tuple[str, Callable[[], bytes], Outcome]] = [
    ("a dimension that claims the whole grid", lambda: _dimension("A1:XFD1048576"), ONE),
    ("a dimension that claims one cell", lambda: _dimension("A1"), ONE),
    ("a dimension that is no range", lambda: _dimension("../A1"), ONE),
    (
        "XFD1048576 beside A1",
        lambda: book(number(0, 0, 1), formula(0, 1, "XFD1048576+A1", 8), number(1_048_575, 16_383, 7)),
        ONE,
    ),
    (
        "cells outside the grid",
        lambda: packages.book(
            packages.row(1, '<c r="A1"><v>1</v></c><c r="XFE1"><v>1</v></c>')
            + packages.row(1_048_577, '<c r="A1048577"><v>1</v></c>')
        ),
        Read({}, ("outside-grid",) * 3),
    ),
    ("a used range of styles only", _styles_only, Read()),
    ("an array formula over the whole grid", lambda: _array("B1:XFD1048576"), Read({"agrees": 1}, ("array-range",))),
    ("a shared formula over the whole grid: its two cells", lambda: _shared("B1:XFD1048576"), TWO),
    (
        "20,000 array formulas over 16,384 x 40 cells each",
        lambda: _arrays(20_000),
        Read({"agrees": 20_000}, (*("array-range",) * 100, "more")),
    ),
    (
        "=SUM(A:XFD) beside its cells",
        lambda: book(number(0, 0, 1), formula(0, 1, "SUM(C:XFD)", 0), formula(1, 0, "1+1", 2)),
        TWO,
    ),
    ("=SUM(A:XFD) over itself", lambda: book(number(0, 0, 1), formula(0, 1, "SUM(A:XFD)", 0)), Read({"circular": 1})),
    ("a ring of 50,000 cells", lambda: _ring(50_000), Read({"circular": 50_000})),
    ("cycles over a range, 1,000 cells", lambda: _range_cycles(1_000), Read({"circular": 1_000}, ("not-recognised",))),
    ("cycles over a range, 8,000 cells", lambda: _range_cycles(8_000), LINKS),
    ("a chain of 100,000 cells", lambda: _chain(100_000, cached=True), Read({"agrees": 100_000})),
    (
        "a chain of 100,000 cells without values",
        lambda: _chain(100_000, cached=False),
        Read({"no-cached-value": 100_000}),
    ),
    (
        "a chain of 100,000 cells upwards without values",
        lambda: _chain(100_000, cached=False, backwards=True),
        Read({"no-cached-value": 100_000}),
    ),
    ("a chain of 5,000 unlike cells", lambda: _chain(5_000, cached=True, unlike=True), Read({"agrees": 5_000})),
    ("a chain of 2,000 cells, every other wrong", lambda: _spoilt(2_001), Read({"origin": 2_000})),
    ("50,000 unlike formulas", lambda: _unlike(50_000), BLOCKS),
    ("5,000 unlike formulas", lambda: _unlike(5_000), Read({"agrees": 5_000})),
    ("3,000 unlike formulas, all wrong", lambda: _unlike(3_000, wrong=True), Read({"origin": 3_000})),
    ("100,000 scattered fragments of one form", lambda: _fragments(100_000), BLOCKS),
    ("1,900 scattered fragments of one form", lambda: _fragments(1_900), Read({"agrees": 1_900})),
    ("6 forms of 900 fragments each", lambda: _fragments(900, 6), Read({"agrees": 5_400})),
    ("a block with every fifth cell typed over", lambda: _checkerboard(60), Read({"agrees": 2_832, "origin": 708})),
    ("numbers on a diagonal of 100,000 cells", lambda: _diagonal(100_000, formulas=False), Read()),
    ("formulas on a diagonal of 5,000 cells", lambda: _diagonal(5_000, formulas=True), Read({"agrees": 5_000})),
    (
        "3,000 formulas that each read 3,000",
        lambda: _crossed(3_000),
        Read({"agrees": 3_000, "origin": 3_000}, ("not-recognised",)),
    ),
    ("3,000 formulas that read 1, 2, 3, … others", lambda: _staircase(3_000), LINKS),
    ("50,000 defined names", lambda: _names(50_000), Refused("over-budget", "--max-names")),
    ("9,000 defined names", lambda: _names(9_000), Read({"agrees": 2_000})),
    ("a sum over 200 sheets on each of them", lambda: _two_sheets(200), Read({"agrees": 200})),
    ("3 million cells", lambda: _cells(3_000_000), Refused("over-budget", "--max-cells")),
]

HAZARDS = [Hazard("extent", name, build, outcome) for name, build, outcome in ROWS]
