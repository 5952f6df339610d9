"""From one kind to another: the only place that knows what ``"1"+1`` or ``TRUE&"x"`` is.

Sources: Microsoft's pages on implicit conversion of operands and on each function's "Remarks"; where they are
silent, the values that Excel stored in the workbooks named beside the tests.
"""

from __future__ import annotations

import numpy as np

from xlsx_attention.functions.numbers_as_text import format_general, parse_number
from xlsx_attention.model.values import (
    ALL_NUMBERS,
    EMPTY,
    ERROR,
    ERROR_TEXTS,
    LOGICAL,
    NOT_COMPUTED,
    NUMBER,
    TEXT,
    VALUE,
    Array,
    Kinds,
    Scalar,
    TextPool,
)


def is_error(kind: Kinds) -> np.ndarray:
    """Where a value stops a calculation: an Excel error, or not computed."""
    return kind >= ERROR


def to_number(array: Array, texts: TextPool) -> Array:
    """As an operand of ``+``: empty is 0, logicals 1 and 0, a text the number it reads as, or ``#VALUE!``."""
    if array.only_numbers:
        return array
    kind = array.kind
    if kind.size == 1:
        code = int(kind.flat[0])
        if code >= ERROR:
            return array
        if code in (EMPTY, LOGICAL):
            return Array.numbers(array.number)
    number, kind = array.full()
    text = kind == TEXT
    if text.any():
        # Texts are told apart in the original: a parsed number may equal another text's index.
        original, number, kind = number, number.copy(), kind.copy()
        for index in np.unique(original[text]):
            parsed = parse_number(texts[index])
            here = text & (original == index)
            number[here], kind[here] = (0.0, VALUE) if parsed is None else (parsed, NUMBER)
    return Array(number, collapse(np.where(kind < ERROR, np.uint8(NUMBER), kind)))


def to_logical(array: Array, texts: TextPool) -> Array:
    """As a condition: numbers but 0 are true, empty is false, TRUE and FALSE count as texts, others are ``#VALUE!``."""
    number, kind = array.full()
    original = number
    # The number slot of a value that is not computed is its reason: keep it.
    number, kind = np.where(kind < ERROR, (original != 0.0).astype(np.float64), original), kind.copy()
    text = kind == TEXT
    for index in np.unique(original[text]) if text.any() else ():
        word = texts[index].upper()
        here = text & (original == index)
        number[here], kind[here] = (float(word == "TRUE"), LOGICAL) if word in ("TRUE", "FALSE") else (0.0, VALUE)
    return Array(number, np.where(kind < ERROR, np.uint8(LOGICAL), kind))


def text_of(value: Scalar) -> str:
    """As an operand of ``&``; errors have no text (the caller lets them pass first)."""
    if value.kind == TEXT:
        return value.text
    if value.kind == NUMBER:
        return format_general(value.number)
    if value.kind == LOGICAL:
        return "TRUE" if value.number else "FALSE"
    if value.kind == EMPTY:
        return ""
    return ERROR_TEXTS.get(value.kind, "")


def collapse(kind: Kinds) -> Kinds:
    """(1, 1, 1, 1) where every kind is NUMBER, else as given: keeps the fast paths fast."""
    return kind if kind.any() else ALL_NUMBERS


def first_error(arrays: list[Array]) -> tuple[np.ndarray, np.ndarray] | None:
    """Leftmost error first, place by place: ``(number, kind)`` with kind 0 where no argument is an error."""
    number: np.ndarray | None = None
    kind: np.ndarray | None = None
    for array in arrays:
        if array.only_numbers or not is_error(array.kind).any():
            continue
        here_number, here_kind = array.full()
        bad = is_error(here_kind)
        if kind is None or number is None:
            number, kind = np.where(bad, here_number, 0.0), np.where(bad, here_kind, np.uint8(NUMBER))
        else:
            fresh = bad & (kind == NUMBER)
            number, kind = np.where(fresh, here_number, number), np.where(fresh, here_kind, kind)
    return None if kind is None or number is None else (number, kind)


def finish(number: np.ndarray, kind: Kinds | None, error: tuple[np.ndarray, np.ndarray] | None) -> Array:
    """The end of every numeric step: errors of arguments first, then the body's own, then #NUM! for what is no number.

    Also turns −0 into 0, which Excel does not have.
    """
    from xlsx_attention.model.values import NUM

    number = np.asarray(number, np.float64)
    kinds: np.ndarray | None = None if kind is None or not kind.any() else kind
    finite = np.isfinite(number)
    if not finite.all():
        own = np.where(finite, np.uint8(NUMBER), np.uint8(NUM))
        kinds = own if kinds is None else np.where(kinds != 0, kinds, own)
    if kinds is None and error is None:
        return Array.numbers(number + 0.0)
    result = number + 0.0 if kinds is None else np.where(kinds >= ERROR, 0.0, number + 0.0)
    kinds = np.zeros((1, 1, 1, 1), np.uint8) if kinds is None else kinds
    if error is not None:
        bad = error[1] != NUMBER
        result = np.where(bad, error[0], result)
        kinds = np.where(bad, error[1], kinds)
    return Array(result, kinds.astype(np.uint8, copy=False))


__all__ = ["NOT_COMPUTED", "collapse", "finish", "first_error", "is_error", "text_of", "to_logical", "to_number"]
