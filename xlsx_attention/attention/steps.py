"""The small steps of a transformer beside attention, each as it is taught, tokens in rows.

NaN goes through every step as an Excel error goes through a formula.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
import numpy.typing as npt

from xlsx_attention.attention.arrays import (
    Array,
    ArrayLike,
    as_matrix,
    as_vector,
    exp,
    matmul_in_order,
    require_inner,
    shape_text,
    sum_in_order,
)
from xlsx_attention.attention.errors import AttentionError, ShapeError
from xlsx_attention.attention.masking import MaskedRow, hidden_rows

Deviation = Literal["population", "sample"]
EpsilonAt = Literal["variance", "deviation"]


def softmax_steps(masked: Array, uniform: npt.NDArray[np.bool_]) -> tuple[Array, Array, Array, Array]:
    """Softmax by rows with its intermediates: (S_q, S_k) → row_max (S_q, 1), exp, normaliser (S_q, 1), weights.

    ``uniform`` (S_q,) marks the rows that are masked whole: their exponentials are 1 each, so their weights are 1/S_k.
    """
    row_max = masked.max(axis=-1, keepdims=True)  # (S_q, 1)
    # −inf − (−inf) has no value: a row of nothing but −inf is either marked in `uniform` or refused before.
    shifted = np.where(uniform[:, None], 0.0, masked - np.where(np.isneginf(row_max), 0.0, row_max))
    powers = exp(shifted)  # (S_q, S_k), the largest of each row is exp(0) = 1
    normaliser = sum_in_order(powers)  # (S_q, 1)
    return row_max, powers, normaliser, powers / normaliser


def softmax(scores: ArrayLike, *, masked_row: MaskedRow = "error") -> Array:
    """exp(x − row maximum) ÷ its sum, by rows: (S_q, S_k) → (S_q, S_k), each row adds up to 1.

    A row of −inf alone is masked whole: :class:`MaskedRowError`, or 1/S_k each under ``masked_row="uniform"``.
    """
    matrix = as_matrix(scores, "scores")
    return softmax_steps(matrix, hidden_rows(~np.isneginf(matrix), masked_row))[-1]


def linear(X: ArrayLike, W: ArrayLike, b: ArrayLike | None = None) -> Array:
    """X·W + b: (S, D) · (D, M) + (M,) → (S, M), the bias added to every row."""
    left, right = as_matrix(X, "X"), as_matrix(W, "W")
    require_inner(left.shape, right.shape, "X", "W", "X·W")
    product = matmul_in_order(left, right)
    return product if b is None else product + as_vector(b, right.shape[1], "b", f"W of {shape_text(right.shape)}")


def relu(X: ArrayLike) -> Array:
    """max(x, 0) of each element: (S, D) → (S, D)."""
    return np.maximum(as_matrix(X, "X"), 0.0)


def residual(X: ArrayLike, F: ArrayLike) -> Array:
    """X + F(X), the sum around a sub-layer: (S, D) + (S, D) → (S, D)."""
    stream, branch = as_matrix(X, "X"), as_matrix(F, "F")
    if stream.shape != branch.shape:
        raise ShapeError(
            f"X + F: X is {shape_text(stream.shape)} and F is {shape_text(branch.shape)}; "
            "a residual sum needs equal shapes"
        )
    return stream + branch


def layer_norm(
    X: ArrayLike,
    gamma: ArrayLike | None = None,
    beta: ArrayLike | None = None,
    *,
    deviation: Deviation = "population",
    eps: float = 0.0,
    eps_at: EpsilonAt = "variance",
) -> Array:
    """(x − mean) ÷ deviation of each row, times gamma plus beta: (S, D) → (S, D).

    ``deviation`` divides the squares by D ("population", STDEV.P, as papers and torch do) or D − 1 ("sample", STDEV.S).
    ``eps`` is added to the variance under the root (torch: 1e-5) or to the deviation after it, as ``eps_at`` says.
    A row without any deviation is refused while ``eps`` is 0; Excel says #DIV/0! there.
    """
    if deviation not in ("population", "sample"):
        raise AttentionError(f'deviation is {deviation!r}; it takes "population" or "sample"')
    if eps_at not in ("variance", "deviation"):
        raise AttentionError(f'eps_at is {eps_at!r}; it takes "variance" or "deviation"')
    matrix = as_matrix(X, "X")
    width = matrix.shape[1]
    count = width if deviation == "population" else width - 1
    if count == 0:
        raise ShapeError(f"X is {shape_text(matrix.shape)}; a sample deviation needs at least two columns")
    centred = matrix - sum_in_order(matrix) / width  # (S, D) − (S, 1)
    variance = sum_in_order(centred * centred) / count  # (S, 1)
    spread = np.sqrt(variance + eps) if eps_at == "variance" else np.sqrt(variance) + eps  # (S, 1)
    flat = np.flatnonzero(spread[:, 0] == 0)
    if flat.size:
        raise AttentionError(
            f"row {flat[0]} of X (counted from 0) holds one number throughout, so its deviation is 0; "
            "pass an eps above 0"
        )
    normed: Array = centred / spread
    beside = f"X of {shape_text(matrix.shape)}"
    if gamma is not None:
        normed = normed * as_vector(gamma, width, "gamma", beside)
    return normed if beta is None else normed + as_vector(beta, width, "beta", beside)


def positional_encoding(S: int, D: int, base: float = 10000) -> Array:
    """Sines and cosines of the position: (S, D). PE[p, 2i] = sin(p ÷ base^(2i/D)) and PE[p, 2i+1] is its cosine.

    Position and column count from 0 ("Attention Is All You Need", section 3.5). An odd D ends on a sine.
    """
    if S < 1 or D < 1 or not base > 0:
        raise AttentionError(
            f"positional_encoding takes S ≥ 1, D ≥ 1 and base > 0; it was given S={S}, D={D}, base={base:g}"
        )
    wave = (math.sin, math.cos)
    return np.array([[wave[d % 2](p / base ** (2 * (d // 2) / D)) for d in range(D)] for p in range(S)])
