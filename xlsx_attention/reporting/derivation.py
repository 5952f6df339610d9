"""One cell's derivation with its numbers: formula, step, each term, their sum, the stored value and the verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from xlsx_attention.model.address import Rect, cell_name
from xlsx_attention.model.formula import Call, Located, Spill, Tree, nodes
from xlsx_attention.model.plan import Step
from xlsx_attention.model.report import FileReport, SheetResult
from xlsx_attention.model.values import NUMBER, Scalar
from xlsx_attention.reporting.safe import visible

#: Cells that are listed one by one.
LISTED = 40

Cell = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Term:
    """A product of cells (or one cell) that a sum adds."""

    cells: tuple[Cell, ...]


class Derivation:
    """Derives cells of one report."""

    def __init__(self, report: FileReport, formula_at: Callable[[object, int, int], str]) -> None:
        assert report.grid is not None
        assert report.plan is not None
        self.report = report
        self.grid = report.grid
        self.plan = report.plan
        self.formula_at = formula_at

    def lines(self, sheet: int, row: int, column: int) -> list[str]:
        """What there is to say of a cell, line by line."""
        name = f"{visible(self.grid.sheets[sheet].name, 31)}!{cell_name(row, column)}"
        role = self.report.role_of(sheet, row, column)
        stored = self.grid.value(sheet, row, column)
        step = self._step(sheet, row, column)
        head = f"{name}  {role}".rstrip()
        if step is None:
            return [head, f"  value      {_shown(stored)}", "  no formula: an input"]
        result = next(s for s in self.report.sheets if s.index == sheet)
        return [head, *(f"  {line}" for line in self._computed(step, result, row, column, stored))]

    def _computed(self, step: Step, result: SheetResult, row: int, column: int, stored: Scalar) -> Iterator[str]:
        block = step.block
        anchor = (block.rect.top, block.rect.left) if block.spill is not None else (row, column)
        formula = self.formula_at(block.form, *anchor)
        spilled = (
            f"  (spilled from {cell_name(*anchor)})" if block.spill is not None and anchor != (row, column) else ""
        )
        yield f"formula    ={visible(formula, 600)}{spilled}"
        words = next((b for b in result.blocks if b.step == step.index), None)
        if words is not None and words.numpy:
            yield f"step       {visible(words.numpy, 600)}   # {words.rect.a1} {words.rect.height}×{words.rect.width}"
        if words is not None and words.math:
            yield f"           {words.math}"
        terms = self._terms(step, row, column)
        if terms:
            yield from self._sum(block.sheet, terms)
        else:
            yield from self._reads(step, anchor)
        from_precedents = self.grid.scalar(*result.from_precedents.get(row, column))
        from_inputs = self.grid.scalar(*result.from_inputs.get(row, column))
        yield f"stored     {_shown(stored)}"
        yield f"recomputed {_shown(from_precedents)} from its precedents, {_shown(from_inputs)} from the inputs"
        verdict = result.verdict(row, column) or ""
        accused = next(
            (c for c in self.report.cells if (c.sheet, c.row, c.column) == (result.index, row, column)), None
        )
        cause = f" ({accused.cause})" if accused is not None and accused.cause else ""
        origins = f", begins at {', '.join(accused.origins)}" if accused is not None and accused.origins else ""
        yield f"verdict    {verdict}{cause}{origins}"
        if accused is not None and accused.expected:
            yield f"expected   {visible(accused.expected, 600)}"

    def _sum(self, sheet: int, terms: list[Term]) -> Iterator[str]:
        total = 0.0
        for position, term in enumerate(terms):
            product = 1.0
            for cell in term.cells:
                product *= self._number(cell)
            total += product
            if position < LISTED:
                names = " · ".join(self._name(cell, sheet) for cell in term.cells)
                numbers = " · ".join(_plain(self._number(cell)) for cell in term.cells)
                mark = "terms     " if position == 0 else "        + "
                equals = f" = {_plain(product)}" if len(term.cells) > 1 else ""
                yield f"{mark} {names} = {numbers}{equals}"
        if len(terms) > LISTED:
            yield f"        … and {len(terms) - LISTED:,} more terms"
        yield f"sum        {_plain(total)}   ({len(terms):,} terms, left to right)"

    def _reads(self, step: Step, anchor: tuple[int, int]) -> Iterator[str]:
        """The single cells that the formula names, and its ranges by their size."""
        seen: set[tuple[int, Rect]] = set()
        mark = "with      "
        for node in nodes(step.tree):
            if not isinstance(node, Located):
                continue
            rect = node.reference.at(*anchor)
            for sheet in node.sheets:
                if rect is None or (sheet, rect) in seen:
                    continue
                seen.add((sheet, rect))
                if len(seen) > LISTED:
                    return
                name = self._name((sheet, rect.top, rect.left), step.block.sheet)
                if rect.size == 1:
                    yield f"{mark} {name} = {_shown(self.grid.value(sheet, rect.top, rect.left))}"
                elif rect.size <= LISTED:
                    values = ", ".join(_shown(self.grid.value(sheet, *cell)) for cell in rect.cells())
                    yield f"{mark} {rect.a1} = {values}"
                else:
                    yield f"{mark} {rect.a1} ({rect.height}×{rect.width} cells)"
                mark = "          "

    # --- terms of sums -----------------------------------------------------------------------------------------------
    def _terms(self, step: Step, row: int, column: int) -> list[Term]:
        """The terms, where the whole formula is a sum of cells or of products of cells; ``[]`` otherwise."""
        block = step.block
        anchor = (block.rect.top, block.rect.left) if block.spill is not None else (row, column)
        inside = (row - block.cells.top, column - block.cells.left) if block.spill is not None else (0, 0)
        tree = step.tree
        if not isinstance(tree, Call) or tree.name not in _SUMS:
            return []
        ranges = [self._range(arg, anchor) for arg in tree.args]
        if not ranges or any(r is None for r in ranges):
            return []
        found = _SUMS[tree.name]([r for r in ranges if r is not None], inside)
        return found if all(self.grid.number(*cell) is not None for term in found for cell in term.cells) else []

    def _range(self, tree: Tree, anchor: tuple[int, int]) -> list[list[Cell]] | None:
        """A reference, perhaps transposed, as rows of cells."""
        if isinstance(tree, Call) and tree.name == "TRANSPOSE" and len(tree.args) == 1:
            rows = self._range(tree.args[0], anchor)
            return None if rows is None else [list(line) for line in zip(*rows, strict=True)]
        if isinstance(tree, Spill) and isinstance(tree.operand, Located):
            at = tree.operand.reference.at(*anchor)
            array = None if at is None else self.grid.sheets[tree.operand.sheets[0]].arrays.get((at.top, at.left))
            return None if array is None else _rows(tree.operand.sheets[0], array.rect)
        if not isinstance(tree, Located) or len(tree.sheets) != 1:
            return None
        rect = tree.reference.at(*anchor)
        return None if rect is None or rect.size > 100_000 else _rows(tree.sheets[0], rect)

    def _step(self, sheet: int, row: int, column: int) -> Step | None:
        return next(
            (s for s in self.plan.steps if s.block.sheet == sheet and s.block.cells.contains(row, column)), None
        )

    def _number(self, cell: Cell) -> float:
        return self.grid.number(*cell) or 0.0

    def _name(self, cell: Cell, sheet: int) -> str:
        name = cell_name(cell[1], cell[2])
        return name if cell[0] == sheet else f"{visible(self.grid.sheets[cell[0]].name, 31)}!{name}"


def _rows(sheet: int, rect: Rect) -> list[list[Cell]]:
    return [[(sheet, row, column) for column in range(rect.left, rect.right)] for row in range(rect.top, rect.bottom)]


def _sum(ranges: list[list[list[Cell]]], inside: tuple[int, int]) -> list[Term]:
    return [Term((cell,)) for rows in ranges for row in rows for cell in row]


def _sumproduct(ranges: list[list[list[Cell]]], inside: tuple[int, int]) -> list[Term]:
    flat = [[cell for row in rows for cell in row] for rows in ranges]
    return [Term(cells) for cells in zip(*flat, strict=True)] if len({len(f) for f in flat}) == 1 else []


def _mmult(ranges: list[list[list[Cell]]], inside: tuple[int, int]) -> list[Term]:
    left, right = ranges
    if len(left[0]) != len(right) or inside[0] >= len(left) or inside[1] >= len(right[0]):
        return []
    return [Term((left[inside[0]][k], right[k][inside[1]])) for k in range(len(right))]


_SUMS: dict[str, Callable[[list[list[list[Cell]]], tuple[int, int]], list[Term]]] = {
    "SUM": _sum,
    "SUMPRODUCT": _sumproduct,
    "MMULT": _mmult,
}


def _plain(number: float) -> str:
    return f"{number:.15g}"


def _shown(value: Scalar) -> str:
    if value.kind == NUMBER:
        return repr(value.number)
    python = value.python
    return visible(repr(python)) if isinstance(python, str) and not value.is_error else str(python)
