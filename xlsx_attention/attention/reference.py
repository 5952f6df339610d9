"""Attention as the course teaches it, tokens in rows, every intermediate kept.

S tokens of D features each; S_q of them ask, S_k answer; d_k is the width of a query and a key, d_v that of a value.

    X (S, D) → Q, K, V → scores Q·Kᵀ → ÷ √d_k → mask −1e9 → softmax by rows → weights·V

Sources: Vaswani et al., "Attention Is All You Need" (2017), sections 3.2.1 and 3.2.2. The sums run in Excel's order.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from dataclasses import fields
from typing import Literal, SupportsIndex, TypeVar

import numpy as np

from xlsx_attention.attention.arrays import (
    Array,
    ArrayLike,
    as_matrix,
    as_vector,
    matmul_in_order,
    numbers,
    read_only,
    require_inner,
    shape_text,
)
from xlsx_attention.attention.errors import AttentionError, ShapeError
from xlsx_attention.attention.masking import Mask, MaskedRow, hidden_rows, make_mask
from xlsx_attention.attention.steps import softmax_steps
from xlsx_attention.attention.trace import AttentionTrace, HeadTrace

Scale = Literal["sqrt_dk"] | float | None
Bias = Sequence[ArrayLike | None]
_Trace = TypeVar("_Trace", HeadTrace, AttentionTrace)

# The steps that a trace of several heads piles up; keep and divisor are common to them.
_STACKED = ("scores", "scaled", "masked", "row_max", "exp", "normaliser", "weights", "output")


def self_attention(
    X: ArrayLike,
    W_q: ArrayLike,
    W_k: ArrayLike,
    W_v: ArrayLike,
    mask: ArrayLike | None = None,
    *,
    bias: Bias | None = None,
    heads: int = 1,
    W_o: ArrayLike | None = None,
    causal: bool = False,
    scale: Scale = "sqrt_dk",
    mask_value: float = -1e9,
    masked_row: MaskedRow = "error",
) -> AttentionTrace:
    """Each token of X looks at each token of X.

    X (S, D); W_q, W_k (D, h·d_k); W_v (D, h·d_v); W_o (h·d_v, D_out).
    ``bias``: (b_q, b_k, b_v), each a vector or None. ``heads``: h, whose columns lie side by side in the projections.
    ``mask``: a vector of S (1 = keep) over the columns, a boolean matrix (S, S) (True = keep), or a float matrix (S, S)
    that is added. ``causal`` hides the keys that come after the query. ``mask_value`` fills what is hidden.
    ``scale``: "sqrt_dk", None, or a number that divides.
    ``masked_row``: a row without any open key is an "error", or "uniform" with 1/S each.

    Raises :class:`ShapeError` (both shapes named), :class:`MaskError`, :class:`MaskedRowError` and, for other input
    that makes no sense, their parent :class:`AttentionError`.
    """
    tokens = as_matrix(X, "X")
    return _attend(
        ("X", tokens), ("X", tokens), (W_q, W_k, W_v), mask, bias, heads, W_o, causal, scale, mask_value, masked_row
    )


def cross_attention(
    X_q: ArrayLike,
    X_kv: ArrayLike,
    W_q: ArrayLike,
    W_k: ArrayLike,
    W_v: ArrayLike,
    mask: ArrayLike | None = None,
    *,
    bias: Bias | None = None,
    heads: int = 1,
    W_o: ArrayLike | None = None,
    causal: bool = False,
    scale: Scale = "sqrt_dk",
    mask_value: float = -1e9,
    masked_row: MaskedRow = "error",
) -> AttentionTrace:
    """Each token of X_q (S_q, D_q) looks at each token of X_kv (S_k, D_kv): a decoder that reads an encoder.

    W_q (D_q, h·d_k), W_k (D_kv, h·d_k), W_v (D_kv, h·d_v); a padding mask has S_k elements. The rest as
    :func:`self_attention`.
    """
    return _attend(
        ("X_q", as_matrix(X_q, "X_q")), ("X_kv", as_matrix(X_kv, "X_kv")), (W_q, W_k, W_v),
        mask, bias, heads, W_o, causal, scale, mask_value, masked_row,
    )  # fmt: skip


def scaled_dot_product(
    Q: ArrayLike,
    K: ArrayLike,
    V: ArrayLike,
    mask: ArrayLike | None = None,
    *,
    causal: bool = False,
    scale: Scale = "sqrt_dk",
    mask_value: float = -1e9,
    masked_row: MaskedRow = "error",
) -> HeadTrace:
    """softmax(Q·Kᵀ ÷ √d_k)·V for one head: Q (S_q, d_k), K (S_k, d_k), V (S_k, d_v).

    Options and errors as :func:`self_attention`.
    """
    queries, keys, values = as_matrix(Q, "Q"), as_matrix(K, "K"), as_matrix(V, "V")
    if queries.shape[1] != keys.shape[1]:
        raise ShapeError(
            f"Q·Kᵀ: Q is {shape_text(queries.shape)} and K is {shape_text(keys.shape)}; "
            "a query and a key need equal widths"
        )
    if keys.shape[0] != values.shape[0]:
        raise ShapeError(
            f"weights·V: K is {shape_text(keys.shape)} and V is {shape_text(values.shape)}; each key needs one value"
        )
    divisor = _divisor(scale, keys.shape[1])
    ready = make_mask(mask, queries.shape[0], keys.shape[0], causal=causal, mask_value=mask_value)
    return _head(queries, keys, values, divisor, ready, masked_row)


def _head(Q: Array, K: Array, V: Array, divisor: float, mask: Mask, masked_row: MaskedRow) -> HeadTrace:
    uniform = hidden_rows(mask.keep, masked_row)  #                (S_q,)

    scores = matmul_in_order(Q, K.T)  #                            (S_q, d_k)·(d_k, S_k) = (S_q, S_k)
    scaled = scores / divisor  #                                   (S_q, S_k)
    masked = mask.apply(scaled)  #                                 (S_q, S_k)
    row_max, exp, normaliser, weights = softmax_steps(masked, uniform)  # (S_q, 1), (S_q, S_k), (S_q, 1), (S_q, S_k)
    output = matmul_in_order(weights, V)  #                        (S_q, S_k)·(S_k, d_v) = (S_q, d_v)

    return _frozen(
        HeadTrace(Q, K, V, scores, divisor, scaled, mask.keep, masked, row_max, exp, normaliser, weights, output)
    )


def _attend(
    asking: tuple[str, Array],
    answering: tuple[str, Array],
    weights: tuple[ArrayLike, ArrayLike, ArrayLike],
    mask: ArrayLike | None,
    bias: Bias | None,
    heads: int,
    W_o: ArrayLike | None,
    causal: bool,
    scale: Scale,
    mask_value: float,
    masked_row: MaskedRow,
) -> AttentionTrace:
    W_q, W_k, W_v = (as_matrix(W, name) for W, name in zip(weights, ("W_q", "W_k", "W_v"), strict=True))
    (asking_name, X), (answering_name, X_kv) = asking, answering
    # Every shape is checked before the first product, so that an error speaks of inputs and never of an intermediate.
    require_inner(X.shape, W_q.shape, asking_name, "W_q", f"Q = {asking_name}·W_q")
    require_inner(X_kv.shape, W_k.shape, answering_name, "W_k", f"K = {answering_name}·W_k")
    require_inner(X_kv.shape, W_v.shape, answering_name, "W_v", f"V = {answering_name}·W_v")
    if W_q.shape[1] != W_k.shape[1]:
        raise ShapeError(
            f"Q·Kᵀ: W_q is {shape_text(W_q.shape)} and W_k is {shape_text(W_k.shape)}; "
            "they need as many columns, d_k a head"
        )
    heads = _check_heads(heads, W_q, W_v)
    biases = _biases(bias, (W_q, W_k, W_v))
    out_weights = None if W_o is None else as_matrix(W_o, "W_o")
    if out_weights is not None and out_weights.shape[0] != W_v.shape[1]:
        raise ShapeError(
            f"concat·W_o: W_v is {shape_text(W_v.shape)} and W_o is {shape_text(out_weights.shape)}; "
            f"the heads' outputs make {W_v.shape[1]} columns, and W_o needs as many rows"
        )
    d_k, d_v = W_q.shape[1] // heads, W_v.shape[1] // heads
    divisor = _divisor(scale, d_k)
    ready = make_mask(mask, X.shape[0], X_kv.shape[0], causal=causal, mask_value=mask_value)

    Q = matmul_in_order(X, W_q) + biases[0]  #     (S_q, D)·(D, h·d_k) + (h·d_k,) = (S_q, h·d_k)
    K = matmul_in_order(X_kv, W_k) + biases[1]  #  (S_k, D)·(D, h·d_k) + (h·d_k,) = (S_k, h·d_k)
    V = matmul_in_order(X_kv, W_v) + biases[2]  #  (S_k, D)·(D, h·d_v) + (h·d_v,) = (S_k, h·d_v)
    done = tuple(
        _head(
            Q[:, i * d_k : (i + 1) * d_k], K[:, i * d_k : (i + 1) * d_k], V[:, i * d_v : (i + 1) * d_v],
            divisor, ready, masked_row,
        )
        for i in range(heads)
    )  # fmt: skip
    concat = done[0].output if heads == 1 else np.concatenate([head.output for head in done], axis=1)  # (S_q, h·d_v)
    projected = None if out_weights is None else matmul_in_order(concat, out_weights)  # (S_q, h·d_v)·(h·d_v, D_out)

    steps = {
        name: getattr(done[0], name) if heads == 1 else np.stack([getattr(head, name) for head in done])
        for name in _STACKED
    }
    return _frozen(
        AttentionTrace(
            X=X, X_kv=X_kv, Q=Q, K=K, V=V, divisor=divisor, keep=ready.keep, heads=done, concat=concat,
            projected=projected, **steps,
        )
    )  # fmt: skip


def _check_heads(heads: SupportsIndex, W_q: Array, W_v: Array) -> int:
    if isinstance(heads, bool) or not isinstance(heads, SupportsIndex) or (count := operator.index(heads)) < 1:
        raise AttentionError(f"heads is {heads!r}; give a whole number from 1 up")
    for name, W in (("W_q", W_q), ("W_v", W_v)):
        if W.shape[1] % count:
            raise ShapeError(
                f"{name} is {shape_text(W.shape)}, whose {W.shape[1]} columns do not part into {count} heads"
            )
    return count


def _biases(bias: Bias | None, weights: tuple[Array, Array, Array]) -> tuple[Array | float, ...]:
    if bias is None:
        return (0.0, 0.0, 0.0)
    if len(bias) != 3:
        raise AttentionError(
            f"bias holds {len(bias)} entries; give the three of (b_q, b_k, b_v), None where there is none"
        )
    return tuple(
        0.0 if b is None else as_vector(b, W.shape[1], f"b_{letter}", f"W_{letter} of {shape_text(W.shape)}")
        for b, W, letter in zip(bias, weights, "qkv", strict=True)
    )


def _divisor(scale: Scale, d_k: int) -> float:
    if scale is None:
        return 1.0
    if isinstance(scale, str):
        if scale != "sqrt_dk":
            raise AttentionError(f'scale is {scale!r}; it takes "sqrt_dk", None, or a number that divides the scores')
        return math.sqrt(d_k)
    divisor = numbers(scale, "scale")
    if divisor.ndim or isinstance(scale, bool) or not math.isfinite(divisor) or divisor == 0:
        raise AttentionError(f"scale is {scale!r}; a number that divides the scores must be finite and not 0")
    return float(divisor)


def _frozen(trace: _Trace) -> _Trace:
    for field in fields(trace):
        value = getattr(trace, field.name)
        if isinstance(value, np.ndarray):
            read_only(value)
    return trace
