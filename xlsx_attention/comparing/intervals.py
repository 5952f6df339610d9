"""Numbers as the intervals that round to them, and the steps of attention carried out on intervals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from xlsx_attention.comparing.masks import Bools
from xlsx_attention.model.values import Floats

#: With this many decimals a number is not rounded for print: it is what a program computed.
FULL = 10


@dataclass(frozen=True, slots=True)
class Interval:
    """A matrix of intervals, ``low`` ≤ ``high``."""

    low: Floats
    high: Floats

    @property
    def middle(self) -> Floats:
        with np.errstate(invalid="ignore"):
            middle: Floats = np.where(np.isinf(self.low), self.low, (self.low + self.high) / 2)
        return middle

    @property
    def shape(self) -> tuple[int, ...]:
        return self.low.shape

    @property
    def turned(self) -> Interval:
        return Interval(self.low.T, self.high.T)

    def widened(self, radius: Floats) -> Interval:
        return Interval(self.low - radius, self.high + radius)

    def meets(self, other: Interval) -> Bools:
        with np.errstate(invalid="ignore"):
            found: Bools = (self.low <= other.high) & (other.low <= self.high)
        return found

    def over(self, divisor: float) -> Interval:
        return Interval(self.low / divisor, self.high / divisor)

    def plus(self, other: Interval) -> Interval:
        return Interval(self.low + other.low, self.high + other.high)

    def of(self, increasing: Callable[[Floats], Floats]) -> Interval:
        """Through a function that never falls."""
        with np.errstate(all="ignore"):
            return Interval(increasing(self.low), increasing(self.high))


def decimals(number: float) -> int:
    """Decimals of a number as it is written shortest: 0.50 is 0.5 and has one."""
    if not np.isfinite(number) or number == int(number):
        return 0
    digits, _, exponent = repr(abs(number)).partition("e")
    shown = len(digits.partition(".")[2])
    return max(0, shown - int(exponent or 0))


def radius_of(numbers: Floats) -> Floats:
    """Half a unit of the last printed decimal of each number.

    A block is printed with the decimals that most of its numbers have (a trailing 0 is not stored); a number that has
    more stands for itself. With :data:`FULL` decimals or more, what arithmetic in another order would change.
    """
    # Exact zeros and ones abound among weights, and say nothing.
    count = Counter(decimals(float(n)) for n in numbers.flat if np.isfinite(n) and n != int(n))
    common = max(count, key=lambda d: (count[d], d)) if count else 0
    radius = np.zeros(numbers.shape)
    for place, number in np.ndenumerate(numbers):
        shown = max(common, decimals(float(number))) if np.isfinite(number) else common
        radius[place] = 1e-12 * max(abs(number), 1e-3) if shown >= FULL else 0.5 * 10.0**-shown * (1 + 1e-9)
    return radius


def printed(numbers: Floats) -> Interval:
    radius = radius_of(numbers)
    return Interval(numbers - radius, numbers + radius)


def exactly(numbers: Floats) -> Interval:
    return Interval(numbers, numbers)


def product(a: Interval, b: Interval) -> Interval:
    """(n, k)·(k, m), each term the smallest and largest of its four corners."""
    corners = np.stack([x[:, :, None] * y[None, :, :] for x in (a.low, a.high) for y in (b.low, b.high)])
    terms = Interval(corners.min(axis=0), corners.max(axis=0))
    # Sums in another order may differ in their last bits.
    slack = 1e-15 * a.shape[1] * np.abs(corners).max(axis=0).sum(axis=1)
    return Interval(terms.low.sum(axis=1) - slack, terms.high.sum(axis=1) + slack)


def beside(parts: list[Interval]) -> Interval:
    """Matrices of equal height put side by side."""
    return Interval(np.hstack([part.low for part in parts]), np.hstack([part.high for part in parts]))


def masked(scores: Interval, keep: Bools) -> Interval:
    """Hidden scores may be anything far below: (−∞, −∞)."""
    return Interval(np.where(keep, scores.low, -np.inf), np.where(keep, scores.high, -np.inf))


def maximum(scores: Interval) -> Interval:
    return Interval(scores.low.max(axis=1, keepdims=True), scores.high.max(axis=1, keepdims=True))


def exponentials(scores: Interval, peak: Interval | None, exp: Callable[[Floats], Floats]) -> Interval:
    """exp(score − maximum); without a maximum, exp(score). A line that is hidden whole is 1 throughout."""
    if peak is None:
        return scores.of(exp)
    dead = np.isneginf(peak.high)
    low = np.where(dead, 0.0, scores.low - np.where(dead, 0.0, peak.high))
    high = np.where(dead, 0.0, scores.high - np.where(dead, 0.0, peak.low))
    return Interval(low, high).of(exp)


def sums(terms: Interval) -> Interval:
    return Interval(terms.low.sum(axis=1, keepdims=True), terms.high.sum(axis=1, keepdims=True))


def quotient(part: Interval, whole: Interval) -> Interval:
    """Of what is not below 0 by what is above it."""
    with np.errstate(all="ignore"):
        low = np.where(whole.high > 0, np.maximum(part.low, 0.0) / whole.high, 0.0)
        high = np.where(whole.low > 0, part.high / whole.low, np.inf)
    return Interval(low, high).widened(1e-15 * np.ones(part.shape))


def softmax(scores: Interval, exp: Callable[[Floats], Floats]) -> Interval:
    """Each weight is smallest where its own score is low and all others are high, and the other way round."""
    peak = scores.high.max(axis=1, keepdims=True)
    shift = np.where(np.isneginf(peak), 0.0, peak)
    # A line that is hidden whole is uniform.
    dead = np.isneginf(peak) & np.ones(scores.shape, np.bool_)
    low = np.where(dead, 1.0, exp(np.where(dead, 0.0, scores.low - shift)))
    high = np.where(dead, 1.0, exp(np.where(dead, 0.0, scores.high - shift)))
    with np.errstate(all="ignore"):
        least = low / (low + high.sum(axis=1, keepdims=True) - high)
        most = high / (high + low.sum(axis=1, keepdims=True) - low)
    return Interval(np.nan_to_num(least), np.nan_to_num(most, nan=1.0)).widened(1e-15 * np.ones(scores.shape))
