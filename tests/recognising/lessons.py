"""Lessons written with formulas in many notations, and where everything lies in them, by construction."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import xlsxwriter
from openpyxl.formula.translate import Translator
from xlsxwriter.utility import xl_rowcol_to_cell
from xlsxwriter.worksheet import Worksheet

from xlsx_attention import parsing, reading
from xlsx_attention.compiling.plan import compile_plan
from xlsx_attention.model.address import Rect, cell_name
from xlsx_attention.model.formula import Tree
from xlsx_attention.model.grid import WorkbookGrid
from xlsx_attention.model.plan import Plan
from xlsx_attention.model.role import AttentionMap
from xlsx_attention.recognising import recognise
from xlsx_attention.recognising.thinning import MANY


def compiled(path: Path) -> tuple[WorkbookGrid, Plan]:
    """A workbook's grid and plan."""
    grid = reading.read_workbook(str(path))
    names: dict[tuple[int | None, str], Tree] = {}
    for name in grid.names:
        names[name.sheet, name.name.upper()] = parsing.parse(name.formula, 0, 0)
    return grid, compile_plan(grid, parsing.find_blocks(grid), names)


def recognised(path: Path, many: int = MANY) -> AttentionMap:
    """What is recognised in a workbook, read by a sample where it has more than ``many`` formulas."""
    return recognise(*compiled(path), many=many)


def ranges(found: AttentionMap, attention: int = 0, head: int = 0) -> dict[str, str]:
    """Role → range of one head, with what its attention shares."""
    one = found.attentions[attention]
    places = {**one.shared, **one.heads[head].roles}
    return {role: " ".join(rect.a1 for rect in place.rects) for role, place in places.items()}


@dataclass(frozen=True)
class Notation:
    """How a lesson is written. ``columns``: tokens lie in columns (W·X). ``gap``, ``shuffle``: where blocks lie."""

    columns: bool = False
    product: str = "mmult"
    transpose: str = "inline"
    scale: str = "/SQRT({dk})"
    mask: str = ""
    softmax: str = "steps"
    bias: str = ""
    labels: bool = False
    cross: bool = False
    shuffle: int = 0
    fault: str = ""
    tokens: int = 4
    width: int = 5
    d_k: int = 3


@dataclass
class Lesson:
    """Writes one attention and remembers where its roles lie."""

    sheet: Worksheet
    notation: Notation
    roles: dict[str, str] = field(default_factory=dict)
    places: dict[str, Rect] = field(default_factory=dict)
    slot: int = 0

    def place(self, name: str, rows: int, columns: int) -> Rect:
        """The next free place; ``rows`` and ``columns`` as in tokens-in-rows, swapped where tokens lie in columns."""
        if self.notation.columns:
            rows, columns = columns, rows
        order = list(range(40))
        if self.notation.shuffle:
            np.random.default_rng(self.notation.shuffle).shuffle(order)
        number = order[self.slot]
        self.slot += 1
        apart = max(12, 4 + max(self.notation.tokens, self.notation.width, self.notation.d_k))
        top, left = 3 + apart * (number // 5), 2 + apart * (number % 5)
        rect = Rect(top, left, top + rows, left + columns)
        self.places[name] = rect
        self.roles[name] = rect.a1
        if self.notation.labels:
            self.sheet.write(top - 2, left, name)
        return rect

    def numbers(self, name: str, rows: int, columns: int, seed: int) -> None:
        rect = self.place(name, rows, columns)
        values = np.random.default_rng(seed).normal(size=(rows, columns)).round(2)
        values = values.T if self.notation.columns else values
        for row, column in rect.cells():
            self.sheet.write_number(row, column, float(values[row - rect.top, column - rect.left]))

    def each(self, name: str, rows: int, columns: int, make: object) -> None:
        """A formula for each cell; ``make(i, j)`` gets the indices as in tokens-in-rows."""
        assert callable(make)
        rect = self.place(name, rows, columns)
        for row, column in rect.cells():
            i, j = row - rect.top, column - rect.left
            formula = make(j, i) if self.notation.columns else make(i, j)
            if self.notation.fault == f"$ missing in {name}":
                first = "=" + make(0, 0).replace("$", "")
                origin = cell_name(rect.top, rect.left)
                formula = Translator(first, origin).translate_formula(cell_name(row, column))[1:]
            if "TRANSPOSE" in formula or "LET(" in formula:
                self.sheet.write_array_formula(row, column, row, column, "{=" + formula + "}")
            else:
                self.sheet.write_formula(row, column, "=" + formula)

    def cell(self, name: str, i: int, j: int, moves: str = "ij") -> str:
        """One cell; it moves with the formula along the axes in ``moves`` and is held by ``$`` along the other."""
        rect = self.places[name]
        row, column = (rect.top + j, rect.left + i) if self.notation.columns else (rect.top + i, rect.left + j)
        with_row, with_column = ("j", "i") if self.notation.columns else ("i", "j")
        return xl_rowcol_to_cell(row, column, row_abs=with_row not in moves, col_abs=with_column not in moves)

    def line(self, name: str, i: int | None, j: int | None, short: int = 0) -> str:
        """Row i or column j (as in tokens-in-rows) of a block, as a range; ``short`` cells are left out at its end."""
        rect = self.places[name]
        rows, columns = (rect.width, rect.height) if self.notation.columns else (rect.height, rect.width)
        # A line moves with its reader across itself only.
        if i is not None:
            return f"{self.cell(name, i, 0, 'i')}:{self.cell(name, i, columns - 1 - short, 'i')}"
        assert j is not None
        return f"{self.cell(name, 0, j, 'j')}:{self.cell(name, rows - 1 - short, j, 'j')}"

    def product(
        self, name: str, a: str, b: str, rows: int, columns: int, inner: int, *, b_across: bool = False
    ) -> None:
        """name[i, j] = Σ a[i, k]·b[k, j] (or b[j, k] where ``b_across``), all as in tokens-in-rows."""
        kind = self.notation.product

        short = int(self.notation.fault == f"{name} one short")

        def a_line(i: int) -> str:
            return self.line(a, i, None, short)

        def b_line(j: int) -> str:
            return self.line(b, j, None, short) if b_across else self.line(b, None, j, short)

        def b_cell(k: int, j: int) -> str:
            return self.cell(b, j, k, "i") if b_across else self.cell(b, k, j, "j")

        if kind == "spill":
            rect = self.place(name, rows, columns)
            first, second = self.places[a].a1, self.places[b].a1
            if self.notation.columns:
                first, second = (f"TRANSPOSE({second})" if b_across else second), first
            elif b_across:
                second = f"TRANSPOSE({second})"
            self.sheet.write_dynamic_array_formula(
                rect.top, rect.left, rect.bottom - 1, rect.right - 1, f"=MMULT({first},{second})"
            )
            return

        def formula(i: int, j: int) -> str:
            if kind == "written":
                return "+".join(f"{self.cell(a, i, k, 'i')}*{b_cell(k, j)}" for k in range(inner))
            if kind == "sumproduct":
                second = b_line(j) if b_across else f"TRANSPOSE({b_line(j)})"
                return f"SUMPRODUCT({a_line(i)},{second})"
            # MMULT wants a row first, then a column.
            first, second = (b_line(j), a_line(i)) if self.notation.columns else (a_line(i), b_line(j))
            if b_across:
                if self.notation.columns:
                    first = f"TRANSPOSE({first})"
                else:
                    second = f"TRANSPOSE({second})"
            return f"MMULT({first},{second})"

        self.each(name, rows, columns, formula)

    def projection(self, letter: str, x: str, rows: int, seed: int, *, weights: str | None = None) -> None:
        n = self.notation
        name = letter.upper()
        if weights is None:
            weights = f"W_{letter}"
            self.numbers(weights, n.width, n.d_k, seed)
        if not n.bias:
            self.product(name, x, weights, rows, n.d_k, n.width)
            return
        self.numbers(f"b_{letter}", 1, n.d_k, seed + 50)
        self.product(f"{name} linear", x, weights, rows, n.d_k, n.width)
        self.each(
            name, rows, n.d_k, lambda i, j: f"{self.cell(f'{name} linear', i, j)}+{self.cell(f'b_{letter}', 0, j, 'j')}"
        )

    def write(self) -> None:
        n = self.notation
        S = n.tokens
        T = S + 1 if n.cross else S
        self.numbers("X", S, n.width, 1)
        if n.cross:
            self.numbers("X_kv", T, n.width, 2)
        other = "X_kv" if n.cross else "X"
        self.projection("q", "X", S, 3)
        self.projection("k", other, T, 4, weights="W_q" if n.fault == "K by W_q" else None)
        self.projection("v", other, T, 5)
        self.sheet.write(0, 0, "d_k =")
        self.sheet.write_number(0, 1, n.d_k)
        scale = n.scale.format(dk="$B$1", n=n.d_k)
        keys, across = "K", True
        if n.transpose == "cells":
            self.each("K across", n.d_k, T, lambda i, j: self.cell("K", j, i))
            keys, across = "K across", False
        folded = n.softmax == "all in one"
        before = "scores"
        self.product("scores", "Q", keys, S, T, n.d_k, b_across=across)
        if scale and not folded:
            self.each("scaled", S, T, lambda i, j: f"{self.cell('scores', i, j)}{scale}")
            before = "scaled"
        before = self.masked(before, S, T)
        self.softmax(before, scale if folded else "", S, T)
        self.output(S, T)

    def masked(self, before: str, S: int, T: int) -> str:
        n = self.notation
        if not n.mask:
            return before
        if n.mask.startswith("causal"):
            filler = "-99"
            if n.mask == "causal":
                self.each("masked", S, T, lambda i, j: f"IF({j}>{i},{filler},{self.cell(before, i, j)})")
                return "masked"
            self.each_number("mask", S, T, lambda i, j: -1e9 if j > i else 0)
            self.each("masked", S, T, lambda i, j: f"{self.cell(before, i, j)}+{self.cell('mask', i, j)}")
            return "masked"
        on_rows = n.fault == "mask on rows"
        size = S if on_rows else T
        self.each_number("mask", *((size, 1) if on_rows else (1, size)), lambda i, j: float(max(i, j) < size - 1))
        at = (lambda i, j: self.cell("mask", i, 0, "i")) if on_rows else (lambda i, j: self.cell("mask", 0, j, "j"))
        if n.fault in ("mask after softmax", "mask unused"):
            return before
        forms = {
            "if": "IF({m}=1,{x},-1E9)",
            "if not": "IF({m}=0,-1E9,{x})",
            "add": "{x}+(1-{m})*-1E9",
        }
        self.each("masked", S, T, lambda i, j: forms[n.mask].format(m=at(i, j), x=self.cell(before, i, j)))
        return "masked"

    def each_number(self, name: str, rows: int, columns: int, make: object) -> None:
        assert callable(make)
        rect = self.place(name, rows, columns)
        for row, column in rect.cells():
            i, j = row - rect.top, column - rect.left
            self.sheet.write_number(row, column, make(j, i) if self.notation.columns else make(i, j))

    def softmax(self, x: str, scale: str, S: int, T: int) -> None:
        n = self.notation
        wrong_axis = n.fault == "wrong axis"

        def group(name: str, i: int, j: int) -> str:
            return self.line(name, None, j) if wrong_axis else self.line(name, i, None)

        if n.softmax == "steps":
            self.each("exp", S, T, lambda i, j: f"EXP({self.cell(x, i, j)})")
        elif n.softmax == "max":
            shift = 1 if n.fault == "wrong maximum" else 0
            self.each("row_max", S, 1, lambda i, j: f"MAX({self.line(x, (i + shift) % S, None)})")
            self.each("exp", S, T, lambda i, j: f"EXP({self.cell(x, i, j)}-{self.cell('row_max', i, 0, 'i')})")
        elif n.softmax == "in one":
            self.each("weights", S, T, lambda i, j: f"EXP({self.cell(x, i, j)})/SUMPRODUCT(EXP({group(x, i, j)}))")
            return
        elif n.softmax == "all in one":
            self.each(
                "weights",
                S,
                T,
                lambda i, j: f"EXP({self.cell(x, i, j)}{scale})/SUMPRODUCT(EXP({group(x, i, j)}{scale}))",
            )
            return
        elif n.softmax == "lambda":
            rect = self.place("weights", S, T)
            for i in range(S):
                self._line(rect, i, f"=SOFTMAX({self.line(x, i, None)})", T)
            return
        source = x if n.fault == "no exp in normaliser" else "exp"
        if wrong_axis:
            self.each("normaliser", 1, T, lambda i, j: f"SUM({self.line(source, None, j)})")
            self.each("weights", S, T, lambda i, j: f"{self.cell('exp', i, j)}/{self.cell('normaliser', 0, j, 'j')}")
        else:
            self.each("normaliser", S, 1, lambda i, j: f"SUM({self.line(source, i, None)})")
            self.each("weights", S, T, lambda i, j: f"{self.cell('exp', i, j)}/{self.cell('normaliser', i, 0, 'i')}")

    def _line(self, rect: Rect, i: int, formula: str, length: int) -> None:
        if self.notation.columns:
            top, left, bottom, right = rect.top, rect.left + i, rect.top + length - 1, rect.left + i
        else:
            top, left, bottom, right = rect.top + i, rect.left, rect.top + i, rect.left + length - 1
        self.sheet.write_dynamic_array_formula(top, left, bottom, right, formula)

    def output(self, S: int, T: int) -> None:
        n = self.notation
        weights = "exp" if n.fault == "output from exp" else "weights"
        if n.fault == "mask after softmax":
            self.each("after", S, T, lambda i, j: f"{self.cell('weights', i, j)}*{self.cell('mask', 0, j, 'j')}")
            weights = "after"
        self.product("output", weights, "K" if n.fault == "weights times K" else "V", S, n.d_k, T)


def written(path: Path, notation: Notation) -> Lesson:
    """Write a lesson to ``path``."""
    book = xlsxwriter.Workbook(str(path))
    lesson = Lesson(book.add_worksheet("lesson"), notation)
    lesson.write()
    book.define_name("d_k", "=lesson!$B$1")
    body = "_xlfn.LAMBDA(_xlpm.x,_xlfn.LET(_xlpm.s,SUM(EXP(_xlpm.x)),EXP(_xlpm.x)/_xlpm.s))"
    book.define_name("SOFTMAX", f"={body}")
    book.close()
    return lesson
