"""Values as the XML of a cell has them."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

_NEEDS_ESCAPE = re.compile(r"[&<>]")
# What XML 1.0 cannot hold Excel writes as _xHHHH_, and the underscore of a text that looks so as _x005F_.
_LOOKS_ESCAPED = re.compile(r"_(?=x[0-9A-Fa-f]{4}_)")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\ufffe\uffff]")
_SURROGATE = re.compile("[\ud800-\udfff]")
# One search for formulas, of which there are many and hardly any holds such a thing.
_NOT_PLAIN = re.compile("[\x00-\x08\x0b-\x1f\ufffe\uffff\ud800-\udfff]|_(?=x[0-9A-Fa-f]{4}_)")


@dataclass(frozen=True, slots=True)
class CellError:
    """An Excel error as a cell's value: ``CellError("#DIV/0!")``."""

    code: str


Value = float | int | bool | str | CellError | None


def number_text(number: float) -> str:
    """The shortest text that reads back as the same double: up to 17 digits, where Excel itself writes 17.

    Raises ``ValueError`` for NaN and infinities, which no cell can hold.
    """
    text = repr(float(number))
    if text.endswith(".0"):
        return "0" if text == "-0.0" else text[:-2]
    if text[-1] in "fn":  # inf, nan
        raise ValueError(f"{text} is no number that a cell can hold")
    return text


def clean_text(text: str) -> str:
    """``text`` without halves of UTF-16 pairs, which UTF-8 cannot hold: U+FFFD stands for each."""
    return _SURROGATE.sub("\ufffd", text)


def printable(text: str) -> str:
    """``text`` for the document's properties, which know no escapes: without control characters."""
    return _CONTROL.sub("", clean_text(text))


def escape(text: str) -> str:
    """``text`` as the content of an element of a workbook."""
    text = _LOOKS_ESCAPED.sub("_x005F_", clean_text(text))
    text = _CONTROL.sub(lambda match: f"_x{ord(match[0]):04X}_", text)
    return escape_markup(text)


def escape_formula(formula: str) -> str:
    """A formula as the content of its element: texts in it may hold what XML cannot."""
    if _NOT_PLAIN.search(formula):
        return escape(formula)
    return escape_markup(formula)


def escape_markup(text: str) -> str:
    """``text`` with ``&``, ``<`` and ``>`` escaped, and nothing else changed."""
    if _NEEDS_ESCAPE.search(text):
        text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text


def cached_xml(value: Value) -> tuple[str, str]:
    """A formula's result: the cell's type attribute (``' t="str"'`` or nothing) and its ``<v>`` element.

    ``None`` is no stored result.
    """
    if value is None:
        return "", ""
    if isinstance(value, bool | np.bool_):
        return ' t="b"', f"<v>{int(value)}</v>"
    if isinstance(value, CellError):
        return ' t="e"', f"<v>{escape_markup(value.code)}</v>"
    if isinstance(value, str):
        return ' t="str"', f"<v>{escape(value)}</v>"
    return "", f"<v>{number_text(value)}</v>"
