"""By rank: medians, modes, percentiles, ranks, frequencies."""

from __future__ import annotations

import bisect
import math
from collections import Counter

import numpy as np

from xlsx_attention.functions.coercion import to_number
from xlsx_attention.functions.pairs import running_sum
from xlsx_attention.functions.registry import Context, Evaluator, ExcelError, Matrix, Operand, function
from xlsx_attention.functions.values_of import lifted, numbers_in, numbers_of, raise_first_error
from xlsx_attention.model.values import NA, NUM, Floats, Kinds

Result = tuple[Floats, Kinds]


@function("MEDIAN", "number:numbers ...", "reduction")
def median(x: Floats, keep: np.ndarray) -> Result:
    """The middle number, or the mean of the two in the middle; ``#NUM!`` without a number."""
    n = keep.sum(axis=-1)
    if x.shape[-1] == 0:
        return np.zeros(n.shape), np.full(n.shape, NUM, np.uint8)
    ordered = np.sort(np.where(keep, x, np.inf), axis=-1)
    low = np.take_along_axis(ordered, np.maximum((n - 1) // 2, 0)[..., None], -1)[..., 0]
    high = np.take_along_axis(ordered, np.minimum(n // 2, x.shape[-1] - 1)[..., None], -1)[..., 0]
    none = n == 0
    return np.where(none, 0.0, (low + high) / 2.0), np.where(none, np.uint8(NUM), np.uint8(0))


def modes(numbers: list[float]) -> list[float]:
    """The most frequent numbers in the order of their first appearance; ``#N/A`` where none comes twice."""
    counts = Counter(numbers)
    most = max(counts.values(), default=0)
    if most < 2:
        raise ExcelError(NA)
    return [number for number, count in counts.items() if count == most]


@function("MODE MODE.SNGL", "number:values ...", "reference")
def mode(ev: Evaluator, *operands: Operand) -> Operand:
    """The most frequent number, the first of several; ``#N/A`` where none comes twice."""
    return ev.from_python(modes([n for operand in operands for n in numbers_of(ev, operand)])[0])


@function("MODE.MULT", "number:values ...", "reference")
def mode_mult(ev: Evaluator, *operands: Operand) -> Operand:
    """All most frequent numbers, one below the other; ``#N/A`` where none comes twice."""
    found = np.array(modes([n for operand in operands for n in numbers_of(ev, operand)]))[:, None]
    return ev.from_python(Matrix(found, np.zeros(found.shape, np.uint8)))


def nth_smallest(ordered: list[float], k: float) -> float:
    """``k`` is cut to whole; ``#NUM!`` outside 1…n."""
    n = math.trunc(k)
    if not 1 <= n <= len(ordered):
        raise ExcelError(NUM)
    return ordered[n - 1]


def nth_largest(ordered: list[float], k: float) -> float:
    """``k`` is cut to whole; ``#NUM!`` outside 1…n."""
    n = math.trunc(k)
    if not 1 <= n <= len(ordered):
        raise ExcelError(NUM)
    return ordered[-n]


@function("SMALL", "array:array k:number", "reference")
def small(ev: Evaluator, operand: Operand, k: Operand) -> Operand:
    """The ``k``-th smallest number; ``#NUM!`` outside 1…n."""
    numbers = sorted(numbers_of(ev, operand))
    return lifted(ev, k, lambda n: nth_smallest(numbers, n))


@function("LARGE", "array:array k:number", "reference")
def large(ev: Evaluator, operand: Operand, k: Operand) -> Operand:
    """The ``k``-th largest number; ``#NUM!`` outside 1…n."""
    numbers = sorted(numbers_of(ev, operand))
    return lifted(ev, k, lambda n: nth_largest(numbers, n))


def _between(ordered: list[float], position: float) -> float:
    """The number at a position from 0, on the straight line between its neighbours."""
    low = math.floor(position)
    part = position - low
    if part == 0.0 or low + 1 >= len(ordered):
        return ordered[low]
    return ordered[low] + part * (ordered[low + 1] - ordered[low])


def percentile_inc_of(ordered: list[float], k: float) -> float:
    """At position ``k·(n − 1)`` from 0; ``#NUM!`` outside."""
    if not ordered or not 0.0 <= k <= 1.0:
        raise ExcelError(NUM)
    return _between(ordered, k * (len(ordered) - 1))


def percentile_exc_of(ordered: list[float], k: float) -> float:
    """At position ``k·(n + 1)`` from 1; ``#NUM!`` outside."""
    position = k * (len(ordered) + 1)
    if not ordered or not 0.0 < k < 1.0 or not 1.0 <= position <= len(ordered):
        raise ExcelError(NUM)
    return _between(ordered, position - 1.0)


def quartile_inc_of(ordered: list[float], quart: float) -> float:
    """The quartile 0…4, cut to whole."""
    return percentile_inc_of(ordered, math.trunc(quart) / 4.0 if quart >= 0.0 else -1.0)


def quartile_exc_of(ordered: list[float], quart: float) -> float:
    """The quartile 1…3, cut to whole."""
    return percentile_exc_of(ordered, math.trunc(quart) / 4.0)


@function("PERCENTILE PERCENTILE.INC", "array:array k:number", "reference")
def percentile_inc(ev: Evaluator, operand: Operand, k: Operand) -> Operand:
    """The ``k``-th percentile at position ``k·(n − 1)``; ``#NUM!`` for ``k`` outside 0…1 or without a number."""
    ordered = sorted(numbers_of(ev, operand))
    return lifted(ev, k, lambda p: percentile_inc_of(ordered, p))


@function("PERCENTILE.EXC", "array:array k:number", "reference")
def percentile_exc(ev: Evaluator, operand: Operand, k: Operand) -> Operand:
    """The ``k``-th percentile at position ``k·(n + 1)`` from 1; ``#NUM!`` where it lies outside 1…n."""
    ordered = sorted(numbers_of(ev, operand))
    return lifted(ev, k, lambda p: percentile_exc_of(ordered, p))


@function("QUARTILE QUARTILE.INC", "array:array quart:number", "reference")
def quartile_inc(ev: Evaluator, operand: Operand, quart: Operand) -> Operand:
    """The quartile 0…4, cut to whole, as PERCENTILE.INC; ``#NUM!`` for others."""
    ordered = sorted(numbers_of(ev, operand))
    return lifted(ev, quart, lambda q: quartile_inc_of(ordered, q))


@function("QUARTILE.EXC", "array:array quart:number", "reference")
def quartile_exc(ev: Evaluator, operand: Operand, quart: Operand) -> Operand:
    """The quartile 1…3, cut to whole, as PERCENTILE.EXC; ``#NUM!`` for others."""
    ordered = sorted(numbers_of(ev, operand))
    return lifted(ev, quart, lambda q: quartile_exc_of(ordered, q))


def _place(ordered: list[float], x: float) -> float:
    """The position of ``x`` from 0, broken between neighbours; ``#N/A`` outside."""
    if not ordered or not ordered[0] <= x <= ordered[-1]:
        raise ExcelError(NA)
    low = bisect.bisect_left(ordered, x)
    if ordered[low] == x:
        return float(low)
    below, above = ordered[low - 1], ordered[low]
    return low - 1 + (x - below) / (above - below)


def _significance(ev: Evaluator, operand: Operand) -> float:
    """How many digits; ``#NUM!`` below 1."""
    array = to_number(operand.array, ev.texts)
    digits = ev.matrix(Operand(array))
    raise_first_error(digits)
    if digits.number[0, 0] < 1.0:
        raise ExcelError(NUM)
    return float(digits.number[0, 0])


def _cut(share: float, digits: float) -> float:
    """Cut (not rounded) to so many digits."""
    scale = 10.0 ** math.trunc(digits)
    # The next double up: 0.7 is stored a little below.
    return math.floor(math.nextafter(share * scale, math.inf)) / scale


@function("PERCENTRANK PERCENTRANK.INC", "array:array x:number significance:number=3", "reference")
def percentrank_inc(ev: Evaluator, operand: Operand, x: Operand, significance: Operand) -> Operand:
    """The share of numbers below ``x``, of ``n − 1``, cut to ``significance`` digits; ``#N/A`` outside the numbers."""
    ordered = sorted(numbers_of(ev, operand))
    digits = _significance(ev, significance)
    return lifted(ev, x, lambda v: _cut(_place(ordered, v) / max(1, len(ordered) - 1), digits))


@function("PERCENTRANK.EXC", "array:array x:number significance:number=3", "reference")
def percentrank_exc(ev: Evaluator, operand: Operand, x: Operand, significance: Operand) -> Operand:
    """The place of ``x`` from 1, of ``n + 1``, cut to ``significance`` digits; ``#N/A`` outside the numbers."""
    ordered = sorted(numbers_of(ev, operand))
    digits = _significance(ev, significance)
    return lifted(ev, x, lambda v: _cut((_place(ordered, v) + 1.0) / (len(ordered) + 1), digits))


def _rank(x: float, numbers: list[float], ascending: float) -> tuple[float, int]:
    """The first place of ``x`` and how often it comes; ``#N/A`` where it does not."""
    same = numbers.count(x)
    if same == 0:
        raise ExcelError(NA)
    before = sum(n < x for n in numbers) if ascending else sum(n > x for n in numbers)
    return before + 1.0, same


@function("RANK RANK.EQ", "number:number ref:array order:number=0", "array")
def rank(ctx: Context, x: float, ref: Matrix, order: float) -> float:
    """The place of a number from the largest (from the smallest for ``order`` ≠ 0); equals share the first place."""
    return _rank(x, numbers_in(ref), order)[0]


@function("RANK.AVG", "number:number ref:array order:number=0", "array")
def rank_avg(ctx: Context, x: float, ref: Matrix, order: float) -> float:
    """Like RANK; equals share the mean of their places."""
    first, same = _rank(x, numbers_in(ref), order)
    return first + (same - 1) / 2.0


@function("TRIMMEAN", "array:array percent:number", "reference")
def trimmean(ev: Evaluator, operand: Operand, percent: Operand) -> Operand:
    """The mean without a share of the extremes, the same number at both ends; ``#NUM!`` for a share outside 0…1."""
    ordered = sorted(numbers_of(ev, operand))

    def mean(share: float) -> float:
        if not 0.0 <= share < 1.0 or not ordered:
            raise ExcelError(NUM)
        cut = math.trunc(len(ordered) * share) // 2
        kept = ordered[cut : len(ordered) - cut]
        return running_sum(kept) / len(kept)

    return lifted(ev, percent, mean)


@function("FREQUENCY", "data:array bins:array", "array")
def frequency(ctx: Context, data: Matrix, bins: Matrix) -> Matrix:
    """How many numbers lie in each bin ``(previous, bin]``, and last how many above all; a column of bins + 1 counts.

    Bins need not be in order; a bin that comes twice counts at its first place.
    """
    numbers, limits = sorted(numbers_in(data)), numbers_in(bins)
    counts = np.zeros((len(limits) + 1, 1))
    below, done = 0, set[float]()
    for position in sorted(range(len(limits)), key=lambda i: limits[i]):
        limit = limits[position]
        if limit in done:
            continue
        done.add(limit)
        upto = bisect.bisect_right(numbers, limit)
        counts[position, 0], below = upto - below, upto
    counts[-1, 0] = len(numbers) - below
    return Matrix(counts, np.zeros(counts.shape, np.uint8))
