"""A block that reads itself runs in Python's floats; it gives what the block evaluator gives, to the bit and the
kind.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.functions.evaluate import grid_of
from xlsx_attention import parsing
from xlsx_attention.compiling.plan import compile_plan
from xlsx_attention.model.address import Rect
from xlsx_attention.model.grid import Sheet, WorkbookGrid
from xlsx_attention.model.values import Plane
from xlsx_attention.pipeline import parse_names
from xlsx_attention.running import run

ROWS = 24
#: A2 and below; column A reads the cell above, B holds anything, C1 is a constant.
FORMULAS = [
    "A{0}+B{0}", "A{0}-B{1}", "A{0}*0.5+B{1}", "A{0}*$C$1", "A{0}/B{1}", "-A{0}+B{1}*2", "A{0}-A{0}/$C$1",
    "(A{0}+B{1})-B{1}", "A{0}+0.1-0.1", "+A{0}*A{0}", "A{0}*1E-200", "1/A{0}", "A{0}", "(A{0}-B{1})",
]  # fmt: skip
NUMBERS = st.one_of(
    st.floats(-9, 9).map(lambda x: round(x, 2)), st.sampled_from([0.0, 1e200, -1e-200, 0.1, 0.3, 1e15, 3.0])
)
ODD = st.one_of(NUMBERS, NUMBERS, st.sampled_from([None, "2", "x", True, "#N/A"]))


def book(formula: str, first: float, constant: float, beside: list[float | str | bool | None]) -> WorkbookGrid:
    cells = {"A1": first, "C1": constant, **{f"B{i + 1}": value for i, value in enumerate(beside)}}
    grid = grid_of(cells)
    old = grid.sheets[0].cached
    plane = Plane.empty(Rect(0, 0, ROWS, 3))
    plane.write(old.rect, old.number, old.kind)
    places = np.arange(1, ROWS, dtype=np.int32), np.zeros(ROWS - 1, np.int32)
    texts = [formula.format(row, row + 1) for row in range(1, ROWS)]
    grid.sheets[0] = Sheet("Sheet1", 0, plane, *places, texts)
    return grid


def chain(grid: WorkbookGrid) -> list[tuple[float, int]]:
    plan = compile_plan(grid, parsing.find_blocks(grid), parse_names(grid))
    planes = run.from_inputs(grid, plan, parse=parsing.parse)
    return [planes[0].get(row, 0) for row in range(ROWS)]


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(FORMULAS), NUMBERS, NUMBERS, st.lists(ODD, min_size=ROWS, max_size=ROWS))
def test_chains_equal_the_block_evaluator(
    monkeypatch: pytest.MonkeyPatch,
    formula: str,
    first: float,
    constant: float,
    beside: list[float | str | bool | None],
) -> None:
    quick = chain(book(formula, first, constant, beside))
    with monkeypatch.context() as patch:
        patch.setattr(run, "_MANY_TASKS", 1 << 30)
        plain = chain(book(formula, first, constant, beside))
    assert [(x.hex(), kind) for x, kind in quick] == [(x.hex(), kind) for x, kind in plain]


def test_a_chain_does_run_in_floats(monkeypatch: pytest.MonkeyPatch) -> None:
    # Else the comparison above compares the evaluator with itself.
    grid = book("A{0}*0.5+B{1}", 1.0, 0.0, [1.0] * ROWS)
    asked: list[Rect] = []
    monkeypatch.setattr(run, "evaluate", lambda machine, step, rect: asked.append(rect))
    values = chain(grid)
    assert asked == []
    # By hand: 1, 1.5, 1.75, 1.875, …
    assert [x for x, _ in values[:4]] == [1.0, 1.5, 1.75, 1.875]
