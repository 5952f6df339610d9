"""Least squares: LINEST, LOGEST, TREND, GROWTH."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from xlsx_attention.functions.registry import Context, ExcelError, Matrix, function
from xlsx_attention.functions.values_of import raise_first_error
from xlsx_attention.model.values import NA, NUM, NUMBER, REF, VALUE, Floats, Kinds

#: A column that the others explain to within this is redundant: its coefficient is 0, as Excel has it.
_REDUNDANT = 1e-12


@dataclass(frozen=True, slots=True)
class Fit:
    """``y ≈ x·slopes + intercept``, x (n, k); ``inverse`` is (XᵀX)⁻¹ of the centred columns, 0 for redundant ones."""

    slopes: Floats
    intercept: float
    inverse: Floats
    means: Floats
    freedom: int
    explained: float
    residual: float
    has_intercept: bool
    n: int


def _clean(matrix: Matrix) -> Floats:
    """All values as numbers; ``#VALUE!`` for anything else."""
    raise_first_error(matrix)
    if (matrix.kind != NUMBER).any():
        raise ExcelError(VALUE)
    return np.array(matrix.number)


def _columns(matrix: Matrix, like: Matrix) -> Floats:
    """The x values as (n, k): columns beside a column of y, rows below a row of y, or one variable of y's shape."""
    x = _clean(matrix)
    if matrix.shape == like.shape and 1 not in like.shape:
        return x.reshape(-1, 1)
    if like.shape[1] == 1 and matrix.shape[0] == like.shape[0]:
        return x
    if like.shape[0] == 1 and matrix.shape[1] == like.shape[1]:
        return x.T.copy()
    raise ExcelError(REF)


def _given(ys: Matrix, xs: Matrix | None) -> tuple[Floats, Floats]:
    """``(y, x)`` as (n,) and (n, k); x is 1, 2, 3 … where it is left out."""
    y = _clean(ys).ravel()
    x = np.arange(1.0, y.size + 1.0)[:, None] if xs is None else _columns(xs, ys)
    return y, x


def fit(y: Floats, x: Floats, has_intercept: bool) -> Fit:
    """Gram–Schmidt, twice over for full precision, on columns taken about their means."""
    n, k = x.shape
    means = x.mean(axis=0) if has_intercept else np.zeros(k)
    mean_y = float(y.mean()) if has_intercept else 0.0
    centred, target = x - means, y - mean_y
    q, r = np.zeros((n, k)), np.zeros((k, k))
    used: list[int] = []
    for j in range(k):
        column, size = centred[:, j].copy(), float(np.linalg.norm(centred[:, j]))
        for _ in range(2):
            for i in used:
                part = float(q[:, i] @ column)
                r[i, j] += part
                column -= part * q[:, i]
        length = float(np.linalg.norm(column))
        if length > _REDUNDANT * max(size, float(np.linalg.norm(x[:, j]))):
            r[j, j], q[:, j] = length, column / length
            used.append(j)
    kept = r[np.ix_(used, used)]
    root = np.linalg.inv(kept) if used else np.zeros((0, 0))
    slopes, inverse = np.zeros(k), np.zeros((k, k))
    slopes[used] = root @ (q[:, used].T @ target)
    # One step of refinement on the residual.
    slopes[used] += root @ (q[:, used].T @ (target - centred @ slopes))
    inverse[np.ix_(used, used)] = root @ root.T
    fitted = centred @ slopes
    rest = target - fitted
    return Fit(
        slopes,
        mean_y - float(means @ slopes),
        inverse,
        means,
        n - len(used) - int(has_intercept),
        float(fitted @ fitted),
        float(rest @ rest),
        has_intercept,
        n,
    )


def _table(found: Fit, statistics: bool, coefficients: Floats, constant: float) -> Matrix:
    """The array that LINEST gives: coefficients from the last to the first, the constant; below them the statistics."""
    k = found.slopes.size
    number, kind = np.zeros((5 if statistics else 1, k + 1)), np.zeros((5 if statistics else 1, k + 1), np.uint8)
    number[0, :k], number[0, k] = coefficients[::-1], constant
    if statistics:
        kind[2:, 2:] = NA
        _statistics(found, number, kind)
    return Matrix(np.where(kind == NUMBER, number + 0.0, 0.0), kind)


def _statistics(found: Fit, number: Floats, kind: Kinds) -> None:
    """Standard errors; r² and the error of y; F and the degrees of freedom; the sums of squares."""
    k, freedom = found.slopes.size, found.freedom
    variance = found.residual / freedom if freedom > 0 else 0.0
    number[1, :k] = np.sqrt(variance * np.diagonal(found.inverse))[::-1]
    if found.has_intercept:
        number[1, k] = math.sqrt(variance * (1.0 / found.n + float(found.means @ found.inverse @ found.means)))
    else:
        kind[1, k] = NA
    total = found.explained + found.residual
    used = found.n - freedom - int(found.has_intercept)
    number[2, :2] = found.explained / total if total else 1.0, math.sqrt(variance)
    if freedom > 0 and found.residual > 0.0 and used > 0:
        number[3, 0] = found.explained / used / (found.residual / freedom)
    else:
        kind[3, 0] = NUM
    number[3, 1] = freedom
    number[4, :2] = found.explained, found.residual


@function("LINEST", "known_ys:array known_xs:array? const:logical=TRUE stats:logical=FALSE", "array")
def linest(ctx: Context, ys: Matrix, xs: Matrix | None, const: bool, stats: bool) -> Matrix:
    """The straight line (or plane) of least squares: slopes from the last to the first, and the intercept.

    ``#VALUE!`` for anything but numbers, ``#REF!`` where sizes do not fit.
    """
    found = fit(*_given(ys, xs), const)
    return _table(found, stats, found.slopes, found.intercept)


def _logs(ys: Matrix) -> Matrix:
    """``ln y``; ``#NUM!`` at 0 and below."""
    y = _clean(ys)
    if (y <= 0.0).any():
        raise ExcelError(NUM)
    return Matrix(np.array([[math.log(v) for v in row] for row in y.tolist()]), ys.kind)


@function("LOGEST", "known_ys:array known_xs:array? const:logical=TRUE stats:logical=FALSE", "array")
def logest(ctx: Context, ys: Matrix, xs: Matrix | None, const: bool, stats: bool) -> Matrix:
    """``y = b·m1^x1·m2^x2·…`` by least squares on ``ln y``; its statistics are those of the logarithms."""
    found = fit(*_given(_logs(ys), xs), const)
    bases = np.array([math.exp(v) for v in found.slopes.tolist()])
    return _table(found, stats, bases, math.exp(found.intercept))


def _predicted(ys: Matrix, xs: Matrix | None, new: Matrix | None, const: bool) -> tuple[Floats, tuple[int, int]]:
    """The fitted values at new x, and their shape."""
    y, x = _given(ys, xs)
    found = fit(y, x, const)
    if new is None:
        return x @ found.slopes + found.intercept, ys.shape
    k = x.shape[1]
    at = _clean(new)
    if k == 1:
        return at.ravel() * found.slopes[0] + found.intercept, new.shape
    if ys.shape[1] == 1 and at.shape[1] == k:
        return at @ found.slopes + found.intercept, (at.shape[0], 1)
    if ys.shape[0] == 1 and at.shape[0] == k:
        return at.T @ found.slopes + found.intercept, (1, at.shape[1])
    raise ExcelError(REF)


@function("TREND", "known_ys:array known_xs:array? new_xs:array? const:logical=TRUE", "array")
def trend(ctx: Context, ys: Matrix, xs: Matrix | None, new: Matrix | None, const: bool) -> Matrix:
    """Values on the line of LINEST, at the known or at new x."""
    values, shape = _predicted(ys, xs, new if new is not None else xs, const)
    return Matrix(values.reshape(shape) + 0.0, np.zeros(shape, np.uint8))


@function("GROWTH", "known_ys:array known_xs:array? new_xs:array? const:logical=TRUE", "array")
def growth(ctx: Context, ys: Matrix, xs: Matrix | None, new: Matrix | None, const: bool) -> Matrix:
    """Values on the curve of LOGEST, at the known or at new x."""
    values, shape = _predicted(_logs(ys), xs, new if new is not None else xs, const)
    curve = np.array([math.exp(v) for v in values.tolist()])
    return Matrix(curve.reshape(shape), np.zeros(shape, np.uint8))
