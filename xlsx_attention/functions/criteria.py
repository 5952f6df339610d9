"""Criteria of COUNTIF, SUMIFS and their like: ``">=5"``, ``"<>b*"``, ``7``, ``"="``.

A criterion is read once into a test over whole ranges. Sources: Microsoft's pages on COUNTIF and SUMIFS; where they are
silent, Excel's values in IronCalc's ``COUNTIF.xlsx`` and ``SUMIFS.xlsx``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from xlsx_attention.functions.numbers_as_text import parse_number
from xlsx_attention.functions.registry import Matrix
from xlsx_attention.functions.wildcards import fold, has_wildcards, matches
from xlsx_attention.model.values import (
    EMPTY,
    ERROR,
    ERROR_CODES,
    LOGICAL,
    NUMBER,
    TEXT,
    Floats,
    Kinds,
    Scalar,
    TextPool,
)

Mask = npt.NDArray[np.bool_]

_OPERATORS: Final = ("<>", "<=", ">=", "<", ">", "=")

_ORDER: Final[dict[str, Callable[[Floats, float], Mask]]] = {
    "<": lambda x, y: np.less(x, y),
    ">": lambda x, y: np.greater(x, y),
    "<=": lambda x, y: np.less_equal(x, y),
    ">=": lambda x, y: np.greater_equal(x, y),
}
_TEXT_ORDER: Final[dict[str, Callable[[str, str], bool]]] = {
    "<": lambda x, y: x < y,
    ">": lambda x, y: x > y,
    "<=": lambda x, y: x <= y,
    ">=": lambda x, y: x >= y,
}


@dataclass(frozen=True, slots=True)
class Criterion:
    """``op`` and the value it compares with; ``bare`` where the operator was not written out."""

    op: str
    value: Scalar
    bare: bool = False

    def mask(self, cells: Matrix, texts: TextPool) -> Mask:
        """Which cells meet it; bool, of the range's shape."""
        if self.op == "<>":
            if self.value.kind == NUMBER:
                # Unlike "=", "<>" does not take a text that reads as the number for it.
                mask: Mask = np.logical_not((cells.kind == NUMBER) & (cells.number == self.value.number))
                return mask
            return ~_equal(self.value, self.bare, cells.number, cells.kind, texts)
        if self.op == "=":
            return _equal(self.value, self.bare, cells.number, cells.kind, texts)
        return _ordered(self.op, self.value, cells.number, cells.kind, texts)

    def takes_empty(self, texts: TextPool) -> bool:
        """Whether an empty cell meets it: says how cells beyond the used range count."""
        empty = Matrix(np.zeros((1, 1)), np.full((1, 1), EMPTY, np.uint8))
        return bool(self.mask(empty, texts)[0, 0])


def criterion(value: Scalar) -> Criterion:
    """Read a criterion as it is given: a value to be equal to, or a text with an operator before it.

    An empty cell as a criterion is 0.
    """
    if value.kind == EMPTY:
        return Criterion("=", Scalar(NUMBER), True)
    if value.kind != TEXT:
        return Criterion("=", value, True)
    op = next((o for o in _OPERATORS if value.text.startswith(o)), "")
    return Criterion(op or "=", _operand(value.text[len(op) :]), not op)


def _operand(text: str) -> Scalar:
    """The kind that a criterion's text stands for: number, logical, error, text, or nothing at all."""
    word = text.upper()
    if word in ("TRUE", "FALSE"):
        return Scalar(LOGICAL, float(word == "TRUE"))
    if word in ERROR_CODES:
        return Scalar(ERROR_CODES[word])
    number = parse_number(text)
    return Scalar(TEXT, 0.0, text) if number is None else Scalar(NUMBER, number)


def _of_texts(test: Callable[[str], bool], number: Floats, kind: Kinds, texts: TextPool) -> Mask:
    """``test`` on each different text of a range once."""
    mask = np.zeros(kind.shape, bool)
    is_text = np.equal(kind, TEXT)
    if is_text.any():
        indices, places = np.unique(number[is_text], return_inverse=True)
        answers = np.fromiter((test(texts[index]) for index in indices), bool, len(indices))
        mask[is_text] = answers[places]
    return mask


def _equal(value: Scalar, bare: bool, number: Floats, kind: Kinds, texts: TextPool) -> Mask:
    if value.kind == NUMBER:
        # A text that reads as the number is equal to it, too.
        like = _of_texts(lambda text: parse_number(text) == value.number, number, kind, texts)
        return np.logical_or(np.equal(kind, NUMBER) & np.equal(number, value.number), like)
    if value.kind == LOGICAL:
        mask: Mask = np.logical_and(kind == LOGICAL, number == value.number)
        return mask
    if value.kind >= ERROR:
        return np.equal(kind, value.kind)
    if value.text == "":
        empty = np.equal(kind, EMPTY)
        # "" takes the empty text as well; "=" and "<>" tell it from an empty cell.
        return np.logical_or(empty, _of_texts(lambda text: text == "", number, kind, texts)) if bare else empty
    if has_wildcards(value.text):
        return _of_texts(lambda text: matches(value.text, text), number, kind, texts)
    wanted = fold(value.text)
    return _of_texts(lambda text: fold(text) == wanted, number, kind, texts)


def _ordered(op: str, value: Scalar, number: Floats, kind: Kinds, texts: TextPool) -> Mask:
    """Numbers are compared with numbers alone, texts with texts, logicals with logicals."""
    if value.kind in (NUMBER, LOGICAL):
        mask: Mask = np.logical_and(kind == value.kind, _ORDER[op](number, value.number))
        return mask
    if value.kind == TEXT and value.text != "":
        test, wanted = _TEXT_ORDER[op], fold(value.text)
        return _of_texts(lambda text: test(fold(text), wanted), number, kind, texts)
    if value.kind >= ERROR and op in ("<=", ">="):
        return np.equal(kind, value.kind)
    return np.zeros(kind.shape, bool)
