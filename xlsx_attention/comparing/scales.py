"""Which divisor the scores have, and in which words to say so."""

from __future__ import annotations

import math

from xlsx_attention.comparing.given import Given
from xlsx_attention.comparing.sentences import SCALES, SHAPES, filled, say
from xlsx_attention.model.report import Text


def says_scale(given: Given, cells: str, role: str) -> Text:
    """The sentence about a wrong scale; it says which width fits."""
    divisor = given.divisor
    shape = SHAPES["sharp" if given.used < divisor else "flat"]
    return say(
        "scale", cells=cells, role=role, scale=_fitting(given), d_k=str(given.d_k), divisor=f"{divisor:.6g}",
        shape=shape
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
