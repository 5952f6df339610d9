"""Sums run left to right, whatever the block; a block gives what its cells give one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from xlsx_attention.functions.matrices import mmult, sumproduct
from xlsx_attention.functions.sums import sum_last, sum_of_products
from xlsx_attention.model.values import NA, VALUE, Array

NUMBERS = st.floats(-1e6, 1e6, allow_subnormal=False)


def one_by_one(terms: list[float]) -> float:
    total = 0.0
    for term in terms:
        total += term
    return total


@given(arrays.arrays(np.float64, arrays.array_shapes(min_dims=3, max_dims=3, max_side=7), elements=NUMBERS))
def test_a_sum_is_first_plus_second_plus_third(x: np.ndarray) -> None:
    total = sum_last(x)
    for at in np.ndindex(x.shape[:2]):
        assert total[at] == one_by_one(x[at].tolist())


@pytest.mark.parametrize("shape", [(1, 1, 5000), (40, 40, 30), (1, 600, 3), (2, 1, 0)])
def test_few_and_many_sums_are_alike(shape: tuple[int, ...]) -> None:
    x = np.random.default_rng(1).normal(size=shape) * 1e3
    y = np.random.default_rng(2).normal(size=shape)
    totals, products = sum_last(x), sum_of_products(x, y)
    for at in [(0, 0), (-1, -1)]:
        assert totals[at] == one_by_one(x[at].tolist())
        assert products[at] == one_by_one([a * b for a, b in zip(x[at].tolist(), y[at].tolist(), strict=True)])


def test_a_broadcast_view_is_summed_once_and_keeps_its_shape() -> None:
    row = np.array([0.1, 0.2, 0.3, 1e16, -1e16])
    total = sum_last(np.broadcast_to(row, (600, 3, 5)))
    assert total.shape == (600, 3)
    assert (total == one_by_one(row.tolist())).all()


@pytest.mark.parametrize(("h", "w", "k"), [(3, 4, 5), (40, 50, 16)])
def test_mmult_of_a_block_is_mmult_of_its_cells(h: int, w: int, k: int) -> None:
    # =MMULT($A1:$E1, F$1:F$5) filled over h×w cells: shapes (h,1,1,k) and (1,w,k,1).
    random = np.random.default_rng(3)
    a, b = random.normal(size=(h, 1, 1, k)), random.normal(size=(1, w, k, 1))
    block = mmult(Array.numbers(a), Array.numbers(b)).full()[0]
    whole = mmult(Array.numbers(a.reshape(1, 1, h, k)), Array.numbers(b[0, :, :, 0].T.reshape(1, 1, k, w))).full()[0]
    products = sumproduct(Array.numbers(a), Array.numbers(b.reshape(1, w, 1, k))).full()[0]
    assert block.shape == (h, w, 1, 1)
    assert (block[:, :, 0, 0] == whole[0, 0]).all()
    assert (products == block).all()
    i, j = h - 1, w - 2
    terms = [x * y for x, y in zip(a[i, 0, 0].tolist(), b[0, j, :, 0].tolist(), strict=True)]
    assert block[i, j, 0, 0] == one_by_one(terms)


def test_a_product_with_an_error_leaves_the_other_cells_of_the_block_alone() -> None:
    kind = np.zeros((3, 1, 1, 2), np.uint8)
    kind[1, 0, 0, 1], kind[2, 0, 0, 0] = NA, 1
    result = mmult(Array(np.ones((3, 1, 1, 2)), kind), Array.numbers(np.ones((1, 1, 2, 1))))
    assert result.full()[1][:, 0, 0, 0].tolist() == [0, NA, VALUE]
    assert result.full()[0][0, 0, 0, 0] == 2.0
