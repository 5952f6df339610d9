"""Attention weights as a picture: inline SVG, rows are queries, columns are keys."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from xlsx_attention.model.address import Rect
from xlsx_attention.model.report import FileReport
from xlsx_attention.model.role import Attention, Place
from xlsx_attention.model.values import TEXT
from xlsx_attention.reporting.facts import numbers_of
from xlsx_attention.reporting.safe import visible

#: More tokens than this make no picture that can be read.
_MOST = 64
_LABEL = 12


@dataclass(frozen=True, slots=True)
class Square:
    """One weight: its place in the drawing, how dark it is (0 to 1), and what it says."""

    x: int
    y: int
    opacity: float
    text: str
    title: str
    is_dark: bool


@dataclass(frozen=True, slots=True)
class Heatmap:
    """Everything that the template draws; lengths in pixels."""

    title: str
    width: int
    height: int
    size: int
    left: int
    top: int
    squares: tuple[Square, ...]
    queries: tuple[str, ...]
    keys: tuple[str, ...]


def heatmaps(report: FileReport, query: str, key: str) -> list[Heatmap]:
    """One for each head whose weights are at most 64 × 64; ``query`` and ``key`` are the words for the axes."""
    found = []
    for attention in report.attention.attentions:
        for number, head in enumerate(attention.heads, 1):
            place = head.roles.get("weights")
            if place is not None and max(place.rect.shape) <= _MOST:
                found.append(_heatmap(report, attention, place, number, query, key))
    return found


def _heatmap(report: FileReport, attention: Attention, place: Place, number: int, query: str, key: str) -> Heatmap:
    across = (attention.orientation == "columns") != place.transposed
    weights = _weights(report, place)
    if across:
        weights = weights.T
    queries, keys = _tokens(report, attention, weights.shape)
    size = 44 if max(weights.shape) <= 12 else 22
    left = 24 + max(_length(label) for label in queries) * 7
    squares = []
    for i, row in enumerate(weights.tolist()):
        for j, weight in enumerate(row):
            opacity = min(1.0, max(0.0, weight)) if np.isfinite(weight) else 0.0
            title = f"{query} {queries[i]}, {key} {keys[j]}: {weight:.6g}"
            text = f"{weight:.2f}" if size > 40 else ""
            squares.append(Square(left + j * size, 28 + i * size, round(opacity, 4), text, title, opacity > 0.55))
    assert report.grid is not None
    title = f"{visible(report.grid.sheets[place.sheet].name, 40)}!{place.rect.a1}"
    if len(attention.heads) > 1:
        title += f" · {number}"
    width, height = left + weights.shape[1] * size + 8, 28 + weights.shape[0] * size + 8
    return Heatmap(title, width, height, size, left, 28, tuple(squares), tuple(queries), tuple(keys))


def _weights(report: FileReport, place: Place) -> npt.NDArray[np.float64]:
    assert report.grid is not None
    sheet = next((sheet for sheet in report.sheets if sheet.index == place.sheet), None)
    stored = numbers_of(report.grid.sheets[place.sheet].cached, place.rect)
    if sheet is None:
        return stored
    computed = numbers_of(sheet.from_inputs, place.rect)
    return np.where(np.isnan(computed), stored, computed)


def _length(text: str) -> int:
    return sum(2 if ord(letter) > 0x2E7F else 1 for letter in text)


def _tokens(report: FileReport, attention: Attention, shape: tuple[int, ...]) -> tuple[list[str], list[str]]:
    """Labels of queries and keys: the texts along X's tokens, else their numbers."""
    place = attention.shared.get("X") or next((h.roles["X"] for h in attention.heads if "X" in h.roles), None)
    labels: list[str] = []
    if place is not None:
        across = (attention.orientation == "columns") != place.transposed
        labels = _beside(report, place, above=across)
    plain = [str(number) for number in range(1, max(shape) + 1)]
    queries = labels if len(labels) == shape[0] else plain[: shape[0]]
    keys = labels if len(labels) == shape[1] else plain[: shape[1]]
    return queries, keys


def _beside(report: FileReport, place: Place, *, above: bool) -> list[str]:
    """The line of texts nearest to a rectangle, above it or at its left, up to four cells away; none: no label."""
    assert report.grid is not None
    rect, plane = place.rect, report.grid.sheets[place.sheet].cached
    for distance in range(1, 5):
        line = (
            Rect(rect.top - distance, rect.left, rect.top - distance + 1, rect.right)
            if above
            else Rect(rect.top, rect.left - distance, rect.bottom, rect.left - distance + 1)
        )
        if line.top < 0 or line.left < 0:
            break
        number, kind = plane.read(line)
        if (kind == TEXT).all():
            return [visible(report.grid.texts[index], _LABEL) for index in number.ravel().tolist()]
    return []
