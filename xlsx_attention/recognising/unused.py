"""Parts of an attention that a sheet holds and then does not use: values beside weights·K, a mask on nothing."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from xlsx_attention.recognising.cells import Cells
from xlsx_attention.recognising.chain import Vector
from xlsx_attention.recognising.fits import HIDDEN
from xlsx_attention.recognising.labels import is_mask_label, texts_near
from xlsx_attention.recognising.places import Matrix
from xlsx_attention.recognising.tables import tables_of
from xlsx_attention.recognising.terms import unpack
from xlsx_attention.recognising.units import Units


def unused_values(x: Matrix, known: set[int], width: int, units: Units) -> Matrix:
    """A projection of all tokens of ``x`` that is neither Q nor K (``known``): V, though nothing multiplies it."""
    tokens = {tuple(vector): number for number, vector in enumerate(x)}
    used = {cell for vector in x for cell in vector}
    groups: dict[tuple[int, int], dict[int, dict[Vector, int]]] = defaultdict(lambda: defaultdict(dict))
    for dot in units.dots_with(used):
        if dot.cell in known or units.cells.same(dot.cell) in known:
            continue
        for mine, other in ((dot.left, dot.right), (dot.right, dot.left)):
            if mine in tokens:
                step = units.cells.step_of(dot.cell)
                groups[unpack(dot.cell)[0], -1 if step is None else step][tokens[mine]].setdefault(other, dot.cell)
                break
    for lines in groups.values():
        columns = {weights for line in lines.values() for weights in line}
        if len(lines) == len(tokens) and len(columns) == width:
            ordered = sorted(columns)
            return tuple(tuple(lines[t][w] for w in ordered if w in lines[t]) for t in range(len(tokens)))
    return ()


def unused_mask(sheet: int, queries: int, keys: int, cells: Cells) -> Matrix:
    """Zeros and ones (or 0 and −1e9) of a mask's shape that a label calls a mask; ``()`` where there are none."""
    for table in tables_of(sheet, cells):
        if table.shape not in ((1, keys), (keys, 1), (queries, keys)):
            continue
        values = set(np.unique(table.values).tolist())
        typed = values == {0.0, 1.0} or (
            0.0 in values and all(v == 0 or v <= HIDDEN for v in values) and len(values) > 1
        )
        ids = tuple(tuple(line) for line in table.ids.tolist())
        if typed and any(map(is_mask_label, texts_near(ids, cells))):
            return tuple(zip(*ids, strict=True)) if table.shape == (keys, 1) else ids
    return ()
