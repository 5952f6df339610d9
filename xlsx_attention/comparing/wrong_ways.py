"""What the mistakes that are known make of each step of a head."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from xlsx_attention.comparing import masks
from xlsx_attention.comparing.given import Given, Maybe, masked_with, transposed
from xlsx_attention.comparing.right_ways import exponentials, quotient
from xlsx_attention.model.values import Floats


def cut(matrix: Maybe, without: str) -> Maybe:
    """A matrix without its first or last column."""
    if matrix is None or matrix.shape[1] < 2:
        return None
    return np.ascontiguousarray(matrix[:, 1:] if without == "first" else matrix[:, :-1])


def short_scores(without: str) -> Callable[[Given], Maybe]:
    return lambda g: g.dot(cut(g["Q"], without), transposed(cut(g["K"], without)))


def by_other_scale(g: Given) -> Maybe:
    return g.scaled_by(g.used)


def _unless(g: Given, role: str, found: Maybe) -> Maybe:
    """A hypothesis about what a step folds into itself holds only where that has no cells of its own."""
    return None if g[role] is not None else found


def masked_by_other_scale(g: Given) -> Maybe:
    return _unless(g, "scaled", masked_with(g.scaled_by(g.used), g.keep))


def masked_on_queries(g: Given) -> Maybe:
    open_ = masks.on_queries(g.head, g.keep.shape)
    return None if open_ is None else masked_with(g.base, open_)


def multiplied(g: Given) -> Maybe:
    return None if g.base is None or g.base.shape != g.keep.shape else g.base * g.keep


def column_max(g: Given) -> Maybe:
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


def other_row_max(by: int) -> Callable[[Given], Maybe]:
    return lambda g: None if g.logits is None else _moved(g, "row_max", g.logits.max(axis=1), by)


def short_max(without: str) -> Callable[[Given], Maybe]:
    def makes(g: Given) -> Maybe:
        shorter = cut(g.logits, without)
        return None if shorter is None else shorter.max(axis=1)

    return makes


def exp_of_column_max(g: Given) -> Maybe:
    if g.logits is None or g["row_max"] is not None or not np.isfinite(g.logits).all():
        return None
    return g.reference.exp(g.logits - g.logits.max(axis=0)[None, :])


def softmax_by_other_scale(g: Given) -> Maybe:
    folded = masked_with(g.scaled_by(g.used), g.open)
    return _unless(g, "scaled", _unless(g, "masked", g.softmax(folded)))


def softmax_on_queries(g: Given) -> Maybe:
    open_ = masks.on_queries(g.head, g.keep.shape)
    return None if open_ is None else _unless(g, "masked", g.softmax(masked_with(g.base, open_, -1e9)))


def total(of: Callable[[Given], Maybe], axis: int = 1) -> Callable[[Given], Maybe]:
    return lambda g: g.total(of(g), axis)


def first_exp(g: Given) -> Maybe:
    return next(exponentials(g), None)


def grand_total(g: Given) -> Maybe:
    exps = first_exp(g)
    return None if exps is None else np.full(len(exps), exps.sum())


def other_row_total(by: int) -> Callable[[Given], Maybe]:
    return lambda g: _moved(g, "normaliser", g.total(first_exp(g)), by)


def masked_after(g: Given) -> Maybe:
    plain = quotient(g)
    if plain is None:
        plain = g.softmax(g.base)
    return None if g.head.mask_place != "after" or plain is None or plain.shape != g.keep.shape else plain * g.keep


def over_columns(g: Given) -> Maybe:
    """Exponentials over the sums of their columns, taken in the weights' own formula."""
    exps = g["exp"]
    sums = g.total(exps, 0)
    if exps is None or sums is None:
        return None
    with np.errstate(all="ignore"):
        quotient: Floats = exps / sums[None, :]
    return quotient


def over_one_sum(g: Given) -> Maybe:
    """Every query's exponentials over one and the same sum, as where a ``$`` too many holds it fast."""
    exps, sums = g["exp"], g.vector("normaliser")
    if exps is None or sums is None or sums.size != 1 or len(exps) < 2:
        return None
    with np.errstate(all="ignore"):
        quotient: Floats = exps / sums[0]
    return quotient


def over_sum(matrix: Maybe) -> Maybe:
    if matrix is None or not np.isfinite(matrix).all():
        return None
    sums = matrix.sum(axis=1)
    return None if not sums.all() else matrix / sums[:, None]


def kernels(g: Given) -> bool:
    """Linear attention: positive features of Q and K, computed from them, in place of exp (Katharopoulos 2020)."""
    places = g.matrices.places
    made = all(role in places and places[role].steps and g[f"W_{role.lower()}"] is None for role in "QK")
    return made and g.product is not None and bool((g.product > 0.0).all())


def after(g: Given) -> Maybe:
    weights = g["weights"]
    if g.head.mask_place != "after" or weights is None or weights.shape != g.keep.shape:
        return None
    return g.dot(weights * g.keep, g["V"])


def from_unmasked(g: Given) -> Maybe:
    return None if g.keep.all() else g.dot(g.softmax(g.base), g["V"])


def short_output(without: str) -> Callable[[Given], Maybe]:
    return lambda g: g.dot(cut(g["weights"], without), transposed(cut(transposed(g["V"]), without)))
