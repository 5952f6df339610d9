"""Cells unlike their block that are meant to be: what fills a mask, starts a line anew, or varies throughout."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from xlsx_attention.model.formula import Apply, Binary, Call, Located, NumberLit, Single, Spill, Tree, Unary, nodes
from xlsx_attention.model.grid import WorkbookGrid
from xlsx_attention.model.plan import Step
from xlsx_attention.model.values import NUMBER

#: A number this low among scores hides them, as −99 and −1e9 do.
FILLER = -50.0
#: Cells of a block without clear form that must hold one number before it is what fills the block.
FILLED = 3
#: Forms that differ only in their numbers beyond which the number is each cell's own.
HABITS = 3
#: And the share of cells that must not be of the commonest form.
VARIED = 0.25


def fillers(grid: WorkbookGrid, sheet: int, places: Iterable[tuple[int, int]], ragged: bool) -> frozenset[float]:
    """Typed numbers that fill the strange cells of a block: −1e9 in two of them, any number in three of a ``ragged``
    one.

    A triangular mask is typed so, beside scores that are formulas. ``places`` are strange cells without formulas.
    """
    plane = grid.sheets[sheet].cached
    typed = Counter(number for number, kind in (plane.get(*place) for place in places) if kind == NUMBER)
    return frozenset(
        number for number, times in typed.items() if (number < FILLER and times > 1) or (ragged and times >= FILLED)
    )


def starts_anew(grid: WorkbookGrid, step: Step, top: int, left: int, row: int, column: int) -> bool:
    """Whether a typed number in a line of formulas is a new start of the line, not a hole in it.

    ``=A4`` below ``=A3`` says "as above", so that a number says "from here on". A counter (``=A4+1``, nothing else
    read) that holds its first number again counts anew. ``top`` and ``left`` are the first cell of the line.
    """
    read = [node for node in nodes(step.tree) if isinstance(node, Located)]
    if len(read) != 1 or read[0].sheets != (step.block.sheet,):
        return False
    before = read[0].reference.at(row, column)
    first = read[0].reference.at(top, left)
    if before is None or first is None or before.size != 1 or first.size != 1:
        return False
    up, back = row - before.top, column - before.left
    if (up, back) not in ((1, 0), (0, 1)) or (top - first.top, left - first.left) != (up, back):
        return False
    if isinstance(step.tree, Located):
        return True
    plane = grid.sheets[step.block.sheet].cached
    seed = plane.get(first.top, first.left)
    return seed[1] == NUMBER and plane.get(row, column) == seed


def on_diagonals(grid: WorkbookGrid, typed: Iterable[tuple[int, int, int]]) -> set[tuple[int, int, int]]:
    """Cells (sheet, row, column) of three or more on one diagonal that hold one number: distances of each to itself."""
    lines: defaultdict[tuple[int, int, float], list[tuple[int, int, int]]] = defaultdict(list)
    for sheet, row, column in typed:
        number, kind = grid.sheets[sheet].cached.get(row, column)
        if kind == NUMBER:
            lines[sheet, row - column, number].append((sheet, row, column))
    return {cell for line in lines.values() if len(line) >= FILLED for cell in line}


class Varying:
    """Formulas that differ only in their numbers (``=B2+1``, ``=C2+0``, ``=D2+2``): the number is each cell's own."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self._cells: defaultdict[object, Counter[str]] = defaultdict(Counter)
        self._steps = steps

    def _fill(self) -> None:
        for step in self._steps:
            if step.block.spill is None and step.block.form.tree is not None:
                key = (step.block.sheet, without_numbers(step.tree))
                self._cells[key][step.block.form.r1c1] += step.block.rect.size

    def habit(self, own: Step, usual: Step) -> bool:
        """Whether ``own`` is like ``usual`` but for numbers, and such formulas vary on the sheet."""
        bare = without_numbers(own.tree)
        if bare != without_numbers(usual.tree):
            return False
        if not self._cells:
            self._fill()
        forms = self._cells[own.block.sheet, bare]
        return len(forms) >= HABITS and max(forms.values()) <= (1.0 - VARIED) * forms.total()


def skeleton(tree: Tree) -> object:
    """A tree without its references and numbers: formulas that differ only there are of one kind."""
    return _bare(tree, references=False)


def without_numbers(tree: Tree) -> object:
    """A tree without its numbers."""
    return _bare(tree, references=True)


def _bare(tree: Tree, references: bool) -> object:
    if isinstance(tree, Located):
        return tree if references else "reference"
    if isinstance(tree, NumberLit):
        return "number"
    if isinstance(tree, Binary):
        spine: list[object] = []
        node: Tree = tree
        while isinstance(node, Binary):
            spine.append((node.op, _bare(node.right, references)))
            node = node.left
        return (_bare(node, references), *reversed(spine))
    if isinstance(tree, (Unary, Single, Spill)):
        return (type(tree).__name__, _bare(tree.operand, references))
    if isinstance(tree, Call):
        return (tree.name, *(_bare(arg, references) for arg in tree.args))
    if isinstance(tree, Apply):
        return (_bare(tree.callee, references), *(_bare(arg, references) for arg in tree.args))
    return tree
