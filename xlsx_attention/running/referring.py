"""Nodes that say where a value is: references, names, links to other files, the operators on references."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from xlsx_attention.functions.coercion import collapse
from xlsx_attention.functions.registry import Area, Operand
from xlsx_attention.model.address import Rect
from xlsx_attention.model.formula import Binary, External, Located, NameRef, Single, Spill
from xlsx_attention.model.values import EMPTY, NAME, NULL, REF, TEXT, VALUE, Array
from xlsx_attention.running.calling import builtin_as_lambda
from xlsx_attention.running.conversion import join
from xlsx_attention.running.machine import NODE, Want
from xlsx_attention.running.window import window

if TYPE_CHECKING:
    from xlsx_attention.running.evaluator import BlockEvaluator

REFERENCE_OPERATORS = frozenset({":", ",", " "})


def located(ev: BlockEvaluator, node: Located, want: Want) -> Operand:
    if ev.one_by_one:
        rect = node.reference.at(ev.rect.top, ev.rect.left)
        if rect is None:
            return ev.error(REF)
        areas = tuple(Area(sheet, rect) for sheet in node.sheets)
        # Only reference functions look at areas; reading through the window keeps one code path for values.
        return Operand(_windows(ev, node), True, areas)
    return Operand(_windows(ev, node), True)


def _windows(ev: BlockEvaluator, node: Located) -> Array:
    machine = ev.machine
    if len(node.sheets) > 1:
        machine.toil(NODE * len(node.sheets))
    arrays = [window(machine.planes[s], machine.used[s], node.reference, ev.rect, machine.toil) for s in node.sheets]
    return arrays[0] if len(arrays) == 1 else join(arrays)


def intersect(ev: BlockEvaluator, node: Located) -> Operand:
    """The cell of a row or column that stands level with each cell of the block, else ``#VALUE!``."""
    first = node.reference.at(ev.rect.top, ev.rect.left)
    if first is None or len(node.sheets) != 1:
        return ev.error(VALUE)
    plane = ev.machine.planes[node.sheets[0]]
    ev.machine.toil(200 * ev.rect.size)
    number = np.zeros((*ev.rect.shape, 1, 1))
    kind = np.full((*ev.rect.shape, 1, 1), VALUE, np.uint8)
    for row, column in ev.rect.cells():
        rect = node.reference.at(row, column)
        if rect is None:
            continue
        at = None
        if rect.width == 1 and rect.top <= row < rect.bottom:
            at = (row, rect.left)
        elif rect.height == 1 and rect.left <= column < rect.right:
            at = (rect.top, column)
        elif rect.size > 1 and rect.contains(row, column):
            at = (row, column)
        if at is not None:
            i, j = row - ev.rect.top, column - ev.rect.left
            number[i, j, 0, 0], kind[i, j, 0, 0] = plane.get(*at)
    return Operand(Array(number, collapse(kind)), True)


def external(ev: BlockEvaluator, node: External, want: Want) -> Operand:
    books = ev.machine.grid.external
    rect = node.reference.at(ev.rect.top, ev.rect.left)
    if not 0 < node.book <= len(books) or rect is None:
        return ev.error(REF)
    book = books[node.book - 1]
    wanted = node.sheet.casefold()
    sheet = next((i for i, name in enumerate(book.sheets) if name.casefold() == wanted), None)
    if sheet is None:
        return ev.error(REF)
    ev.charge(rect.size)
    number, kind = np.zeros(rect.shape), np.full(rect.shape, EMPTY, np.uint8)
    ev.machine.toil(100 * min(rect.size, len(book.cells)))
    # Whichever is fewer: the cells asked for, or those that the file remembers.
    places = ((sheet, *at) for at in rect.cells()) if rect.size < len(book.cells) else book.cells
    for place in places:
        value = book.cells.get(place)
        if value is not None and place[0] == sheet and rect.contains(*place[1:]):
            at = (place[1] - rect.top, place[2] - rect.left)
            kind[at] = value.kind
            number[at] = ev.texts.add(value.text) if value.kind == TEXT else value.number
    return Operand(Array(number[None, None], collapse(kind[None, None])), True)


def name(ev: BlockEvaluator, node: NameRef, want: Want) -> Operand:
    variable = ev.variables.get(node.name.upper())
    if variable is not None:
        return variable
    tree = ev.machine.names.get(node.name)
    if tree is not None:
        return ev.bind({}).evaluate(tree)
    builtin = builtin_as_lambda(node.name.upper())
    return ev.error(NAME) if builtin is None else Operand(Array.of(0.0, EMPTY), function=builtin)


def reference_operator(ev: BlockEvaluator, node: Binary) -> Operand:
    left, right = ev.evaluate(node.left), ev.evaluate(node.right)
    for side in (left, right):
        if not side.is_reference:
            return side if (side.array.kind >= 16).any() else ev.error(VALUE)
    if node.op == ",":
        if left.areas and right.areas:
            return ev.read((*left.areas, *right.areas))
        return Operand(join([left.array, right.array]), True)
    if not (left.areas and right.areas):
        return ev.error(VALUE)
    if node.op == ":":
        if left.areas[0].sheet != right.areas[0].sheet:
            return ev.error(VALUE)
        whole = left.areas[0].rect
        for area in (*left.areas, *right.areas):
            whole = whole.union(area.rect)
        return ev.read((Area(left.areas[0].sheet, whole),))
    common = tuple(
        Area(a.sheet, rect)
        for a in left.areas
        for b in right.areas
        if a.sheet == b.sheet and (rect := a.rect.intersection(b.rect)) is not None
    )
    return ev.read(common) if common else ev.error(NULL)


def spill(ev: BlockEvaluator, node: Spill, want: Want) -> Operand:
    anchor = ev.evaluate(node.operand)
    if not anchor.areas:
        return ev.error(REF)
    area = anchor.areas[0]
    key = (area.rect.top, area.rect.left)
    found = ev.machine.grid.sheets[area.sheet].arrays.get(key)
    if found is None:
        return ev.error(REF)
    return ev.read((Area(area.sheet, found.rect),))


def single(ev: BlockEvaluator, node: Single, want: Want) -> Operand:
    inner = node.operand
    operand = ev.evaluate(inner, "array")
    if operand.array.is_single:
        return operand
    if isinstance(inner, Located):
        return intersect(ev, inner)
    if operand.areas:
        area = operand.areas[0]
        rect = area.rect
        if rect.width == 1 and rect.top <= ev.row < rect.bottom:
            return ev.read((Area(area.sheet, Rect.cell(ev.row, rect.left)),))
        if rect.height == 1 and rect.left <= ev.column < rect.right:
            return ev.read((Area(area.sheet, Rect.cell(rect.top, ev.column)),))
        return ev.error(VALUE)
    number, kind = operand.array.full()
    return Operand(Array(number[:, :, :1, :1], kind[:, :, :1, :1]))
