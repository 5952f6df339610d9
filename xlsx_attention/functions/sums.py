"""Sums as Excel forms them: first + second + third …, each addition rounded, no fused multiply-add.

NumPy's ``sum``, ``@`` and ``einsum`` add pairwise, in lanes or fused, which gives other last bits. Here every sum runs
left to right. Over a large block that is one vector operation for each term; for few sums of many terms it is
``np.add.accumulate``, which is sequential by definition.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from xlsx_attention.model.values import Floats

#: Elements of a working piece: two of them stay in a core's second-level cache.
_PIECE: Final = 16_384
#: From this many sums on, a vector operation for each term costs less than a running sum for each sum.
_MANY_SUMS: Final = 512
#: Elements of the products that a running sum may hold at once.
_PRODUCTS: Final = 1 << 20


def without_repeats(x: Floats) -> Floats:
    """``x`` with length 1 along each leading axis on which it is a broadcast view, so that nothing is summed twice."""
    cut = tuple(
        slice(0, 1) if stride == 0 and length > 1 else slice(None)
        for stride, length in zip(x.strides[:-1], x.shape[:-1], strict=True)
    )
    return x[cut]


def sum_last(x: Floats) -> Floats:
    """``x[..., 0] + x[..., 1] + …`` from left to right; shape (…, n) → (…); 0 for n = 0."""
    shape = x.shape[:-1]
    x = without_repeats(x)
    n = x.shape[-1]
    sums = math.prod(x.shape[:-1])
    if n == 0:
        return np.zeros(shape)
    if sums < _MANY_SUMS and n > 2:
        total = np.add.accumulate(x, axis=-1)[..., -1]
    else:
        total = x[..., 0].astype(np.float64)
        for k in range(1, n):
            total += x[..., k]
    return np.broadcast_to(total, shape)


def sum_of_products(*factors: Floats) -> Floats:
    """``Σ_k f1[..., k] · f2[..., k] · …`` from left to right; the leading axes broadcast, the last has one length n.

    The products of one term are formed left to right, rounded, and added; the array of all products is never built.
    """
    factors = tuple(without_repeats(np.asarray(f, np.float64)) for f in factors)
    shape = np.broadcast_shapes(*(f.shape[:-1] for f in factors))
    n = factors[0].shape[-1]
    if n == 0 or 0 in shape:
        return np.zeros(shape)
    if math.prod(shape) < _MANY_SUMS:
        return _few_sums(factors, shape, n)
    return _many_sums(factors, shape, n)


def _few_sums(factors: tuple[Floats, ...], shape: tuple[int, ...], n: int) -> Floats:
    step = max(1, _PRODUCTS // max(1, math.prod(shape)))
    total: Floats | None = None
    for start in range(0, n, step):
        products = np.array(np.broadcast_to(factors[0][..., start : start + step], (*shape, min(step, n - start))))
        for factor in factors[1:]:
            products *= factor[..., start : start + step]
        if total is not None:
            products[..., 0] += total
        total = np.add.accumulate(products, axis=-1)[..., -1]
    return np.zeros(shape) if total is None else total


def _many_sums(factors: tuple[Floats, ...], shape: tuple[int, ...], n: int) -> Floats:
    """The block in pieces along its longest axis; for each piece and term a product and an addition in place."""
    axis = max(range(len(shape)), key=lambda i: shape[i])
    step = max(1, _PIECE * shape[axis] // math.prod(shape))
    terms = [np.ascontiguousarray(np.moveaxis(f, -1, 0)) for f in factors]
    total = np.zeros(shape)
    for start in range(0, shape[axis], step):
        here = (slice(None),) * axis + (slice(start, start + step),)
        piece = total[here]
        product = np.empty(piece.shape)
        parts = [t[(slice(None), *here)] if t.shape[axis + 1] > 1 else t for t in terms]
        for k in range(n):
            np.copyto(product, parts[0][k]) if len(parts) == 1 else np.multiply(parts[0][k], parts[1][k], out=product)
            for part in parts[2:]:
                np.multiply(product, part[k], out=product)
            np.add(piece, product, out=piece)
    return total
