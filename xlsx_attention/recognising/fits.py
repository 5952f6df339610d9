"""Whether one rectangle of numbers can be computed from others, within the intervals that their digits allow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from xlsx_attention.model.values import Floats
from xlsx_attention.recognising.meeting import ENOUGH, WRONG, agrees, met, proportion
from xlsx_attention.recognising.tables import Table

#: A score below this is hidden by a mask.
HIDDEN = -50.0


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
    plain = met(product, wanted, slack)
    if plain is not None:
        return ProductFit(a, b, plain.error)
    if scaled and (number := proportion(product, wanted.values, slack, wanted.radius)) is not None:
        times = met(number * product, wanted, number * slack) if 0.01 < number < 1.0 else None
        if times is not None:
            return ProductFit(a, b, times.error + 1e-3, number)
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
    outside = (table.values < -1e-12) | (table.values > 1.0 + 1e-9)
    if min(table.shape) < 1 or max(table.shape) < 2 or int(outside.sum()) * 4 > outside.size:
        return []
    axes = []
    for axis in (1, 0):
        if table.shape[axis] < 2:
            continue
        lines = np.abs(table.values.sum(axis=axis) - 1.0) <= table.radius.sum(axis=axis) + 1e-9
        lines &= ~outside.any(axis=axis)
        if int((~lines).sum()) <= max(WRONG * lines.size, lines.size >= 3):
            axes.append(axis)
    if axes and len(np.unique(table.values)) <= 2 and set(np.unique(table.values)) <= {0.0, 1.0}:
        # One-hot vectors, or a mask.
        return []
    return axes
