"""The small steps, against sums by hand and Excel's own functions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from xlsx_attention.attention import (
    AttentionError,
    MaskedRowError,
    ShapeError,
    exp,
    layer_norm,
    linear,
    matmul_in_order,
    positional_encoding,
    relu,
    residual,
    scaled_dot_product,
    softmax,
    sum_in_order,
)


def test_softmax_by_hand() -> None:
    # exp(ln 1), exp(ln 2), exp(ln 5) = 1, 2, 5; their sum 8.
    np.testing.assert_allclose(softmax([[math.log(1), math.log(2), math.log(5)]]), [[0.125, 0.25, 0.625]], rtol=1e-15)


def test_softmax_is_by_rows() -> None:
    assert softmax([[7, 7], [0, -1e9]]).tolist() == [[0.5, 0.5], [1, 0]]


def test_softmax_of_large_scores_does_not_overflow() -> None:
    assert softmax([[1e5, 1e5, -1e5]]).tolist() == [[0.5, 0.5, 0]]


def test_softmax_of_a_row_masked_whole() -> None:
    row = [[0.0, 0.0], [-math.inf, -math.inf]]
    with pytest.raises(MaskedRowError, match="row 1"):
        softmax(row)
    assert softmax(row, masked_row="uniform").tolist() == [[0.5, 0.5], [0.5, 0.5]]


def test_linear_by_hand() -> None:
    assert linear([[1, 2], [3, 4]], [[10, 0], [1, 1]]).tolist() == [[12, 2], [34, 4]]
    assert linear([[1, 2], [3, 4]], [[10, 0], [1, 1]], [0.5, -1]).tolist() == [[12.5, 1], [34.5, 3]]


def test_relu_and_residual_by_hand() -> None:
    assert relu([[-1, 0, 2.5]]).tolist() == [[0, 0, 2.5]]
    assert residual([[1, 2]], [[10, 20]]).tolist() == [[11, 22]]


def test_layer_norm_by_hand() -> None:
    # 2 4 4 4 5 5 7 9: mean 5, squares 9 1 1 1 0 0 4 16 = 32; population variance 4, deviation 2; sample variance 32/7.
    row = [[2, 4, 4, 4, 5, 5, 7, 9]]
    centred = np.array([[-3, -1, -1, -1, 0, 0, 2, 4]])
    assert layer_norm(row).tolist() == (centred / 2).tolist()
    np.testing.assert_allclose(layer_norm(row, deviation="sample"), centred / math.sqrt(32 / 7), rtol=1e-15)
    np.testing.assert_allclose(layer_norm(row, eps=5), centred / 3, rtol=1e-15)  # √(4 + 5)
    np.testing.assert_allclose(layer_norm(row, eps=6, eps_at="deviation"), centred / 8, rtol=1e-15)  # 2 + 6
    assert layer_norm(row, [2] * 8, [1] * 8).tolist() == (centred + 1).tolist()


def test_positional_encoding_by_hand() -> None:
    # D = 4, base 100: the angles are p ÷ 100^0 = p and p ÷ 100^(2/4) = p ÷ 10.
    expected = [[math.sin(p), math.cos(p), math.sin(p / 10), math.cos(p / 10)] for p in (0, 1, 2)]
    assert positional_encoding(3, 4, base=100).tolist() == expected
    assert positional_encoding(1, 3).tolist() == [[0, 1, 0]]
    # Excel: =SIN(1/10000^(2/3)) is 0.00215443302358… (10000^(2/3) = 464.158883361…)
    assert positional_encoding(2, 3)[1, 2] == pytest.approx(math.sin(1 / 464.15888336127786), rel=1e-15)


def test_sums_run_from_left_to_right() -> None:
    # 1 + 1e16 = 1e16, the 1 is lost; − 1e16 leaves 0; + 1 makes 1. In pairs (1 + 1e16) + (−1e16 + 1) makes 0.
    # (Eight terms, as `np.sum` pairs from eight up.)
    assert sum_in_order(np.array([[1, 1e16, -1e16, 1, 0, 0, 0, 0]])).tolist() == [[1]]
    assert matmul_in_order([[1, 1e16, -1e16, 1]], [[1], [1], [1], [1]]).tolist() == [[1]]


def test_products_are_rounded_before_they_are_added() -> None:
    # (1 + 2⁻³⁰)² = 1 + 2⁻²⁹ + 2⁻⁶⁰ rounds to 1 + 2⁻²⁹; minus that is 0. A fused multiply-add would leave 2⁻⁶⁰.
    a = 1 + 2.0**-30
    assert matmul_in_order([[-(1 + 2.0**-29), a]], [[1], [a]]).tolist() == [[0]]


def test_a_sum_of_negative_zeros_is_zero_as_in_excel() -> None:
    assert math.copysign(1, matmul_in_order([[-1.0]], [[0.0]])[0, 0]) == 1


@pytest.mark.parametrize("x", [0.0, -0.5, 1 / 3, -99.0, 709.0, -745.0])
def test_exp_is_the_c_librarys(x: float) -> None:
    assert exp([x])[0] == math.exp(x)


def test_the_softmax_takes_its_exponentials_from_the_c_library() -> None:
    # Five thousand arguments: about one in twenty has another last bit in NumPy's vectorised exp.
    scores = np.random.default_rng(2).normal(scale=4, size=(50, 100))
    trace = scaled_dot_product(scores, np.eye(100), np.eye(100), scale=None)
    shifted = scores - scores.max(axis=1, keepdims=True)
    assert trace.exp.tolist() == [[math.exp(x) for x in row] for row in shifted.tolist()]


def test_exp_at_its_ends() -> None:
    assert exp([-1e9, -746.0, 1000.0, -math.inf]).tolist() == [0, 0, math.inf, 0]
    assert exp(0.0).shape == ()


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (lambda: linear(np.zeros((2, 3)), np.zeros((4, 5))), ShapeError, "X is 2×3 and W is 4×5"),
        (lambda: linear(np.zeros((2, 3)), np.zeros((3, 5)), [1]), ShapeError, "b is 1, but W of 3×5 asks for 5"),
        (lambda: matmul_in_order(np.zeros((2, 3)), np.zeros((4, 5))), ShapeError, "A is 2×3 and B is 4×5"),
        (lambda: residual(np.zeros((2, 3)), np.zeros((1, 3))), ShapeError, "X is 2×3 and F is 1×3"),
        (lambda: layer_norm([[1, 2]], [1, 2, 3]), ShapeError, "gamma is 3, but X of 1×2 asks for 2"),
        (lambda: layer_norm([[1, 2], [3, 3]]), AttentionError, "row 1 of X .* pass an eps above 0"),
        (lambda: layer_norm([[1]], deviation="sample"), ShapeError, "at least two columns"),
        (lambda: layer_norm([[1, 2]], deviation="both"), AttentionError, "deviation is 'both'"),  # type: ignore[arg-type]
        (lambda: layer_norm([[1, 2]], eps_at="mean"), AttentionError, "eps_at is 'mean'"),  # type: ignore[arg-type]
        (lambda: positional_encoding(0, 4), AttentionError, "S=0, D=4"),
        (lambda: positional_encoding(2, 4, base=-1), AttentionError, "base=-1"),
    ],
)
def test_wrong_input_is_named(call: Any, kind: type[AttentionError], text: str) -> None:
    with pytest.raises(kind, match=text):
        call()
