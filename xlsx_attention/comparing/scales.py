"""Which divisor the scores have, and in which words to say so."""

from __future__ import annotations

import math
import re

from xlsx_attention.comparing.given import Given
from xlsx_attention.comparing.sentences import SCALES, SHAPES, filled, say
from xlsx_attention.comparing.subject import Subject
from xlsx_attention.model.report import Text
from xlsx_attention.model.values import NUMBER, TEXT

_TEMPERATURE = re.compile(r"temperature|\btemp\b|\btau\b|τ|温度", re.IGNORECASE)
#: Cells of a sheet that are looked through for a label.
_LOOKED_AT = 1_000_000


def tempered(subject: Subject) -> bool:
    """Whether the scores are divided by √d_k and by a temperature that stands on the sheet beside its name."""
    given = subject.given
    place = next(iter(given.matrices.places.values()))
    grid = subject.sheets.grid
    plane = grid.sheets[place.sheet].cached
    if plane.rect.size > _LOOKED_AT:
        return False
    number, kind = plane.read(plane.rect)
    for i, j in zip(*(kind == TEXT).nonzero(), strict=True):
        if not _TEMPERATURE.search(grid.texts[number[i, j]]):
            continue
        row, column = plane.rect.top + int(i), plane.rect.left + int(j)
        for value, of in (plane.get(row, column + 1), plane.get(row + 1, column)):
            if of == NUMBER and math.isclose(given.used, given.divisor * value, rel_tol=1e-9):
                return True
    return False


def says_scale(given: Given, cells: str, role: str) -> Text:
    """The sentence about a wrong scale; it says which width fits."""
    divisor = given.divisor
    shape = SHAPES["sharp" if given.used < divisor else "flat"]
    return say(
        "scale",
        cells=cells,
        role=role,
        scale=_fitting(given),
        d_k=str(given.d_k),
        divisor=f"{divisor:.6g}",
        shape=shape,
    )


def _fitting(given: Given) -> Text:
    used = given.used
    if used == 1.0:
        return SCALES["none"]
    for name, width in _widths(given):
        if math.isclose(used, width, rel_tol=1e-9) and width != 1:
            return filled(SCALES["width"], name=name, value=str(width))
        if math.isclose(used, math.sqrt(width), rel_tol=1e-9):
            return filled(SCALES["root"], name=name, value=str(width))
    return filled(SCALES["number"], value=f"{used:.6g}")


def _widths(given: Given) -> list[tuple[str, int]]:
    found = [("d_k", given.d_k)]
    for name, role, axis in (("d_model", "X", 1), ("d_v", "V", 1), ("S", "K", 0)):
        matrix = given[role]
        if matrix is not None:
            found.append((name, matrix.shape[axis]))
    concat = given["concat"]
    if concat is not None:
        found.insert(2, ("h·d_k", concat.shape[1]))
    return found
