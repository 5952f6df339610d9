"""Two workbooks: which inputs, formulas and values changed, and which changes of values follow from which.

A value that changed *follows* where its formula did not change and a cell that it uses did; it is then traced back to
the changed inputs and formulas. What changed without any of this is ``unexplained``: a volatile function, a stored
value that is not its formula's, another program.
"""

from __future__ import annotations

import os
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from xlsx_attention.batch.grading.books import Book, Place
from xlsx_attention.comparing.tolerance import Tolerance
from xlsx_attention.errors import UnreadableFile
from xlsx_attention.model.address import Rect, cell_name
from xlsx_attention.model.budget import Budgets
from xlsx_attention.model.plan import Step
from xlsx_attention.model.values import EMPTY, NOT_COMPUTED, NUMBER, TEXT, Scalar
from xlsx_attention.parsing import formula_at

#: Kinds of change, in the order in which they are shown.
KINDS = ("input", "formula", "value", "unexplained")
#: Sources that one change names.
NAMED = 8

Cell = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Change:
    """One cell. ``kind``: a typed value changed (``input``), a formula (``formula``), only a value that follows
    (``value``) or one that does not (``unexplained``). ``sources`` are the changes that it follows from; ``spoils``
    how many values follow.
    """

    sheet: str
    cell: str
    kind: str
    old: float | str | bool | None
    new: float | str | bool | None
    old_formula: str = ""
    new_formula: str = ""
    sources: tuple[str, ...] = ()
    followed_by: int = 0


@dataclass(frozen=True, slots=True)
class Difference:
    """All changes, sheet by sheet, row by row; ``added`` and ``removed`` are sheets of one workbook alone."""

    old: str
    new: str
    changes: tuple[Change, ...]
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    counts: dict[str, int] = field(default_factory=dict)

    @property
    def same(self) -> bool:
        return not (self.changes or self.added or self.removed)

    def to_data(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "schema": 1,
            "old": self.old,
            "new": self.new,
            "same": self.same,
            "counts": self.counts,
            "sheets_added": list(self.added),
            "sheets_removed": list(self.removed),
            "changes": [
                {
                    "sheet": change.sheet,
                    "cell": change.cell,
                    "kind": change.kind,
                    "old": change.old,
                    "new": change.new,
                    "old_formula": change.old_formula or None,
                    "new_formula": change.new_formula or None,
                    "follows_from": list(change.sources),
                    "followed_by": change.followed_by,
                }
                for change in self.changes
            ],
        }


def compare_files(
    old: str | os.PathLike[str], new: str | os.PathLike[str], rtol: float | None = None, budgets: Budgets | None = None
) -> Difference:
    """The changes from ``old`` to ``new``. Values agree within ``rtol`` (default: what the coarser file's digits
    allow).

    Raises :class:`~xlsx_attention.errors.UnreadableFile` where either cannot be read.
    """
    books = [_read(path, budgets or Budgets()) for path in (old, new)]
    return _Comparison(books[0], books[1], rtol).result(os.fspath(old), os.fspath(new))


def _read(path: str | os.PathLike[str], budgets: Budgets) -> Book:
    try:
        return Book.read(path, budgets)
    except UnreadableFile as error:
        place = os.fspath(path) if not error.where else f"{os.fspath(path)}, {error.where}"
        raise UnreadableFile(error.code, error.message, where=place) from None


class _Comparison:
    def __init__(self, old: Book, new: Book, rtol: float | None) -> None:
        self.old, self.new = old, new
        tolerances = [Tolerance.for_file(book.grid.provenance, rtol) for book in (old, new)]
        self.tolerance = max(tolerances, key=lambda tolerance: tolerance.rtol)
        names = {sheet.name.casefold(): sheet.index for sheet in old.grid.sheets}
        self.pairs = {
            sheet.index: names[sheet.name.casefold()] for sheet in new.grid.sheets if sheet.name.casefold() in names
        }

    def result(self, old: str, new: str) -> Difference:
        values, formulas = self._changed()
        kinds: dict[Cell, str] = {}
        for cell in {*values, *formulas}:
            if cell in formulas:
                kinds[cell] = "formula" if self._computed(cell) else "input"
            else:
                kinds[cell] = "value" if self._computed(cell) else "input"
        sources, followers = self._trace(kinds)
        for cell, kind in kinds.items():
            if kind == "value" and not sources.get(cell):
                kinds[cell] = "unexplained"
        changes = tuple(
            self._change(cell, kinds[cell], sources.get(cell, ()), followers.get(cell, 0)) for cell in sorted(kinds)
        )
        paired = set(self.pairs.values())
        return Difference(
            old,
            new,
            changes,
            tuple(sheet.name for sheet in self.new.grid.sheets if sheet.index not in self.pairs),
            tuple(sheet.name for sheet in self.old.grid.sheets if sheet.index not in paired),
            {kind: sum(change.kind == kind for change in changes) for kind in KINDS},
        )

    def _computed(self, cell: Cell) -> bool:
        """Whether the new workbook (or, where the cell was emptied, the old one) computes it."""
        sheet, row, column = cell
        return (row, column) in self.new.steps_at[sheet] or (
            self.new.values[sheet].get(row, column)[1] == EMPTY
            and (row, column) in self.old.steps_at[self.pairs[sheet]]
        )

    def _changed(self) -> tuple[set[Cell], set[Cell]]:
        """Cells of the new workbook whose values, and whose formulas, are not those of the old one."""
        values: set[Cell] = set()
        formulas: set[Cell] = set()
        for new, old in self.pairs.items():
            before, after = self.old.values[old], self.new.values[new]
            rect = before.used.union(after.used)
            core = before.rect.union(after.rect)
            values |= {(new, *place) for place in self._unlike(old, new, core.top, core.left, core.shape)}
            for place in {*before.outliers, *after.outliers}:
                if rect.contains(*place) and not self._same(old, new, place):
                    values.add((new, *place))
            formulas |= {(new, *place) for place in self._reformed(old, new)}
        return values, formulas

    def _reformed(self, old: int, new: int) -> Iterator[Place]:
        """Cells whose formulas differ in relative form. Only blocks that one workbook alone has are looked into."""
        mine, theirs = (
            {
                (step.block.cells, step.block.rect, step.block.form.r1c1)
                for step in book.plan.steps
                if step.block.sheet == at
            }
            for book, at in ((self.new, new), (self.old, old))
        )
        now, before = self.new.steps_at[new], self.old.steps_at[old]
        for place in {place for cells, _, _ in mine ^ theirs for place in cells.cells()}:
            forms = [None if step is None else step.block.form.r1c1 for step in (now.get(place), before.get(place))]
            if forms[0] != forms[1]:
                yield place

    def _unlike(self, old: int, new: int, top: int, left: int, shape: tuple[int, int]) -> Iterator[Place]:
        rect = Rect(top, left, top + shape[0], left + shape[1])
        (a, ka), (b, kb) = self.old.values[old].read(rect), self.new.values[new].read(rect)
        with np.errstate(invalid="ignore", over="ignore"):
            plain = (ka == kb) & (ka != TEXT) & (ka != NOT_COMPUTED) & (a == b)
        for i, j in np.argwhere(~plain & ~((ka == EMPTY) & (kb == EMPTY))):
            place = (top + int(i), left + int(j))
            if not self._same(old, new, place):
                yield place

    def _same(self, old: int, new: int, place: Place) -> bool:
        a, b = self._value(self.old, old, place), self._value(self.new, new, place)
        if a.kind != b.kind:
            return False
        if a.kind != NUMBER:
            return a == b
        limit = self.tolerance.rtol * max(abs(a.number), abs(b.number)) + self.tolerance.tiny
        return a.number == b.number or abs(a.number - b.number) <= limit

    def _value(self, book: Book, sheet: int, place: Place) -> Scalar:
        return book.grid.scalar(*book.values[sheet].get(*place))

    def _trace(self, kinds: dict[Cell, str]) -> tuple[dict[Cell, tuple[str, ...]], dict[Cell, int]]:
        """For each changed value the inputs and formulas that it follows from, and for each of those how many
        follow.
        """
        readers: dict[Cell, list[Cell]] = defaultdict(list)
        lines: dict[tuple[int, int], list[int]] = defaultdict(list)
        for sheet, row, column in sorted(kinds):
            lines[sheet, row].append(column)
        for cell in kinds:
            for precedent in self._changed_precedents(cell, lines):
                readers[precedent].append(cell)
        sources: dict[Cell, list[str]] = defaultdict(list)
        followers: dict[Cell, int] = {}
        for source in sorted(cell for cell, kind in kinds.items() if kind != "value"):
            seen, stack = {source}, [source]
            while stack:
                for reader in readers[stack.pop()]:
                    if reader not in seen:
                        seen.add(reader)
                        stack.append(reader)
                        if len(sources[reader]) < NAMED:
                            sources[reader].append(self._name(source, reader[0]))
            followers[source] = sum(kinds[cell] == "value" for cell in seen)
        return {cell: tuple(found) for cell, found in sources.items()}, followers

    def _changed_precedents(self, cell: Cell, lines: dict[tuple[int, int], list[int]]) -> Iterator[Cell]:
        """``lines``: (sheet, row) → the columns of its changed cells, in order."""
        step: Step | None = self.new.steps_at[cell[0]].get(cell[1:])
        if step is None:
            return
        spill = step.block.spill is not None
        anchor = (step.block.rect.top, step.block.rect.left) if spill else cell[1:]
        for read in step.reads:
            # A reference known only when it runs (OFFSET) is taken for all that its step may read.
            seen = read.rect if spill else read.reference.at(*anchor)
            cut = None if seen is None else seen.intersection(read.rect)
            if cut is None:
                continue
            for row in range(cut.top, cut.bottom):
                columns = lines.get((read.sheet, row), [])
                for position in range(bisect_left(columns, cut.left), bisect_left(columns, cut.right)):
                    yield read.sheet, row, columns[position]

    def _name(self, cell: Cell, sheet: int) -> str:
        name = cell_name(*cell[1:])
        return name if cell[0] == sheet else f"{self.new.grid.sheets[cell[0]].name}!{name}"

    def _change(self, cell: Cell, kind: str, sources: tuple[str, ...], followed_by: int) -> Change:
        sheet, place = cell[0], cell[1:]
        old = self.pairs[sheet]
        return Change(
            self.new.grid.sheets[sheet].name,
            cell_name(*place),
            kind,
            self._value(self.old, old, place).python,
            self._value(self.new, sheet, place).python,
            _formula(self.old.steps_at[old].get(place), place),
            _formula(self.new.steps_at[sheet].get(place), place),
            sources if kind in ("value", "formula") else (),
            followed_by,
        )


def _formula(step: Step | None, place: Place) -> str:
    if step is None:
        return ""
    anchor = (step.block.rect.top, step.block.rect.left) if step.block.spill is not None else place
    return f"={formula_at(step.block.form, *anchor)}"
