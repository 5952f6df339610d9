"""Positional encodings in which position and feature have changed places.

PE(position, 2i) = sin(position ÷ n^(2i/d)), PE(position, 2i+1) = cos(the same), n usually 10000
(Vaswani et al., "Attention Is All You Need", 2017, section 3.5).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from xlsx_attention.comparing.given import alike
from xlsx_attention.comparing.matrices import Sheets, cells_of
from xlsx_attention.comparing.sentences import say
from xlsx_attention.model.formula import Apply, Binary, Call, NumberLit, Tree, Unary
from xlsx_attention.model.report import Finding
from xlsx_attention.model.role import AttentionMap, Orientation, Place
from xlsx_attention.model.values import Floats

#: Bases that lessons use; those that a formula names come first.
BASES = (10000.0, 1000.0, 100.0, 10.0)


def encodings(sheets: Sheets, attention: AttentionMap) -> Iterator[Finding]:
    """Each block that is the encoding with the two indices swapped, and is not the encoding in any usual form."""
    for other in attention.others:
        if other.kind != "positional encoding" or not other.place.steps or other.place.parts:
            continue
        orientation = _orientation(sheets, attention, other.place)
        if orientation is None:
            continue
        cells = cells_of("", Place(other.place.sheet, other.place.rect), orientation)
        own = sheets.own(other.place.sheet, cells)
        tokens, width = own.shape
        if tokens < 2 or width < 2:
            continue
        for base in _bases(sheets, other.place):
            forms = [f for first in (0, 1) for f in _forms(tokens, width, base, first, swapped=False)]
            if any(alike(own, form) for form in forms):
                break
            swapped = [f for first in (0, 1) for f in _forms(tokens, width, base, first, swapped=True)]
            if any(alike(own, form) for form in swapped):
                message = say("position-and-feature", cells=other.place.rect.a1, base=f"{base:g}")
                mended = forms[0] if orientation == "rows" else forms[0].T
                yield Finding(other.place.sheet, other.place.rect, "wrong-axis", message, other.kind, mended)
                break


def _forms(tokens: int, width: int, base: float, first: int, *, swapped: bool) -> Iterator[Floats]:
    """Ways of writing it, (tokens, width), indices from ``first``: the exponent paired (2i) or not, sine first or
    cosine.
    """
    position = np.arange(first, first + tokens, dtype=np.float64)[:, None]
    feature = np.arange(first, first + width, dtype=np.float64)[None, :]
    for paired in (True, False):
        a, b = (feature, position) if swapped else (position, feature)
        exponent = 2 * np.floor((b - first) / 2) if paired else b
        angle = a / base ** (exponent / width)
        for parity in (0, 1):
            # Which function a cell has goes by its feature in both: that is how the slip comes about.
            even = (feature - parity) % 2 == 0
            yield np.where(even, np.sin(angle), np.cos(angle))


def _orientation(sheets: Sheets, attention: AttentionMap, place: Place) -> Orientation | None:
    """That of the attention whose X is the sum of a same-sized block and this one."""
    for group in attention.attentions:
        X = group.shared.get("X")
        if X is not None and X.sheet == place.sheet and X.rect.shape == place.rect.shape:
            reads = [read.rect for index in X.steps for read in sheets.plan.steps[index].reads]
            if place.rect in reads:
                return group.orientation
    return None


def _bases(sheets: Sheets, place: Place) -> list[float]:
    named = [n for index in place.steps for n in _numbers(sheets.plan.steps[index].tree) if n > 1]
    return list(dict.fromkeys([*named, *BASES]))


def _numbers(tree: Tree) -> Iterator[float]:
    stack = [tree]
    while stack:
        match stack.pop():
            case NumberLit(value):
                yield value
            case Call(_, args):
                stack += args
            case Apply(callee, args):
                stack += (callee, *args)
            case Binary(_, left, right):
                stack += (left, right)
            case Unary(_, operand):
                stack.append(operand)
            case _:
                pass
