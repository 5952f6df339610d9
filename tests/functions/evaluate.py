"""Formulas and whole workbooks through the engine, for tables of formula → value."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from xlsx_attention.compiling.resolve import Resolver
from xlsx_attention.compiling.survey import make_step
from xlsx_attention.functions.registry import NeedsCells
from xlsx_attention.model.address import Rect
from xlsx_attention.model.formula import Block, FormulaForm, Tree
from xlsx_attention.model.grid import DefinedName, Sheet, WorkbookGrid
from xlsx_attention.model.values import ERROR_CODES, LOGICAL, NUMBER, TEXT, Plane, Scalar, TextPool
from xlsx_attention.parsing import find_blocks, parse
from xlsx_attention.reading import read_workbook
from xlsx_attention.running.evaluator import BlockEvaluator
from xlsx_attention.running.machine import Machine
from xlsx_attention.running.run import blank_planes, evaluate, parts, store

Plain: TypeAlias = "float | str | bool | None"
Mode = Literal["plain", "array", "dynamic"]


def grid_of(cells: Mapping[str, Plain], names: Mapping[str, str] | None = None) -> WorkbookGrid:
    """A workbook with one sheet, ``Sheet1``, of constants: numbers, texts, logicals; ``#N/A`` and such are errors."""
    texts = TextPool()
    places = {Rect.parse(address): value for address, value in cells.items()}
    rect = Rect.cell(0, 0)
    for place in places:
        rect = rect.union(place)
    plane = Plane.empty(rect)
    for place, value in places.items():
        if isinstance(value, bool):
            plane.set(place.top, place.left, float(value), LOGICAL)
        elif isinstance(value, str):
            code = ERROR_CODES.get(value)
            plane.set(place.top, place.left, *((float(texts.add(value)), TEXT) if code is None else (0.0, code)))
        elif value is not None:
            plane.set(place.top, place.left, float(value), NUMBER)
    defined = tuple(DefinedName(name, formula) for name, formula in (names or {}).items())
    return WorkbookGrid("", [Sheet("Sheet1", 0, plane)], texts, defined)


def calculate(
    formula: str,
    cells: Mapping[str, Plain] | None = None,
    *,
    at: str = "Z100",
    mode: Mode = "dynamic",
    names: Mapping[str, str] | None = None,
) -> Plain | list[list[Plain]]:
    """What ``formula`` gives in cell ``at``: float, text, bool, an error as its text; rows of them for an array.

    ``mode`` is how the cell is stored: ``dynamic`` as today's Excel does, ``plain`` with implicit intersection.
    """
    grid = grid_of(cells or {}, names)
    place = Rect.parse(at)
    tree = parse(formula.removeprefix("="), place.top, place.left)
    resolver = Resolver(grid, parsed_names(grid))
    resolved = resolver.resolve(tree, 0, place.top, place.left)
    block = Block(0, place, FormulaForm(formula.removeprefix("="), tree), mode, formula.removeprefix("="))
    step = make_step(0, block, resolved, grid, resolver.called)
    machine = Machine(grid, [sheet.cached for sheet in grid.sheets], resolver.called, parse)
    try:
        result = BlockEvaluator(machine, 0, place, mode, one_by_one=not step.vectorised).finish(step.tree, step.snaps)
    except NeedsCells:
        result = BlockEvaluator(machine, 0, place, mode, one_by_one=True).finish(step.tree, step.snaps)
    number, kind = result.full()
    rows = [
        [grid.scalar(float(n), int(k)).python for n, k in zip(ns, ks, strict=True)]
        for ns, ks in zip(number[0, 0], kind[0, 0], strict=True)
    ]
    return rows[0][0] if result.is_single else rows


def parsed_names(grid: WorkbookGrid) -> dict[tuple[int | None, str], Tree]:
    """The defined names that can be parsed, as seen from A1."""
    trees: dict[tuple[int | None, str], Tree] = {}
    for name in grid.names:
        try:
            trees[name.sheet, name.name.upper()] = parse(name.formula, 0, 0)
        except Exception:  # a broken name makes no test: only formulas that use it are #NAME?
            continue
    return trees


@dataclass(frozen=True)
class Cell:
    """One computed cell of a workbook: what the file stores and what the engine gives from the stored precedents."""

    where: str
    formula: str
    cached: Scalar
    ours: Scalar

    @property
    def same_bits(self) -> bool:
        return self.cached.python == self.ours.python and type(self.cached.python) is type(self.ours.python)

    def agrees(self, rtol: float = 1e-12) -> bool:
        a, b = self.cached, self.ours
        if a.kind == NUMBER and b.kind == NUMBER:
            return math.isclose(a.number, b.number, rel_tol=rtol, abs_tol=0.0)
        # An empty text is stored like no value at all.
        return self.same_bits or {a.python, b.python} <= {None, ""}


def computed_cells(path: Path) -> Iterator[Cell]:
    """Every computed cell of a workbook, from the stored values of the cells that it uses."""
    grid = read_workbook(path)
    resolver = Resolver(grid, parsed_names(grid))
    machine = Machine(grid, [sheet.cached for sheet in grid.sheets], resolver.called, parse)
    results = blank_planes(grid)
    for index, block in enumerate(find_blocks(grid)):
        if block.form.tree is None:
            continue
        tree = resolver.resolve(block.form.tree, block.sheet, block.rect.top, block.rect.left)
        step = make_step(index, block, tree, grid, resolver.called)
        for rect in parts(step):
            store(results[block.sheet], step, rect, evaluate(machine, step, rect))
        sheet = grid.sheets[block.sheet]
        for row, column in block.cells.cells():
            number, kind = results[block.sheet].get(row, column)
            yield Cell(
                f"{sheet.name}!{Rect.cell(row, column).a1}",
                f"={block.sample}",
                grid.value(block.sheet, row, column),
                grid.scalar(number, kind),
            )
