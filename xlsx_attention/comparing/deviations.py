"""Layer norms that disagree with each other, or with what the sheet says, about which deviation they divide by.

A sheet that uses the sample deviation throughout and says nothing else is taken at its word: it is a variant, told
in the
recognised steps. Beside layer norms with the population deviation, or under a label that asks for it, it is a slip.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import numpy as np

from xlsx_attention.comparing.matrices import Sheets
from xlsx_attention.comparing.sentences import DEVIATIONS, say
from xlsx_attention.model.address import Rect
from xlsx_attention.model.report import Finding
from xlsx_attention.model.role import AttentionMap, Place
from xlsx_attention.model.values import TEXT, Floats

SAID: Final = {
    "population": re.compile(r"population|总体|(?<!un)biased|ddof\s*=\s*0", re.IGNORECASE),
    "sample": re.compile(r"\bsample\b|样本|unbiased|ddof\s*=\s*1", re.IGNORECASE),
}


def deviations(sheets: Sheets, attention: AttentionMap) -> Iterator[Finding]:
    """A finding for each layer norm with the sample deviation where the population's is meant, and the other way round
    only where a label says so."""
    norms = [
        (step.place, step.detail.removesuffix(" deviation"))
        for step in attention.others
        if step.kind == "layer norm" and step.detail.removesuffix(" deviation") in DEVIATIONS
    ]
    for place, own in norms:
        said = _said(sheets, place)
        mixed = {kind for other, kind in norms if other.sheet == place.sheet} == {"sample", "population"}
        if said is not None and said != own:
            key = "deviation-said"
        elif said is None and mixed and own == "sample":
            key = "deviation"
        else:
            continue
        other = "population" if own == "sample" else "sample"
        message = say(key, cells=place.rect.a1, own=DEVIATIONS[own], other=DEVIATIONS[other])
        mended = _mended(sheets, place, own)
        yield Finding(place.sheet, place.rect, "population-or-sample", message, "layer norm", mended)


def _mended(sheets: Sheets, place: Place, own: str) -> Floats | None:
    """With the other deviation: all that changes is a factor √(n/(n−1)). ``None`` where more is folded into the
    block.
    """
    rect = place.rect
    rows = [[(r, c) for c in range(rect.left, rect.right)] for r in range(rect.top, rect.bottom)]
    numbers = sheets.own(place.sheet, rows)
    for axis in (0, 1):
        n = numbers.shape[axis]
        if n < 3 or np.isnan(numbers).any():
            continue
        spread = numbers.std(axis=axis, ddof=1 if own == "sample" else 0)
        if np.abs(numbers.mean(axis=axis)).max() < 1e-9 and np.abs(spread - 1.0).max() < 0.05:
            factor = (n / (n - 1)) ** 0.5
            mended: Floats = numbers * (factor if own == "sample" else 1.0 / factor)
            mended.flags.writeable = False
            return mended
    return None


def _said(sheets: Sheets, place: Place) -> str | None:
    """What the label above or left of a block says, if it says one of the two."""
    rect: Rect = place.rect
    plane = sheets.grid.sheets[place.sheet].cached
    for up, left in [(0, 1), (1, 0), (1, 1), (0, 2), (2, 0)]:
        row, column = rect.top - up, rect.left - left
        if row < 0 or column < 0:
            continue
        number, kind = plane.get(row, column)
        if kind == TEXT:
            named = [name for name, pattern in SAID.items() if pattern.search(sheets.grid.texts[number])]
            if len(named) == 1:
                return named[0]
    return None
