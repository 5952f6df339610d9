"""Arrays and the three operations whose order of rounding matters: products, sums and exp.

Excel's MMULT and SUM add from left to right and round after each product and each sum. BLAS and ``np.sum`` regroup the
terms (and BLAS fuses multiply and add), so their last bits differ. The reference adds as Excel does, so that a
comparison with a workbook begins with equal bits and a tolerance is needed only for what other programs do.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from xlsx_attention.attention.errors import AttentionError, ShapeError

Array = npt.NDArray[np.float64]
ArrayLike = npt.ArrayLike


def shape_text(shape: Sequence[int]) -> str:
    """``(5, 8)`` → ``5×8``; a vector of five is ``5``, a single number ``a single number``."""
    return "×".join(str(n) for n in shape) if shape else "a single number"


def numbers(value: ArrayLike, name: str) -> Array:
    """``value`` as a new float64 array. Text and other objects are refused: NumPy would read the text "1.5" as 1.5."""
    try:
        given = np.asarray(value)
    except ValueError as error:  # rows of unequal length
        raise AttentionError(f"{name} is no rectangle of numbers: its rows differ in length") from error
    if given.dtype.kind == "O":
        for item in given.ravel():
            if not isinstance(item, Real):
                raise AttentionError(f"{name} holds {item!r}, which is no number; give numbers only")
    elif given.dtype.kind not in "biuf":
        raise AttentionError(f"{name} holds {given.dtype.name} values; give numbers only")
    return np.array(given, dtype=np.float64)


def as_matrix(value: ArrayLike, name: str) -> Array:
    """``value`` as a matrix of at least one row and one column, or a :class:`ShapeError` that says what it is."""
    array = numbers(value, name)
    if array.ndim != 2 or 0 in array.shape:
        raise ShapeError(f"{name} must be a matrix with rows and columns; it is {shape_text(array.shape)}")
    return array


def as_vector(value: ArrayLike, width: int, name: str, beside: str) -> Array:
    """``value`` as a vector of ``width`` numbers; ``beside`` says in the error what the width comes from."""
    array = numbers(value, name)
    if array.shape != (width,):
        raise ShapeError(f"{name} is {shape_text(array.shape)}, but {beside} asks for {width} numbers in a vector")
    return array


def read_only(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The same array, which can no longer be written to."""
    array.setflags(write=False)
    return array


def require_inner(left: Sequence[int], right: Sequence[int], left_name: str, right_name: str, step: str) -> None:
    """The columns of the left factor must be the rows of the right one."""
    if left[1] != right[0]:
        raise ShapeError(
            f"{step}: {left_name} is {shape_text(left)} and {right_name} is {shape_text(right)}, "
            f"but the {left[1]} columns of {left_name} must meet as many rows of {right_name}, not {right[0]}"
        )


def matmul_in_order(A: ArrayLike, B: ArrayLike) -> Array:
    """The matrix product, each sum taken from left to right over k, rounded after each product and each sum.

    A is (n, k), B is (k, m), the result (n, m). Measured on the 4,638 cells that MMULT alone computes on the two
    example sheets of a public transformer workbook (jhughes266/ExcelTransformer): 4,637 carry these very bits; OpenBLAS
    gives 4,311. The one other is a single product, 0.4998 of a unit from this result and 0.5002 from the stored one:
    rounded to 64 bits of mantissa first and to 53 then, it goes the other way. Rounding each operation so gives all
    4,638, but NumPy has no such number on every machine, and one unit in one cell does not ask for it.
    Raises :class:`ShapeError` where the columns of A are not the rows of B.
    """
    left, right = as_matrix(A, "A"), as_matrix(B, "B")
    require_inner(left.shape, right.shape, "A", "B", "A·B")
    total = np.zeros((left.shape[0], right.shape[1]))
    for k in range(left.shape[1]):
        # Two NumPy operations, hence two roundings: no fused multiply-add can slip in between.
        total = total + left[:, k, None] * right[None, k, :]
    return total


def sum_in_order(array: Array) -> Array:
    """Sums over the last axis, kept as an axis of one, from left to right: (…, n) → (…, 1).

    Bit-equal with all 72 cells of =SUM(range) in ExcelTransformer and in Self-Attention of ai-by-hand-excel.
    """
    total = np.zeros(array.shape[:-1])
    for k in range(array.shape[-1]):
        total = total + array[..., k]
    return total[..., None]


def _exp(x: float) -> float:
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf


_EXP = np.frompyfunc(_exp, 1, 1)


def exp(array: ArrayLike) -> Array:
    """e to the power of each element, by the C library.

    Bit-equal with all 224 EXP cells of Self-Attention in ai-by-hand-excel, of which ``np.exp`` misses 6.
    Below about −745.13 the result is exactly 0; above about 709.78 it is inf, where Excel says #NUM!.
    """
    with np.errstate(over="ignore", under="ignore"):  # NumPy would read the C library's flags and warn
        return np.asarray(_EXP(numbers(array, "the argument of exp")), dtype=np.float64)
