"""Whether computed numbers are a table's, though a mistake or two spoil a few of its cells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from xlsx_attention.model.values import Floats
from xlsx_attention.recognising.tables import Table

Bools: TypeAlias = npt.NDArray[np.bool_]

#: Of a table's cells, this share may contradict a relation (they are then the mistakes) if there are enough to tell.
WRONG: Final = 0.2
ENOUGH: Final = 9
#: Lines of a table of which one may be wrong whole: what one wrong number upstream spoils.
LINES: Final = 3
#: How much the cells that do meet must say, in bits, before a relation is believed against cells that do not: among
#: some thousands of pairs of tables, or among some dozens of single tables, rows and columns.
BITS: Final = 24.0
BITS_OF_ONE: Final = 15.0
#: Numbers of deviation 1 that are spread evenly lie this far from their middle.
HALF_RANGE: Final = 3.0**0.5
#: A cell says no more than this: numbers may be equal for a reason of their own.
MOST_BITS: Final = 10.0
#: A cell that does not meet counts as much as this error in all the others.
MISS: Final = 0.3


@dataclass(frozen=True, slots=True)
class Meeting:
    """How well numbers meet a table: cells that do not, and the mean relative difference, ``misses`` weighed in."""

    misses: int
    error: float


def met(found: Floats, wanted: Table, slack: Floats | float, *, pairs: bool = True) -> Meeting | None:
    """All but a few numbers meet, and the agreement means something: it is much finer than the numbers' own spread.

    Those that do not are scattered and few, or lie in one row or one column; then the others must carry the proof:
    more where ``pairs`` of tables are tried.
    """
    difference = np.abs(found - wanted.values)
    fits: Bools = difference <= wanted.radius + slack
    misses = int(fits.size - fits.sum())
    if misses and not _few(~fits):
        return None
    spread = float(np.abs(wanted.values[fits]).mean()) if fits.any() else 0.0
    mean = float(difference[fits].mean()) if fits.any() else 0.0
    if mean > 0.25 * spread + 1e-12:
        return None
    if misses and _bits(wanted, slack, fits) < (BITS if pairs and min(wanted.shape) > 1 else BITS_OF_ONE):
        return None
    return Meeting(misses, mean / (spread or 1.0) + MISS * misses / fits.size)


def agrees(found: Floats, wanted: Table, slack: Floats | float) -> bool:
    return met(found, wanted, slack) is not None


def _few(wrong: Bools) -> bool:
    if wrong.size >= ENOUGH and int(wrong.sum()) <= WRONG * wrong.size:
        return True
    return any(wrong.shape[axis] >= LINES and int(wrong.any(axis=1 - axis).sum()) == 1 for axis in (0, 1))


def _bits(wanted: Table, slack: Floats | float, fits: Bools) -> float:
    """How unlikely the meeting is by chance: each cell falls within its interval, out of the spread."""
    numbers = wanted.values[fits]
    visible = numbers[np.abs(numbers) < 1e6]
    if visible.size < 2:
        return 0.0
    room = np.broadcast_to(wanted.radius + slack, fits.shape)[fits][np.abs(numbers) < 1e6]
    if (visible == np.round(visible)).all():
        room = np.maximum(room, 0.5)
    spread = float(visible.std())
    if spread == 0.0:
        return 0.0
    return float(np.clip(np.log2(HALF_RANGE * spread / room), 0.0, MOST_BITS).sum())


def proportion(x: Floats, y: Floats, x_radius: Floats, y_radius: Floats) -> float | None:
    """The factor of y = factor · x that most numbers agree on, whatever a few of them say; ``None`` without any x.

    The line of least absolute differences (a weighted median of ratios) first, then least squares over what it meets.
    """
    usable = x != 0
    if not usable.any():
        return None
    x, y = x[usable], y[usable]
    ratios, weight = y / x, np.abs(x)
    order = np.argsort(ratios)
    reached = np.cumsum(weight[order])
    factor = float(ratios[order][int(np.searchsorted(reached, reached[-1] / 2))])
    room = (
        np.broadcast_to(y_radius, usable.shape)[usable] + abs(factor) * np.broadcast_to(x_radius, usable.shape)[usable]
    )
    near = np.abs(y - factor * x) <= 2 * room
    norm = float((x[near] ** 2).sum())
    return float((x[near] * y[near]).sum()) / norm if norm > 0 else factor
