"""LET, LAMBDA and the functions that take a LAMBDA. Source: Microsoft's pages "LAMBDA function", "MAP function" …

Variables are kept under their names in capitals. A LAMBDA that stands in a cell of its own is ``#CALC!``.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from xlsx_attention.functions.coercion import to_number
from xlsx_attention.functions.registry import Area, Evaluator, ExcelError, Lambda, Operand, function
from xlsx_attention.model.address import MAX_COLUMNS, MAX_ROWS, Rect
from xlsx_attention.model.formula import Call, Missing, NameRef, TableRef, Tree
from xlsx_attention.model.values import CALC, EMPTY, LOGICAL, NA, NAME, NUM, VALUE, Array

_OPTIONAL = "_XLOP."


def _excel_error(kind: int) -> Operand:
    return Operand(Array.of(0.0, kind))


def _variable(node: Tree) -> tuple[str, bool] | None:
    """A declared name in capitals, and whether it is optional (``[x]``, which files store as ``_xlop.x``)."""
    if isinstance(node, NameRef) and node.sheet is None:
        name = node.name.upper()
        if name.startswith(_OPTIONAL):
            return name[len(_OPTIONAL) :], True
        return name, False
    if isinstance(node, TableRef) and not node.table and node.first is not None and node.last in (None, node.first):
        return node.first.upper(), True
    return None


#: Operations that one call of a LAMBDA costs with what is made for it; announced before the first call.
_ELEMENT = 40_000


@function("LET", "name:lazy value:lazy rest:lazy ...", "lazy", vectorised=True)
def let(ev: Evaluator, *nodes: Tree) -> Operand:
    """``LET(name, value, …, calculation)``: a value may use the names before it; an unused one's error does no harm."""
    if len(nodes) % 2 == 0:
        return _excel_error(VALUE)
    for name_node, value_node in zip(nodes[:-1:2], nodes[1::2], strict=True):
        declared = _variable(name_node)
        if declared is None:
            return _excel_error(NAME)
        ev = ev.bind({declared[0]: ev.evaluate(value_node)})
    return ev.evaluate(nodes[-1])


@function("LAMBDA", "parameter:lazy ...", "lazy", vectorised=True)
def lambda_(ev: Evaluator, *nodes: Tree) -> Operand:
    """``LAMBDA(parameter, …, calculation)`` as a value that can be bound, passed and called."""
    names, optional = [], set()
    for node in nodes[:-1]:
        declared = _variable(node)
        if declared is None or declared[0] in names:
            return _excel_error(VALUE)
        names.append(declared[0])
        if declared[1]:
            optional.add(declared[0])
    function_ = Lambda(tuple(names), frozenset(optional), nodes[-1], dict(ev.variables))
    return Operand(Array.of(0.0, CALC), function=function_)


@function("ISOMITTED", "argument:lazy", "lazy", vectorised=True)
def isomitted(ev: Evaluator, node: Tree) -> Operand:
    """TRUE when a LAMBDA's optional parameter was not given."""
    return Operand(Array.of(float(ev.evaluate(node).missing), LOGICAL))


def _callable(ev: Evaluator, node: Tree, arity: int) -> Lambda:
    """A LAMBDA argument, or a function's bare name (``BYROW(A1:B3, SUM)``) with as many arguments as it will get."""
    function_ = ev.evaluate(node).function
    if function_ is None:
        raise ExcelError(VALUE)
    body = function_.body
    bare = isinstance(body, Call) and body.args == tuple(map(NameRef, function_.parameters))
    if bare and isinstance(body, Call) and len(function_.parameters) != arity:
        names = tuple(f"_{i}" for i in range(arity))
        return Lambda(names, frozenset(), Call(body.name, tuple(map(NameRef, names))), {})
    return function_


def _one(ev: Evaluator, operand: Operand) -> tuple[float, int]:
    """The single value that one element must give: ``#CALC!`` for an array or a LAMBDA."""
    matrix = ev.matrix(operand)
    if matrix.size != 1 or operand.function is not None:
        return 0.0, CALC
    kind = int(matrix.kind[0, 0])
    # An empty cell that passes through a LAMBDA shows as 0.
    return float(matrix.number[0, 0]), 0 if kind == EMPTY else kind


def _part(ev: Evaluator, operand: Operand, rows: slice, columns: slice) -> Operand:
    """Part of an array argument; still a reference when the argument is one."""
    matrix = ev.matrix(operand)
    array = Array(matrix.number[rows, columns][None, None], matrix.kind[rows, columns][None, None])
    areas: tuple[Area, ...] = ()
    if operand.is_reference and len(operand.areas) == 1:
        rect = operand.areas[0].rect
        height, width = matrix.shape
        top, bottom, _ = rows.indices(height)
        left, right, _ = columns.indices(width)
        part = Rect(rect.top + top, rect.left + left, rect.top + bottom, rect.left + right)
        areas = (replace(operand.areas[0], rect=part),)
    return Operand(array, is_reference=bool(areas), areas=areas)


def _gather(ev: Evaluator, height: int, width: int, values: list[tuple[float, int]]) -> Operand:
    number = np.array([v[0] for v in values], np.float64).reshape(1, 1, height, width)
    kind = np.array([v[1] for v in values], np.uint8).reshape(1, 1, height, width)
    return Operand(Array(number, kind))


@function("MAP", "array:lazy rest:lazy ...", "lazy")
def map_(ev: Evaluator, *nodes: Tree) -> Operand:
    """``MAP(array, …, LAMBDA(element, …))`` element by element; ``#N/A`` where arrays of unlike sizes run out.

    ``#CALC!`` for an element that gives an array.
    """
    operands = [ev.evaluate(node) for node in nodes[:-1]]
    function_ = _callable(ev, nodes[-1], len(operands))
    if len(function_.parameters) != len(operands):
        return _excel_error(VALUE)
    shapes = [ev.matrix(o).shape for o in operands]
    height, width = max(s[0] for s in shapes), max(s[1] for s in shapes)
    ev.charge(height * width)
    ev.toil(_ELEMENT * height * width)
    values = []
    for i in range(height):
        for j in range(width):
            if any(i >= h or j >= w for h, w in shapes):
                values.append((0.0, NA))
                continue
            elements = [_part(ev, o, slice(i, i + 1), slice(j, j + 1)) for o in operands]
            values.append(_one(ev, ev.call(function_, elements)))
    return _gather(ev, height, width, values)


@function("BYROW", "array:lazy function:lazy", "lazy")
def byrow(ev: Evaluator, array: Tree, function_node: Tree) -> Operand:
    """One value for each row, as a column."""
    operand = ev.evaluate(array)
    function_ = _callable(ev, function_node, 1)
    height, _ = ev.matrix(operand).shape
    ev.charge(height)
    values = [_one(ev, ev.call(function_, [_part(ev, operand, slice(i, i + 1), slice(None))])) for i in range(height)]
    return _gather(ev, height, 1, values)


@function("BYCOL", "array:lazy function:lazy", "lazy")
def bycol(ev: Evaluator, array: Tree, function_node: Tree) -> Operand:
    """One value for each column, as a row."""
    operand = ev.evaluate(array)
    function_ = _callable(ev, function_node, 1)
    _, width = ev.matrix(operand).shape
    ev.charge(width)
    values = [_one(ev, ev.call(function_, [_part(ev, operand, slice(None), slice(j, j + 1))])) for j in range(width)]
    return _gather(ev, 1, width, values)


def _elements(ev: Evaluator, operand: Operand) -> list[Operand]:
    height, width = ev.matrix(operand).shape
    ev.charge(height * width)
    ev.toil(_ELEMENT * height * width)
    return [_part(ev, operand, slice(i, i + 1), slice(j, j + 1)) for i in range(height) for j in range(width)]


@function("REDUCE", "initial:lazy array:lazy function:lazy", "lazy")
def reduce_(ev: Evaluator, initial: Tree, array: Tree, function_node: Tree) -> Operand:
    """``REDUCE(initial, array, LAMBDA(total, element))`` row by row; the first element where ``initial`` is missing.

    The total may be an array.
    """
    function_ = _callable(ev, function_node, 2)
    elements = _elements(ev, ev.evaluate(array))
    total = elements.pop(0) if isinstance(initial, Missing) else ev.evaluate(initial)
    for element in elements:
        total = ev.call(function_, [total, element])
    return total


@function("SCAN", "initial:lazy array:lazy function:lazy", "lazy")
def scan(ev: Evaluator, initial: Tree, array: Tree, function_node: Tree) -> Operand:
    """Every intermediate total of REDUCE, in the array's shape; ``#CALC!`` where a total is an array."""
    function_ = _callable(ev, function_node, 2)
    operand = ev.evaluate(array)
    elements = _elements(ev, operand)
    values = []
    total: Operand | None = None if isinstance(initial, Missing) else ev.evaluate(initial)
    for element in elements:
        total = element if total is None else ev.call(function_, [total, element])
        values.append(_one(ev, total))
    return _gather(ev, *ev.matrix(operand).shape, values)


@function("MAKEARRAY", "rows:lazy columns:lazy function:lazy", "lazy")
def makearray(ev: Evaluator, rows: Tree, columns: Tree, function_node: Tree) -> Operand:
    """``MAKEARRAY(rows, columns, LAMBDA(row, column))`` with indices from 1; ``#VALUE!`` for a size below 1."""
    height, width = (_size(ev, node, limit) for node, limit in ((rows, MAX_ROWS), (columns, MAX_COLUMNS)))
    function_ = _callable(ev, function_node, 2)
    ev.charge(height * width)
    ev.toil(_ELEMENT * height * width)
    values = []
    for i in range(1, height + 1):
        for j in range(1, width + 1):
            indices = [Operand(Array.of(float(i))), Operand(Array.of(float(j)))]
            values.append(_one(ev, ev.call(function_, indices)))
    return _gather(ev, height, width, values)


def _size(ev: Evaluator, node: Tree, limit: int) -> int:
    array = to_number(ev.evaluate(node, "value").array, ev.texts)
    number, kind = array.full()
    if kind.flat[0]:
        raise ExcelError(int(kind.flat[0]))
    size = int(number.flat[0])
    if size < 1:
        raise ExcelError(VALUE)
    if size > limit:
        raise ExcelError(NUM)
    return size
