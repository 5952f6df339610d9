"""Whether one rectangle of numbers can be computed from others, within the intervals that their digits allow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from xlsx_attention.model.values import Floats
from xlsx_attention.recognising.tables import Table

#: Of a table's cells, this share may contradict a relation (they are then the mistakes) if there are enough to tell.
WRONG = 0.2
ENOUGH = 9
#: A score below this is hidden by a mask.
HIDDEN = -50.0


def agrees(found: Floats, wanted: Table, slack: Floats | float) -> bool:
    """All but a few numbers meet, and the agreement means something: it is much finer than the numbers' own spread."""
    difference = np.abs(found - wanted.values)
    fits = difference <= wanted.radius + slack
    allowed = int(WRONG * fits.size) if fits.size >= ENOUGH else 0
    if int((~fits).sum()) > allowed:
        return False
    spread = float(np.abs(wanted.values[fits]).mean()) if fits.any() else 0.0
    return float(difference[fits].mean()) <= 0.25 * spread + 1e-12


@dataclass(frozen=True, slots=True)
class ProductFit:
    """``table`` = ``number`` · A·B (+ ``bias``, a vector along ``bias_axis`` of the table)."""

    a: Table
    b: Table
    error: float
    number: float = 1.0
    bias: Table | None = None


def both_ways(tables: Sequence[Table]) -> Iterator[Table]:
    for table in tables:
        yield table
        yield table.T


def products(wanted: Table, tables: Sequence[Table], *, scaled: bool = False, biased: bool = False) -> list[ProductFit]:
    """Pairs whose product the table is, best first. ``scaled``: up to a factor; ``biased``: plus a row or column."""
    rows, columns = wanted.shape
    others = [table for table in both_ways(tables) if table.rect != wanted.rect or table.sheet != wanted.sheet]
    left: dict[int, list[Table]] = {}
    for table in others:
        if table.shape[0] == rows:
            left.setdefault(table.shape[1], []).append(table)
    found: list[ProductFit] = []
    for b in others:
        if b.shape[1] != columns:
            continue
        for a in left.get(b.shape[0], ()):
            if a.rect == b.rect and a.sheet == b.sheet:
                continue
            fit = _product(wanted, a, b, scaled, biased, tables)
            if fit is not None:
                found.append(fit)
    return sorted(found, key=lambda fit: fit.error)


def _product(
    wanted: Table, a: Table, b: Table, scaled: bool, biased: bool, tables: Sequence[Table]
) -> ProductFit | None:
    inner = a.shape[1]
    if inner < 2 and wanted.values.size < ENOUGH:
        return None
    big = max(float(np.abs(a.values).max()), float(np.abs(b.values).max()))
    if big > 1e8:
        return None
    product = a.values @ b.values
    slack = np.abs(a.values) @ b.radius + a.radius @ np.abs(b.values) + a.radius @ b.radius
    scale = float(np.abs(wanted.values).mean()) or 1.0
    if agrees(product, wanted, slack):
        return ProductFit(a, b, float(np.abs(product - wanted.values).mean()) / scale)
    if scaled and (norm := float((product * product).sum())) > 0:
        number = float((product * wanted.values).sum()) / norm
        if 0.01 < number < 1.0 and agrees(number * product, wanted, number * slack):
            return ProductFit(a, b, float(np.abs(number * product - wanted.values).mean()) / scale + 1e-3, number)
    if biased:
        rest = wanted.values - product
        for axis in (0, 1):
            line = np.median(rest, axis=axis, keepdims=True)
            if wanted.shape[axis] < 2 or not agrees(product + line, wanted, slack):
                continue
            for bias in both_ways(tables):
                if bias.shape == line.shape and np.all(
                    np.abs(bias.values - line) <= bias.radius + wanted.radius.max() + slack.max()
                ):
                    error = float(np.abs(product + bias.values - wanted.values).mean()) / scale
                    return ProductFit(a, b, error + 2e-3, bias=bias)
    return None


def softmax(scores: Floats, axis: int) -> Floats:
    shifted = np.exp(np.maximum(scores - scores.max(axis=axis, keepdims=True), -700.0))
    total: Floats = shifted.sum(axis=axis, keepdims=True)
    result: Floats = shifted / total
    return result


def sums_to_one(table: Table) -> list[int]:
    """Axes along which the table's lines look like weights."""
    if (
        min(table.shape) < 1
        or max(table.shape) < 2
        or (table.values < -1e-12).any()
        or (table.values > 1.0 + 1e-9).any()
    ):
        return []
    axes = []
    for axis in (1, 0):
        if table.shape[axis] < 2:
            continue
        lines = np.abs(table.values.sum(axis=axis) - 1.0) <= table.radius.sum(axis=axis) + 1e-9
        if int((~lines).sum()) <= WRONG * lines.size:
            axes.append(axis)
    if len(np.unique(table.values)) <= 2 and set(np.unique(table.values)) <= {0.0, 1.0}:
        # One-hot vectors, or a mask.
        return []
    return axes
