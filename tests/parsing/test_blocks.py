"""Blocks: full rectangles of one form that together hold every formula cell once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.parsing.books import corpus_grids, grid_of, sheet_of, stored_texts
from xlsx_attention.model.address import MAX_COLUMNS, MAX_ROWS, Rect, column_name
from xlsx_attention.model.formula import Block, FormulaForm
from xlsx_attention.model.grid import ArrayFormula, Sheet, WorkbookGrid
from xlsx_attention.parsing import fill, find_blocks, formula_at, relative_form


def check(grid: WorkbookGrid) -> tuple[Block, ...]:
    """What must hold for every workbook: each formula cell in one block, whose form gives its stored text."""
    blocks = find_blocks(grid)
    assert [(b.sheet, b.rect.top, b.rect.left) for b in blocks] == sorted(
        (b.sheet, b.rect.top, b.rect.left) for b in blocks
    )
    for sheet in grid.sheets:
        form_at = {cell: block.form for block in blocks if block.sheet == sheet.index for cell in block.rect.cells()}
        assert sum(block.rect.size for block in blocks if block.sheet == sheet.index) == len(form_at)
        assert set(form_at) == set(zip(sheet.formula_rows.tolist(), sheet.formula_columns.tolist(), strict=True))
        texts = {(row, column): text for row, column, text in stored_texts(sheet)}
        for (row, column), text in texts.items():
            assert form_at[row, column] == relative_form(text, row, column)
        for member, master in sheet.shared.items():
            cells = [(int(sheet.formula_rows[at]), int(sheet.formula_columns[at])) for at in (member, master)]
            assert form_at[cells[0]] is form_at[cells[1]]
        for block in blocks:
            if block.sheet == sheet.index:
                array = sheet.arrays.get((block.rect.top, block.rect.left))
                assert block.mode == (array.mode if array else "plain")
                assert block.spill == (array.rect if array and array.rect.size > 1 else None)
                corner = block.rect.top, block.rect.left
                assert block.sample == (texts.get(corner) or formula_at(block.form, *corner))
    return blocks


def rects(sheet: Sheet) -> list[str]:
    return [block.rect.a1 for block in check(grid_of(sheet))]


def filled(rect: str, write: Callable[[int, int], str]) -> dict[tuple[int, int], str]:
    return {(row, column): write(row, column) for row, column in Rect.parse(rect).cells()}


def left_times_top(row: int, column: int) -> str:
    return f"$A{row + 1}*{column_name(column)}$1"


def test_a_fill_is_one_block() -> None:
    (block,) = check(grid_of(sheet_of(filled("B2:M20", left_times_top))))
    assert block.rect.a1 == "B2:M20"
    assert block.form.r1c1 == "RC1*R1C"
    assert block.sample == "$A2*B$1"
    assert block.cells == block.rect


def test_people_call_these_blocks() -> None:
    """A stranger in a block parts it; two blocks with a gap are two; a column and a row of one form stay whole."""
    stranger = filled("B2:D9", left_times_top) | {(4, 2): "7"}
    assert rects(sheet_of(stranger)) == ["B2:D4", "B5", "C5", "D5", "B6:D9"]
    assert rects(sheet_of(filled("B2:C3", left_times_top) | filled("E2:F3", left_times_top))) == ["B2:C3", "E2:F3"]
    steps = filled("B2:B9", left_times_top) | filled("C2:C6", left_times_top) | filled("D4:D9", left_times_top)
    assert rects(sheet_of(steps)) == ["B2:B9", "C2:C6", "D4:D9"]  # by rows there would be six
    step_down = filled("H2:J3", left_times_top) | filled("H4:L5", left_times_top)
    assert rects(sheet_of(step_down)) == ["H2:J3", "H4:L5"]
    # Each patch is cut in its own better way.
    assert rects(sheet_of(steps | step_down)) == ["B2:B9", "C2:C6", "H2:J3", "D4:D9", "H4:L5"]


def test_variants_of_writing_are_forms_of_their_own() -> None:
    cells = {(0, 1): "A1*2", (0, 2): "B1*2", (0, 3): "C1 *2", (0, 4): "d1*2", (0, 5): "E01*2", (0, 6): "$F1*2"}
    blocks = check(grid_of(sheet_of(cells)))
    assert [(block.rect.a1, block.form.r1c1) for block in blocks] == [
        ("B1:C1", "RC[-1]*2"),
        ("D1", "RC[-1] *2"),
        ("E1:F1", "RC[-1]*2"),
        ("G1", "RC6*2"),
    ]


def test_modes_and_spills() -> None:
    cells = filled("B2:D3", left_times_top)
    arrays = {cell: ArrayFormula(Rect.cell(*cell), "array") for cell in Rect.parse("C2:D3").cells()}
    arrays[1, 1] = ArrayFormula(Rect.parse("B2:B9"), "dynamic")
    blocks = check(grid_of(sheet_of(cells, arrays=arrays)))
    assert [(b.rect.a1, b.mode, b.spill.a1 if b.spill else None) for b in blocks] == [
        ("B2", "dynamic", "B2:B9"),
        ("C2:D3", "array", None),
        ("B3", "plain", None),
    ]
    assert blocks[0].cells == Rect.parse("B2:B9")


def test_shared_members_have_their_masters_form() -> None:
    members = dict.fromkeys(list(Rect.parse("B2:D300").cells())[1:], (1, 1))
    for cells in ({(1, 1): "$A2*B$1"}, {(1, 1): "$A2*B$1", (0, 0): "1"}):
        block = check(grid_of(sheet_of(cells, shared=members)))[-1]
        assert block.rect.a1 == "B2:D300"
    # A master below its members: the sample is written for the block's own corner.
    (block,) = check(grid_of(sheet_of({(5, 1): "A6+1"}, shared={(4, 1): (5, 1)})))
    assert (block.rect.a1, block.sample) == ("B5:B6", "A5+1")


def test_a_faulty_formula_is_a_block_with_a_fault() -> None:
    good, bad = check(grid_of(sheet_of({(0, 0): "1+1", (2, 0): "SUM(B1", (3, 0): "SUM(B2"})))
    assert good.form.tree is not None
    assert (bad.rect.a1, bad.form.tree, bad.sample) == ("A3:A4", None, "SUM(B1")
    assert "expected" in bad.form.fault


def test_sheets_in_order_and_empty_ones() -> None:
    grid = grid_of(sheet_of({(3, 3): "1"}), sheet_of({}, 1), sheet_of({(0, 0): "1"}, 2))
    assert [(block.sheet, block.rect.a1) for block in check(grid)] == [(0, "D4"), (2, "A1")]
    assert find_blocks(grid_of()) == ()


@pytest.mark.parametrize(
    "cells",
    [
        {(row, 1): f"A{row + 1}/A{row}" for row in range(1, 3000)},  # a tall column
        {(row, c): f"{'ABC'[c - 1]}{row + 1}*{c}" for row in range(900) for c in (1, 2, 3)},  # narrow, side by side
        {(row, c): f"A{row + 1}*{1 + (row + c) % 3}" for row in range(40) for c in range(1, 40)},  # forms in turn
        {(MAX_ROWS - 1 - i, 0): f"B{MAX_ROWS - i}" for i in range(50)},  # the last rows
        {(3, MAX_COLUMNS - 1 - i): f"{column_name(MAX_COLUMNS - 1 - i)}5" for i in range(50)},  # the last columns
        {(row, 0): f"A{row + 2}" for row in range(MAX_ROWS - 9, MAX_ROWS)},  # names at the end: A1048577 is no cell
        {(0, c): f"SUM({column_name(c)}:{column_name(c + 2)})" for c in range(600, 800)},  # Z to AA, ZZ to AAA
        {(row, c): f"SUM($B{row + 1},$C${c + 9})" for row in range(60) for c in range(90)},  # a form for each column
        {(row, c): f"SUM($B${row + 1},{column_name(c)}9)" for row in range(60) for c in range(90)},  # and for each row
        {(row, 2): f'SUM({row + 1}:{row + 3})&"{row}"' for row in range(90)},  # texts that follow the row
    ],
)
def test_long_fills(cells: dict[tuple[int, int], str]) -> None:
    check(grid_of(sheet_of(cells)))


FORMS: list[Callable[[int, int], str]] = [
    left_times_top,
    lambda r, c: f"{column_name(c + 1)}{r + 2}*{column_name(c + 2)}{r + 1}+{column_name(c + 3)}${r + 1}",
    lambda r, c: "PI()",
    lambda r, c: f"SUM($A$1:{column_name(c)}{r + 1})",
    lambda r, c: f"SUM( $A$1:{column_name(c)}{r + 1})",
    lambda r, c: f"{column_name(c).lower()}{r + 1}",
    lambda r, c: f"{column_name(c)}{r + 1}",
    lambda r, c: "SUM(",
    lambda r, c: f"{r}%",
    lambda r, c: f"A1+{column_name(c)}:{column_name(c)}",
    lambda r, c: f"SUMPRODUCT($B{r + 1}:$D{r + 1},$B${c + 5}:$D${c + 5})",  # each column has its own form
    lambda r, c: f"1{column_name(c)}{r + 1}",  # a number in column E and nothing in others
]


@given(
    st.lists(
        st.tuples(
            st.integers(0, 12), st.integers(0, 12), st.integers(1, 12), st.integers(1, 12), st.integers(0, len(FORMS))
        ),
        min_size=1,
        max_size=8,
    ),
    st.integers(0, 4),
)
@settings(max_examples=200)
def test_any_patchwork(patches: list[tuple[int, int, int, int, int]], shape: int) -> None:
    """Rectangles of forms over one another, some blank, wide or tall: blocks against reading each cell."""
    stretch = [(1, 1), (1, 5), (9, 1), (3, 3), (1, 2)][shape]
    cells: dict[tuple[int, int], str] = {}
    for top, left, height, width, form in patches:
        for row in range(top * stretch[0], (top + height) * stretch[0]):
            for column in range(left * stretch[1], (left + width) * stretch[1]):
                if form == len(FORMS):
                    cells.pop((row, column), None)
                else:
                    cells[row, column] = FORMS[form](row, column)
    check(grid_of(sheet_of(cells)))


def test_public_workbooks(corpus: Path) -> None:
    """Every formula cell of each; and 877 cells of one sheet are the 11 blocks that a person counts on it."""
    cells = sum(sum(block.rect.size for block in check(grid)) for grid in corpus_grids(corpus))
    assert cells > 18_000
    (grid,) = (grid for grid in corpus_grids(corpus) if grid.path.endswith("Self-Attention.xlsx"))
    counts = [sum(block.sheet == sheet.index for block in find_blocks(grid)) for sheet in grid.sheets]
    sizes = [sheet.formula_count for sheet in grid.sheets]
    assert sizes[:3] == [140, 457, 877]
    assert counts[:3] == [22, 11, 11]


def test_blocks_are_plain_data() -> None:
    """Positions are Python's own integers, so that blocks can be written as JSON."""
    sheet = sheet_of(filled("B2:C3", left_times_top) | filled("B4:B9", left_times_top))
    for block in find_blocks(grid_of(sheet)):
        assert {type(edge) for edge in (block.rect.top, block.rect.left, block.rect.bottom, block.rect.right)} == {int}
        assert not isinstance(block.sheet, np.integer)


def test_a_copy_may_be_too_long() -> None:
    """A text of 8,192 characters with `A9` has copies with `A10`, beyond Excel's limit: those alone are at fault."""
    cells = {(row, 1): f'A{row + 1}&"{"x" * 8187}"' for row in range(6, 12)}
    assert {len(text) for text in cells.values()} == {8192, 8193}
    blocks = check(grid_of(sheet_of(cells)))
    assert [(block.rect.a1, block.form.tree is None) for block in blocks] == [
        ("B7:B9", False),
        ("B10", True),
        ("B11", True),
        ("B12", True),
    ]
    assert "8192 characters" in blocks[1].form.fault


def test_what_lies_left_of_the_sheet_is_no_match() -> None:
    """Three columns left of A there is nothing, not the last of some list of names, were it `ZX` or `XFB`."""
    for name in ("X", "ZX", "XFB"):
        above, below = check(grid_of(sheet_of({(0, 5): "C1*2", (0, 6): "D1*2", (1, 0): f"{name}2*2"})))
        assert above.form.r1c1 == "RC[-3]*2"
        assert below.form.r1c1 != above.form.r1c1


@pytest.mark.parametrize(
    ("rect", "write", "reads"),
    [
        ("D4:AQ43", left_times_top, 1),
        ("D4:AQ43", FORMS[1], 40),  # a `$` on the row
        ("D4:AQ43", lambda r, c: f"MMULT($A{r + 1}:$C{r + 1},{column_name(c)}$5:{column_name(c)}$8)", 1),
        ("D4:AQ43", lambda r, c: f"{column_name(c - 1)}{r}+{column_name(c)}{r + 2}+{column_name(c + 1)}{r + 1}", 1),
        ("D4:D900", left_times_top, 1),
        ("A4:CL63", lambda r, c: f"SUM($B{r + 1},$C${c + 9})", 90),
        ("A4:CL63", lambda r, c: f"SUM($B${r + 1},{column_name(c)}9)", 60),
        ("A4:E99", lambda r, c: f"A{r + 1}*{1 + c % 3}", 5),
        (
            "A4:Z99",
            lambda r, c: f"{column_name(c)}1*{1 + (r + c) % 3}",
            4 * 96,
        ),  # three forms in turn: the fourth cell of a row teaches the turn
    ],
)
def test_a_form_is_read_once(
    rect: str, write: Callable[[int, int], str], reads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All other cells of a fill are recognised from the texts that the form foretells."""
    read: list[str] = []

    def counting(text: str, row: int, column: int) -> FormulaForm:
        read.append(text)
        return relative_form(text, row, column)

    monkeypatch.setattr(fill, "relative_form", counting)
    grid = grid_of(sheet_of(filled(rect, write)))
    blocks = find_blocks(grid)
    assert sum(block.rect.size for block in blocks) == Rect.parse(rect).size
    assert len(read) == reads
