"""Products of matrices: MMULT, TRANSPOSE, SUMPRODUCT, MUNIT, MDETERM, MINVERSE."""

from __future__ import annotations

import numpy as np

from xlsx_attention.functions.registry import Context, ExcelError, Matrix, function
from xlsx_attention.functions.sums import sum_of_products
from xlsx_attention.functions.values_of import raise_first_error
from xlsx_attention.model.values import ALL_NUMBERS, ERROR, NUM, NUMBER, VALUE, Array, Floats


def _constant(shape: tuple[int, ...], kind: int) -> Array:
    return Array(np.zeros(shape), np.full((1, 1, 1, 1), kind, np.uint8))


def _first_bad(arrays: tuple[Array, ...], other: int) -> tuple[Floats, np.ndarray] | None:
    """For each cell of the block the first value of the arrays that is no number; ``other`` for what is no error.

    Shapes (h, w, 1, 1); kind 0 where all are numbers; ``None`` where that is so everywhere.
    """
    number: Floats = np.zeros((1, 1, 1, 1))
    kind: np.ndarray = np.zeros((1, 1, 1, 1), np.uint8)
    for array in arrays:
        if array.only_numbers:
            continue
        numbers, kinds = array.full()
        flat = kinds.reshape(*kinds.shape[:2], -1)
        bad = flat != NUMBER
        errors = flat >= ERROR
        if not bad.any():
            continue
        # An error anywhere goes before a text: Excel hands the error on.
        first = np.where(errors.any(axis=2), errors.argmax(axis=2), bad.argmax(axis=2))[..., None]
        here_kind = np.take_along_axis(flat, first, 2)[..., None]
        here_number = np.take_along_axis(numbers.reshape(flat.shape), first, 2)[..., None]
        is_bad = bad.any(axis=2)[..., None, None]
        here_number = np.where(here_kind >= ERROR, here_number, 0.0)
        here_kind = np.where(here_kind >= ERROR, here_kind, np.uint8(other))
        fresh = is_bad & (kind == NUMBER)
        number, kind = np.where(fresh, here_number, number), np.where(fresh, here_kind, kind)
    return (number, kind) if kind.any() else None


@function("MMULT", "array1:array array2:array", "matrix")
def mmult(a: Array, b: Array) -> Array:
    """``out[i, j] = a[i, 0]·b[0, j] + a[i, 1]·b[1, j] + …``, added left to right.

    Shapes (h, w, r, k) × (h, w, k, c) → (h, w, r, c).

    ``#VALUE!`` where a cell is empty or holds text or a logical, and where the inner sizes differ; errors pass.
    """
    if a.shape[3] != b.shape[2]:
        return _constant((1, 1, 1, 1), VALUE)
    bad = _first_bad((a, b), VALUE)
    if bad is not None and bad[1].all():
        # One error, not an array of errors: it fills whatever range the formula has.
        return Array(*bad)
    left, right = a.full()[0], b.full()[0]
    with np.errstate(all="ignore"):
        number = sum_of_products(left[:, :, :, None, :], np.swapaxes(right, 2, 3)[:, :, None, :, :])
    finite = np.isfinite(number)
    if bad is None and finite.all():
        return Array.numbers(number + 0.0)
    kind = np.where(finite, np.uint8(NUMBER), np.uint8(NUM))
    if bad is not None:
        shape = np.broadcast_shapes(number.shape, bad[1].shape)
        number = np.where(bad[1] != NUMBER, bad[0], number)
        kind = np.broadcast_to(np.where(bad[1] != NUMBER, bad[1], kind), shape)
    return Array(np.where(kind == NUM, 0.0, number), kind)


@function("TRANSPOSE", "array:array", "matrix")
def transpose(a: Array) -> Array:
    """Rows become columns; (h, w, r, c) → (h, w, c, r), a view."""
    return Array(np.swapaxes(a.number, 2, 3), np.swapaxes(a.kind, 2, 3))


@function("SUMPRODUCT", "array1:array array:array? ...", "matrix")
def sumproduct(*arrays: Array) -> Array:
    """``Σ a·b·…`` over cells in reading order, left to right; texts, logicals and empty cells count as 0.

    ``#VALUE!`` where the arrays differ in size; the first error passes.
    """
    if len({a.shape[2:] for a in arrays}) > 1:
        return _constant((1, 1, 1, 1), VALUE)
    errors = _first_error_each(arrays)
    factors = []
    for array in arrays:
        number, kind = array.full()
        if not array.only_numbers:
            number = np.where(kind == NUMBER, number, 0.0)
        factors.append(number.reshape(*number.shape[:2], -1))
    with np.errstate(all="ignore"):
        total = sum_of_products(*factors)[..., None, None]
    finite = np.isfinite(total)
    if errors is None and finite.all():
        return Array.numbers(total + 0.0)
    kind = np.where(finite, np.uint8(NUMBER), np.uint8(NUM))
    total = np.where(finite, total, 0.0)
    if errors is not None:
        total = np.where(errors[1] != NUMBER, errors[0], total)
        kind = np.where(errors[1] != NUMBER, errors[1], kind)
    return Array(total, kind)


def _first_error_each(arrays: tuple[Array, ...]) -> tuple[Floats, np.ndarray] | None:
    """Like :func:`_first_bad`, for errors alone."""
    cleaned = []
    for array in arrays:
        number, kind = (array.number, array.kind) if array.only_numbers else array.full()
        cleaned.append(Array(number, np.where(kind >= ERROR, kind, np.uint8(NUMBER)) if kind.any() else ALL_NUMBERS))
    return _first_bad(tuple(cleaned), VALUE)


def _square(m: Matrix) -> Floats:
    """The numbers of a square matrix; ``#VALUE!`` for anything else in it or another shape."""
    raise_first_error(m)
    if m.kind.any() or m.shape[0] != m.shape[1]:
        raise ExcelError(VALUE)
    return np.array(m.number)


def _eliminate(a: Floats, right: Floats) -> tuple[float, Floats]:
    """Gauss's elimination with the largest pivot of each column: the determinant, and ``a⁻¹ · right``."""
    n = a.shape[0]
    determinant = 1.0
    for k in range(n):
        pivot = k + int(np.abs(a[k:, k]).argmax())
        if a[pivot, k] == 0.0:
            return 0.0, right
        if pivot != k:
            a[[k, pivot]], right[[k, pivot]] = a[[pivot, k]], right[[pivot, k]]
            determinant = -determinant
        determinant *= float(a[k, k])
        factors = a[k + 1 :, k] / a[k, k]
        a[k + 1 :, k:] -= factors[:, None] * a[k, k:]
        right[k + 1 :] -= factors[:, None] * right[k]
    for k in range(n - 1, -1, -1):
        right[k] /= a[k, k]
        right[:k] -= a[:k, k, None] * right[k]
    return determinant, right


@function("MDETERM", "array:array", "array")
def mdeterm(ctx: Context, m: Matrix) -> float:
    """The determinant of a square matrix; ``#VALUE!`` if it is not square or holds anything but numbers."""
    a = _square(m)
    ctx.toil(2 * a.shape[0] ** 3)
    return _eliminate(a, np.zeros((a.shape[0], 1)))[0]


@function("MINVERSE", "array:array", "array")
def minverse(ctx: Context, m: Matrix) -> Matrix:
    """The inverse of a square matrix; ``#NUM!`` where it has none, ``#VALUE!`` as for MDETERM."""
    a = _square(m)
    ctx.toil(6 * a.shape[0] ** 3)
    determinant, inverse = _eliminate(a, np.eye(a.shape[0]))
    if determinant == 0.0:
        raise ExcelError(NUM)
    return Matrix(inverse + 0.0, np.zeros(inverse.shape, np.uint8))


@function("MUNIT", "dimension:number", "array")
def munit(ctx: Context, dimension: float) -> Matrix:
    """The identity matrix; ``#VALUE!`` for a size below 1."""
    n = int(dimension)
    if n < 1:
        raise ExcelError(VALUE)
    ctx.charge(n * n)
    return Matrix(np.eye(n), np.zeros((n, n), np.uint8))
