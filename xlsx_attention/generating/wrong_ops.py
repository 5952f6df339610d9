"""The wrong formulas that whole blocks are given in a find-the-mistake sheet."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from xlsx_attention.functions.sums import sum_last
from xlsx_attention.generating.ops import HIDDEN, Elementwise, Env
from xlsx_attention.generating.refs import Refs, absolute
from xlsx_attention.model.values import Floats


@dataclass(frozen=True, slots=True)
class ScaledBy(Elementwise):
    """scores ÷ d_k."""

    scores: str
    name: str
    width: int

    @property
    def inputs(self) -> tuple[str, ...]:
        return (self.scores,)

    def compute(self, env: Env) -> Floats:
        return env[self.scores] / float(self.width)

    def formula(self, of: Callable[[str], str]) -> str:
        return f"{of(self.scores)}/{self.name}"

    def numpy(self, columns: bool) -> str:
        return f"{self.scores} / d_k"


@dataclass(frozen=True, slots=True)
class Across:
    """The sum over the queries of each key, where that over the keys of each query belongs: (S, S) → (S, 1)."""

    source: str
    function: str

    @property
    def inputs(self) -> tuple[str, ...]:
        return (self.source,)

    def compute(self, env: Env) -> Floats:
        return np.array(sum_last(env[self.source].T))[:, None]

    def cell(self, refs: Refs, row: int, column: int) -> str:
        index = column if refs.columns else row
        along = refs.line(self.source, index) if refs.columns else refs.column(self.source, index)
        return f"{self.function}({along})"

    def array(self, refs: Refs) -> str | None:
        return None

    def numpy(self, columns: bool) -> str:
        return f"{self.source}.sum(axis={1 if columns else 0}, keepdims=True).T"


@dataclass(frozen=True, slots=True)
class Kept(Elementwise):
    """The scores as they are, without a mask."""

    scores: str

    @property
    def inputs(self) -> tuple[str, ...]:
        return (self.scores,)

    def compute(self, env: Env) -> Floats:
        return env[self.scores]

    def formula(self, of: Callable[[str], str]) -> str:
        return of(self.scores)

    def numpy(self, columns: bool) -> str:
        return self.scores


@dataclass(frozen=True, slots=True)
class MaskedQueries:
    """−1e9 over the rows of hidden queries, where it belongs over the columns of hidden keys."""

    scores: str
    mask: str

    @property
    def inputs(self) -> tuple[str, ...]:
        return (self.scores, self.mask)

    def compute(self, env: Env) -> Floats:
        return np.where(env[self.mask].T == 1.0, env[self.scores], HIDDEN)

    def cell(self, refs: Refs, row: int, column: int) -> str:
        rect = refs.rects[self.mask]
        # The mask lies along the other axis, so no filling reaches it: each query's formula names its own cell.
        query = (rect.top + column, rect.left) if refs.columns else (rect.top, rect.left + row)
        return f"IF({absolute(*query)}=1,{refs.at(self.scores, row, column)},-1E9)"

    def array(self, refs: Refs) -> str | None:
        return None

    def numpy(self, columns: bool) -> str:
        return f"np.where({self.mask}.T == 1, {self.scores}, -1e9)"


@dataclass(frozen=True, slots=True)
class MaskedWeights(Elementwise):
    """exp ÷ sum × mask."""

    exp: str
    total: str
    masks: tuple[str, ...]

    @property
    def inputs(self) -> tuple[str, ...]:
        return (self.exp, self.total, *self.masks)

    def compute(self, env: Env) -> Floats:
        keep = math.prod((env[mask] for mask in self.masks), start=1.0)
        return env[self.exp] / env[self.total] * keep

    def formula(self, of: Callable[[str], str]) -> str:
        keep = "*".join(map(of, self.masks))
        return f"{of(self.exp)}/{of(self.total)}*{keep}"

    def array(self, refs: Refs) -> str | None:
        return None

    def numpy(self, columns: bool) -> str:
        return f"{self.exp} / {self.total} * {' * '.join(self.masks)}"
