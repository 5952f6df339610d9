"""Why one cell of a recognised step diverges: the cell recomputed under each hypothesis about its step."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from xlsx_attention.comparing.given import LOOSE, Given, Maybe, masked_with, transposed
from xlsx_attention.comparing.masks import Bools
from xlsx_attention.comparing.steps import STEPS
from xlsx_attention.comparing.subject import Subject
from xlsx_attention.comparing.verdicts import Cell
from xlsx_attention.model.address import Rect
from xlsx_attention.model.values import Floats

#: (cause, the whole block under the hypothesis); a cell has the first cause that gives its number.
Hypothesis = tuple[str, Callable[[Given], Iterable[Maybe]]]


def _other_scales(g: Given) -> Iterator[Maybe]:
    """The scores unscaled, over d_k, and over the other widths and their roots."""
    widths = {float(g.d_k)}
    for role, axis in (("X", 1), ("V", 1), ("K", 0), ("concat", 1)):
        matrix = g[role]
        if matrix is not None:
            widths.add(float(matrix.shape[axis]))
    divisors = {1.0, *widths, *(math.sqrt(width) for width in widths)}
    for divisor in sorted(divisors):
        if not math.isclose(divisor, g.divisor):
            yield g.scaled_by(divisor)


def _masked_by_other_scales(g: Given) -> Iterator[Maybe]:
    if g["scaled"] is None:
        for scaled in _other_scales(g):
            yield masked_with(scaled, g.keep)


def _square(matrix: Maybe) -> Maybe:
    return None if matrix is None or matrix.shape[0] != matrix.shape[1] else matrix


def _other_projections(letter: str) -> Callable[[Given], Iterator[Maybe]]:
    def makes(g: Given) -> Iterator[Maybe]:
        tokens = g["X_kv"] if letter in "kv" and g["X_kv"] is not None else g["X"]
        for other in "qkv":
            if other != letter:
                for bias in (g.vector(f"b_{letter}"), g.vector(f"b_{other}"), None):
                    yield g.linear(tokens, g[f"W_{other}"], bias)

    return makes


def _on_queries(g: Given) -> Iterator[Maybe]:
    open_keys: Bools = np.array(g.keep.all(axis=0), ndmin=1)
    if g.keep.shape[0] == g.keep.shape[1] and not open_keys.all():
        yield masked_with(g.base, np.repeat(open_keys[:, None], len(open_keys), axis=1))


def _other_quotients(g: Given) -> Iterator[Maybe]:
    exps, total = g["exp"], g.vector("normaliser")
    if exps is None or total is None or exps.shape != (len(total), len(total)):
        return
    with np.errstate(all="ignore"):
        yield exps / total[None, :]
        for by in range(1, len(total)):
            yield exps / np.roll(total, by)[:, None]


def _once(makes: Callable[[Given], Maybe]) -> Callable[[Given], Iterator[Maybe]]:
    def several(g: Given) -> Iterator[Maybe]:
        yield makes(g)

    return several


def _other_maxima(g: Given) -> Iterator[Maybe]:
    if g.logits is not None and g.logits.size:
        peak = g.logits.max(axis=1)
        for by in range(1, len(peak)):
            yield np.roll(peak, by)
            yield g.exps(g.logits, np.roll(peak, by))


def _unmasked_exp(g: Given) -> Iterator[Maybe]:
    maximum = g.vector("row_max")
    if g["masked"] is not None and g.base is not None:
        yield g.exps(g.base, np.zeros(len(g.base)) if maximum is None else maximum)


def _no_exp(g: Given) -> Iterator[Maybe]:
    maximum = g.vector("row_max")
    if g.logits is not None:
        yield g.logits
        if maximum is not None and len(maximum) == len(g.logits):
            yield g.logits - maximum[:, None]


EXTRA: dict[str, tuple[Hypothesis, ...]] = {
    "Q": (("wrong-projection", _other_projections("q")),),
    "K": (("wrong-projection", _other_projections("k")),),
    "V": (("wrong-projection", _other_projections("v")),),
    "scores": (
        ("swapped-operands", _once(lambda g: _square(transposed(g.product)))),
        ("missing-transpose", _once(lambda g: g.dot(g["Q"], g["K"]))),
    ),
    "scaled": (("wrong-scale", _other_scales),),
    "masked": (
        ("mask-missing", _once(lambda g: g.base)),
        ("mask-on-rows", _on_queries),
        ("wrong-scale", _masked_by_other_scales),
    ),
    "row_max": (("wrong-row-maximum", _other_maxima),),
    "exp": (
        ("unmasked-weights", _unmasked_exp),
        ("exp-missing", _no_exp),
        ("wrong-row-maximum", _other_maxima),
    ),
    "weights": (("wrong-axis", _other_quotients),),
}


#: Steps that run along one line, and what it is called when that is another query's.
LINES = {"row_max": "wrong-row-maximum", "normaliser": "wrong-normaliser"}


@dataclass(slots=True)
class CellCauses:
    """Causes of single cells by their place in recognised steps."""

    subjects: list[Subject]
    _places: dict[Cell, tuple[Subject, str, int, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for subject in self.subjects:
            for taught in STEPS:
                place = subject.given.matrices.places.get(taught.role)
                if place is None:
                    continue
                for i, line in enumerate(subject.given.matrices.cells[taught.role]):
                    for j, (row, column) in enumerate(line):
                        self._places.setdefault((place.sheet, row, column), (subject, taught.role, i, j))

    def cause(self, cell: Cell, number: float, radius: float = 0.0) -> str | None:
        """The hypothesis that gives ``number`` in this cell, to ``radius``; ``None`` where none does."""
        found = self._places.get(cell)
        if found is None or not math.isfinite(number):
            return None
        subject, role, i, j = found
        given = subject.given
        count = len(given.matrices.cells[role])
        [taught] = [step for step in STEPS if step.role == role]
        right = next((matrix for matrix in taught.right(given) if matrix is not None), None)
        if _near(number, _at(right, i, j, count), radius):
            return None
        if role in LINES and (told := _by_what_it_reads(subject, role, cell, i)) is not None:
            return told
        for cause, block in _hypotheses(role, given):
            if _near(number, _at(block, i, j, count), radius):
                return cause
        return None


def _by_what_it_reads(subject: Subject, role: str, cell: Cell, i: int) -> str | None:
    """The cause of a maximum or a sum by the line that it runs along: several lines may have one maximum."""
    matrices, plan = subject.given.matrices, subject.sheets.plan
    sheet, row, column = cell
    own = [s for s in plan.steps if s.block.sheet == sheet and s.block.cells == Rect.cell(row, column)]
    if len(own) != 1:
        return None
    read = {(r.sheet, *at) for r in own[0].reads for at in r.rect.cells()}
    for source in ("exp", "masked", "scaled", "scores"):
        place = matrices.places.get(source)
        if place is None:
            continue
        cells = matrices.cells[source]
        at = {(a, b) for a, line in enumerate(cells) for b, spot in enumerate(line) if (place.sheet, *spot) in read}
        if len(at) < 2 or len(at) != len(read):
            continue
        queries, keys = {a for a, _ in at}, {b for _, b in at}
        if len(keys) == 1:
            return "wrong-axis"
        if len(queries) == 1:
            return LINES[role] if queries != {i} else "wrong-range" if len(keys) < len(cells[0]) else None
    return None


def _hypotheses(role: str, given: Given) -> Iterator[tuple[str, Maybe]]:
    [taught] = [step for step in STEPS if step.role == role]
    # One maximum may well be another line's as well; a range that is cut is the plainer reason.
    for suspicion in taught.wrong:
        if suspicion.cause == "wrong-range":
            yield suspicion.cause, suspicion.makes(given)
    for cause, makes in EXTRA.get(role, ()):
        for block in makes(given):
            yield cause, block
    for suspicion in taught.wrong:
        # A scale is told by its width in EXTRA; the whole block's divisor says nothing of one cell.
        if suspicion.cause not in ("wrong-range", "wrong-scale"):
            yield suspicion.cause, suspicion.makes(given)


def _at(block: Floats | None, i: int, j: int, count: int) -> float:
    if block is None:
        return math.nan
    if block.ndim == 1:
        place = i if len(block) == count else j
        return float(block[place]) if place < len(block) else math.nan
    return float(block[i, j]) if i < block.shape[0] and j < block.shape[1] else math.nan


def _near(number: float, value: float, radius: float) -> bool:
    if math.isnan(value):
        return False
    if math.isinf(value):
        return value < 0 and number < -50.0
    return abs(number - value) <= max(radius, LOOSE * abs(value))
