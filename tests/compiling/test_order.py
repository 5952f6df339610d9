"""Recurrences, knots and cycles: what runs when, and what never can."""

from __future__ import annotations

import numpy as np

from tests.functions.evaluate import Plain, grid_of
from xlsx_attention import parsing
from xlsx_attention.compiling.plan import compile_plan
from xlsx_attention.model.address import Rect, cell_name, parse_cell
from xlsx_attention.model.grid import DefinedName, WorkbookGrid
from xlsx_attention.model.plan import Plan
from xlsx_attention.model.values import Plane
from xlsx_attention.pipeline import parse_names
from xlsx_attention.running.run import from_inputs


def workbook(constants: dict[str, Plain], formulas: dict[str, str]) -> WorkbookGrid:
    """One sheet; formulas have no stored value."""
    grid = grid_of({"A1": None, **constants})
    sheet = grid.sheets[0]
    places = sorted((*parse_cell(cell), text) for cell, text in formulas.items())
    rect = sheet.cached.rect
    for row, column, _ in places:
        rect = rect.union(Rect.cell(row, column))
    plane = Plane.empty(rect)
    plane.write(sheet.cached.rect, sheet.cached.number, sheet.cached.kind)
    sheet.cached = plane
    sheet.formula_rows = np.array([row for row, _, _ in places], np.int32)
    sheet.formula_columns = np.array([column for _, column, _ in places], np.int32)
    sheet.formula_texts = [text.removeprefix("=") for _, _, text in places]
    return grid


def compiled(grid: WorkbookGrid) -> Plan:
    return compile_plan(grid, parsing.find_blocks(grid), parse_names(grid))


def values(grid: WorkbookGrid, *cells: str) -> list[float | str | bool | None]:
    planes = from_inputs(grid, compiled(grid), parse=parsing.parse)
    return [grid.scalar(*planes[0].get(*parse_cell(cell))).python for cell in cells]


def test_a_column_that_reads_its_own_last_row_runs_downwards() -> None:
    # Arithmetic by hand: 1, 3, 7, 15 (twice the last plus 1).
    grid = workbook({"A1": 1.0}, {f"A{i}": f"=2*A{i - 1}+1" for i in range(2, 5)})
    assert values(grid, "A2", "A3", "A4") == [3.0, 7.0, 15.0]
    assert [task.rect.a1 for task in compiled(grid).tasks] == ["A2", "A3", "A4"]


def test_a_row_that_reads_its_right_neighbour_runs_leftwards() -> None:
    grid = workbook({"E1": 5.0}, {f"{c}1": f"={n}1+1" for c, n in zip("ABCD", "BCDE", strict=True)})
    assert values(grid, "A1", "B1", "C1", "D1") == [9.0, 8.0, 7.0, 6.0]


def test_a_running_sum_over_a_growing_range() -> None:
    grid = workbook({f"A{i}": float(i) for i in range(1, 5)}, {f"B{i}": f"=SUM(A$1:A{i})" for i in range(1, 5)})
    assert values(grid, "B1", "B2", "B3", "B4") == [1.0, 3.0, 6.0, 10.0]


def test_two_columns_that_lean_on_each_other_are_untied_cell_by_cell() -> None:
    # x' = x + y, y' = x: Fibonacci numbers.
    formulas = {f"A{i}": f"=A{i - 1}+B{i - 1}" for i in range(2, 8)} | {f"B{i}": f"=A{i - 1}" for i in range(2, 8)}
    grid = workbook({"A1": 1.0, "B1": 0.0}, formulas)
    assert values(grid, *(f"A{i}" for i in range(2, 8))) == [1.0, 2.0, 3.0, 5.0, 8.0, 13.0]
    assert compiled(grid).cycles == ()


def test_cycles_are_named_and_what_follows_them_still_runs() -> None:
    grid = workbook({"C1": 2.0}, {"A1": "=B1+1", "B1": "=A1*2", "D1": "=C1*3", "E1": "=A1+C1"})
    plan = compiled(grid)
    assert [[cell_name(row, column) for _, row, column in cycle] for cycle in plan.cycles] == [["A1", "B1"]]
    assert values(grid, "D1") == [6.0]


def test_a_cell_that_sums_itself_is_a_cycle_of_one() -> None:
    plan = compiled(workbook({"A1": 1.0}, {"A2": "=SUM(A1:A2)"}))
    assert [[cell_name(row, column) for _, row, column in cycle] for cycle in plan.cycles] == [["A2"]]


def test_a_reference_known_only_at_run_time_waits_for_its_cell() -> None:
    formulas = {"B1": '=INDIRECT("C"&A1)', "C9": "=A2*10", "D1": "=OFFSET(A1,8,2)+1", "E1": "=B1+D1"}
    grid = workbook({"A1": 9.0, "A2": 4.0}, formulas)
    assert values(grid, "B1", "D1", "E1") == [40.0, 41.0, 81.0]


def test_a_chain_of_a_hundred_thousand_cells_is_ordered_without_recursion() -> None:
    count = 100_000
    grid = workbook({"A1": 0.0}, {f"A{i}": f"=A{i - 1}+1" for i in range(2, count + 1)})
    plan = compiled(grid)
    assert len(plan.tasks) == count - 1
    assert [task.rect.top for task in plan.tasks[:3]] == [1, 2, 3]
    assert plan.cycles == ()


def test_a_name_for_the_cell_above_holds_below_an_at_sign_too() -> None:
    # A relative name is stored as seen from A1, so that the cell above is the column's last, A1048576.
    grid = workbook({"A1": 3.0, "A2": 4.0}, {"A3": "=-ABOVE", "A4": "=ABOVE+1"})
    grid.names = (DefinedName("ABOVE", "@A1048576"),)
    assert values(grid, "A3", "A4") == [-4.0, -3.0]
