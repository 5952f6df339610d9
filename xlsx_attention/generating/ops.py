"""The steps of attention as a sheet computes them: each with its numbers, its formulas and its line of NumPy.

Numbers are kept with tokens in rows. ``compute`` adds in Excel's order and takes exponentials from the C library, so
that what it gives are the bits that a recalculation gives. ``cell`` is the formula of one cell, ``array`` that of the
whole block; both follow the layout: with tokens in columns a block lies turned over, and A·B becomes Bᵀ·Aᵀ.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from xlsx_attention.functions.operators import snapped
from xlsx_attention.functions.registry import libm
from xlsx_attention.functions.sums import sum_last, sum_of_products
from xlsx_attention.generating.refs import Refs
from xlsx_attention.model.values import Floats

Env = Mapping[str, Floats]
HIDDEN = -1e9


class Op(Protocol):
    """What fills one block."""

    @property
    def inputs(self) -> tuple[str, ...]:
        """The blocks it reads."""

    def compute(self, env: Env) -> Floats:
        """The numbers, tokens in rows."""

    def cell(self, refs: Refs, row: int, column: int) -> str:
        """The formula of the cell at (row, column) of the block as it lies on the sheet."""

    def array(self, refs: Refs) -> str | None:
        """The one formula of the block; ``None`` where only cells make sense."""

    def numpy(self, columns: bool) -> str:
        """The right side of the NumPy line for the block as it lies."""


class Elementwise(ABC):
    """An op that makes each cell of the cells level with it: what one cell does, the whole block does with blocks."""

    __slots__ = ()

    @abstractmethod
    def formula(self, of: Callable[[str], str]) -> str:
        """The formula, where ``of`` gives the reference to a block by its name."""

    def cell(self, refs: Refs, row: int, column: int) -> str:
        return self.formula(lambda block: refs.at(block, row, column))

    def array(self, refs: Refs) -> str | None:
        return self.formula(refs.whole)


def added(a: Floats, b: Floats) -> Floats:
    """``a + b`` at the end of a formula, where Excel shows 0 for what nearly cancels."""
    total: Floats = a + b
    return snapped(total, a, b)


def _named(name: str, turned: bool) -> str:
    return f"{name}.T" if turned else name


@dataclass(frozen=True, slots=True)
class Product:
    """left · right (+ bias, a row): (n, k)·(k, m) + (1, m) = (n, m); ``turned``: right is given as (m, k)."""

    left: str
    right: str
    bias: str | None = None
    turned: bool = False

    @property
    def inputs(self) -> tuple[str, ...]:
        return (self.left, self.right, *([self.bias] if self.bias else []))

    def compute(self, env: Env) -> Floats:
        right = env[self.right] if self.turned else env[self.right].T
        product = sum_of_products(env[self.left][:, None, :], right[None, :, :])
        return product if self.bias is None else added(product, env[self.bias])

    def cell(self, refs: Refs, row: int, column: int) -> str:
        first, second = (self.right, self.left) if refs.columns else (self.left, self.right)
        formula = f"MMULT({refs.line(first, row)},{refs.column(second, column)})"
        return formula if self.bias is None else f"{formula}+{refs.at(self.bias, row, column)}"

    def array(self, refs: Refs) -> str | None:
        left, right = refs.whole(self.left), refs.factor(self.right)
        right = f"TRANSPOSE({right})" if self.turned else right
        formula = f"MMULT({right},{left})" if refs.columns else f"MMULT({left},{right})"
        return formula if self.bias is None else f"{formula}+{refs.whole(self.bias)}"

    def numpy(self, columns: bool) -> str:
        factors = [self.left, _named(self.right, self.turned)]
        product = " @ ".join(factors[::-1] if columns else factors)
        return product if self.bias is None else f"{product} + {self.bias}"


@dataclass(frozen=True, slots=True)
class Transposed:
    """The block turned over, cell by cell, so that a product can walk along it."""

    source: str

    @property
    def inputs(self) -> tuple[str, ...]:
        return (self.source,)

    def compute(self, env: Env) -> Floats:
        return env[self.source].T

    def cell(self, refs: Refs, row: int, column: int) -> str:
        return refs.cell(self.source, column, row)

    def array(self, refs: Refs) -> str | None:
        return f"TRANSPOSE({refs.whole(self.source)})"

    def numpy(self, columns: bool) -> str:
        return f"{self.source}.T"


@dataclass(frozen=True, slots=True)
class Scaled(Elementwise):
    """scores ÷ √d_k; ``width`` is the number in the cell named d_k."""

    scores: str
    name: str
    width: int

    @property
    def inputs(self) -> tuple[str, ...]:
        return (self.scores,)

    def compute(self, env: Env) -> Floats:
        return env[self.scores] / math.sqrt(self.width)

    def formula(self, of: Callable[[str], str]) -> str:
        return f"{of(self.scores)}/SQRT({self.name})"

    def numpy(self, columns: bool) -> str:
        return f"{self.scores} / np.sqrt(d_k)"


@dataclass(frozen=True, slots=True)
class Masked(Elementwise):
    """−1e9 wherever one of the masks (a row over the keys, a matrix) holds no 1, the score elsewhere."""

    scores: str
    masks: tuple[str, ...]

    @property
    def inputs(self) -> tuple[str, ...]:
        return (self.scores, *self.masks)

    def compute(self, env: Env) -> Floats:
        keep = math.prod((env[mask] for mask in self.masks), start=np.ones((1, 1)))
        return np.where(keep == 1.0, env[self.scores], HIDDEN)

    def formula(self, of: Callable[[str], str]) -> str:
        keep = "*".join(map(of, self.masks))
        return f"IF({keep}=1,{of(self.scores)},-1E9)"

    def numpy(self, columns: bool) -> str:
        return f"np.where({' * '.join(self.masks)} == 1, {self.scores}, -1e9)"


@dataclass(frozen=True, slots=True)
class AlongKeys:
    """MAX or SUM over the keys of each query: (S_q, S_k) → (S_q, 1)."""

    source: str
    function: str

    @property
    def inputs(self) -> tuple[str, ...]:
        return (self.source,)

    def compute(self, env: Env) -> Floats:
        if self.function == "MAX":
            largest: Floats = env[self.source].max(axis=1, keepdims=True)
            return largest
        return np.array(sum_last(env[self.source]))[:, None]

    def cell(self, refs: Refs, row: int, column: int) -> str:
        along = refs.column(self.source, column) if refs.columns else refs.line(self.source, row)
        return f"{self.function}({along})"

    def array(self, refs: Refs) -> str | None:
        by = "BYCOL" if refs.columns else "BYROW"
        whole = refs.whole(self.source)
        return f"_xlfn.{by}({whole},_xlfn.LAMBDA(_xlpm.v,{self.function}(_xlpm.v)))"

    def numpy(self, columns: bool) -> str:
        return f"{self.source}.{self.function.lower()}(axis={0 if columns else 1}, keepdims=True)"


@dataclass(frozen=True, slots=True)
class Exp(Elementwise):
    """e^(score − row maximum), the largest of each row 1, the masked exactly 0."""

    source: str
    maximum: str

    @property
    def inputs(self) -> tuple[str, ...]:
        return (self.source, self.maximum)

    def compute(self, env: Env) -> Floats:
        return libm(math.exp, env[self.source] - env[self.maximum])

    def formula(self, of: Callable[[str], str]) -> str:
        return f"EXP({of(self.source)}-{of(self.maximum)})"

    def numpy(self, columns: bool) -> str:
        return f"np.exp({self.source} - {self.maximum})"


@dataclass(frozen=True, slots=True)
class Divided(Elementwise):
    """exp ÷ its row's sum."""

    source: str
    by: str

    @property
    def inputs(self) -> tuple[str, ...]:
        return (self.source, self.by)

    def compute(self, env: Env) -> Floats:
        return env[self.source] / env[self.by]

    def formula(self, of: Callable[[str], str]) -> str:
        return f"{of(self.source)}/{of(self.by)}"

    def numpy(self, columns: bool) -> str:
        return f"{self.source} / {self.by}"


@dataclass(frozen=True, slots=True)
class Softmax(Elementwise):
    """The workbook's named function SOFTMAX: all of softmax in one formula."""

    source: str

    @property
    def inputs(self) -> tuple[str, ...]:
        return (self.source,)

    def compute(self, env: Env) -> Floats:
        powers = libm(math.exp, env[self.source] - env[self.source].max(axis=1, keepdims=True))
        return powers / np.array(sum_last(powers))[:, None]

    def formula(self, of: Callable[[str], str]) -> str:
        return f"SOFTMAX({of(self.source)})"

    def numpy(self, columns: bool) -> str:
        return f"softmax({self.source}, axis={0 if columns else 1})"
