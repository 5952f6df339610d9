"""Cells with one formula between them → one NumPy expression over named matrices.

All cells of a block are read at once: where their expressions agree they are written once, where they name different
cells these form a matrix, which is looked up among the named rectangles (whole, sliced or transposed). A sum of
products becomes ``@`` where one factor follows the rows and the other the columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from xlsx_attention.model.address import Rect
from xlsx_attention.recognising.numpy_functions import FUNCTIONS, REDUCTIONS, Shape, Words
from xlsx_attention.recognising.places import bounds
from xlsx_attention.recognising.terms import (
    Cell,
    Exp,
    Expr,
    Func,
    If,
    Inverse,
    Max,
    Num,
    Power,
    Product,
    Sum,
    cells_of,
    number_of,
    unpack,
)

Ids = npt.NDArray[np.int64]


class Ragged(Exception):
    """The cells do not have one expression between them."""


@dataclass(slots=True)
class Namespace:
    """Names of rectangles; ``scalars`` are names that stand for plain numbers."""

    names: dict[tuple[int, Rect], str] = field(default_factory=dict)
    scalars: set[str] = field(default_factory=set)
    used: set[str] = field(default_factory=set)
    _owner: dict[int, tuple[int, Rect]] = field(default_factory=dict)

    def add(self, sheet: int, rect: Rect, name: str) -> str:
        """Take a name for a rectangle, numbered where it is taken already."""
        chosen, number = name, 2
        while chosen in self.used:
            chosen, number = f"{name}_{number}", number + 1
        self.used.add(chosen)
        self.names[sheet, rect] = chosen
        for cell in cells_of(sheet, rect):
            self._owner.setdefault(cell, (sheet, rect))
        return chosen

    def owner(self, cell: int) -> tuple[int, Rect] | None:
        return self._owner.get(cell)


def literal(value: float) -> str:
    """A number that reads back bit by bit."""
    if value == np.inf or value == -np.inf:
        return "np.inf" if value > 0 else "-np.inf"
    text = repr(float(value))
    short = f"{value:g}".replace("e+0", "e").replace("e+", "e")
    if len(short) < len(text) - 2 and float(short) == value:
        return short
    return text[:-2] if text.endswith(".0") else text


def _fit(a: Shape, b: Shape) -> Shape:
    return max(a[0], b[0]), max(a[1], b[1])


@dataclass(slots=True)
class Writer:
    space: Namespace

    def view(self, ids: Ids, *, exact: bool = False) -> Words:
        """A matrix of cells as a name, a slice of one, or pieces put together; equal lines once, unless ``exact``."""
        if not exact:
            if ids.shape[0] > 1 and (ids == ids[:1]).all():
                ids = ids[:1]
            if ids.shape[1] > 1 and (ids == ids[:, :1]).all():
                ids = ids[:, :1]
        shape = ids.shape[0], ids.shape[1]
        owners = {self.space.owner(int(cell)) for cell in ids.flat}
        if len(owners) == 1:
            owner = owners.pop()
            if owner is not None:
                return self._slice(ids, shape, *owner, exact)
        return self._pieces(ids, shape)

    def _slice(self, ids: Ids, shape: Shape, sheet: int, rect: Rect, exact: bool) -> Words:
        name = self.space.names[sheet, rect]
        if rect.size == 1:
            if name in self.space.scalars and exact:
                return Words(f"np.array([[{name}]])", 3, shape)
            if shape == (1, 1):
                return Words(name, 3, shape)
        if shape == (1, 1) and not exact:
            return Words(self._one(int(ids.flat[0])), 3, shape)
        part = bounds(ids.ravel().tolist())
        straight = np.array(cells_of(sheet, part), np.int64).reshape(part.shape)
        turned = False
        if straight.shape != ids.shape or not (straight == ids).all():
            if straight.T.shape != ids.shape or not (ids == straight.T).all():
                return self._pieces(ids, shape)
            turned = True
        rows = slice_text(part.top - rect.top, part.bottom - rect.top, rect.height)
        columns = slice_text(part.left - rect.left, part.right - rect.left, rect.width)
        if rows == ":" and columns == ":":
            text = name
        else:
            text = f"{name}[{rows}]" if columns == ":" else f"{name}[{rows}, {columns}]"
        return Words(text + ".T" if turned and part.size > 1 else text, 3, shape)

    def _pieces(self, ids: Ids, shape: Shape) -> Words:
        """Several names side by side or below each other; at the worst, cell by cell."""
        for axis, function in ((0, "vstack"), (1, "hstack")):
            lines = ids if axis == 0 else ids.T
            owners = [{self.space.owner(int(cell)) for cell in line} for line in lines]
            if len(lines) > 1 and all(len(owner) == 1 and None not in owner for owner in owners):
                cuts = [0, *(i for i in range(1, len(owners)) if owners[i] != owners[i - 1]), len(owners)]
                if len(cuts) == 2:
                    break
                parts = [lines[a:b] for a, b in pairwise(cuts)]
                texts = [self.view(part if axis == 0 else part.T, exact=True).text for part in parts]
                return Words(f"np.{function}([{', '.join(texts)}])", 3, shape)
        rows = []
        for line in ids:
            rows.append("[" + ", ".join(self._one(int(cell)) for cell in line) + "]")
        return Words(f"np.array([{', '.join(rows)}])", 3, shape)

    def _one(self, cell: int) -> str:
        owner = self.space.owner(cell)
        if owner is None:
            raise Ragged("a cell without a name")
        name = self.space.names[owner]
        if name in self.space.scalars:
            return name
        _, row, column = unpack(cell)
        return f"{name}[{row - owner[1].top}, {column - owner[1].left}]"

    def lift(self, exprs: Sequence[Expr], shape: Shape) -> Words:
        """Expressions of all cells, row by row, as one; raises :class:`Ragged`."""
        first = exprs[0]
        if any(type(expr) is not type(first) for expr in exprs):
            numbers = [number_of(expr) for expr in exprs]
            if None in numbers:
                raise Ragged("unlike formulas")
            return _numbers([number for number in numbers if number is not None], shape)
        match first:
            case Cell():
                return self.view(np.array([e.id for e in exprs if isinstance(e, Cell)], np.int64).reshape(shape))
            case Num():
                return _numbers([e.value for e in exprs if isinstance(e, Num)], shape)
            case Sum():
                return self._sum([e.terms for e in exprs if isinstance(e, Sum)], shape)
            case Product():
                return self._product([e.factors for e in exprs if isinstance(e, Product)], shape)
            case Inverse():
                inner = self.lift([e.of for e in exprs if isinstance(e, Inverse)], shape)
                return Words(f"1 / {inner.within(2)}", 1, inner.shape)
            case Exp():
                inner = self.lift([e.of for e in exprs if isinstance(e, Exp)], shape)
                return Words(f"np.exp({inner.text})", 3, inner.shape)
            case Power():
                return self._power([e for e in exprs if isinstance(e, Power)], shape)
            case Max():
                return self._reduce([e.items for e in exprs if isinstance(e, Max)], shape, "max")
            case If():
                parts = [[getattr(e, name) for e in exprs] for name in ("condition", "yes", "no")]
                words = [self.lift(part, shape) for part in parts]
                size = _fit(_fit(words[0].shape, words[1].shape), words[2].shape)
                return Words(f"np.where({', '.join(w.text for w in words)})", 3, size)
            case Func():
                return self._function([e for e in exprs if isinstance(e, Func)], shape)

    def _columns(self, many: Sequence[tuple[Expr, ...]]) -> list[list[Expr]]:
        if len({len(parts) for parts in many}) != 1:
            raise Ragged("unlike lengths")
        return [list(column) for column in zip(*many, strict=True)]

    def _power(self, exprs: list[Power], shape: Shape) -> Words:
        base = self.lift([e.base for e in exprs], shape)
        exponent = self.lift([e.exponent for e in exprs], shape)
        if exponent.text == "0.5":
            return Words(f"np.sqrt({base.text})", 3, base.shape)
        return Words(f"{base.within(3)} ** {exponent.within(3)}", 2, _fit(base.shape, exponent.shape))

    def _product(self, many: Sequence[tuple[Expr, ...]], shape: Shape) -> Words:
        columns = self._columns(many)
        top: list[str] = []
        bottom: list[str] = []
        size: Shape = (1, 1)
        sign = ""
        for column in columns:
            if all(isinstance(e, Inverse) for e in column):
                words = self.lift([e.of for e in column if isinstance(e, Inverse)], shape)
                bottom.append(words.within(2))
            else:
                words = self.lift(column, shape)
                if words.text == "-1" and len(columns) > 1:
                    sign = "-"
                    continue
                top.append(words.within(1 if not top else 2))
            size = _fit(size, words.shape)
        text = " * ".join(top) if top else "1"
        for divisor in bottom:
            text += f" / {divisor}"
        alone = len(top) == 1 and not bottom
        return Words(sign + text, 2 if sign and alone else 1, size)

    def _sum(self, many: Sequence[tuple[Expr, ...]], shape: Shape) -> Words:
        columns = self._columns(many)
        pairs = [column for column in columns if _is_pair(column)]
        rest = [column for column in columns if not _is_pair(column)]
        if len(pairs) > 1 or (pairs and not rest):
            dot = self._dot(pairs, shape)
            if dot is not None:
                return self._added(dot, rest, shape)
        if len(columns) > 2:
            try:
                return self._reduce(many, shape, "sum")
            except Ragged:
                pass
        return self._added(self.lift(columns[0], shape), columns[1:], shape)

    def _added(self, words: Words, rest: list[list[Expr]], shape: Shape) -> Words:
        text, size = words.text, words.shape
        for column in rest:
            more = self.lift(column, shape)
            text += f" - {more.text[1:]}" if more.text.startswith("-") and more.binds > 0 else f" + {more.within(1)}"
            size = _fit(size, more.shape)
        return Words(text, 0 if rest else words.binds, size)

    def _dot(self, pairs: list[list[Expr]], shape: Shape) -> Words | None:
        """Σₖ a[i, k] · b[k, j], whichever factor is written first."""
        h, w = shape
        sides = [
            np.array([[_side(e, side) for e in column] for column in pairs], np.int64).T.reshape(h, w, len(pairs))
            for side in (0, 1)
        ]
        for a, b in (sides, sides[::-1]):
            if (a == a[:, :1]).all() and (b == b[:1]).all():
                left, right = self.view(a[:, 0, :], exact=True), self.view(b[0].T, exact=True)
                return Words(f"{left.text} @ {right.text}", 1, shape)
        return None

    def _reduce(self, many: Sequence[tuple[Expr, ...]], shape: Shape, how: str) -> Words:
        columns = self._columns(many)
        h, w = shape
        count = len(columns)
        if how == "max" and any(all(isinstance(e, Num) for e in column) for column in columns):
            return self._largest(columns, shape)

        def at(i: int, j: int, k: int) -> Expr:
            return columns[k][i * w + j]

        along_rows = all(at(i, j, k) == at(i, 0, k) for i in range(h) for j in range(1, w) for k in range(count))
        along_columns = all(at(i, j, k) == at(0, j, k) for i in range(1, h) for j in range(w) for k in range(count))
        if along_rows and along_columns:
            return self._reduce_all([at(0, 0, k) for k in range(count)], how)
        if along_rows:
            inner = self.lift([at(i, 0, k) for i in range(h) for k in range(count)], (h, count))
            return _reduced(inner, (h, count), how, 1)
        if along_columns:
            inner = self.lift([at(0, j, k) for k in range(count) for j in range(w)], (count, w))
            return _reduced(inner, (count, w), how, 0)
        if how == "max":
            return self._largest(columns, shape)
        raise Ragged("no common axis")

    def _largest(self, columns: list[list[Expr]], shape: Shape) -> Words:
        words = [self.lift(column, shape) for column in columns]
        text, size = words[0].text, words[0].shape
        for other in words[1:]:
            text, size = f"np.maximum({text}, {other.text})", _fit(size, other.shape)
        return Words(text, 3, size)

    def _reduce_all(self, items: list[Expr], how: str) -> Words:
        """One line of items for all cells, laid out as it lies on the sheet."""
        ids = [item.id for item in items if isinstance(item, Cell)]
        if len(ids) == len(items):
            part = bounds(ids)
            if part.size == len(ids) and sorted(ids) == ids:
                view = self.view(np.array(ids, np.int64).reshape(part.shape), exact=True)
                if part.width == 1 or part.height == 1:
                    return _reduced(view, part.shape, how, 0 if part.width == 1 else 1)
                return Words(f"{view.text}.{how}(keepdims=True)", 3, (1, 1))
        inner = self.lift(items, (len(items), 1))
        return _reduced(inner, (len(items), 1), how, 0)

    def _function(self, exprs: list[Func], shape: Shape) -> Words:
        name = exprs[0].name
        if any(e.name != name for e in exprs):
            raise Ragged("unlike functions")
        if name.startswith('"'):
            return Words(f"np.array({name[1:-1]!r}, dtype=object)", 3, (1, 1))
        reduced = REDUCTIONS.get(name)
        if reduced is not None:
            return self._reduce([e.args for e in exprs], shape, reduced)
        write = FUNCTIONS.get(name)
        if write is None:
            raise Ragged(name)
        words = [self.lift(column, shape) for column in self._columns([e.args for e in exprs])]
        size: Shape = (1, 1)
        for word in words:
            size = _fit(size, word.shape)
        return Words(write(words), 3, size)


def slice_text(start: int, stop: int, length: int) -> str:
    if start == 0 and stop == length:
        return ":"
    return f"{start or ''}:{'' if stop == length else stop}"


def _numbers(values: list[float], shape: Shape) -> Words:
    if len(set(values)) == 1:
        text = literal(values[0])
        return Words(text, 2 if text.startswith("-") else 3, (1, 1))
    matrix = np.array(values).reshape(shape)
    if (matrix == matrix[:1]).all():
        matrix = matrix[:1]
    if (matrix == matrix[:, :1]).all():
        matrix = matrix[:, :1]
    rows = ("[" + ", ".join(map(literal, line)) + "]" for line in matrix.tolist())
    return Words(f"np.array([{', '.join(rows)}])", 3, (matrix.shape[0], matrix.shape[1]))


def _is_pair(column: list[Expr]) -> bool:
    return all(
        isinstance(e, Product) and len(e.factors) == 2 and all(isinstance(f, Cell) for f in e.factors) for e in column
    )


def _side(expr: Expr, side: int) -> int:
    factor = expr.factors[side] if isinstance(expr, Product) else None
    if not isinstance(factor, Cell):
        raise Ragged("no product of two cells")
    return factor.id


def _reduced(inner: Words, shape: Shape, how: str, axis: int) -> Words:
    if shape == (1, 1) and how in ("sum", "max", "mean", "min"):
        return inner
    text = inner.within(3)
    if inner.shape != shape:
        text = f"np.broadcast_to({inner.text}, {shape})"
    extra = ", ddof=1" if how == "std1" or how == "var1" else ""
    method = how.rstrip("1")
    return Words(
        f"{text}.{method}(axis={axis}{extra}, keepdims=True)", 3, (shape[0], 1) if axis == 1 else (1, shape[1])
    )
