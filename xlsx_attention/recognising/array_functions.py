"""Excel functions that recognition sees through, one row each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product
from typing import Final

from xlsx_attention.model.formula import Located, NameRef, Tree
from xlsx_attention.recognising.inside import LARGEST_INSIDE
from xlsx_attention.recognising.symbols import (
    LARGEST,
    Block,
    Function,
    Scope,
    Unclear,
    Value,
    call,
    choose,
    each,
    exponential,
    follow,
    here,
    largest,
    operand,
    read,
    single,
    square_root,
    whole_range,
)
from xlsx_attention.recognising.terms import Cell, Expr, Func, Num, Sum, power, times, total, unpack
from xlsx_attention.recognising.thinning import kept

Args = tuple[Tree, ...]


def _everything(args: Args, scope: Scope) -> list[Expr]:
    return [item for arg in args for item in read(arg, scope).all()]


def _elementwise(function: Callable[..., Expr]) -> Callable[[Args, Scope], Value]:
    return lambda args, scope: each(function, *(operand(arg, scope) for arg in args))


def _named(name: str) -> Callable[[Args, Scope], Value]:
    """An elementwise function that stays what it is, under its name."""
    return _elementwise(lambda *values: Func(name, values))


def _first(args: Args, scope: Scope) -> Value:
    """Functions that leave a number as it is: IFERROR, N, VALUE."""
    return operand(args[0], scope)


def _sum(args: Args, scope: Scope) -> Value:
    if len(args) == 1 and isinstance(args[0], Located):
        items = whole_range(args[0], scope)
        return single(items[0] if len(items) == 1 else Sum(items))
    return single(total(_everything(args, scope)))


def _max(args: Args, scope: Scope) -> Value:
    return single(largest(tuple(_everything(args, scope))))


def _sumproduct(args: Args, scope: Scope) -> Value:
    # Its arguments are arrays, also in a plain formula.
    blocks = [read(arg, replace(scope, plain=False)) for arg in args]
    first = blocks[0]
    if any((block.rows, block.columns) != (first.rows, first.columns) for block in blocks):
        raise Unclear("SUMPRODUCT of different shapes")
    if first.rows * first.columns > LARGEST:
        raise Unclear("SUMPRODUCT too large")
    places = product(range(first.rows), range(first.columns))
    return single(total(times(*(block(i, j) for block in blocks)) for i, j in places))


def _mmult(args: Args, scope: Scope) -> Value:
    a, b = (read(arg, replace(scope, plain=False)) for arg in args)
    if a.columns != b.rows or a.columns > LARGEST:
        raise Unclear("MMULT of unlike shapes, or too large")
    a, b = _with_cells(a, args[0], scope), _with_cells(b, args[1], scope)
    return Block(a.rows, b.columns, lambda i, j: total(times(a(i, k), b(k, j)) for k in range(a.columns)))


def _with_cells(block: Block, tree: Tree, scope: Scope) -> Block:
    """An operand of a product that is computed on the spot, with cells of its own, once for each place."""
    if scope.inside is None or isinstance(tree, Located) or block.rows * block.columns > LARGEST_INSIDE:
        return block
    elements = [[block(i, j) for j in range(block.columns)] for i in range(block.rows)]
    cells = scope.inside.given(elements)
    return block if cells is None else Block(block.rows, block.columns, lambda i, j: cells[i][j])


def _transpose(args: Args, scope: Scope) -> Value:
    block = read(args[0], scope)
    return Block(block.columns, block.rows, lambda i, j: block(j, i))


def _if(args: Args, scope: Scope) -> Value:
    parts = [operand(arg, scope) for arg in args]
    if len(parts) == 2:
        parts.append(single(Num(0.0)))
    return each(choose, *parts)


def _let(args: Args, scope: Scope) -> Value:
    for name, value in zip(args[:-1:2], args[1::2], strict=True):
        if not isinstance(name, NameRef):
            raise Unclear("LET")
        scope = scope.bind({name.name.upper(): follow(value, scope)})
    return follow(args[-1], scope)


def _lambda(args: Args, scope: Scope) -> Value:
    names = tuple(arg.name.upper() for arg in args[:-1] if isinstance(arg, NameRef))
    return Function(names, args[-1], scope)


def _function(tree: Tree, scope: Scope) -> Function:
    value = follow(tree, scope)
    if not isinstance(value, Function):
        raise Unclear("a function is wanted")
    return value


def _result(function: Function, args: list[Value], scope: Scope) -> Block:
    value = call(function, args, scope.depth)
    if isinstance(value, Function):
        raise Unclear("a LAMBDA gives a LAMBDA")
    return value


def _map(args: Args, scope: Scope) -> Value:
    blocks = [read(arg, scope) for arg in args[:-1]]
    function = _function(args[-1], scope)
    return each(lambda *values: _result(function, [single(v) for v in values], scope).one(), *blocks)


def _makearray(args: Args, scope: Scope) -> Value:
    rows, columns = _whole(args[0], scope), _whole(args[1], scope)
    function = _function(args[2], scope)
    return Block(
        rows,
        columns,
        lambda i, j: _result(function, [single(Num(i + 1.0)), single(Num(j + 1.0))], scope).one(),
    )


def _line(block: Block, row: int | None, column: int | None) -> Block:
    if row is not None:
        return Block(1, block.columns, lambda _i, j: block(row, j))
    if column is None:
        return block
    return Block(block.rows, 1, lambda i, _j: block(i, column))


def _byrow(args: Args, scope: Scope) -> Value:
    block, function = read(args[0], scope), _function(args[1], scope)
    return Block(block.rows, 1, lambda i, _j: _result(function, [_line(block, i, None)], scope).one())


def _bycol(args: Args, scope: Scope) -> Value:
    block, function = read(args[0], scope), _function(args[1], scope)
    return Block(1, block.columns, lambda _i, j: _result(function, [_line(block, None, j)], scope).one())


def _whole(tree: Tree, scope: Scope) -> int:
    """A number that the formula itself says, or that a constant cell holds."""
    value = read(tree, scope).one()
    number = constant(value, scope)
    if number is None:
        raise Unclear("a number is wanted")
    return int(number)


def constant(value: Expr, scope: Scope) -> float | None:
    if isinstance(value, Num):
        return value.value
    if isinstance(value, Cell):
        return scope.grid.number(*unpack(value.id))
    return None


def _index(args: Args, scope: Scope) -> Value:
    # Its numbers count all rows and columns.
    scope = replace(scope, thin=False)
    block = read(args[0], scope)
    numbers = [_whole(arg, scope) for arg in args[1:3]]
    if len(numbers) == 1:
        row, column = (1, numbers[0]) if block.rows == 1 else (numbers[0], 1 if block.columns == 1 else 0)
    else:
        row, column = numbers
    if row and column:
        return single(block(row - 1, column - 1))
    return _line(block, row - 1 if row else None, column - 1 if column else None)


def _sequence(args: Args, scope: Scope) -> Value:
    rows = _whole(args[0], scope)
    columns = _whole(args[1], scope) if len(args) > 1 else 1
    start = _whole(args[2], scope) if len(args) > 2 else 1
    step = _whole(args[3], scope) if len(args) > 3 else 1
    return Block(rows, columns, lambda i, j: Num(float(start + step * (i * columns + j))))


def _hstack(args: Args, scope: Scope) -> Value:
    blocks = [read(arg, scope) for arg in args]
    where = [(block, j) for block in blocks for j in range(block.columns)]
    return Block(max(b.rows for b in blocks), len(where), lambda i, j: where[j][0](i, where[j][1]))


def _vstack(args: Args, scope: Scope) -> Value:
    blocks = [read(arg, scope) for arg in args]
    where = [(block, i) for block in blocks for i in range(block.rows)]
    return Block(len(where), max(b.columns for b in blocks), lambda i, j: where[i][0](where[i][1], j))


def _rows(args: Args, scope: Scope) -> Value:
    return single(Num(float(read(args[0], replace(scope, thin=False)).rows)))


def _columns(args: Args, scope: Scope) -> Value:
    return single(Num(float(read(args[0], replace(scope, thin=False)).columns)))


def _position(axis: int) -> Callable[[Args, Scope], Value]:
    def position(args: Args, scope: Scope) -> Value:
        if not args:
            return single(Num(float((scope.row, scope.column)[axis] + 1)))
        if not isinstance(args[0], Located):
            raise Unclear("ROW of an expression")
        rect = args[0].reference.at(scope.row, scope.column)
        if rect is None:
            raise Unclear("reference")
        if scope.plain and rect.size > 1:
            rect = rect if here(args[0], scope) is None else type(rect).cell(rect.top, rect.left)
        start = (rect.top, rect.left)[axis] + 1
        length = (rect.height, rect.width)[axis]
        at = kept(length) if scope.thin else range(length)
        rows, columns = (len(at), 1) if axis == 0 else (1, len(at))
        return Block(rows, columns, lambda i, j: Num(float(start + at[i + j])))

    return position


ARRAY_FUNCTIONS: Final[dict[str, Callable[[Args, Scope], Value]]] = {
    "SUM": _sum,
    "MAX": _max,
    "SUMPRODUCT": _sumproduct,
    "MMULT": _mmult,
    "TRANSPOSE": _transpose,
    "IF": _if,
    "LET": _let,
    "LAMBDA": _lambda,
    "MAP": _map,
    "MAKEARRAY": _makearray,
    "BYROW": _byrow,
    "BYCOL": _bycol,
    "INDEX": _index,
    "SEQUENCE": _sequence,
    "HSTACK": _hstack,
    "VSTACK": _vstack,
    "ROWS": _rows,
    "COLUMNS": _columns,
    "ROW": _position(0),
    "COLUMN": _position(1),
    "EXP": _elementwise(exponential),
    "SQRT": _elementwise(square_root),
    "POWER": _elementwise(power),
    "PRODUCT": lambda args, scope: single(times(*_everything(args, scope))),
    "IFERROR": _first,
    "N": _first,
    "VALUE": _first,
    "ROUND": _named("ROUND"),
    "ROUNDUP": _named("ROUNDUP"),
    "ROUNDDOWN": _named("ROUNDDOWN"),
    "TRUNC": _named("TRUNC"),
    "NOT": _named("NOT"),
    "ABS": _named("ABS"),
    "SIN": _named("SIN"),
    "COS": _named("COS"),
    "ISEVEN": _named("ISEVEN"),
    "ISODD": _named("ISODD"),
    "MOD": _named("MOD"),
    "INT": _named("INT"),
    "LN": _named("LN"),
    "TANH": _named("TANH"),
}
