"""Weights of a query that do not add up to 1: whatever was done, it is no softmax over its keys."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from xlsx_attention.comparing.given import each_alike
from xlsx_attention.comparing.sentences import say
from xlsx_attention.comparing.subject import Subject
from xlsx_attention.model.address import Rect
from xlsx_attention.model.report import Finding
from xlsx_attention.model.values import ERROR_CODES

ERROR_NAMES = {code: name for name, code in ERROR_CODES.items()}
#: What a weight that is shown with two decimals may be off by.
PRINTED = 0.005


def totals(subject: Subject) -> Iterator[Finding]:
    """A finding for each query whose weights come to another sum, though its exponentials and their sum are right.

    Weights of 0 throughout belong to padding; a mask after the softmax is a finding of its own.
    """
    matrices, head = subject.given.matrices, subject.head
    place, own = matrices.places.get("weights"), matrices.own.get("weights")
    if place is None or own is None or not place.steps or head.mask_place == "after":
        return
    if own.ndim != 2 or own.shape[1] < 2:
        return
    with np.errstate(invalid="ignore"):
        sums = own.sum(axis=1)
        # Percent are weights as well.
        off = np.minimum(np.abs(sums - 1.0), np.abs(sums - 100.0) / 100.0) > PRINTED * own.shape[1]
    off &= ~np.isnan(sums) & own.any(axis=1)
    for role in ("exp", "normaliser"):
        stored, computed = matrices.stored.get(role), matrices.own.get(role)
        if stored is not None and computed is not None and len(stored) == len(own) == len(computed):
            # A sum that is accused itself spoils its weights.
            off &= each_alike(stored, computed).reshape(len(own), -1).all(axis=1)
    plane = subject.sheets.grid.sheets[place.sheet].cached
    for query, line in enumerate(matrices.cells["weights"]):
        error = next((kind for _, kind in (plane.get(*cell) for cell in line) if kind in ERROR_NAMES), None)
        if error is None and not off[query]:
            continue
        rect = Rect.cell(*line[0])
        for cell in line[1:]:
            rect = rect.union(Rect.cell(*cell))
        total = f"{sums[query]:.6g}" if error is None else ERROR_NAMES[error]
        message = say("weights-total", cells=rect.a1, role="weights" + subject.suffix, total=total)
        yield Finding(place.sheet, rect, "wrong-normaliser", message, "weights" + subject.suffix)
