"""Names, tables and sheets in a tree become cells: what is left is arithmetic."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from xlsx_attention.model.address import MAX_COLUMNS, MAX_ROWS
from xlsx_attention.model.formula import (
    Apply,
    Binary,
    Bound,
    Call,
    ErrorLit,
    External,
    Located,
    NameRef,
    Reference,
    SheetRef,
    TableRef,
    Tree,
    with_parts,
)
from xlsx_attention.model.grid import Table, WorkbookGrid
from xlsx_attention.model.values import NAME, REF

#: Names that stand for names; Excel's own limit for nesting is 64 levels.
NAME_LEVELS = 64
#: Parts that the names of one formula may unfold to: `a = b+b`, `b = c+c`, … doubles with each name.
UNFOLDED = 20_000

#: Parsed defined names: (sheet index or None, NAME IN CAPITALS) → tree as seen from A1.
Names = Mapping[tuple[int | None, str], Tree]


@dataclass(slots=True)
class Resolver:
    """Resolves trees of one workbook. ``called`` collects names that stay names: LAMBDAs, which may call themselves."""

    grid: WorkbookGrid
    names: Names
    called: dict[str, Tree] = field(default_factory=dict)
    unfolded: int = 0
    _tables: dict[str, Table] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._tables = {table.name.upper(): table for table in self.grid.tables}

    def resolve(self, tree: Tree, sheet: int, row: int, column: int) -> Tree:
        """``tree`` of a formula on ``sheet`` whose first cell is (row, column)."""
        self.unfolded = 0
        try:
            return _Walk(self, sheet, row, column, frozenset(), ()).visit(tree)
        except _TooMuch as fault:
            return Call(str(fault), ())

    def table(self, name: str, sheet: int, row: int, column: int) -> Table | None:
        if name:
            return self._tables.get(name.upper())
        return next((t for t in self.grid.tables if t.sheet == sheet and t.rect.contains(row, column)), None)


class _TooMuch(Exception):
    """Names unfold to more than is computed, or without end; the message is the reason that the cell gets."""


@dataclass(frozen=True, slots=True)
class _Walk:
    resolver: Resolver
    sheet: int
    row: int
    column: int
    variables: frozenset[str]
    naming: tuple[str, ...]

    def visit(self, tree: Tree) -> Tree:
        if self.naming:
            self.resolver.unfolded += 1
            if self.resolver.unfolded > UNFOLDED:
                raise _TooMuch(f"names that unfold to more than {UNFOLDED:,} parts")
        if isinstance(tree, Reference):
            return self._reference(tree)
        if isinstance(tree, Binary):
            return self._binary(tree)
        if isinstance(tree, NameRef):
            return self._name(tree)
        if isinstance(tree, Call):
            return self._call(tree)
        if isinstance(tree, TableRef):
            return self._table(tree)
        return with_parts(tree, self.visit)

    def _binary(self, tree: Binary) -> Tree:
        # A chain of thousands of + is deep to the left: walk it, do not recurse.
        spine: list[Binary] = []
        node: Tree = tree
        while isinstance(node, Binary):
            spine.append(node)
            node = node.left
        result = self.visit(node)
        for binary in reversed(spine):
            result = Binary(binary.op, result, self.visit(binary.right))
        return result

    def _sheets(self, ref: SheetRef | None) -> tuple[int, ...] | None:
        if ref is None:
            return (self.sheet,)
        first = self.resolver.grid.sheet_index(ref.first)
        last = first if ref.last is None else self.resolver.grid.sheet_index(ref.last)
        if first is None or last is None:
            return None
        return tuple(range(min(first, last), max(first, last) + 1))

    def _reference(self, tree: Reference) -> Tree:
        if tree.sheet is not None and tree.sheet.book:
            return External(tree.sheet.book, tree.sheet.first, tree)
        sheets = self._sheets(tree.sheet)
        return ErrorLit(REF) if sheets is None else Located(sheets, tree)

    def _find(self, name: str, sheet: SheetRef | None) -> tuple[str, Tree, int] | None:
        key = name.upper()
        if sheet is not None and sheet.first:
            scopes = self._sheets(sheet) or ()
            scope = scopes[0] if scopes else None
        else:
            scope = self.sheet
        for place in (scope, None):
            found = self.resolver.names.get((place, key))
            if found is not None:
                return (key if place is None else f"{place}!{key}"), found, self.sheet if place is None else place
        return None

    def _name(self, tree: NameRef) -> Tree:
        if tree.sheet is None and tree.name.upper() in self.variables:
            return tree
        if tree.sheet is not None and tree.sheet.book:
            return External(tree.sheet.book, "", Reference(*(Bound(0, True),) * 4))
        found = self._find(tree.name, tree.sheet)
        if found is None:
            # A table's name alone is its data.
            if tree.sheet is None and tree.name.upper() in self.resolver._tables:
                return self._table(TableRef(tree.name, (), None, None))
            return tree if tree.sheet is None else ErrorLit(NAME)
        key, body, home = found
        if isinstance(body, Call) and body.name == "LAMBDA":
            return self._keep(key, body, home)
        if key in self.naming:
            # Excel warns of a circular reference and shows 0, which is no result.
            raise _TooMuch(f"names that stand for each other in a circle ({', '.join(self.naming)})")
        if len(self.naming) >= NAME_LEVELS:
            raise _TooMuch(f"names that stand for names over more than {NAME_LEVELS} levels")
        return _Walk(self.resolver, home, self.row, self.column, frozenset(), (*self.naming, key)).visit(_wrap(body))

    def _keep(self, key: str, body: Tree, home: int) -> NameRef:
        """A LAMBDA stays a name, resolved once: it may call itself."""
        if key not in self.resolver.called:
            self.resolver.called[key] = body
            walk = _Walk(self.resolver, home, self.row, self.column, frozenset(), (*self.naming, key))
            self.resolver.called[key] = walk.visit(_wrap(body))
        return NameRef(key)

    def _call(self, tree: Call) -> Tree:
        if tree.name in self.variables:
            return Apply(NameRef(tree.name), tuple(map(self.visit, tree.args)))
        if tree.name in ("LET", "LAMBDA"):
            return self._binding(tree)
        found = self._find(tree.name, None)
        args = tuple(map(self.visit, tree.args))
        if found is not None:
            key, body, home = found
            return Apply(self._keep(key, body, home), args)
        return Call(tree.name, args)

    def _binding(self, tree: Call) -> Tree:
        """LET and LAMBDA bring names of their own, which hide defined names; where they are declared they stay as
        they are.
        """
        last = len(tree.args) - 1
        declared = [i for i in range(last) if tree.name == "LAMBDA" or i % 2 == 0]
        own: set[str] = set()
        for node in (tree.args[i] for i in declared):
            if isinstance(node, NameRef):
                own.add(node.name.upper())
            elif isinstance(node, TableRef) and node.first is not None:
                own.add(node.first.upper())
        inner = _Walk(self.resolver, self.sheet, self.row, self.column, self.variables | own, self.naming)
        args = (arg if i in declared else inner.visit(arg) for i, arg in enumerate(tree.args))
        return Call(tree.name, tuple(args))

    def _table(self, tree: TableRef) -> Tree:
        table = self.resolver.table(tree.table, self.sheet, self.row, self.column)
        if table is None:
            return ErrorLit(REF)
        columns = [name.casefold() for name in table.columns]
        try:
            first = columns.index(tree.first.casefold()) if tree.first is not None else 0
            last = columns.index(tree.last.casefold()) if tree.last is not None else None
        except ValueError:
            return ErrorLit(REF)
        if last is None:
            last = first if tree.first is not None else len(columns) - 1
        left, right = table.rect.left + min(first, last), table.rect.left + max(first, last)
        items = {item.casefold() for item in tree.items}
        data_top, data_bottom = table.rect.top + table.header_rows, table.rect.bottom - table.totals_rows - 1
        if "#this row" in items:
            row = Bound(0, False)
            return Located(
                (table.sheet,),
                Reference(row, Bound(left, True), row, Bound(right, True), is_range=left != right),
            )
        if "#all" in items:
            top, bottom = table.rect.top, table.rect.bottom - 1
        else:
            top, bottom = data_top, data_bottom
            if "#headers" in items:
                top = table.rect.top
                bottom = data_bottom if "#data" in items else table.rect.top + table.header_rows - 1
            if "#totals" in items:
                bottom = table.rect.bottom - 1
                top = top if items & {"#data", "#headers"} else table.rect.bottom - table.totals_rows
        if bottom < top:
            return ErrorLit(REF)
        bounds = (Bound(top, True), Bound(left, True), Bound(bottom, True), Bound(right, True))
        return Located((table.sheet,), Reference(*bounds, is_range=True))


def _wrap(tree: Tree) -> Tree:
    """Relative references in names are stored as seen from A1; one that points up or left is stored wrapped around."""
    if isinstance(tree, Reference):

        def edge(bound: Bound, size: int) -> Bound:
            return bound if bound.absolute or bound.index < size // 2 else Bound(bound.index - size, False)

        return Reference(
            edge(tree.top, MAX_ROWS),
            edge(tree.left, MAX_COLUMNS),
            edge(tree.bottom, MAX_ROWS),
            edge(tree.right, MAX_COLUMNS),
            tree.sheet,
            tree.extent,
            tree.is_range,
        )
    return with_parts(tree, _wrap)
