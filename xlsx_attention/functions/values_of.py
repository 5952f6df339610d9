"""Arguments as plain lists of numbers, for bodies that are called once a cell."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from xlsx_attention.errors import NotComputed
from xlsx_attention.functions.coercion import to_number
from xlsx_attention.functions.numbers_as_text import parse_number
from xlsx_attention.functions.registry import Evaluator, ExcelError, Matrix, Operand
from xlsx_attention.model.values import EMPTY, ERROR, LOGICAL, NA, NOT_COMPUTED, NUMBER, TEXT, VALUE, Scalar


def raise_first_error(*matrices: Matrix) -> None:
    """The first error in reading order, if any, as :class:`ExcelError`."""
    for matrix in matrices:
        bad = matrix.kind >= ERROR
        if bad.any():
            at = np.unravel_index(int(bad.argmax()), bad.shape)
            raise ExcelError(int(matrix.kind[at]), float(matrix.number[at]))


def numbers_in(matrix: Matrix) -> list[float]:
    """The numbers in reading order; texts, logicals and empty cells do not count; errors pass."""
    raise_first_error(matrix)
    numbers: list[float] = matrix.number[matrix.kind == NUMBER].tolist()
    return numbers


def numbers_of(ev: Evaluator, operand: Operand) -> list[float]:
    """Like :func:`numbers_in`; a single typed value is made a number (``#VALUE!`` where it is none)."""
    if not operand.is_reference and operand.array.is_single:
        array = to_number(operand.array, ev.texts)
        number, kind = array.full()
        return numbers_in(Matrix(number[0, 0], kind[0, 0]))
    return numbers_in(ev.matrix(operand))


def pairs_in(a: Matrix, b: Matrix) -> tuple[list[float], list[float]]:
    """The places where both arrays hold numbers; ``#N/A`` where they differ in size; errors pass."""
    if a.size != b.size:
        raise ExcelError(NA)
    raise_first_error(a, b)
    both = (a.kind.ravel() == NUMBER) & (b.kind.ravel() == NUMBER)
    return a.number.ravel()[both].tolist(), b.number.ravel()[both].tolist()


def strict_number(value: Scalar) -> float:
    """As the functions that once came with the Analysis ToolPak take it: a logical is ``#VALUE!``."""
    if value.kind == NOT_COMPUTED:
        raise NotComputed("lacking", value.text)
    if value.kind >= ERROR:
        raise ExcelError(value.kind)
    if value.kind == LOGICAL:
        raise ExcelError(VALUE)
    if value.kind == TEXT:
        parsed = parse_number(value.text)
        if parsed is None:
            raise ExcelError(VALUE)
        return parsed
    return value.number


def strict_numbers(ev: Evaluator, operands: Iterable[Operand]) -> list[float]:
    """All values of GCD, LCM, MULTINOMIAL and their like.

    A missing argument is ``#N/A``; a single empty cell is left out, an empty cell of a range counts as 0; logicals and
    other texts are ``#VALUE!``. Nothing at all is ``#VALUE!``. Source: Excel's values in IronCalc's ``GCD_LCM.xlsx``.
    """
    numbers = []
    for operand in operands:
        if operand.missing:
            raise ExcelError(NA)
        matrix = ev.matrix(operand)
        kinds = matrix.kind.ravel().tolist()
        if operand.array.is_single and kinds == [EMPTY]:
            continue
        for number, kind in zip(matrix.number.ravel().tolist(), kinds, strict=True):
            numbers.append(strict_number(ev.scalar(number, kind)))
    if not numbers:
        raise ExcelError(VALUE)
    return numbers


def lifted(ev: Evaluator, operand: Operand, body: Callable[[float], float]) -> Operand:
    """``body`` for each value of an operand that asks for a number: one value, or an array of results."""
    array = to_number(operand.array, ev.texts)
    matrix = ev.matrix(Operand(array))
    number, kind = np.zeros(matrix.shape), np.zeros(matrix.shape, np.uint8)
    for at in np.ndindex(matrix.shape):
        if matrix.kind[at] >= ERROR:
            number[at], kind[at] = matrix.number[at], matrix.kind[at]
            continue
        try:
            number[at] = body(float(matrix.number[at]))
        except ExcelError as error:
            number[at], kind[at] = error.number, error.kind
    return ev.from_python(Matrix(number + 0.0, kind))
