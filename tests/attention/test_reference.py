"""Attention by hand: small sums that a reader can follow, the masks, the heads, and what is said of wrong input."""

from __future__ import annotations

import dataclasses
import math
import pickle
from typing import Any

import numpy as np
import pytest

from xlsx_attention.attention import (
    AttentionError,
    MaskedRowError,
    MaskError,
    ShapeError,
    cross_attention,
    scaled_dot_product,
    self_attention,
)
from xlsx_attention.errors import UsageError

# Two tokens of two features, d_k = 1, so that √d_k = 1. By hand:
#   Q = X·W_q = [1·1 + 0·0, 0·1 + 2·0] = [1, 0];   K = X·W_k = [1·0 + 0·1, 0·0 + 2·1] = [0, 2]
#   V = X·W_v = [[3, 0], [0, 8]];                  scores = Q·Kᵀ = [[0, 2], [0, 0]]
#   row 0: maximum 2, exp [e⁻², 1], sum 1 + e⁻², weights [e⁻², 1] / (1 + e⁻²);   row 1: weights [1/2, 1/2]
X = [[1, 0], [0, 2]]
W_Q, W_K, W_V = [[1], [0]], [[0], [1]], [[3, 0], [0, 4]]
E2 = math.exp(-2)


def test_by_hand() -> None:
    trace = self_attention(X, W_Q, W_K, W_V)
    assert trace.Q.tolist() == [[1], [0]]
    assert trace.K.tolist() == [[0], [2]]
    assert trace.V.tolist() == [[3, 0], [0, 8]]
    assert trace.scores.tolist() == trace.scaled.tolist() == trace.masked.tolist() == [[0, 2], [0, 0]]
    assert trace.row_max.tolist() == [[2], [0]]
    assert trace.exp.tolist() == [[E2, 1], [1, 1]]
    assert trace.normaliser.tolist() == [[E2 + 1], [2]]
    assert trace.weights.tolist() == [[E2 / (1 + E2), 1 / (1 + E2)], [0.5, 0.5]]
    assert trace.output.tolist() == [[E2 / (1 + E2) * 3, 1 / (1 + E2) * 8], [1.5, 4]]
    assert trace.concat is trace.output
    assert trace.projected is None
    assert trace.result is trace.output


def test_scale_is_the_root_of_the_key_width_and_not_of_the_feature_count() -> None:
    # d_k = 4 and D = 1: Q = K = [1 1 1 1], score 4, ÷ √4 = 2.
    ones = [[1, 1, 1, 1]]
    assert self_attention([[1]], ones, ones, [[1]]).scaled.tolist() == [[2]]
    assert self_attention([[1]], ones, ones, [[1]], scale=None).scaled.tolist() == [[4]]
    assert self_attention([[1]], ones, ones, [[1]], scale=16).scaled.tolist() == [[0.25]]


def test_bias_is_added_to_every_row() -> None:
    trace = self_attention(X, W_Q, W_K, W_V, bias=([10], None, [1, 2]))
    assert trace.Q.tolist() == [[11], [10]]
    assert trace.K.tolist() == [[0], [2]]
    assert trace.V.tolist() == [[4, 2], [1, 10]]


def test_two_heads_are_two_attentions_side_by_side() -> None:
    rng = np.random.default_rng(11)
    x, w_q, w_k = rng.normal(size=(5, 6)), rng.normal(size=(6, 4)), rng.normal(size=(6, 4))
    w_v, w_o = rng.normal(size=(6, 6)), rng.normal(size=(6, 3))
    mask = [1, 1, 1, 1, 0]
    both = self_attention(x, w_q, w_k, w_v, mask, heads=2, W_o=w_o)
    first = self_attention(x, w_q[:, :2], w_k[:, :2], w_v[:, :3], mask)
    second = self_attention(x, w_q[:, 2:], w_k[:, 2:], w_v[:, 3:], mask)
    assert both.divisor == math.sqrt(2)
    for i, alone in enumerate((first, second)):
        for step in ("scores", "scaled", "masked", "row_max", "exp", "normaliser", "weights", "output"):
            np.testing.assert_array_equal(getattr(both, step)[i], getattr(alone, step))
            np.testing.assert_array_equal(getattr(both.heads[i], step), getattr(alone, step))
    np.testing.assert_array_equal(both.concat, np.hstack([first.output, second.output]))
    np.testing.assert_allclose(both.projected, both.concat @ w_o, rtol=0, atol=1e-14)
    assert both.result is both.projected


def test_cross_attention_has_its_own_lengths_and_widths() -> None:
    # One query [2], keys [1], [0]; scores [2, 0]; the mask leaves the second key, so the output is its value.
    trace = cross_attention([[2]], [[1, 5], [0, 7]], [[1]], [[1], [0]], [[0], [1]], mask=[0, 1])
    assert trace.scores.tolist() == [[2, 0]]
    assert trace.masked.tolist() == [[-1e9, 0]]
    assert trace.weights.tolist() == [[0, 1]]
    assert trace.output.tolist() == [[7]]
    assert trace.X.shape == (1, 1)
    assert trace.X_kv.shape == (2, 2)


QK = np.zeros((3, 1))  # scores of 0 all over, so that the weights of what a row may see are equal
V = np.eye(3)


@pytest.mark.parametrize(
    ("options", "weights"),
    [
        ({}, [[1 / 3, 1 / 3, 1 / 3]] * 3),
        ({"mask": [1, 1, 0]}, [[0.5, 0.5, 0]] * 3),
        ({"mask": [True, False, True]}, [[0.5, 0, 0.5]] * 3),
        ({"causal": True}, [[1, 0, 0], [0.5, 0.5, 0], [1 / 3, 1 / 3, 1 / 3]]),
        ({"causal": True, "mask": [1, 0, 1]}, [[1, 0, 0], [1, 0, 0], [0.5, 0, 0.5]]),
        ({"causal": True, "mask_value": -math.inf}, [[1, 0, 0], [0.5, 0.5, 0], [1 / 3, 1 / 3, 1 / 3]]),
        ({"mask": np.eye(3, dtype=bool)}, [[1, 0, 0], [0, 1, 0], [0, 0, 1]]),
        ({"mask": np.eye(3, dtype=int)}, [[1, 0, 0], [0, 1, 0], [0, 0, 1]]),
        # log 3 added to a score triples its weight
        ({"mask": [[0.0, math.log(3), -math.inf]] * 3}, [[0.25, 0.75, 0]] * 3),
        ({"mask": [[0.0, math.log(3), -1e9]] * 3}, [[0.25, 0.75, 0]] * 3),
        ({"mask": np.zeros((3, 3)), "causal": True}, [[1, 0, 0], [0.5, 0.5, 0], [1 / 3, 1 / 3, 1 / 3]]),
        # a filler of 0 hides nothing in a mask that is added
        ({"mask": np.zeros((3, 3)), "mask_value": 0}, [[1 / 3, 1 / 3, 1 / 3]] * 3),
        # e⁻⁹⁹ is small, yet no 0: 1.01e-43 (Excel: =EXP(-99) shows 1.01122E-43)
        ({"mask": [1, 0, 0], "mask_value": -99}, [[1, 1.0112214926104486e-43, 1.0112214926104486e-43]] * 3),
    ],
)
def test_masks(options: dict[str, Any], weights: list[list[float]]) -> None:
    np.testing.assert_allclose(scaled_dot_product(QK, QK, V, **options).weights, weights, rtol=1e-15, atol=0)


def test_additive_mask_is_added_after_the_scaling() -> None:
    trace = scaled_dot_product([[2, 2, 2, 2]], [[1, 1, 1, 1]], [[5]], mask=[[0.5]])
    assert trace.scaled.tolist() == [[4]]
    assert trace.masked.tolist() == [[4.5]]


@pytest.mark.parametrize("filler", [-1e9, -99.0, -math.inf])
@pytest.mark.parametrize("additive", [False, True])
def test_row_masked_whole(filler: float, additive: bool) -> None:
    keep = np.array([[True, False, False], [False, False, False], [True, True, True]])
    mask = np.where(keep, 0.0, filler) if additive else keep
    q = np.array([[1.0], [2.0], [3.0]])
    with pytest.raises(MaskedRowError, match=r"hides all 3 columns from row 1 of the scores .*masked_row=\"uniform\""):
        scaled_dot_product(q, q, V, mask, mask_value=filler)
    trace = scaled_dot_product(q, q, V, mask, mask_value=filler, masked_row="uniform")
    assert trace.weights[1].tolist() == [1 / 3] * 3
    assert trace.exp[1].tolist() == [1, 1, 1]
    assert trace.keep.tolist() == keep.tolist()
    assert np.isfinite(trace.weights).all()


A = np.zeros


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (lambda: self_attention(A((5, 8)), A((6, 4)), A((8, 4)), A((8, 4))), ShapeError, "X is 5×8 and W_q is 6×4"),
        (lambda: self_attention(A((5, 8)), A((8, 4)), A((7, 4)), A((8, 4))), ShapeError, "X is 5×8 and W_k is 7×4"),
        (lambda: self_attention(A((5, 8)), A((8, 4)), A((8, 4)), A((9, 4))), ShapeError, "X is 5×8 and W_v is 9×4"),
        (lambda: self_attention(A((5, 8)), A((8, 4)), A((8, 3)), A((8, 4))), ShapeError, "W_q is 8×4 and W_k is 8×3"),
        (
            lambda: cross_attention(A((2, 3)), A((4, 5)), A((3, 2)), A((3, 2)), A((5, 2))),
            ShapeError,
            "X_kv is 4×5 and W_k is 3×2",
        ),
        (
            lambda: self_attention(A((5, 8)), A((8, 4)), A((8, 4)), A((8, 4)), W_o=A((5, 8))),
            ShapeError,
            "W_v is 8×4 and W_o is 5×8",
        ),
        (
            lambda: self_attention(A((5, 8)), A((8, 4)), A((8, 4)), A((8, 4)), heads=3),
            ShapeError,
            "W_q is 8×4, whose 4 columns do not part into 3 heads",
        ),
        (
            lambda: self_attention(A((5, 8)), A((8, 4)), A((8, 4)), A((8, 4)), bias=(A(3), None, None)),
            ShapeError,
            "b_q is 3, but W_q of 8×4 asks for 4 numbers",
        ),
        (
            lambda: self_attention(A((5, 8)), A((8, 4)), A((8, 4)), A((8, 4)), bias=(A(4),)),
            AttentionError,
            "bias holds 1 entries",
        ),
        (lambda: scaled_dot_product(A((2, 3)), A((4, 5)), A((4, 1))), ShapeError, "Q is 2×3 and K is 4×5"),
        (lambda: scaled_dot_product(A((2, 3)), A((4, 3)), A((5, 1))), ShapeError, "K is 4×3 and V is 5×1"),
        (lambda: scaled_dot_product(A(3), A((4, 3)), A((4, 1))), ShapeError, "Q must be a matrix .* it is 3$"),
        (lambda: scaled_dot_product(A((0, 3)), A((4, 3)), A((4, 1))), ShapeError, "it is 0×3"),
        (lambda: scaled_dot_product([["a"]], [[1]], [[1]]), AttentionError, "Q holds .*give numbers only"),
        (lambda: scaled_dot_product([[None, 1.0]], [[1, 1]], [[1]]), AttentionError, "Q holds None"),
        (lambda: scaled_dot_product([[1], [1, 2]], [[1]], [[1]]), AttentionError, "its rows differ in length"),
        (lambda: scaled_dot_product(QK, QK, V, A((2, 3))), MaskError, "the mask is 2×3, but the scores are 3×3"),
        (lambda: scaled_dot_product(QK, QK, V, [1, 1]), MaskError, "the mask is 2, but the scores are 3×3"),
        (lambda: scaled_dot_product(QK, QK, V, [1, 2, 0]), MaskError, "holds 2; it takes 1"),
        (lambda: scaled_dot_product(QK, QK, V, np.eye(3)), MaskError, r"mask\.astype\(bool\)"),
        (lambda: scaled_dot_product(QK, QK, V, np.full((3, 3), np.nan)), MaskError, "holds NaN"),
        (lambda: scaled_dot_product(QK, QK, V, mask_value=math.nan), MaskError, "mask_value is nan"),
        (lambda: scaled_dot_product(QK, QK, V, scale="d"), AttentionError, "scale is 'd'"),  # type: ignore[arg-type]
        (lambda: scaled_dot_product(QK, QK, V, scale=0), AttentionError, "scale is 0"),
        (
            lambda: scaled_dot_product(QK, QK, V, masked_row="zero"),  # type: ignore[arg-type]
            AttentionError,
            "masked_row is 'zero'",
        ),
        (lambda: self_attention(X, W_Q, W_K, W_V, heads=0), AttentionError, "heads is 0"),
        (lambda: self_attention(X, W_Q, W_K, W_V, heads=True), AttentionError, "heads is True"),
    ],
)
def test_wrong_input_is_named(call: Any, kind: type[AttentionError], text: str) -> None:
    with pytest.raises(kind, match=text) as caught:
        call()
    assert type(caught.value) is kind
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, UsageError)
    assert "\n" not in str(caught.value)


def test_an_error_travels_between_processes() -> None:
    error = pickle.loads(pickle.dumps(MaskError("the mask is 2", where="sheet 'a'")))
    assert type(error) is MaskError
    assert str(error) == "sheet 'a': the mask is 2"
    assert error.code == "attention-mask"


@pytest.mark.parametrize("heads", [1, 2])
def test_a_trace_cannot_be_changed(heads: int) -> None:
    weights = np.ones((2, 2))
    trace = self_attention(X, weights, weights, weights, heads=heads, W_o=weights)
    for holder in (trace, *trace.heads):
        for field in dataclasses.fields(holder):
            value = getattr(holder, field.name)
            if isinstance(value, np.ndarray):
                with pytest.raises(ValueError, match="read-only"):
                    value[...] = 0
    with pytest.raises(dataclasses.FrozenInstanceError):
        trace.X = weights  # type: ignore[misc]
    assert not hasattr(trace, "__dict__")


def test_the_inputs_are_left_alone() -> None:
    x = np.array([[1.0, 0.0], [0.0, 2.0]])
    self_attention(x, W_Q, W_K, W_V)
    x[0, 0] = 5.0  # still writable, and the caller's own
    assert x[0, 0] == 5.0


def test_not_a_number_spreads_as_an_error_does_on_a_sheet() -> None:
    trace = scaled_dot_product([[1.0], [math.nan]], [[1.0], [2.0]], [[1.0], [1.0]])
    assert np.isnan(trace.weights[1]).all()
    assert np.isfinite(trace.weights[0]).all()
