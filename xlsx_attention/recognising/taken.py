"""Which cells of a workbook have a part in an attention."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from xlsx_attention.model.address import Rect
from xlsx_attention.model.role import AttentionMap

Plane: TypeAlias = tuple[Rect, npt.NDArray[np.bool_]]


@dataclass(slots=True)
class Taken:
    """Rectangles by sheet, drawn on a plane for each sheet when they are first asked for."""

    rects: dict[int, list[Rect]] = field(default_factory=lambda: defaultdict(list))
    _planes: dict[int, Plane] = field(default_factory=dict)

    @classmethod
    def by(cls, attention: AttentionMap) -> Taken:
        taken = cls()
        for found in attention.attentions:
            places = [*found.shared.values()]
            for head in found.heads:
                places += head.roles.values()
                for copies in head.copies.values():
                    places += copies
            for place in places:
                for rect in place.rects:
                    taken.add(place.sheet, rect)
        return taken

    def add(self, sheet: int, rect: Rect) -> None:
        self.rects[sheet].append(rect)
        self._planes.pop(sheet, None)

    def _plane(self, sheet: int) -> Plane | None:
        if sheet not in self._planes:
            rects = self.rects.get(sheet)
            if not rects:
                return None
            around = Rect(
                min(r.top for r in rects),
                min(r.left for r in rects),
                max(r.bottom for r in rects),
                max(r.right for r in rects),
            )
            plane = np.zeros(around.shape, np.bool_)
            for rect in rects:
                plane[_slices(rect, around)] = True
            self._planes[sheet] = around, plane
        return self._planes[sheet]

    def touches(self, sheet: int, rect: Rect) -> bool:
        return self.free(sheet, rect) != [rect]

    def free(self, sheet: int, rect: Rect) -> list[Rect]:
        """What is left of a rectangle, in reading order: all, nothing, or single cells."""
        found = self._plane(sheet)
        part = None if found is None else rect.intersection(found[0])
        if found is None or part is None:
            return [rect]
        taken = found[1][_slices(part, found[0])]
        if not taken.any():
            return [rect]
        if part == rect and taken.all():
            return []
        free = np.ones(rect.shape, np.bool_)
        free[_slices(part, rect)] = ~taken
        return [Rect.cell(rect.top + row, rect.left + column) for row, column in np.argwhere(free).tolist()]


def _slices(part: Rect, around: Rect) -> tuple[slice, slice]:
    return (
        slice(part.top - around.top, part.bottom - around.top),
        slice(part.left - around.left, part.right - around.left),
    )
