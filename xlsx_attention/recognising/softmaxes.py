"""Softmaxes among the tables of a sheet: weights whose lines sum to 1, and the tables that they come from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from xlsx_attention.model.address import Rect
from xlsx_attention.recognising.fits import HIDDEN, both_ways, softmax, sums_to_one
from xlsx_attention.recognising.meeting import Meeting, met, proportion
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
        best: tuple[tuple[bool, int], Table, float] | None = None
        for source in self._alike(weights):
            for factor in _factors(source, weights, axis):
                found = softmax_met(source, factor, weights, axis)
                # A table as it stands first: a wrong number in it must not make another, scaled, the better source.
                # Of such the one that meets most cells, then the nearest before the weights.
                if found is not None and (best is None or (factor != 1.0, found.misses) < best[0]):
                    best = (factor != 1.0, found.misses), source, factor
        return None if best is None else self._completed(Chain(weights, axis, best[1], best[2]))

    def _completed(self, chain: Chain) -> Chain:
        source, axis = chain.source, chain.axis
        exps, maxima, totals = _Best(), _Best(), _Best()
        for exp in self._alike(chain.weights):
            for shifted in (True, False):
                scores = chain.factor * source.values
                peak = scores.max(axis=axis, keepdims=True) if shifted else 0.0
                raised = np.exp(np.clip(scores - peak, -700.0, 700.0))
                seen = np.where(source.values > HIDDEN, source.radius, 0.0)
                slack = raised * np.expm1(np.minimum(seen * 2 * chain.factor, 1.0))
                if exp.rect != source.rect and exps.offer(exp, met(raised, exp, slack)):
                    chain.exp, chain.shifted = exp, shifted
        peaks = source.values.max(axis=axis, keepdims=True)
        room = np.where(source.values > HIDDEN, source.radius, 0.0)
        for line in both_ways(self.tables):
            if line.shape != peaks.shape:
                continue
            maxima.offer(line, met(peaks, line, float(room.max())))
            if chain.exp is not None:
                sums = chain.exp.values.sum(axis=axis, keepdims=True)
                totals.offer(line, met(sums, line, chain.exp.radius.sum(axis=axis, keepdims=True)))
        chain.row_max, chain.normaliser = maxima.table, totals.table or self._divided_by(chain, peaks.shape)
        if chain.exp is not None and not chain.shifted:
            chain.row_max = None
        hidden = source.values <= HIDDEN
        if hidden.any() and not hidden.all():
            most = 0.0
            for other in self._alike(source):
                if (other.values > HIDDEN).all() and (share := _meet(other, source, ~hidden)) > most:
                    chain.unmasked, most = other, share
            chain.mask = self._mask(hidden)
        before = chain.unmasked or source
        if chain.factor == 1.0:
            self._scale(chain, before)
        return chain

    def _divided_by(self, chain: Chain, shape: tuple[int, ...]) -> Table | None:
        """The sums, known by what they make: exponentials over them are the weights."""
        best = _Best()
        for line in both_ways(self.tables):
            if chain.exp is not None and line.shape == shape and (line.values > 0).all():
                raised, sums = chain.exp, line.values
                slack = raised.radius / sums + np.abs(raised.values) * line.radius / sums**2
                best.offer(line, met(raised.values / sums, chain.weights, slack))
        return best.table

    def _mask(self, hidden: npt.NDArray[np.bool_]) -> Table | None:
        """The mask that hides what is hidden, all but a cell or two."""
        best: Table | None = None
        fewest = hidden.size // 8 + 1
        for table in both_ways(self.tables):
            rows, columns = table.shape
            if rows not in (1, hidden.shape[0]) or columns not in (1, hidden.shape[1]) or table.values.size < 2:
                continue
            values = np.broadcast_to(table.values, hidden.shape)
            low = values <= HIDDEN
            if set(np.unique(values)) == {0.0, 1.0}:
                hides = values == 0
            elif low.any() and (values[~low] == 0).all():
                hides = low
            else:
                continue
            wrong = int((hides != hidden).sum())
            if wrong < fewest:
                best, fewest = table, wrong
        return best

    def _scale(self, chain: Chain, before: Table) -> None:
        best: tuple[float, Table, float] | None = None
        for other in self._alike(before):
            if other.rect in (chain.weights.rect, chain.source.rect):
                continue
            visible = before.values > HIDDEN
            factor = proportion(
                other.values[visible], before.values[visible], other.radius[visible], before.radius[visible]
            )
            if factor is None or not 0.02 < factor < 0.95:
                continue
            scaled = np.where(visible, factor * other.values, before.values)
            found = met(scaled, before, factor * other.radius)
            if found is not None and (best is None or found.error < best[0]):
                best = (found.error, other, factor)
        if best is not None:
            chain.scores, chain.divisor = best[1], 1.0 / best[2]


def _distance(a: Rect, b: Rect) -> int:
    return abs(a.top - b.top) + abs(a.left - b.left)


@dataclass(slots=True)
class _Best:
    """The table that meets most of its cells; of equals, the first offered."""

    table: Table | None = None
    misses: int = 0

    def offer(self, table: Table, found: Meeting | None) -> bool:
        better = found is not None and (self.table is None or found.misses < self.misses)
        if better and found is not None:
            self.table, self.misses = table, found.misses
        return better


def _meet(a: Table, b: Table, where: npt.NDArray[np.bool_]) -> float:
    """The share of cells that are equal, 0 where it is too small to be a copy."""
    fits = np.abs(a.values - b.values)[where] <= (a.radius + b.radius)[where]
    return float(fits.mean()) if fits.mean() >= 0.75 else 0.0


def is_softmax(source: Table, factor: float, weights: Table, axis: int) -> bool:
    return softmax_met(source, factor, weights, axis) is not None


def softmax_met(source: Table, factor: float, weights: Table, axis: int) -> Meeting | None:
    """How well the weights are the softmax of the source's multiple."""
    if (source.values >= 0).all() and (source.values <= 1).all() and sums_to_one(source):
        return None
    seen = source.values > HIDDEN
    if not seen.any() or np.ptp(source.values[seen]) == 0.0:
        return None
    found = softmax(factor * source.values, axis)
    slack = found * np.expm1(np.minimum(4 * factor * source.radius[seen].max(), 1.0))
    return met(found, weights, slack)


def _factors(source: Table, weights: Table, axis: int) -> Iterator[float]:
    """What the source may have been multiplied by before the softmax, 1 first."""
    yield 1.0
    for measured in dict.fromkeys(_log_slopes(source, weights, axis)):
        # The root of a whole number, if it may be one: a measured factor is not exact enough for large scores.
        for factor in (float(max(1, round(measured**-2))) ** -0.5, measured):
            if factor != 1.0:
                yield factor


def _log_slopes(source: Table, weights: Table, axis: int) -> Iterator[float]:
    """The factor by ratios of weights: over all lines, and the middle one of the lines' own (one may be wrong)."""
    visible = (weights.values > 4 * weights.radius) & (source.values > HIDDEN)
    if visible.sum() < 4:
        return
    logs = np.log(np.where(visible, weights.values, 1.0))
    count = np.maximum(visible.sum(axis=axis, keepdims=True), 1)
    centred = np.where(visible, source.values - (source.values * visible).sum(axis=axis, keepdims=True) / count, 0.0)
    shifted = np.where(visible, logs - (logs * visible).sum(axis=axis, keepdims=True) / count, 0.0)
    norms, products = (centred**2).sum(axis=axis), (centred * shifted).sum(axis=axis)
    if norms.sum() > 0:
        slopes = [float(products.sum() / norms.sum())]
        own = products[norms > 0] / norms[norms > 0]
        if own.size > 2:
            slopes.append(float(np.median(own)))
        yield from (slope for slope in slopes if 0.02 < slope < 0.95)
