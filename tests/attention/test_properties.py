"""What holds of every attention, whatever the numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from xlsx_attention.attention import matmul_in_order, scaled_dot_product, self_attention, softmax

Array = npt.NDArray[np.float64]
SIZES = st.integers(1, 6)
NUMBERS = st.floats(-8, 8, allow_nan=False, allow_subnormal=False)


def matrices(rows: int, columns: int) -> st.SearchStrategy[Array]:
    return arrays(np.float64, (rows, columns), elements=NUMBERS)


@st.composite
def heads(draw: st.DrawFn, *, square: bool = False) -> tuple[Array, Array, Array]:
    s_q, d_k, d_v = draw(SIZES), draw(SIZES), draw(SIZES)
    s_k = s_q if square else draw(SIZES)
    return draw(matrices(s_q, d_k)), draw(matrices(s_k, d_k)), draw(matrices(s_k, d_v))


@given(heads(), st.data())
def test_rows_add_up_to_one_and_hidden_columns_weigh_nothing(
    qkv: tuple[Array, Array, Array], data: st.DataObject
) -> None:
    Q, K, V = qkv
    s_k = len(K)
    mask = data.draw(st.lists(st.sampled_from([0, 1]), min_size=s_k, max_size=s_k).filter(any))
    trace = scaled_dot_product(Q, K, V, mask)
    hidden = np.array(mask) == 0
    # Each weight is off by at most half a unit, as is each of the s_k − 1 sums in the normaliser: about s_k · 2⁻⁵².
    assert all(abs(math.fsum(row) - 1) <= 1e-15 * s_k for row in trace.weights)
    assert (trace.weights[:, hidden] == 0).all()
    assert (trace.masked[:, hidden] == -1e9).all()
    assert ((trace.weights >= 0) & (trace.weights <= 1)).all()


@given(heads())
def test_causal_upper_triangle_is_exactly_zero(qkv: tuple[Array, Array, Array]) -> None:
    weights = scaled_dot_product(*qkv, causal=True).weights
    assert (np.triu(weights, 1) == 0).all()
    assert weights[0, 0] == 1  # the first query sees the first key alone


@given(heads(square=True), st.floats(-1e9, -1e4))
def test_a_causal_row_does_not_depend_on_what_comes_after(qkv: tuple[Array, Array, Array], filler: float) -> None:
    Q, K, V = qkv
    whole = scaled_dot_product(Q, K, V, causal=True, mask_value=filler)
    for n in range(1, len(Q) + 1):
        part = scaled_dot_product(Q[:n], K[:n], V[:n], causal=True, mask_value=filler)
        np.testing.assert_array_equal(whole.output[:n], part.output)


@given(st.data())
def test_tokens_permuted_are_outputs_permuted(data: st.DataObject) -> None:
    S, D, M = data.draw(SIZES), data.draw(SIZES), data.draw(SIZES)
    X = data.draw(matrices(S, D))
    W: list[Array] = [data.draw(arrays(np.float64, (D, M), elements=st.floats(-1, 1))) for _ in range(3)]
    order = np.array(data.draw(st.permutations(range(S))))
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=S, max_size=S).filter(any)))
    plain = self_attention(X, *W, mask)
    moved = self_attention(X[order], *W, mask[order])
    # Scores, masks and exponentials move bit for bit; the normaliser's sum is taken in another order.
    np.testing.assert_array_equal(moved.exp, plain.exp[order][:, order])
    np.testing.assert_allclose(moved.output, plain.output[order], rtol=0, atol=1e-12)


@given(heads())
def test_boolean_and_additive_mask_agree(qkv: tuple[Array, Array, Array]) -> None:
    Q, K, V = qkv
    keep = np.tri(len(Q), len(K), dtype=bool)
    by_boolean = scaled_dot_product(Q, K, V, keep, mask_value=-math.inf)
    by_float = scaled_dot_product(Q, K, V, np.where(keep, 0.0, -math.inf))
    for step in ("keep", "masked", "weights", "output"):
        np.testing.assert_array_equal(getattr(by_boolean, step), getattr(by_float, step))


@given(arrays(np.float64, (3, 4), elements=st.integers(-50, 50).map(float)), st.integers(-1000, 1000))
def test_softmax_does_not_see_a_shift(scores: Array, shift: int) -> None:
    # Whole numbers: the shift itself is exact, so the bits are equal.
    np.testing.assert_array_equal(softmax(scores + shift), softmax(scores))


@given(st.data())
def test_product_is_the_sum_from_left_to_right(data: st.DataObject) -> None:
    n, k, m = data.draw(SIZES), data.draw(SIZES), data.draw(SIZES)
    A, B = data.draw(matrices(n, k)), data.draw(matrices(k, m))
    expected: Any = [[0.0] * m for _ in range(n)]
    for i in range(n):
        for j in range(m):
            for p in range(k):
                expected[i][j] += float(A[i, p]) * float(B[p, j])  # Python's own float64, two roundings
    assert matmul_in_order(A, B).tolist() == expected
