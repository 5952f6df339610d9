"""References that become known only while a formula runs: INDIRECT's text, once it is parsed, as areas of cells."""

from __future__ import annotations

from collections.abc import Callable

from xlsx_attention.errors import FormulaSyntaxError
from xlsx_attention.functions.registry import Area
from xlsx_attention.model.address import Rect
from xlsx_attention.model.formula import Binary, NameRef, Reference, SheetRef, Spill, TableRef, Tree
from xlsx_attention.model.grid import Table, WorkbookGrid

Parse = Callable[[str, int, int], Tree]
Areas = tuple[Area, ...]

#: Names that stand for names that stand for names …
_DEPTH = 16


def areas_of(
    grid: WorkbookGrid, parse: Parse, tree: Tree, sheet: int, row: int, column: int, depth: int = 0
) -> Areas | None:
    """The areas that a parsed reference names, as seen from a cell; ``None`` where it is no reference of this
    workbook.
    """
    if isinstance(tree, Reference):
        return _reference(grid, tree, sheet, row, column)
    if isinstance(tree, NameRef):
        return _name(grid, parse, tree, sheet, row, column, depth)
    if isinstance(tree, TableRef):
        return _table(grid, tree)
    if isinstance(tree, Spill):
        anchor = areas_of(grid, parse, tree.operand, sheet, row, column, depth)
        if not anchor:
            return None
        place = anchor[0]
        found = grid.sheets[place.sheet].arrays.get((place.rect.top, place.rect.left))
        return (Area(place.sheet, found.rect),) if found is not None else None
    if isinstance(tree, Binary) and tree.op in (":", ",", " "):
        left = areas_of(grid, parse, tree.left, sheet, row, column, depth)
        right = areas_of(grid, parse, tree.right, sheet, row, column, depth)
        return _join(tree.op, left, right) if left and right else None
    return None


def _join(op: str, left: Areas, right: Areas) -> Areas | None:
    if op == ",":
        return (*left, *right)
    first, last = left[0], right[0]
    if first.sheet != last.sheet:
        return None
    if op == ":":
        return (Area(first.sheet, first.rect.union(last.rect)),)
    common = first.rect.intersection(last.rect)
    return None if common is None else (Area(first.sheet, common),)


def _sheets(grid: WorkbookGrid, ref: SheetRef | None, sheet: int) -> range | None:
    if ref is None:
        return range(sheet, sheet + 1)
    if ref.book:
        return None
    first = grid.sheet_index(ref.first)
    last = first if ref.last is None else grid.sheet_index(ref.last)
    return None if first is None or last is None else range(min(first, last), max(first, last) + 1)


def _reference(grid: WorkbookGrid, tree: Reference, sheet: int, row: int, column: int) -> Areas | None:
    sheets, rect = _sheets(grid, tree.sheet, sheet), tree.at(row, column)
    return None if sheets is None or rect is None else tuple(Area(index, rect) for index in sheets)


def _name(
    grid: WorkbookGrid, parse: Parse, tree: NameRef, sheet: int, row: int, column: int, depth: int
) -> Areas | None:
    """A defined name, the sheet's own before the workbook's; else a table's data."""
    home = sheet if tree.sheet is None else grid.sheet_index(tree.sheet.first) if tree.sheet.first else None
    wanted = tree.name.casefold()
    for scope in (home, None):
        for name in grid.names:
            if name.sheet == scope and name.name.casefold() == wanted:
                if depth >= _DEPTH:
                    return None
                try:
                    # A name's relative parts are stored as seen from A1.
                    body = parse(name.formula, 0, 0)
                except FormulaSyntaxError:
                    return None
                return areas_of(grid, parse, body, sheet if scope is None else scope, row, column, depth + 1)
    return _table(grid, TableRef(tree.name, (), None, None)) if tree.sheet is None else None


def _table(grid: WorkbookGrid, tree: TableRef) -> Areas | None:
    """A table's data, or other parts of it; columns by their names."""
    table = next((t for t in grid.tables if t.name.casefold() == tree.table.casefold()), None)
    rows = None if table is None else _rows(table, {item.casefold() for item in tree.items})
    if table is None or rows is None:
        return None
    columns = [name.casefold() for name in table.columns]
    if tree.first is None:
        left, right = 0, len(columns)
    elif tree.first.casefold() in columns and (tree.last or tree.first).casefold() in columns:
        ends = columns.index(tree.first.casefold()), columns.index((tree.last or tree.first).casefold())
        left, right = min(ends), max(ends) + 1
    else:
        return None
    return (Area(table.sheet, Rect(rows[0], table.rect.left + left, rows[1], table.rect.left + right)),)


def _rows(table: Table, items: set[str]) -> tuple[int, int] | None:
    top, bottom = table.rect.top, table.rect.bottom
    parts = {
        "#headers": (top, top + table.header_rows),
        "#data": (top + table.header_rows, bottom - table.totals_rows),
        "#totals": (bottom - table.totals_rows, bottom),
        "#all": (top, bottom),
    }
    chosen = [parts[item] for item in items or {"#data"} if item in parts]
    if not chosen:
        return None
    first, last = min(c[0] for c in chosen), max(c[1] for c in chosen)
    return (first, last) if first < last else None
