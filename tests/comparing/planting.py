"""Mistakes planted in lessons: formulas changed at the XML, every dependant recalculated, and what must be found where.

A lesson is known by its roles; a mistake is a formula for a cell of a role. Written over the whole block it is a
fault of
method, in one cell a slip.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from tests.seeding import StoredCell, edit, sheet_parts, unshare, write
from xlsx_attention import parsing, reading
from xlsx_attention.compiling.plan import compile_plan
from xlsx_attention.model.address import Rect, cell_name, column_name
from xlsx_attention.model.report import FileReport
from xlsx_attention.model.role import Head, Place
from xlsx_attention.model.values import NUMBER
from xlsx_attention.pipeline import parse_names, verify_file
from xlsx_attention.running import run

Spot = tuple[int, int]


@dataclass
class Lesson:
    """A right workbook, its first head, and what is known of it by looking at the sheet."""

    name: str
    data: bytes
    report: FileReport
    folder: Path

    @classmethod
    def of(cls, path: Path, folder: Path) -> Lesson:
        report = verify_file(path)
        assert report.ok
        return cls(path.stem, unshare(path.read_bytes()), report, folder)

    @property
    def head(self) -> Head:
        return self.report.attention.attentions[0].heads[0]

    def place(self, role: str) -> Place | None:
        return self.head.roles.get(role) or self.report.attention.attentions[0].shared.get(role)

    def cells(self, role: str) -> list[list[Spot]]:
        """Tokens (queries) in rows; W as D×d."""
        place = self.place(role)
        assert place is not None
        lines = [list(line) for line in place.lines]
        return [list(line) for line in zip(*lines, strict=True)] if role.startswith("W_") else lines

    def size(self, role: str) -> tuple[int, int]:
        cells = self.cells(role)
        return len(cells), len(cells[0])

    def has(self, *roles: str) -> bool:
        return all(self.place(role) is not None for role in roles)

    def written(self, formulas: dict[Spot, str]) -> Path:
        """The workbook with these formulas (on the sheet of the first head) and everything recalculated."""
        assert self.report.grid is not None
        sheet = self.report.grid.sheets[self.head.roles["weights"].sheet]
        part = sheet_parts(self.data)[sheet.name]
        changed = edit(self.data, {(part, cell_name(*at)): _formula(text) for at, text in formulas.items()})
        return write(self.folder / "planted.xlsx", recalculated(changed))


def _formula(text: str) -> Callable[[StoredCell], StoredCell]:
    def change(cell: StoredCell) -> StoredCell:
        # An array formula of one cell, as spreadsheets write MMULT in, becomes a plain one.
        attributes = cell.attributes.replace(' cm="1"', "")
        return replace(cell, attributes=attributes, formula_tag="", formula=text, value="0")

    return change


def recalculated(data: bytes) -> bytes:
    """Every formula's stored result as its own formula gives it, calculated again and again until nothing changes."""
    grid = reading.read_workbook(data)
    plan = compile_plan(grid, parsing.find_blocks(grid), parse_names(grid))
    cells = sorted({(step.block.sheet, *at) for step in plan.steps for at in step.block.cells.cells()})
    before = [sheet.cached.copy() for sheet in grid.sheets]
    for _ in range(50):
        planes = run.from_precedents(grid, plan, parsing.parse)
        changed = [c for c in cells if planes[c[0]].get(*c[1:]) != grid.sheets[c[0]].cached.get(*c[1:])]
        for sheet, row, column in changed:
            grid.sheets[sheet].cached.set(row, column, *planes[sheet].get(row, column))
        if not changed:
            break
    else:
        raise AssertionError("the workbook does not come to rest")
    parts = sheet_parts(data)
    edits = {}
    for sheet, row, column in cells:
        old, new = before[sheet].get(row, column), grid.sheets[sheet].cached.get(row, column)
        if old != new:
            assert new[1] == NUMBER
            edits[parts[grid.sheets[sheet].name], cell_name(row, column)] = _stored(new[0])
    return edit(data, edits) if edits else data


def _stored(number: float) -> Callable[[StoredCell], StoredCell]:
    return lambda cell: replace(cell, value=repr(number))


#: What a formula names: (role, line, element).
Name = tuple[str, int, int]
#: A formula's text with ``{}`` for each cell that it names, and those cells.
Made = tuple[str, list[Name]]


Make = Callable[[Lesson, int, int], Made]


@dataclass(frozen=True)
class Wrong:
    """``make`` gives a block's formula for each of its cells; ``fits`` says which lessons have room for the mistake."""

    cause: str
    role: str
    make: Make
    fits: Callable[[Lesson], bool] = lambda lesson: True
    #: Further blocks that change with it.
    also: tuple[tuple[str, Make], ...] = ()
    #: Where it is planted when it is in one cell only; ``None`` where one cell cannot make it.
    spot: Callable[[Lesson], Spot] | None = lambda lesson: (1, 1)


def formulas(lesson: Lesson, role: str, make: Make) -> dict[Spot, str]:
    """A block's formulas, with ``$`` where the cells named stay put."""
    cells = lesson.cells(role)
    made = {(i, j): make(lesson, i, j) for i, line in enumerate(cells) for j, _ in enumerate(line)}
    spots = {ij: [lesson.cells(r)[a][b] for r, a, b in names] for ij, (_, names) in made.items()}
    count = {len(found) for found in spots.values()}
    assert len(count) == 1
    anchored = [tuple(_stays(axis, number, cells, spots) for axis in (0, 1)) for number in range(count.pop())]
    return {
        cells[i][j]: text.format(*(_a1(spot, fixed) for spot, fixed in zip(spots[i, j], anchored, strict=True)))
        for (i, j), (text, _) in made.items()
    }


def _stays(axis: int, number: int, cells: list[list[Spot]], spots: dict[Spot, list[Spot]]) -> bool:
    """Whether a cell that a block names keeps its row (column) while the block is filled."""
    at = {spots[i, j][number][axis] - cells[i][j][axis] for i, j in spots}
    return len(at) > 1


def _a1(spot: Spot, fixed: tuple[bool, ...]) -> str:
    row, column = spot
    return f"{'$' * fixed[1]}{column_name(column)}{'$' * fixed[0]}{row + 1}"


def planted_block(lesson: Lesson, wrong: Wrong) -> Path:
    every = dict(formulas(lesson, wrong.role, wrong.make))
    for role, make in wrong.also:
        every |= formulas(lesson, role, make)
    return lesson.written(every)


def planted_cell(lesson: Lesson, wrong: Wrong) -> tuple[Path, Spot] | None:
    """In the first cell, from the one wanted onwards, whose number it changes; ``None`` where it changes none."""
    assert wrong.spot is not None
    every = formulas(lesson, wrong.role, wrong.make)
    order = [at for line in lesson.cells(wrong.role) for at in line]
    i, j = wrong.spot(lesson)
    start = order.index(lesson.cells(wrong.role)[i][j])
    place = lesson.place(wrong.role)
    assert place is not None
    for at in order[start:] + order[:start]:
        path = lesson.written({at: every[at]})
        if changes(lesson, path, place.sheet, [at]):
            return path, at
    return None


def changes(lesson: Lesson, path: Path, sheet: int, cells: list[Spot]) -> bool:
    """Whether the stored numbers of cells are others than in the right lesson."""
    assert lesson.report.grid is not None
    before, after = lesson.report.grid.sheets[sheet].cached, reading.read_workbook(path).sheets[sheet].cached
    return any(abs(before.get(*at)[0] - after.get(*at)[0]) > 1e-6 for at in cells)


def accused(report: FileReport) -> Iterator[tuple[str, str]]:
    """(cells, cause) of every finding and every accused cell."""
    yield from ((finding.rect.a1, finding.cause) for finding in report.findings)
    for cell in report.cells:
        if cell.verdict in ("origin", "overridden"):
            yield Rect.cell(cell.row, cell.column).a1, cell.cause
