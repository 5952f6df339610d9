"""The steps of attention on intervals, from whatever precedents are at hand: printed ones, or those that the inputs
give.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from xlsx_attention.comparing import intervals
from xlsx_attention.comparing.given import Given
from xlsx_attention.comparing.intervals import Interval
from xlsx_attention.comparing.masks import FILLERS
from xlsx_attention.model.values import Floats

#: The steps in running order.
ORDER = (
    *("Q", "K", "V", "scores", "scaled", "masked", "row_max", "shifted", "exp", "normaliser", "weights", "output"),
    *("concat", "projected"),
)
#: Steps that all heads go into together.
JOINED = frozenset({"concat", "projected"})
#: The heads' outputs side by side, as :class:`Chain` is given them.
HEADS = "outputs"


@dataclass(frozen=True, slots=True)
class Chain:
    """``at`` gives a role's intervals, ``None`` where the sheet does not show it."""

    given: Given
    at: Mapping[str, Interval]

    def ways(self, role: str, divisor: float) -> Iterator[Interval]:
        """Every right way of computing a step, the one as taught first."""
        for way in _WAYS[role](self, divisor):
            if way is not None:
                yield way

    def dot(self, a: Interval | None, b: Interval | None) -> Interval | None:
        return None if a is None or b is None or a.shape[1] != b.shape[0] else intervals.product(a, b)

    def linear(self, tokens: str, weights: str, bias: str) -> Interval | None:
        found, b = self.dot(self.at.get(tokens), self.at.get(weights)), self.at.get(bias)
        if found is None or b is None:
            return found
        flat = Interval(b.low.reshape(1, -1), b.high.reshape(1, -1))
        return found.plus(flat) if flat.shape[1] == found.shape[1] else None

    def base(self, divisor: float) -> Interval | None:
        if "scaled" in self.at:
            return self.at["scaled"]
        scores = self._scores()
        return None if scores is None else scores.over(divisor)

    def _scores(self) -> Interval | None:
        K = self.at.get("K")
        return self.at.get("scores") or self.dot(self.at.get("Q"), None if K is None else K.turned)

    def logits(self, divisor: float) -> Interval | None:
        shown = self.at.get("masked")
        if shown is not None:
            # What is hidden is hidden, whatever number stands for it.
            return intervals.masked(shown, shown.high > FILLERS)
        base = self.base(divisor)
        return None if base is None or base.shape != self.given.open.shape else intervals.masked(base, self.given.open)

    @property
    def exp(self) -> Callable[[Floats], Floats]:
        return self.given.reference.exp


def _projection(letter: str) -> Callable[[Chain, float], Iterator[Interval | None]]:
    def ways(c: Chain, divisor: float) -> Iterator[Interval | None]:
        tokens = "X_kv" if letter in "kv" and "X_kv" in c.at else "X"
        yield c.linear(tokens, f"W_{letter}", f"b_{letter}")

    return ways


def _scores(c: Chain, divisor: float) -> Iterator[Interval | None]:
    K = c.at.get("K")
    yield c.dot(c.at.get("Q"), None if K is None else K.turned)


def _scaled(c: Chain, divisor: float) -> Iterator[Interval | None]:
    scores = c._scores()
    yield None if scores is None else scores.over(divisor)


def _masked(c: Chain, divisor: float) -> Iterator[Interval | None]:
    base = c.base(divisor)
    yield None if base is None or base.shape != c.given.keep.shape else intervals.masked(base, c.given.keep)


def _row_max(c: Chain, divisor: float) -> Iterator[Interval | None]:
    for scores in (c.logits(divisor), c.base(divisor)):
        yield None if scores is None else intervals.maximum(scores)


def _shifted(c: Chain, divisor: float) -> Iterator[Interval | None]:
    logits = c.logits(divisor)
    peak = _peak(c, divisor)
    if logits is not None and peak is not None:
        dead = np.isneginf(peak.high)
        low, high = np.where(dead, 0.0, peak.high), np.where(dead, 0.0, peak.low)
        yield Interval(logits.low - low, logits.high - high)


def _peak(c: Chain, divisor: float) -> Interval | None:
    shown, logits = c.at.get("row_max"), c.logits(divisor)
    if shown is None:
        return None if logits is None else intervals.maximum(logits)
    low, high = shown.low.reshape(-1, 1), shown.high.reshape(-1, 1)
    if logits is not None and len(logits.high) == len(high):
        # The maximum of a line that is hidden whole is its filler.
        dead = np.isneginf(logits.high).all(axis=1, keepdims=True)
        low, high = np.where(dead, -np.inf, low), np.where(dead, -np.inf, high)
    return Interval(low, high)


def _exp(c: Chain, divisor: float) -> Iterator[Interval | None]:
    logits = c.logits(divisor)
    if logits is None:
        return
    if "shifted" in c.at:
        yield c.at["shifted"].of(c.exp)
    yield intervals.exponentials(logits, _peak(c, divisor), c.exp)
    yield intervals.exponentials(logits, None, c.exp)


def _normaliser(c: Chain, divisor: float) -> Iterator[Interval | None]:
    if "exp" in c.at:
        yield intervals.sums(c.at["exp"])
        return
    for exps in _exp(c, divisor):
        yield None if exps is None else intervals.sums(exps)


def _weights(c: Chain, divisor: float) -> Iterator[Interval | None]:
    exps, total = c.at.get("exp"), c.at.get("normaliser")
    if exps is not None:
        whole = intervals.sums(exps) if total is None else Interval(total.low.reshape(-1, 1), total.high.reshape(-1, 1))
        if whole.shape[0] == exps.shape[0]:
            yield intervals.quotient(exps, whole)
            return
    logits = c.logits(divisor)
    yield None if logits is None else intervals.softmax(logits, c.exp)


def _output(c: Chain, divisor: float) -> Iterator[Interval | None]:
    yield c.dot(c.at.get("weights"), c.at.get("V"))


def _concat(c: Chain, divisor: float) -> Iterator[Interval | None]:
    yield c.at.get(HEADS)


def _projected(c: Chain, divisor: float) -> Iterator[Interval | None]:
    yield c.linear("concat" if "concat" in c.at else "output", "W_o", "b_o")


_WAYS: dict[str, Callable[[Chain, float], Iterator[Interval | None]]] = {
    "Q": _projection("q"),
    "K": _projection("k"),
    "V": _projection("v"),
    "scores": _scores,
    "scaled": _scaled,
    "masked": _masked,
    "row_max": _row_max,
    "shifted": _shifted,
    "exp": _exp,
    "normaliser": _normaliser,
    "weights": _weights,
    "output": _output,
    "concat": _concat,
    "projected": _projected,
}
