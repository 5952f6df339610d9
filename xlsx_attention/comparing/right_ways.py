"""Every right way of writing each step of a head, the one as taught first."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from xlsx_attention.comparing.given import Given, Maybe, alike, masked_with


def scores(g: Given) -> Iterator[Maybe]:
    yield g.product
    # The scale may sit in Q already.
    if g.product is not None:
        yield g.product / g.divisor


def scaled(g: Given) -> Iterator[Maybe]:
    yield g.scaled_by(g.divisor)
    if g.product is not None:
        yield g.product / g.divisor


def masked(g: Given) -> Iterator[Maybe]:
    yield masked_with(g.base, g.keep)


def row_max(g: Given) -> Iterator[Maybe]:
    for matrix in (g.logits, g.base, g.scaled_by(1.0)):
        if matrix is not None and matrix.size:
            yield matrix.max(axis=1)
            yield np.full(len(matrix), matrix.max())


def as_weights(g: Given, weights: Maybe) -> Maybe:
    """Exponentials that give these weights, whatever is taken off before: weights times the block's own sums."""
    own = g.matrices.own.get("exp")
    if weights is None or own is None or own.shape != weights.shape:
        return None
    return weights * g.reference.total(own)[:, None]


def exp(g: Given) -> Iterator[Maybe]:
    maximum = g.vector("row_max")
    if maximum is None and g.logits is not None and g.logits.size:
        maximum = g.logits.max(axis=1)
    yield g.exps(g.logits, maximum)
    yield as_weights(g, g.softmax(g.logits))
    yield as_weights(g, g.softmax(masked_with(g.base, g.keep)))
    # The maximum taken of the queries is judged where it is taken.
    across = g.head.row_max_axis == "queries" and g["row_max"] is not None
    if across and g.logits is not None and maximum is not None and maximum.shape == (g.logits.shape[1],):
        with np.errstate(all="ignore"):
            yield g.reference.exp(g.logits - maximum[None, :])


def exponentials(g: Given) -> Iterator[Maybe]:
    """Those of the sheet, or what they may be where they have no cells."""
    if g["exp"] is not None:
        yield g["exp"]
    elif g.logits is not None and g.logits.size:
        yield g.exps(g.logits, g.logits.max(axis=1))
        yield g.exps(g.logits, np.zeros(len(g.logits)))


def normaliser(g: Given) -> Iterator[Maybe]:
    for exps in exponentials(g):
        yield g.total(exps)
        if exps is not None and exps.shape == g.keep.shape:
            yield g.total(exps * g.keep)


def quotient(g: Given, axis: int = 1) -> Maybe:
    exps, sums = g["exp"], g.vector("normaliser")
    if exps is None or sums is None or sums.shape != (exps.shape[1 - axis],):
        return None
    with np.errstate(all="ignore"):
        return exps / (sums[:, None] if axis == 1 else sums[None, :])


def weights(g: Given) -> Iterator[Maybe]:
    if g.head.mask_place == "after":
        yield g.softmax(masked_with(g.base, g.keep))
        if not masked_weights_shown(g):
            yield g.softmax(g.base)
        return
    divided = quotient(g)
    yield divided
    if divided is None:
        yield g.softmax(g.logits)
        yield g.softmax(masked_with(g.base, g.keep))


def masked_weights_shown(g: Given) -> bool:
    """Whether a mask after the softmax is in the weights' own formula, and not in a block behind them."""
    return not alike(g.matrices.own.get("weights"), g.softmax(g.base))


def output(g: Given) -> Iterator[Maybe]:
    weights = g["weights"]
    if g.head.mask_place == "after" and not masked_weights_shown(g):
        yield g.dot(g.softmax(masked_with(g.base, g.keep)), g["V"])
        return
    yield g.dot(weights, g["V"])


def joined(g: Given, without: str = "") -> Maybe:
    return g.linear(g["concat"], g["W_o"], g.vector("b_o"), without)


def projected(g: Given) -> Iterator[Maybe]:
    yield joined(g)
