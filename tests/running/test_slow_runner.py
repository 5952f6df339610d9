"""Both runners give the same bits: blocks at once, and one cell at a time in plain Python."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.functions.evaluate import grid_of
from xlsx_attention import parsing, reading
from xlsx_attention.compiling.plan import compile_plan
from xlsx_attention.model.address import Rect
from xlsx_attention.model.grid import Sheet, WorkbookGrid
from xlsx_attention.model.values import Plane
from xlsx_attention.pipeline import parse_names
from xlsx_attention.running.run import from_precedents
from xlsx_attention.running.slow import SlowRunner

WORKBOOKS = [
    "ai-by-hand/Self-Attention",
    "ai-by-hand/Softmax",
    "ai-by-hand/Transformer",
    "ai-by-hand/LSTM",
    "ai-by-hand/Temperature",
    "backprop-class/backprop",
    "google-style/Neural-Network",
    "pysheetgrader/TestModeKey",
]


def compare(grid: WorkbookGrid) -> int:
    """Every cell of every step both ways; how many cells."""
    plan = compile_plan(grid, parsing.find_blocks(grid), parse_names(grid))
    planes = from_precedents(grid, plan)
    slow = SlowRunner(grid, plan, [sheet.cached for sheet in grid.sheets])
    cells = 0
    for step in plan.steps:
        for cell in step.block.cells.cells():
            fast = grid.scalar(*planes[step.block.sheet].get(*cell))
            assert fast == slow.cell(step, *cell), (step.block.form.r1c1, cell)
            cells += 1
    return cells


@pytest.mark.parametrize("name", WORKBOOKS)
def test_both_runners_give_the_same_bits_on_real_workbooks(corpus: Path, name: str) -> None:
    assert compare(reading.read_workbook(corpus / f"{name}.xlsx")) > 10


NUMBERS = st.floats(-50, 50, allow_nan=False).map(lambda x: round(x, 3))
VALUES = st.one_of(NUMBERS, st.sampled_from(["", "a", "2", "#DIV/0!", True, False, None]))
REFERENCES = ["A1", "$A1", "A$1", "$A$1", "A1:B3", "$A$1:$B$3", "A$1:A1", "B1:$C2", "C2"]


@st.composite
def formulas(draw: st.DrawFn) -> str:
    """Small formulas over A1:D6, as a fill would place them."""
    depth = draw(st.integers(0, 2))

    def expression(level: int) -> str:
        if level == 0:
            return draw(st.sampled_from([*REFERENCES, "2", "0.5", '"3"', "TRUE", "-1"]))
        kind = draw(st.sampled_from(["op", "call", "unary"]))
        if kind == "op":
            op = draw(st.sampled_from(["+", "-", "*", "/", "^", "&", "=", "<", ">="]))
            return f"({expression(level - 1)}{op}{expression(level - 1)})"
        if kind == "unary":
            return draw(st.sampled_from(["-{}", "{}%", "+{}"])).format(expression(level - 1))
        name = draw(st.sampled_from(["SUM", "MAX", "MIN", "AVERAGE", "EXP", "SQRT", "SUMPRODUCT", "TRANSPOSE"]))
        return f"{name}({expression(level - 1)})"

    return expression(depth)


@settings(max_examples=120)
@given(
    st.lists(VALUES, min_size=24, max_size=24),
    formulas(),
    st.sampled_from(["plain", "array"]),
    st.integers(1, 3),
    st.integers(1, 3),
)
def test_a_filled_block_equals_its_cells_one_by_one(
    values: list[float | str | bool | None], formula: str, mode: str, height: int, width: int
) -> None:
    from openpyxl.formula.translate import Translator

    from xlsx_attention.model.address import cell_name
    from xlsx_attention.model.grid import ArrayFormula

    cells = {cell_name(i // 4, i % 4): value for i, value in enumerate(values)}
    grid = grid_of(cells)
    sheet = grid.sheets[0]
    # The fill starts at F2; its references are written as seen from A1 and move along.
    places = [(1 + i, 5 + j) for i in range(height) for j in range(width)]
    texts = [Translator(f"={formula}", "A1").translate_formula(cell_name(r - 1, c - 5))[1:] for r, c in places]
    plane = Plane.empty(Rect(0, 0, 8, 9))
    plane.write(sheet.cached.rect, sheet.cached.number, sheet.cached.kind)
    import numpy as np

    filled = Sheet(
        "Sheet1",
        0,
        plane,
        np.array([r for r, _ in places], np.int32),
        np.array([c for _, c in places], np.int32),
        texts,
        arrays={} if mode == "plain" else {p: ArrayFormula(Rect.cell(*p), "array") for p in places},
    )
    grid.sheets[0] = filled
    assert compare(grid) == len(places)
