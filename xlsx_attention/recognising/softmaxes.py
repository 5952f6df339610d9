"""Softmaxes among the tables of a sheet: weights whose lines sum to 1, and the tables that they come from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from xlsx_attention.model.address import Rect
from xlsx_attention.recognising.fits import HIDDEN, agrees, both_ways, softmax, sums_to_one
from xlsx_attention.recognising.tables import Table


@dataclass(slots=True)
class Chain:
    """One softmax by numbers: ``weights`` along ``axis``, and the tables before it (``None``: not on the sheet)."""

    weights: Table
    axis: int
    source: Table
    factor: float = 1.0
    exp: Table | None = None
    shifted: bool = False
    normaliser: Table | None = None
    row_max: Table | None = None
    unmasked: Table | None = None
    mask: Table | None = None
    scores: Table | None = None
    divisor: float | None = None


@dataclass(frozen=True, slots=True)
class Search:
    """The search for softmaxes in the tables of one sheet."""

    tables: list[Table]

    def chains(self) -> Iterable[Chain]:
        taken: set[Rect] = set()
        for weights in self.tables:
            if weights.rect in taken:
                continue
            for axis in sums_to_one(weights):
                chain = self._softmax(weights, axis)
                if chain is not None:
                    taken.add(weights.rect)
                    yield chain
                    break

    def _alike(self, table: Table) -> list[Table]:
        """Other tables of the same shape, the nearest before it first."""
        others = [t for t in self.tables if t.shape == table.shape and t.rect != table.rect]
        return sorted(others, key=lambda t: (t.rect > table.rect, _distance(t.rect, table.rect)))

    def _softmax(self, weights: Table, axis: int) -> Chain | None:
        others = self._alike(weights)
        for source in others:
            if is_softmax(source, 1.0, weights, axis):
                return self._completed(Chain(weights, axis, source))
        for source in others:
            measured = _log_slope(source, weights, axis)
            if measured is None:
                continue
            # The root of a whole number, if it may be one: a measured factor is not exact enough for large scores.
            for factor in (float(max(1, round(measured**-2))) ** -0.5, measured):
                if factor != 1.0 and is_softmax(source, factor, weights, axis):
                    return self._completed(Chain(weights, axis, source, factor))
        return None

    def _completed(self, chain: Chain) -> Chain:
        source, axis = chain.source, chain.axis
        for exp in self._alike(chain.weights):
            for shifted in (True, False):
                scores = chain.factor * source.values
                peak = scores.max(axis=axis, keepdims=True) if shifted else 0.0
                raised = np.exp(np.clip(scores - peak, -700.0, 700.0))
                seen = np.where(source.values > HIDDEN, source.radius, 0.0)
                slack = raised * np.expm1(np.minimum(seen * 2 * chain.factor, 1.0))
                if exp.rect != source.rect and chain.exp is None and agrees(raised, exp, slack):
                    chain.exp, chain.shifted = exp, shifted
        peaks = source.values.max(axis=axis, keepdims=True)
        room = np.where(source.values > HIDDEN, source.radius, 0.0)
        for line in both_ways(self.tables):
            if line.shape != peaks.shape:
                continue
            if chain.row_max is None and agrees(peaks, line, float(room.max())):
                chain.row_max = line
            if chain.exp is not None and chain.normaliser is None:
                sums = chain.exp.values.sum(axis=axis, keepdims=True)
                if agrees(sums, line, chain.exp.radius.sum(axis=axis, keepdims=True)):
                    chain.normaliser = line
        if chain.exp is not None and not chain.shifted:
            chain.row_max = None
        hidden = source.values <= HIDDEN
        if hidden.any() and not hidden.all():
            for other in self._alike(source):
                if (other.values > HIDDEN).all() and _meet(other, source, ~hidden):
                    chain.unmasked = other
                    break
            chain.mask = self._mask(hidden)
        before = chain.unmasked or source
        if chain.factor == 1.0:
            self._scale(chain, before)
        return chain

    def _mask(self, hidden: npt.NDArray[np.bool_]) -> Table | None:
        for table in both_ways(self.tables):
            rows, columns = table.shape
            if rows not in (1, hidden.shape[0]) or columns not in (1, hidden.shape[1]) or table.values.size < 2:
                continue
            values = np.broadcast_to(table.values, hidden.shape)
            if set(np.unique(values)) == {0.0, 1.0} and ((values == 0) == hidden).all():
                return table
            low = values <= HIDDEN
            if low.any() and (low == hidden).all() and (values[~low] == 0).all():
                return table
        return None

    def _scale(self, chain: Chain, before: Table) -> None:
        best: tuple[float, Table, float] | None = None
        for other in self._alike(before):
            if other.rect in (chain.weights.rect, chain.source.rect):
                continue
            norm = float((other.values**2).sum())
            factor = float((other.values * before.values).sum()) / norm if norm else 0.0
            visible = before.values > HIDDEN
            if not visible.all():
                norm = float((other.values[visible] ** 2).sum())
                factor = float((other.values[visible] * before.values[visible]).sum()) / norm if norm else 0.0
            if not 0.02 < factor < 0.95:
                continue
            scaled = np.where(visible, factor * other.values, before.values)
            if agrees(scaled, before, factor * other.radius):
                error = float(np.abs(scaled - before.values).mean())
                if best is None or error < best[0]:
                    best = (error, other, factor)
        if best is not None:
            chain.scores, chain.divisor = best[1], 1.0 / best[2]


def _distance(a: Rect, b: Rect) -> int:
    return abs(a.top - b.top) + abs(a.left - b.left)


def _meet(a: Table, b: Table, where: npt.NDArray[np.bool_]) -> bool:
    fits = np.abs(a.values - b.values)[where] <= (a.radius + b.radius)[where]
    return bool(fits.mean() >= 0.8)


def is_softmax(source: Table, factor: float, weights: Table, axis: int) -> bool:
    if (source.values >= 0).all() and (source.values <= 1).all() and sums_to_one(source):
        return False
    seen = source.values > HIDDEN
    if not seen.any() or np.ptp(source.values[seen]) == 0.0:
        return False
    found = softmax(factor * source.values, axis)
    slack = found * np.expm1(np.minimum(4 * factor * source.radius[seen].max(), 1.0))
    return agrees(found, weights, slack)


def _log_slope(source: Table, weights: Table, axis: int) -> float | None:
    """The factor by which scores were multiplied before the softmax, from ratios of weights."""
    visible = (weights.values > 4 * weights.radius) & (source.values > HIDDEN)
    if visible.sum() < 4:
        return None
    logs = np.log(np.where(visible, weights.values, 1.0))
    count = np.maximum(visible.sum(axis=axis, keepdims=True), 1)
    centred = np.where(visible, source.values - (source.values * visible).sum(axis=axis, keepdims=True) / count, 0.0)
    shifted = np.where(visible, logs - (logs * visible).sum(axis=axis, keepdims=True) / count, 0.0)
    norm = float((centred**2).sum())
    factor = float((centred * shifted).sum()) / norm if norm > 0 else 0.0
    return factor if 0.02 < factor < 0.95 else None
