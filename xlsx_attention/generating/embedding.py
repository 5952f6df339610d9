"""Steps around attention's own: joining heads, looking tokens up, telling positions, copying from another sheet."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from xlsx_attention.generating.ops import Env, added
from xlsx_attention.generating.refs import Refs, quoted
from xlsx_attention.model.address import Rect, cell_name
from xlsx_attention.model.values import Floats

BASE = 10000.0


@dataclass(frozen=True, slots=True)
class Concat:
    """The heads' outputs side by side: h times (S, d_v) → (S, h·d_v)."""

    parts: tuple[str, ...]
    width: int

    @property
    def inputs(self) -> tuple[str, ...]:
        return self.parts

    def compute(self, env: Env) -> Floats:
        return np.concatenate([env[part] for part in self.parts], axis=1)

    def cell(self, refs: Refs, row: int, column: int) -> str:
        if refs.columns:
            part, row = divmod(row, self.width)
        else:
            part, column = divmod(column, self.width)
        return refs.cell(self.parts[part], row, column)

    def array(self, refs: Refs) -> str | None:
        return None  # HSTACK is newer than the dynamic arrays that the other steps ask for

    def numpy(self, columns: bool) -> str:
        return f"np.concatenate([{', '.join(self.parts)}], axis={0 if columns else 1})"


@dataclass(frozen=True, slots=True)
class LookUp:
    """The row of each token in the embedding table: ids (S, 1), table (V, D) → (S, D)."""

    ids: str
    table: str

    @property
    def inputs(self) -> tuple[str, ...]:
        return (self.ids, self.table)

    def compute(self, env: Env) -> Floats:
        looked_up: Floats = env[self.table][env[self.ids][:, 0].astype(int)]
        return looked_up

    def cell(self, refs: Refs, row: int, column: int) -> str:
        along = refs.line(self.table, row) if refs.columns else refs.column(self.table, column)
        return f"INDEX({along},{refs.at(self.ids, row, column)}+1)"

    def array(self, refs: Refs) -> str | None:
        return None  # INDEX does not look several rows up at once in older array formulas

    def numpy(self, columns: bool) -> str:
        return f"{self.table}[:, {self.ids}[0]]" if columns else f"{self.table}[{self.ids}[:, 0]]"


@dataclass(frozen=True, slots=True)
class Encoding:
    """Sines and cosines of the position: PE[p, 2i] = sin(p ÷ 10000^(2i/D)), PE[p, 2i+1] its cosine."""

    positions: str
    dimensions: str
    name: str
    width: int

    @property
    def inputs(self) -> tuple[str, ...]:
        return (self.positions, self.dimensions)

    def compute(self, env: Env) -> Floats:
        wave = (math.sin, math.cos)
        return np.array(
            [
                [
                    wave[int(d) % 2](p / math.pow(BASE, (d - d % 2) / self.width))
                    for d in env[self.dimensions][0].tolist()
                ]
                for p in env[self.positions][:, 0].tolist()
            ]
        )

    def cell(self, refs: Refs, row: int, column: int) -> str:
        p, d = refs.at(self.positions, row, column), refs.at(self.dimensions, row, column)
        sine = f"SIN({p}/10000^({d}/{self.name}))"
        return f"IF(MOD({d},2)=0,{sine},COS({p}/10000^(({d}-1)/{self.name})))"

    def array(self, refs: Refs) -> str | None:
        return None

    def numpy(self, columns: bool) -> str:
        return f"np.where({self.dimensions} % 2 == 0, np.sin(a), np.cos(a))"  # a stands in the line above


@dataclass(frozen=True, slots=True)
class Added:
    """The sum of two blocks of one shape."""

    first: str
    second: str

    @property
    def inputs(self) -> tuple[str, ...]:
        return (self.first, self.second)

    def compute(self, env: Env) -> Floats:
        return added(env[self.first], env[self.second])

    def cell(self, refs: Refs, row: int, column: int) -> str:
        return f"{refs.at(self.first, row, column)}+{refs.at(self.second, row, column)}"

    def array(self, refs: Refs) -> str | None:
        return f"{refs.whole(self.first)}+{refs.whole(self.second)}"

    def numpy(self, columns: bool) -> str:
        return f"{self.first} + {self.second}"


@dataclass(frozen=True, slots=True)
class Copied:
    """The block of an earlier sheet, so that both lessons start from the same numbers."""

    sheet: str
    rect: Rect
    numbers: Floats

    @property
    def inputs(self) -> tuple[str, ...]:
        return ()

    def compute(self, env: Env) -> Floats:
        return self.numbers

    def cell(self, refs: Refs, row: int, column: int) -> str:
        return f"{quoted(self.sheet)}!{cell_name(self.rect.top + row, self.rect.left + column)}"

    def array(self, refs: Refs) -> str | None:
        return f"{quoted(self.sheet)}!{self.rect.a1}"

    def numpy(self, columns: bool) -> str:
        return ""
