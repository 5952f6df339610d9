"""Formulas read without numbers: each cell's formula as a :mod:`terms` expression over other cells.

A formula is followed cell by cell, lazily, so that only what recognition asks for costs anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from xlsx_attention.functions.table import lookup
from xlsx_attention.model.address import Rect
from xlsx_attention.model.formula import (
    Apply,
    ArrayLit,
    Binary,
    Call,
    Located,
    LogicalLit,
    Missing,
    NameRef,
    NumberLit,
    Single,
    Spill,
    TextLit,
    Tree,
    Unary,
)
from xlsx_attention.model.grid import WorkbookGrid
from xlsx_attention.recognising.inside import Inside
from xlsx_attention.recognising.terms import (
    Cell,
    Exp,
    Expr,
    Func,
    If,
    Max,
    Num,
    inverse,
    pack,
    power,
    root,
    times,
    total,
)
from xlsx_attention.recognising.thinning import END, kept

#: Ranges larger than this (whole columns) are of no use in a formula that is followed cell by cell.
LARGEST = 20_000
LARGEST_THINNED = 1_000_000


class Unclear(Exception):
    """A part of a formula that cannot be followed: an external link, OFFSET, an error."""


@dataclass(slots=True)
class Block:
    """A part of a formula: an array of expressions, each made when asked for."""

    rows: int
    columns: int
    make: Callable[[int, int], Expr]
    made: dict[tuple[int, int], Expr] = field(default_factory=dict)

    def __call__(self, row: int, column: int) -> Expr:
        """One element; an axis of length 1 serves for every index."""
        key = (row if self.rows > 1 else 0, column if self.columns > 1 else 0)
        found = self.made.get(key)
        if found is None:
            if not (key[0] < self.rows and key[1] < self.columns):
                raise Unclear("array index")
            found = self.made[key] = self.make(*key)
        return found

    def all(self) -> Iterator[Expr]:
        if self.rows * self.columns > LARGEST:
            raise Unclear("range too large")
        return (self(row, column) for row in range(self.rows) for column in range(self.columns))

    def one(self) -> Expr:
        if self.rows != 1 or self.columns != 1:
            raise Unclear("array where one value is wanted")
        return self(0, 0)


@dataclass(frozen=True, slots=True)
class Function:
    """A LAMBDA and the variables that it sees."""

    parameters: tuple[str, ...]
    body: Tree
    scope: Scope


Value: TypeAlias = Block | Function


@dataclass(frozen=True, slots=True)
class Scope:
    """Where a formula is read: the cell that holds it, and its variables."""

    grid: WorkbookGrid
    names: Mapping[str, Tree]
    sheet: int
    row: int
    column: int
    plain: bool
    functions: Mapping[str, Callable[[tuple[Tree, ...], Scope], Value]]
    variables: Mapping[str, Value] = field(default_factory=dict)
    depth: int = 0
    #: Ranges read before, as lists of their cells: a column that thousands of formulas sum is laid out once.
    ranges: dict[tuple[int, Rect, bool], tuple[Expr, ...]] = field(default_factory=dict)
    #: The same as arrays.
    blocks: dict[tuple[int, Rect, bool], Block] = field(default_factory=dict)
    #: Whether long ranges are read by their ends.
    thin: bool = False
    #: Where matrices inside the formula get cells; ``None`` where they need none.
    inside: Inside | None = None

    def bind(self, variables: Mapping[str, Value]) -> Scope:
        return replace(self, variables={**self.variables, **variables}, depth=self.depth + 1)


def single(expr: Expr) -> Block:
    return Block(1, 1, lambda _row, _column: expr)


def read(tree: Tree, scope: Scope) -> Block:
    """A tree as an array of expressions; raises :class:`Unclear`."""
    value = follow(tree, scope)
    if isinstance(value, Function):
        raise Unclear("a LAMBDA that is not called")
    return value


def follow(tree: Tree, scope: Scope) -> Value:
    if scope.depth > 40:
        raise Unclear("recursion")
    match tree:
        case Located():
            return _range(tree, scope)
        case NumberLit(value):
            return single(Num(value))
        case LogicalLit(value):
            return single(Num(float(value)))
        case TextLit(text):
            return single(Func(f'"{text}"', ()))
        case Missing():
            return single(Num(0.0))
        case Binary():
            return _binary(tree, scope)
        case Unary("-", inner):
            return each(lambda x: times(Num(-1.0), x), operand(inner, scope))
        case Unary("%", inner):
            return each(lambda x: times(Num(0.01), x), operand(inner, scope))
        case Unary(_, inner):
            return follow(inner, scope)
        case Single(inner):
            return here(inner, scope) if isinstance(inner, Located) else single(read(inner, scope)(0, 0))
        case Spill(inner):
            return _spill(inner, scope)
        case ArrayLit(rows):
            cells = [[read(item, scope).one() for item in row] for row in rows]
            return Block(len(cells), len(cells[0]), lambda i, j: cells[i][j])
        case NameRef(name):
            return _name(name, scope)
        case Apply(callee, args):
            called = follow(callee, scope)
            if not isinstance(called, Function):
                raise Unclear("call of a value")
            return call(called, [follow(arg, scope) for arg in args], scope.depth)
        case Call():
            return _call(tree, scope)
        case _:
            raise Unclear(type(tree).__name__)


def call(function: Function, args: list[Value], depth: int) -> Value:
    given = dict(zip(function.parameters, args, strict=False))
    inner = function.scope.bind(given)
    return follow(function.body, replace(inner, plain=False, depth=max(depth, inner.depth) + 1))


def _name(name: str, scope: Scope) -> Value:
    key = name.upper()
    if key in scope.variables:
        return scope.variables[key]
    if key in scope.names:
        return follow(scope.names[key], scope.bind({}))
    raise Unclear(f"name {name}")


def _rect(tree: Located, scope: Scope) -> tuple[int, Rect]:
    rect = tree.reference.at(scope.row, scope.column)
    if rect is None or len(tree.sheets) != 1:
        raise Unclear("reference")
    return tree.sheets[0], rect


def _of(sheet: int, rect: Rect, *, thin: bool = False) -> Block:
    if thin and max(rect.shape) > 2 * END:
        rows, columns = kept(rect.height), kept(rect.width)
        return Block(
            len(rows), len(columns), lambda i, j: Cell(pack(sheet, rect.top + rows[i], rect.left + columns[j]))
        )
    return Block(rect.height, rect.width, lambda i, j: Cell(pack(sheet, rect.top + i, rect.left + j)))


def whole_range(tree: Located, scope: Scope) -> tuple[Expr, ...]:
    """Every cell of a range, in reading order."""
    key = (*_rect(tree, scope), scope.thin)
    found = scope.ranges.get(key)
    if found is None:
        found = scope.ranges[key] = tuple(_range(tree, scope).all())
    return found


def _range(tree: Located, scope: Scope) -> Block:
    sheet, rect = _rect(tree, scope)
    if rect.size > (LARGEST_THINNED if scope.thin else LARGEST):
        inside = rect.intersection(scope.grid.sheets[sheet].cached.used)
        if inside is None:
            raise Unclear("empty range")
        rect = inside
    if rect.size == 1:
        return _of(sheet, rect)
    key = (sheet, rect, scope.thin)
    found = scope.blocks.get(key)
    if found is None:
        found = scope.blocks[key] = _of(sheet, rect, thin=scope.thin)
    return found


def here(tree: Located, scope: Scope) -> Block:
    """Implicit intersection: the range's cell in the formula's own row or column."""
    sheet, rect = _rect(tree, scope)
    if rect.size == 1:
        return _of(sheet, rect)
    row = scope.row if rect.height > 1 else rect.top
    column = scope.column if rect.width > 1 else rect.left
    if not rect.contains(row, column):
        raise Unclear("implicit intersection")
    return single(Cell(pack(sheet, row, column)))


def operand(tree: Tree, scope: Scope) -> Block:
    """An operand of an elementwise operator, which in a plain formula stands for one value."""
    if scope.plain and isinstance(tree, Located):
        return here(tree, scope)
    return read(tree, scope)


def _spill(inner: Tree, scope: Scope) -> Block:
    if not isinstance(inner, Located):
        raise Unclear("spill of an expression")
    sheet, rect = _rect(inner, scope)
    array = scope.grid.sheets[sheet].arrays.get((rect.top, rect.left))
    return _of(sheet, rect if array is None else array.rect, thin=scope.thin)


def each(function: Callable[..., Expr], *blocks: Block) -> Block:
    """An elementwise function; shapes broadcast."""
    rows = max(block.rows for block in blocks)
    columns = max(block.columns for block in blocks)
    return Block(rows, columns, lambda i, j: function(*(block(i, j) for block in blocks)))


_COMPARE: Final = frozenset({"=", "<>", "<", ">", "<=", ">="})


def compare(op: str, a: Expr, b: Expr) -> Expr:
    """Kept even where both are numbers: which cells a rule such as ``COLUMN()>ROW()`` hides is asked later."""
    return Func(op, (a, b))


def _plus(a: Expr, b: Expr) -> Expr:
    if isinstance(a, Num) and isinstance(b, Num):
        return Num(a.value + b.value)
    return total((a, b))


_OPERATORS: Final[dict[str, Callable[[Expr, Expr], Expr]]] = {
    "+": _plus,
    "-": lambda a, b: _plus(a, times(Num(-1.0), b)),
    "*": lambda a, b: times(a, b),
    "/": lambda a, b: times(a, inverse(b)),
    "^": power,
}


def _binary(tree: Binary, scope: Scope) -> Block:
    if tree.op == ":":
        raise Unclear("range operator")
    # A sum of hundreds of terms is deep to the left: gather its spine first.
    if tree.op in "+-":
        parts: list[tuple[str, Tree]] = []
        node: Tree = tree
        while isinstance(node, Binary) and node.op in ("+", "-"):
            parts.append((node.op, node.right))
            node = node.left
        blocks = [(sign, operand(part, scope)) for sign, part in (*[("+", node)], *reversed(parts))]
        if len(blocks) == 2:
            return each(_OPERATORS[blocks[1][0]], blocks[0][1], blocks[1][1])
        signs = [sign for sign, _ in blocks]

        def add(*values: Expr) -> Expr:
            signed = zip(signs, values, strict=True)
            return total(value if sign == "+" else times(Num(-1.0), value) for sign, value in signed)

        return each(add, *(block for _, block in blocks))
    left, right = operand(tree.left, scope), operand(tree.right, scope)
    if tree.op in _OPERATORS:
        return each(_OPERATORS[tree.op], left, right)
    if tree.op in _COMPARE:
        return each(lambda a, b: compare(tree.op, a, b), left, right)
    return each(lambda a, b: Func(tree.op, (a, b)), left, right)


def choose(condition: Expr, yes: Expr, no: Expr) -> Expr:
    if isinstance(condition, Num):
        return yes if condition.value else no
    return If(condition, yes, no)


def exponential(of: Expr) -> Expr:
    return Exp(of)


def largest(items: tuple[Expr, ...]) -> Expr:
    return items[0] if len(items) == 1 else Max(items)


def square_root(of: Expr) -> Expr:
    return root(of)


def _call(tree: Call, scope: Scope) -> Value:
    function = scope.functions.get(tree.name)
    if function is not None:
        row = lookup(tree.name)
        if row is not None and not row.minimum <= len(tree.args) <= row.maximum:
            # Excel would not take the formula: it gives #VALUE!, whatever its arguments are.
            raise Unclear
        return function(tree.args, scope)
    # A count or a mean is of all its cells.
    blocks = [read(arg, replace(scope, thin=False)) for arg in tree.args]
    return single(Func(tree.name, tuple(item for block in blocks for item in block.all())))
