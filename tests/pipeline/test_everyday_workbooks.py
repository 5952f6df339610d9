"""Right workbooks as people write them, of which no cell may be accused, and wrong lessons, of which these cells are.

Each is calculated once, as a spreadsheet program would save it: what is asked is only who is accused.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import ClassVar

import pytest
import xlsxwriter

from xlsx_attention import parsing, reading
from xlsx_attention.compiling.plan import compile_plan
from xlsx_attention.model.address import Rect, cell_name
from xlsx_attention.model.report import FileReport
from xlsx_attention.pipeline import verify_file
from xlsx_attention.running import run

Cells = dict[str, "str | float"]


def saved(path: Path, cells: Mapping[str, str | float]) -> FileReport:
    """The report on the cells, each formula stored with its result; a typed number is an input like any other."""
    _write(path, cells, {})
    grid = reading.read_workbook(path)
    plan = compile_plan(grid, parsing.find_blocks(grid), {})
    holes = {(r.step, r.row, r.column) for r in plan.repairs}
    plan.tasks = tuple(t for t in plan.tasks if t.rect.size > 1 or (t.step, t.rect.top, t.rect.left) not in holes)
    plan.repairs = ()
    plane = run.from_inputs(grid, plan, parse=parsing.parse)[0]
    places = {name: Rect.parse(name) for name in cells}
    _write(path, cells, {name: grid.scalar(*plane.get(r.top, r.left)).python for name, r in places.items()})
    return verify_file(path)


def _write(path: Path, cells: Mapping[str, str | float], values: Mapping[str, object]) -> None:
    book = xlsxwriter.Workbook(str(path))
    sheet = book.add_worksheet()
    for name, content in cells.items():
        if isinstance(content, str) and content.startswith("="):
            sheet.write_formula(name, content, None, values.get(name, 0))
        else:
            sheet.write(name, content)
    book.close()


def named(report: FileReport) -> set[str]:
    """Every cell that is accused or found fault with."""
    cells = {c.cell for c in report.cells if c.verdict in ("origin", "overridden")}
    return cells | {cell_name(*cell) for finding in report.findings for cell in finding.rect.cells()}


# --- right workbooks ------------------------------------------------------------------------------------------------
def counter_that_restarts() -> Cells:
    typed = {2, 9, 15}
    return {f"A{r}": 1.0 if r in typed else f"=A{r - 1}+1" for r in range(2, 22)} | {
        f"B{r}": f"=A{r}*10" for r in range(2, 22)
    }


def price_until_further_notice() -> Cells:
    typed = {2: 12.0, 14: 13.5}
    return {f"A{r}": typed.get(r, f"=A{r - 1}") for r in range(2, 22)} | {f"B{r}": f"=A{r}*3" for r in range(2, 22)}


def staff_plan() -> Cells:
    hires = "01102110012210011201101102001121000121101102"
    cells: Cells = {}
    for i in range(4):
        cells[f"B{i + 2}"] = 5.0 + i
        for j in range(11):
            before, here = chr(ord("B") + j), chr(ord("C") + j)
            cells[f"{here}{i + 2}"] = f"={before}{i + 2}+{hires[11 * i + j]}"
    return cells


def subtotals() -> Cells:
    cells: Cells = {}
    for group in range(3):
        top = 2 + 5 * group
        for r in range(top, top + 4):
            cells |= {f"A{r}": float(r), f"B{r}": 3.0 * r, f"C{r}": f"=A{r}*B{r}"}
        cells[f"C{top + 4}"] = f"=SUM(C{top}:C{top + 3})"
    return cells | {"C17": "=C6+C11+C16"}


def past_months_beside_a_forecast() -> Cells:
    cells: Cells = {"A9": 1.02}
    for r in (2, 3, 4):
        for j in range(12):
            here, before = chr(ord("B") + j), chr(ord("A") + j)
            cells[f"{here}{r}"] = 100.0 + 7 * j - r if j < 8 else f"={before}{r}*$A$9"
    return cells


def distances_with_typed_zeros() -> Cells:
    cells: Cells = {f"A{i + 2}": float(i * i) for i in range(5)}
    for i in range(5):
        for j in range(5):
            cells[f"{'EFGHI'[j]}{i + 2}"] = 0.0 if i == j else f"=ABS($A{i + 2}-$A${j + 2})"
    return cells


class Lesson:
    """Self-attention over 4 tokens in rows, cell by cell: X A2:D5, W A8, A14, A20, then the steps below each other."""

    TOPS: ClassVar = {
        "Q": 26, "K": 32, "V": 38, "scores": 44, "scaled": 50, "exp": 56, "sum": 62, "weights": 68, "output": 74,
    }  # fmt: skip
    SIZES: ClassVar = {"Q": 3, "K": 3, "V": 3, "scores": 4, "scaled": 4, "exp": 4, "sum": 1, "weights": 4, "output": 3}

    def __init__(self) -> None:
        self.cells: Cells = {}
        inputs = {"X": (2, 4), "W_q": (8, 3), "W_k": (14, 3), "W_v": (20, 3)}
        for n, (name, (top, width)) in enumerate(inputs.items()):
            self.cells[f"A{top - 1}"] = name
            for i in range(4):
                for j in range(width):
                    # Any numbers without a pattern will do.
                    self.cells[f"{'ABCD'[j]}{top + i}"] = round(math.sin(1.0 + 7.3 * n + 3.1 * i + 1.7 * j), 1)
        for name, top in self.TOPS.items():
            self.cells[f"A{top - 1}"] = name
        for name in self.TOPS:
            self.put(name, self.right(name))

    def put(self, name: str, formula: Callable[[int, int, str], str | float]) -> None:
        for i in range(4):
            for j in range(self.SIZES[name]):
                self.cells[f"{'ABCD'[j]}{self.TOPS[name] + i}"] = formula(i, j, "ABCD"[j])

    def row(self, name: str, i: int) -> list[str]:
        return [f"{'ABCD'[j]}{self.TOPS[name] + i}" for j in range(self.SIZES[name])]

    def right(self, name: str) -> Callable[[int, int, str], str | float]:
        def product(left: int, weights: int, width: int) -> Callable[[int, int, str], str]:
            return lambda i, j, c: "=" + "+".join(f"${'ABCD'[d]}{left + i}*{c}${weights + d}" for d in range(width))

        makers: dict[str, Callable[[int, int, str], str | float]] = {
            "Q": product(2, 8, 4),
            "K": product(2, 14, 4),
            "V": product(2, 20, 4),
            "scores": lambda i, j, c: "=" + "+".join(f"${d}{26 + i}*${d}${32 + j}" for d in "ABC"),
            "scaled": lambda i, j, c: f"={c}{44 + i}/SQRT(3)",
            "exp": lambda i, j, c: f"=EXP({c}{50 + i}-MAX($A{50 + i}:$D{50 + i}))",
            "sum": lambda i, j, c: f"=SUM($A{56 + i}:$D{56 + i})",
            "weights": lambda i, j, c: f"={c}{56 + i}/$A{62 + i}",
            "output": product(68, 38, 4),
        }
        return makers[name]


def plain_lesson() -> Cells:
    return Lesson().cells


def causal_mask_typed() -> Cells:
    lesson = Lesson()
    scaled = lesson.right("scaled")
    lesson.put("scaled", lambda i, j, c: scaled(i, j, c) if j <= i else -1e9)
    return lesson.cells


def log_sum_exp() -> Cells:
    lesson = Lesson()
    lesson.put("sum", lambda i, j, c: f"=LN(SUMPRODUCT(EXP($A{50 + i}:$D{50 + i})))")
    lesson.put("weights", lambda i, j, c: f"=EXP({c}{50 + i}-$A{62 + i})")
    for i in range(4):
        for c in "ABCD":
            del lesson.cells[f"{c}{56 + i}"]
    del lesson.cells["A55"]
    return lesson.cells


def temperature() -> Cells:
    lesson = Lesson()
    lesson.cells |= {"H1": "temperature", "H2": 0.7}
    lesson.put("scaled", lambda i, j, c: f"={c}{44 + i}/(SQRT(3)*$H$2)")
    return lesson.cells


def padding_row_of_zeros() -> Cells:
    lesson = Lesson()
    output = lesson.right("output")
    lesson.put("output", lambda i, j, c: output(i, j, c) if i < 3 else 0.0)
    return lesson.cells


def queries_and_keys_shared() -> Cells:
    lesson = Lesson()
    lesson.cells |= {"A7": "W_qk", "A25": "QK"}
    for top in (*range(13, 18), *range(31, 36)):
        for c in "ABC":
            lesson.cells.pop(f"{c}{top}", None)
    lesson.put("scores", lambda i, j, c: "=" + "+".join(f"${d}{26 + i}*${d}${26 + j}" for d in "ABC"))
    return lesson.cells


RIGHT = [
    counter_that_restarts, price_until_further_notice, staff_plan, subtotals, past_months_beside_a_forecast,
    distances_with_typed_zeros, plain_lesson, causal_mask_typed, log_sum_exp, temperature, padding_row_of_zeros,
    queries_and_keys_shared,
]  # fmt: skip


@pytest.mark.parametrize("make", RIGHT, ids=lambda make: make.__name__)
def test_a_right_workbook_is_blamed_for_nothing(make: Callable[[], Cells], tmp_path: Path) -> None:
    report = saved(tmp_path / "right.xlsx", make())
    assert report.error is None
    assert named(report) == set()
    assert report.ok


# --- wrong lessons --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("row", [1, 3], ids=["inside", "last"])
@pytest.mark.parametrize("name", [name for name in Lesson.TOPS if Lesson.SIZES[name] > 1])
def test_a_row_pasted_as_values_is_named(name: str, row: int, tmp_path: Path) -> None:
    lesson = Lesson()
    right = lesson.right(name)
    lesson.put(name, lambda i, j, c: 0.25 + 0.5 * j if i == row else right(i, j, c))
    assert set(lesson.row(name, row)) <= named(saved(tmp_path / "wrong.xlsx", lesson.cells))


@pytest.mark.parametrize("name", ["Q", "K", "scores", "weights", "output"])
def test_a_column_pasted_as_values_is_named(name: str, tmp_path: Path) -> None:
    lesson = Lesson()
    right = lesson.right(name)
    lesson.put(name, lambda i, j, c: 0.25 + 0.5 * i if j == 0 else right(i, j, c))
    assert {f"A{Lesson.TOPS[name] + i}" for i in range(4)} <= named(saved(tmp_path / "wrong.xlsx", lesson.cells))


SLIPS: dict[str, tuple[str, int | None, Callable[[int, int, str], str]]] = {
    "one sum for all queries": ("weights", None, lambda i, j, c: f"={c}{56 + i}/$A$62"),
    "sums over the columns": ("weights", None, lambda i, j, c: f"={c}{56 + i}/SUM({c}$56:{c}$59)"),
    "no $ before the sum's column": ("weights", None, lambda i, j, c: f"={c}{56 + i}/{c}{62 + i}"),
    "another query's sum": ("weights", 1, lambda i, j, c: f"={c}{56 + i}/$A{63 + i}"),
    "last row not divided": ("weights", 3, lambda i, j, c: f"={c}{56 + i}"),
    "last row reads the row above": (
        "output",
        3,
        lambda i, j, c: "=" + "+".join(f"${'ABCD'[d]}{67 + i}*{c}${38 + d}" for d in range(4)),
    ),
}


@pytest.mark.parametrize("slip", SLIPS)
def test_a_slip_in_formulas_is_named(slip: str, tmp_path: Path) -> None:
    name, row, formula = SLIPS[slip]
    lesson = Lesson()
    right = lesson.right(name)
    lesson.put(name, lambda i, j, c: formula(i, j, c) if row in (i, None) else right(i, j, c))
    wrong = {cell for i in range(4) if row in (i, None) for cell in lesson.row(name, i)}
    assert wrong <= named(saved(tmp_path / "wrong.xlsx", lesson.cells))


@pytest.mark.parametrize(("cell", "content"), [("C51", "=C45/SQRT(3)"), ("C52", -1e9)], ids=["leak", "blind to itself"])
def test_one_cell_of_a_causal_mask_is_named(cell: str, content: str | float, tmp_path: Path) -> None:
    cells = causal_mask_typed() | {cell: content}
    assert cell in named(saved(tmp_path / "wrong.xlsx", cells))


def test_a_mask_for_every_query_that_no_formula_reads_is_found(tmp_path: Path) -> None:
    lesson = Lesson()
    lesson.cells["H49"] = "mask"
    for i in range(4):
        for j, c in enumerate("HIJK"):
            lesson.cells[f"{c}{50 + i}"] = -1e9 if j == 3 else 0.0
    report = saved(tmp_path / "wrong.xlsx", lesson.cells)
    assert [finding.cause for finding in report.findings] == ["mask-missing"]
