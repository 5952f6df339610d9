"""Whether a rectangle of printed numbers is what a step gives, and by which way of writing it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from xlsx_attention.comparing.chain import Chain
from xlsx_attention.comparing.intervals import Interval
from xlsx_attention.comparing.masks import HIDDEN_BY, Bools
from xlsx_attention.model.values import Floats

#: A step that explains less than this share of a rectangle is not what the rectangle holds.
EXPLAINS = 0.5
#: With this share of numbers that equal their step's result outright, a block is not rounded.
EXACT = 0.75


@dataclass(frozen=True, slots=True)
class Way:
    """How a block was computed: the divisor and the number of the way among the right ones."""

    divisor: float
    number: int
    share: float


def unseen_bias(own: Interval, expected: Interval) -> Floats:
    """What a whole feature differs by, the same for every token: a bias that nobody saw, not as many slips."""
    difference = own.middle - expected.middle
    room = (own.high - own.low + expected.high - expected.low).max(axis=0) + 1e-9
    middle = np.median(difference, axis=0)
    steady = (np.abs(difference - middle) <= room).mean(axis=0) >= EXACT
    bias: Floats = np.where(steady & (own.meets(expected).mean(axis=0) < EXPLAINS), middle, 0.0)
    return bias if len(difference) > 1 else np.zeros_like(bias)


def plus(interval: Interval, bias: Floats) -> Interval:
    return Interval(interval.low + bias, interval.high + bias)


def as_exact(own: Interval, expected: Interval) -> Interval | None:
    """Numbers that are exactly what the step gives, all but a few, were not rounded: integers made of integers."""
    radius = 1e-9 * np.maximum(1.0, np.abs(own.middle))
    same = np.abs(own.middle - expected.middle) <= radius
    return Interval(own.middle - radius, own.middle + radius) if same.mean() >= EXACT else None


def take(chain: Chain, role: str, way: Way, own: Interval) -> Interval | None:
    """A step by the way that was chosen."""
    for number, made in enumerate(chain.ways(role, way.divisor)):
        if number == way.number:
            return fitted_to(made, own)
    return None


def fitted_to(made: Interval, own: Interval) -> Interval | None:
    """In the shape in which the block stands: a sum for each query may lie in a line or in a column."""
    if made.shape == own.shape:
        return made
    if made.low.size == own.low.size and 1 in made.shape:
        return Interval(made.low.reshape(own.shape), made.high.reshape(own.shape))
    return None


def meeting(own: Interval, expected: Interval) -> Bools:
    """Cell by cell; where a score is hidden, any number far below the open ones will do."""
    hidden = np.isneginf(expected.high)
    open_: Floats = own.low[~hidden]
    floor = float(open_.min()) if open_.size else 0.0
    found: Bools = np.where(hidden, own.high < floor - HIDDEN_BY, own.meets(expected))
    return found
