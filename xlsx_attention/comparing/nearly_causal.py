"""A causal mask with one slip in it: a key that is seen too early, or a token that does not see itself."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from xlsx_attention.comparing.masks import later
from xlsx_attention.comparing.sentences import say
from xlsx_attention.comparing.subject import Subject
from xlsx_attention.model.address import Rect
from xlsx_attention.model.report import Finding


def nearly_causal(subject: Subject) -> Iterator[Finding]:
    """A finding where a mask is causal but for one cell.

    That two first tokens see each other is a prefix, and that a last token does not see the first is a window; both are
    masks of their own.
    """
    keep, cells = subject.given.keep, subject.given.matrices.cells
    role = next((role for role in ("masked", "exp", "weights") if role in cells), None)
    if subject.head.mask != "custom" or role is None or keep.shape[0] != keep.shape[1] or len(keep) < 3:
        return
    unlike = np.argwhere(keep == later(*keep.shape))
    if len(unlike) != 1 or len(cells[role]) != len(keep):
        return
    query, key = map(int, unlike[0])
    if key < query or (query, key) == (0, 1) or len(cells[role][query]) != len(keep):
        return
    place = Rect.cell(*cells[role][query][key])
    says = "causal-self" if key == query else "causal-leak"
    message = say(says, cells=place.a1, role=role + subject.suffix, query=str(query + 1), seen=str(key + 1))
    sheet = subject.given.matrices.places[role].sheet
    yield Finding(sheet, place, "mask-missing" if key > query else "mask-on-rows", message, role + subject.suffix)
