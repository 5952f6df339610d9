"""The steps of a head in the order in which they are taught: what each should hold, and what mistakes would make of it.

A suspicion is a row: a cause, the sentence that goes with it, and the block recomputed under that hypothesis. It
holds where
it explains the block's numbers and no right way of writing the step does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from xlsx_attention.comparing import masks
from xlsx_attention.comparing.given import Given, Maybe, alike, masked_with, transposed
from xlsx_attention.model.values import Floats


@dataclass(frozen=True, slots=True)
class Suspicion:
    """``says`` names the sentence in :mod:`xlsx_attention.comparing.sentences`; ``makes`` gives the block under the
    hypothesis.
    """

    cause: str
    says: str
    makes: Callable[[Given], Maybe]


@dataclass(frozen=True, slots=True)
class Taught:
    """One step. ``right``: every right way of writing it, the one as taught first; ``wrong``: suspicions in order."""

    role: str
    right: Callable[[Given], Iterator[Maybe]]
    wrong: tuple[Suspicion, ...]


def _projection(letter: str) -> Taught:
    def right(g: Given) -> Iterator[Maybe]:
        yield g.affine(letter)

    return Taught(
        letter.upper(),
        right,
        (
            Suspicion("wrong-range", "short-product", lambda g: g.affine(letter, "last")),
            Suspicion("wrong-range", "short-product", lambda g: g.affine(letter, "first")),
        ),
    )


def _cut(matrix: Maybe, without: str) -> Maybe:
    """A matrix without its first or last column."""
    if matrix is None or matrix.shape[1] < 2:
        return None
    return np.ascontiguousarray(matrix[:, 1:] if without == "first" else matrix[:, :-1])


def _scores(g: Given) -> Iterator[Maybe]:
    yield g.product
    # The scale may sit in Q already.
    if g.product is not None:
        yield g.product / g.divisor


def _short_scores(without: str) -> Callable[[Given], Maybe]:
    return lambda g: g.dot(_cut(g["Q"], without), transposed(_cut(g["K"], without)))


def _scaled(g: Given) -> Iterator[Maybe]:
    yield g.scaled_by(g.divisor)
    if g.product is not None:
        yield g.product / g.divisor


def _by_other_scale(g: Given) -> Maybe:
    return g.scaled_by(g.used)


def _masked(g: Given) -> Iterator[Maybe]:
    yield masked_with(g.base, g.keep)


def _unless(g: Given, role: str, found: Maybe) -> Maybe:
    """A hypothesis about what a step folds into itself holds only where that has no cells of its own."""
    return None if g[role] is not None else found


def _masked_by_other_scale(g: Given) -> Maybe:
    return _unless(g, "scaled", masked_with(g.scaled_by(g.used), g.keep))


def _masked_on_queries(g: Given) -> Maybe:
    open_ = masks.on_queries(g.head, g.keep.shape)
    return None if open_ is None else masked_with(g.base, open_)


def _multiplied(g: Given) -> Maybe:
    return None if g.base is None or g.base.shape != g.keep.shape else g.base * g.keep


def _row_max(g: Given) -> Iterator[Maybe]:
    for matrix in (g.logits, g.base, g.scaled_by(1.0)):
        if matrix is not None and matrix.size:
            yield matrix.max(axis=1)
            yield np.full(len(matrix), matrix.max())


def _column_max(g: Given) -> Maybe:
    return None if g.logits is None else g.logits.max(axis=0)


def _moved(g: Given, role: str, right: Maybe, by: int) -> Maybe:
    """A line that is one row off. What it takes from beyond the block is whatever stands there."""
    own = g.matrices.own.get(role)
    if own is None or right is None or own.size != right.size or right.size < 3:
        return None
    moved: Floats = own.ravel().copy()
    if by > 0:
        moved[by:] = right[:-by]
    else:
        moved[:by] = right[-by:]
    return moved


def _other_row_max(by: int) -> Callable[[Given], Maybe]:
    return lambda g: None if g.logits is None else _moved(g, "row_max", g.logits.max(axis=1), by)


def _short_max(without: str) -> Callable[[Given], Maybe]:
    def makes(g: Given) -> Maybe:
        cut = _cut(g.logits, without)
        return None if cut is None else cut.max(axis=1)

    return makes


def _as_weights(g: Given, weights: Maybe) -> Maybe:
    """Exponentials that give these weights, whatever is taken off before: weights times the block's own sums."""
    own = g.matrices.own.get("exp")
    if weights is None or own is None or own.shape != weights.shape:
        return None
    return weights * g.reference.total(own)[:, None]


def _exp(g: Given) -> Iterator[Maybe]:
    maximum = g.vector("row_max")
    if maximum is None and g.logits is not None and g.logits.size:
        maximum = g.logits.max(axis=1)
    yield g.exps(g.logits, maximum)
    yield _as_weights(g, g.softmax(g.logits))
    yield _as_weights(g, g.softmax(masked_with(g.base, g.keep)))
    # The maximum taken of the queries is judged where it is taken.
    across = g.head.row_max_axis == "queries" and g["row_max"] is not None
    if across and g.logits is not None and maximum is not None and maximum.shape == (g.logits.shape[1],):
        with np.errstate(all="ignore"):
            yield g.reference.exp(g.logits - maximum[None, :])


def _exp_of_column_max(g: Given) -> Maybe:
    if g.logits is None or g["row_max"] is not None or not np.isfinite(g.logits).all():
        return None
    return g.reference.exp(g.logits - g.logits.max(axis=0)[None, :])


def _softmax_by_other_scale(g: Given) -> Maybe:
    folded = masked_with(g.scaled_by(g.used), g.open)
    return _unless(g, "scaled", _unless(g, "masked", g.softmax(folded)))


def _softmax_on_queries(g: Given) -> Maybe:
    open_ = masks.on_queries(g.head, g.keep.shape)
    return None if open_ is None else _unless(g, "masked", g.softmax(masked_with(g.base, open_, -1e9)))


def _exponentials(g: Given) -> Iterator[Maybe]:
    """Those of the sheet, or what they may be where they have no cells."""
    if g["exp"] is not None:
        yield g["exp"]
    elif g.logits is not None and g.logits.size:
        yield g.exps(g.logits, g.logits.max(axis=1))
        yield g.exps(g.logits, np.zeros(len(g.logits)))


def _normaliser(g: Given) -> Iterator[Maybe]:
    for exps in _exponentials(g):
        yield g.total(exps)
        if exps is not None and exps.shape == g.keep.shape:
            yield g.total(exps * g.keep)


def _total(of: Callable[[Given], Maybe], axis: int = 1) -> Callable[[Given], Maybe]:
    return lambda g: g.total(of(g), axis)


def _first_exp(g: Given) -> Maybe:
    return next(_exponentials(g), None)


def _grand_total(g: Given) -> Maybe:
    exps = _first_exp(g)
    return None if exps is None else np.full(len(exps), exps.sum())


def _other_row_total(by: int) -> Callable[[Given], Maybe]:
    return lambda g: _moved(g, "normaliser", g.total(_first_exp(g)), by)


def _quotient(g: Given, axis: int = 1) -> Maybe:
    exps, sums = g["exp"], g.vector("normaliser")
    if exps is None or sums is None or sums.shape != (exps.shape[1 - axis],):
        return None
    with np.errstate(all="ignore"):
        return exps / (sums[:, None] if axis == 1 else sums[None, :])


def _weights(g: Given) -> Iterator[Maybe]:
    if g.head.mask_place == "after":
        yield g.softmax(masked_with(g.base, g.keep))
        if not masked_weights_shown(g):
            yield g.softmax(g.base)
        return
    quotient = _quotient(g)
    yield quotient
    if quotient is None:
        yield g.softmax(g.logits)
        yield g.softmax(masked_with(g.base, g.keep))


def masked_weights_shown(g: Given) -> bool:
    """Whether a mask after the softmax is in the weights' own formula, and not in a block behind them."""
    return not alike(g.matrices.own.get("weights"), g.softmax(g.base))


def _masked_after(g: Given) -> Maybe:
    plain = _quotient(g)
    if plain is None:
        plain = g.softmax(g.base)
    return None if g.head.mask_place != "after" or plain is None or plain.shape != g.keep.shape else plain * g.keep


def _over_columns(g: Given) -> Maybe:
    """Exponentials over the sums of their columns, taken in the weights' own formula."""
    exps = g["exp"]
    sums = g.total(exps, 0)
    if exps is None or sums is None:
        return None
    with np.errstate(all="ignore"):
        quotient: Floats = exps / sums[None, :]
    return quotient


def _over_one_sum(g: Given) -> Maybe:
    """Every query's exponentials over one and the same sum, as where a ``$`` too many holds it fast."""
    exps, sums = g["exp"], g.vector("normaliser")
    if exps is None or sums is None or sums.size != 1 or len(exps) < 2:
        return None
    with np.errstate(all="ignore"):
        quotient: Floats = exps / sums[0]
    return quotient


def _over_sum(matrix: Maybe) -> Maybe:
    if matrix is None or not np.isfinite(matrix).all():
        return None
    sums = matrix.sum(axis=1)
    return None if not sums.all() else matrix / sums[:, None]


def _kernels(g: Given) -> bool:
    """Linear attention: positive features of Q and K, computed from them, in place of exp (Katharopoulos 2020)."""
    places = g.matrices.places
    made = all(role in places and places[role].steps and g[f"W_{role.lower()}"] is None for role in "QK")
    return made and g.product is not None and bool((g.product > 0.0).all())


def _output(g: Given) -> Iterator[Maybe]:
    weights = g["weights"]
    if g.head.mask_place == "after" and not masked_weights_shown(g):
        yield g.dot(g.softmax(masked_with(g.base, g.keep)), g["V"])
        return
    yield g.dot(weights, g["V"])


def _after(g: Given) -> Maybe:
    weights = g["weights"]
    if g.head.mask_place != "after" or weights is None or weights.shape != g.keep.shape:
        return None
    return g.dot(weights * g.keep, g["V"])


def _from_unmasked(g: Given) -> Maybe:
    return None if g.keep.all() else g.dot(g.softmax(g.base), g["V"])


def _short_output(without: str) -> Callable[[Given], Maybe]:
    return lambda g: g.dot(_cut(g["weights"], without), transposed(_cut(transposed(g["V"]), without)))


def _joined(g: Given, without: str = "") -> Maybe:
    return g.linear(g["concat"], g["W_o"], g.vector("b_o"), without)


def _projected(g: Given) -> Iterator[Maybe]:
    yield _joined(g)


STEPS: tuple[Taught, ...] = (
    _projection("q"),
    _projection("k"),
    _projection("v"),
    Taught(
        "scores",
        _scores,
        (
            Suspicion("wrong-range", "short-product", _short_scores("last")),
            Suspicion("wrong-range", "short-product", _short_scores("first")),
        ),
    ),
    Taught("scaled", _scaled, (Suspicion("wrong-scale", "scale", _by_other_scale),)),
    Taught(
        "masked",
        _masked,
        (
            Suspicion("wrong-scale", "scale", _masked_by_other_scale),
            Suspicion("mask-on-rows", "mask-on-queries", _masked_on_queries),
            Suspicion("mask-missing", "mask-multiplies", _multiplied),
        ),
    ),
    Taught(
        "row_max",
        _row_max,
        (
            Suspicion("wrong-axis", "column-maximum", _column_max),
            Suspicion("wrong-row-maximum", "other-row-maximum", _other_row_max(1)),
            Suspicion("wrong-row-maximum", "other-row-maximum", _other_row_max(-1)),
            Suspicion("wrong-range", "short-maximum", _short_max("last")),
            Suspicion("wrong-range", "short-maximum", _short_max("first")),
        ),
    ),
    Taught(
        "exp",
        _exp,
        (
            Suspicion("wrong-scale", "scale", lambda g: _as_weights(g, _softmax_by_other_scale(g))),
            Suspicion("mask-on-rows", "mask-on-queries", lambda g: _as_weights(g, _softmax_on_queries(g))),
            Suspicion("wrong-axis", "column-maximum", _exp_of_column_max),
        ),
    ),
    Taught(
        "normaliser",
        _normaliser,
        (
            Suspicion("wrong-axis", "column-sums", _total(_first_exp, 0)),
            Suspicion("exp-missing", "exp-missing-in-sum", _total(lambda g: g.logits)),
            Suspicion("exp-missing", "exp-missing-in-sum", _total(lambda g: g.base)),
            Suspicion("wrong-range", "short-sum", _total(lambda g: _cut(_first_exp(g), "last"))),
            Suspicion("wrong-range", "short-sum", _total(lambda g: _cut(_first_exp(g), "first"))),
            Suspicion("wrong-normaliser", "grand-total", _grand_total),
            Suspicion("wrong-normaliser", "other-row-sum", _other_row_total(1)),
            Suspicion("wrong-normaliser", "other-row-sum", _other_row_total(-1)),
        ),
    ),
    Taught(
        "weights",
        _weights,
        (
            Suspicion("mask-after-softmax", "mask-after", _masked_after),
            Suspicion("wrong-scale", "scale", _softmax_by_other_scale),
            Suspicion("mask-on-rows", "mask-on-queries", _softmax_on_queries),
            Suspicion("wrong-axis", "column-quotient", lambda g: _quotient(g, 0)),
            Suspicion("wrong-axis", "column-quotient", _over_columns),
            Suspicion("wrong-normaliser", "other-row-sum", _over_one_sum),
            Suspicion("wrong-axis", "column-softmax", lambda g: g.softmax(g.logits, 0)),
            Suspicion("exp-missing", "exp-missing", lambda g: None if _kernels(g) else _over_sum(g.logits)),
            Suspicion("exp-missing", "exp-missing", lambda g: None if _kernels(g) else _over_sum(g.base)),
        ),
    ),
    Taught(
        "output",
        _output,
        (
            Suspicion("mask-after-softmax", "mask-after", _after),
            Suspicion("unmasked-weights", "unmasked-weights", _from_unmasked),
            Suspicion("keys-for-values", "keys-for-values", lambda g: g.dot(g["weights"], g["K"])),
            Suspicion("keys-for-values", "queries-for-values", lambda g: g.dot(g["weights"], g["Q"])),
            Suspicion("unnormalised-weights", "unnormalised", lambda g: g.dot(g["exp"], g["V"])),
            Suspicion("unnormalised-weights", "scores-for-weights", lambda g: g.dot(g.base, g["V"])),
            Suspicion("wrong-axis", "weights-turned", lambda g: g.dot(transposed(g["weights"]), g["V"])),
            Suspicion("wrong-range", "short-product", _short_output("last")),
            Suspicion("wrong-range", "short-product", _short_output("first")),
        ),
    ),
    Taught(
        "projected",
        _projected,
        (
            Suspicion("wrong-range", "short-product", lambda g: _joined(g, "last")),
            Suspicion("wrong-range", "short-product", lambda g: _joined(g, "first")),
        ),
    ),
)
