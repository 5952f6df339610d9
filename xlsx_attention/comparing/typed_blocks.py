"""Q, K or V typed as numbers, while the weights that should make them stand by and are read by nothing.

Nobody types a projection whose W is on the sheet, but a block pasted as values, or from an older version, looks so.
Said only where the head's other projections are computed and exactly one rectangle of numbers of W's shape is read by
no formula: a lesson that gives Q as an input has no such rectangle.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from xlsx_attention.comparing.given import alike
from xlsx_attention.comparing.matrices import Sheets
from xlsx_attention.comparing.sentences import say
from xlsx_attention.comparing.subject import Subject
from xlsx_attention.model.address import Rect
from xlsx_attention.model.report import Finding
from xlsx_attention.model.values import NUMBER, Floats

PROJECTIONS = {"Q": "W_q", "K": "W_k", "V": "W_v"}
#: A sheet with more cells than this is not searched for matrices that nothing reads.
SEARCHED = 200_000


def typed_blocks(subject: Subject) -> Iterator[Finding]:
    """A finding for each typed projection; ``mended`` holds X·W."""
    matrices = subject.given.matrices
    made = [role for role, w in PROJECTIONS.items() if w in matrices.places and _steps(subject, role)]
    source = next((role for role in ("X", "X_kv") if role in matrices.own), None)
    if not made or source is None:
        return
    X = matrices.own[source]
    for role, w in PROJECTIONS.items():
        own = matrices.own.get(role)
        if own is None or w in matrices.places or _steps(subject, role) or own.shape[0] != X.shape[0]:
            continue
        across = subject.attention.orientation == "columns"
        shape = (own.shape[1], X.shape[1]) if across else (X.shape[1], own.shape[1])
        place = matrices.places[role]
        found = [rect for rect in unread(subject.sheets, place.sheet) if rect.shape == shape]
        if len(found) != 1:
            continue
        number, _ = subject.sheets.grid.sheets[place.sheet].cached.read(found[0])
        W: Floats = number.T if across else number
        due = subject.given.reference.product(X, W)
        key = "typed-projection" if alike(own, due) else "typed-otherwise"
        message = say(key, cells=subject.where(role), role=role + subject.suffix, w=w, weights=found[0].a1)
        yield subject.finding(role, "pasted-value", message, due)


def _steps(subject: Subject, role: str) -> bool:
    place = subject.given.matrices.places.get(role)
    return place is not None and bool(place.steps)


def unread(sheets: Sheets, sheet: int) -> Iterator[Rect]:
    """Full rectangles of typed numbers that no formula reads, set apart from other numbers by cells without one."""
    core = sheets.grid.sheets[sheet].cached
    if core.rect.size > SEARCHED:
        return
    free: npt.NDArray[np.bool_] = core.kind == NUMBER
    for step in sheets.plan.steps:
        if step.block.sheet == sheet:
            _clear(free, core.rect, step.block.cells)
        for read in step.reads:
            if read.sheet == sheet:
                _clear(free, core.rect, read.rect)
    seen = np.zeros(free.shape, np.bool_)
    for i, j in np.argwhere(free):
        if seen[i, j]:
            continue
        bottom, right = int(i), int(j)
        while bottom + 1 < free.shape[0] and free[bottom + 1, j]:
            bottom += 1
        while right + 1 < free.shape[1] and free[i, right + 1]:
            right += 1
        seen[i : bottom + 1, j : right + 1] = True
        rect = Rect(int(i), int(j), bottom + 1, right + 1)
        if free[rect.top : rect.bottom, rect.left : rect.right].all() and not _touched(free, rect):
            yield rect.shifted(core.rect.top, core.rect.left)


def _touched(free: npt.NDArray[np.bool_], rect: Rect) -> bool:
    """Whether other free numbers lie right beside the rectangle: then its edges are guesses."""
    grown = free[max(0, rect.top - 1) : rect.bottom + 1, max(0, rect.left - 1) : rect.right + 1]
    return int(grown.sum()) != rect.size


def _clear(free: npt.NDArray[np.bool_], core: Rect, rect: Rect) -> None:
    inside = core.intersection(rect)
    if inside is not None:
        free[inside.top - core.top : inside.bottom - core.top, inside.left - core.left : inside.right - core.left] = (
            False
        )
