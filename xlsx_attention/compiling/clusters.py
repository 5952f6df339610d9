"""Fragments of one formula that belong together: what fills a rectangle, but for cells of another form."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from xlsx_attention.model.address import Rect
from xlsx_attention.model.plan import Step


def clusters(family: list[Step]) -> list[list[Step]]:
    """Fragments of one form that touch or leave one cell between them.

    Fragments are looked up by the squares of a coarse net that they lie on, so that the time is that of their area and
    edges, not that of all their pairs.
    """
    steps = sorted(family, key=lambda step: step.block.rect)
    rects = [step.block.rect for step in steps]
    parent = list(range(len(steps)))

    def root(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    net: dict[tuple[int, int], list[int]] = defaultdict(list)
    for i, rect in enumerate(rects):
        near = Rect(max(rect.top - 2, 0), max(rect.left - 2, 0), rect.bottom + 2, rect.right + 2)
        for square in _squares(near):
            for other in net.get(square, ()):
                if root(i) != root(other) and _near(rect, rects[other]):
                    parent[root(i)] = root(other)
        for square in _squares(rect):
            net[square].append(i)
    clusters: dict[int, list[Step]] = defaultdict(list)
    for i, step in enumerate(steps):
        clusters[root(i)].append(step)
    return list(clusters.values())


#: Side of a square of the net.
_SIDE = 8


def _squares(rect: Rect) -> Iterator[tuple[int, int]]:
    for row in range(rect.top // _SIDE, (rect.bottom - 1) // _SIDE + 1):
        for column in range(rect.left // _SIDE, (rect.right - 1) // _SIDE + 1):
            yield row, column


def bounds_of(cluster: list[Step]) -> Rect:
    bounds = cluster[0].block.rect
    for step in cluster[1:]:
        bounds = bounds.union(step.block.rect)
    return bounds


def strange_cells(cluster: list[Step], bounds: Rect) -> npt.NDArray[np.bool_]:
    """Which cells of the bounds are of another form."""
    mask = np.ones(bounds.shape, bool)
    for step in cluster:
        rect = step.block.rect
        mask[rect.top - bounds.top : rect.bottom - bounds.top, rect.left - bounds.left : rect.right - bounds.left] = (
            False
        )
    return mask


def split(cluster: list[Step]) -> list[list[Step]]:
    """A whole strange row or column is a subtotal, a separator or another step: what lies beside it are blocks of
    their own.
    """
    if len(cluster) == 1:
        return [cluster]
    bounds = bounds_of(cluster)
    if min(bounds.shape) == 1 or bounds.size > 1_000_000:
        return [cluster]
    mask = strange_cells(cluster, bounds)
    rows, columns = np.cumsum(mask.all(axis=1)), np.cumsum(mask.all(axis=0))
    parts: dict[tuple[int, int], list[Step]] = defaultdict(list)
    for step in cluster:
        rect = step.block.rect
        parts[int(rows[rect.top - bounds.top]), int(columns[rect.left - bounds.left])].append(step)
    if len(parts) == 1:
        return [cluster]
    return [smaller for part in parts.values() for smaller in split(part)]


def _near(a: Rect, b: Rect) -> bool:
    grown_a = Rect(a.top - 1, a.left - 1, a.bottom + 1, a.right + 1)
    grown_b = Rect(b.top - 1, b.left - 1, b.bottom + 1, b.right + 1)
    return grown_a.intersection(grown_b) is not None
