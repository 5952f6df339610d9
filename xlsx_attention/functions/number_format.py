"""TEXT's number formats: cut into sections and tokens, and the right section chosen for a value.

A format is up to four sections between ``;`` (positive, negative, zero, text), each with an optional colour, currency
and condition in brackets. Source: Microsoft, "Number format codes"; details come from Excel's values in the test
corpus.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from xlsx_attention.functions.number_format_dates import format_date
from xlsx_attention.functions.number_format_numbers import format_digits
from xlsx_attention.functions.numbers_as_text import format_general_cell
from xlsx_attention.functions.registry import ExcelError
from xlsx_attention.model.values import VALUE

TokenKind = Literal[
    "literal", "digit", "point", "comma", "percent", "exponent", "slash", "text", "general", "date", "fill"
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Token:
    """``text`` is the literal, the placeholder (``0 # ?``), ``E+``/``E-`` or a date part (``mm``, ``[h]``, ``.00``)."""

    kind: TokenKind
    text: str


@dataclass(frozen=True, slots=True)
class Section:
    tokens: tuple[Token, ...]
    condition: tuple[str, float] | None

    def has(self, kind: TokenKind) -> bool:
        return any(token.kind == kind for token in self.tokens)


_COLOURS = re.compile(r"black|blue|cyan|green|magenta|red|white|yellow|color ?\d{1,2}", re.IGNORECASE)
_CONDITION = re.compile(r"(<=|>=|<>|<|>|=)\s*(-?\d{1,15}(?:\.\d{0,15})?)")
_ELAPSED = re.compile(r"h{1,4}|m{1,4}|s{1,4}", re.IGNORECASE)
_COMPARE: Final[dict[str, Callable[[float, float], bool]]] = {
    "<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge, "=": operator.eq, "<>": operator.ne,
}  # fmt: skip
#: Letters that ask for parts of a date; ``n`` is refused, other letters stand for themselves.
_DATE_LETTERS: Final = frozenset("ymdhsegbYMDHSEG")
_SINGLE: Final[dict[str, TokenKind]] = {
    "0": "digit", "#": "digit", "?": "digit", ".": "point", ",": "comma", "%": "percent", "/": "slash", "@": "text",
}  # fmt: skip


class _Reader:
    """Reads one format from left to right."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.tokens: list[Token] = []
        self.condition: tuple[str, float] | None = None

    def sections(self) -> tuple[Section, ...]:
        result = []
        while True:
            more = self._section()
            result.append(Section(tuple(self.tokens), self.condition))
            self.tokens, self.condition = [], None
            if not more:
                break
        if len(result) > 4:
            raise ExcelError(VALUE)
        return tuple(result)

    def _add(self, kind: TokenKind, text: str, length: int) -> None:
        self.tokens.append(Token(kind, text))
        self.at += length

    def _section(self) -> bool:
        while self.at < len(self.text):
            c = self.text[self.at]
            rest = self.text[self.at :]
            if c == ";":
                self.at += 1
                return True
            if c == '"':
                end = self.text.find('"', self.at + 1)
                end = len(self.text) if end < 0 else end
                self._add("literal", self.text[self.at + 1 : end], end + 1 - self.at)
            elif c in "\\!":
                self._add("literal", rest[1:2], 2)
            elif c == "_":
                self._add("literal", " ", 2)
            elif c == "*":
                self._add("fill", rest[1:2], 2)
            elif c == "[":
                self._bracket()
            elif rest[:7].lower() == "general":
                self._add("general", "", 7)
            elif rest[:2] in ("E+", "E-", "e+", "e-"):
                self._add("exponent", rest[:2].upper(), 2)
            elif c in _SINGLE:
                self._single(c, rest)
            elif c in _DATE_LETTERS or rest[:5].lower() == "am/pm" or rest[:3].lower() == "a/p":
                self._date(c, rest)
            elif c == "n":
                raise ExcelError(VALUE)
            else:
                self._add("literal", c, 1)
        return False

    def _single(self, c: str, rest: str) -> None:
        if c == "." and self.tokens and self._after_seconds():
            match = re.match(r"\.0{1,3}(?!0)", rest)
            if match:
                self._add("date", match[0], len(match[0]))
                return
        self._add(_SINGLE[c], c, 1)

    def _after_seconds(self) -> bool:
        last = self.tokens[-1]
        return last.kind == "date" and last.text.strip("[]")[:1] == "s"

    def _date(self, c: str, rest: str) -> None:
        if rest[:5].lower() == "am/pm":
            self._add("date", "AM/PM", 5)
        elif rest[:3].lower() == "a/p":
            self._add("date", rest[:3], 3)
        else:
            length = len(rest) - len(rest.lstrip(c.lower() + c.upper()))
            self._add("date", c.lower() * length, length)

    def _bracket(self) -> None:
        end = self.text.find("]", self.at)
        if end < 0:
            raise ExcelError(VALUE)
        inside = self.text[self.at + 1 : end]
        length = end + 1 - self.at
        condition = _CONDITION.fullmatch(inside)
        if inside.startswith("$"):
            self._add("literal", inside[1:].partition("-")[0], length)
        elif _ELAPSED.fullmatch(inside) and len(set(inside.lower())) == 1:
            self._add("date", f"[{inside.lower()}]", length)
        elif condition:
            self.condition = condition[1], float(condition[2])
            self.at += length
        elif _COLOURS.fullmatch(inside):
            self.at += length
        else:
            raise ExcelError(VALUE)


@lru_cache(maxsize=256)
def read_format(text: str) -> tuple[Section, ...]:
    """The sections of a format; raises ``ExcelError(#VALUE!)`` for one that Excel refuses."""
    sections = _Reader(text).sections()
    for section in sections:
        mixed = section.has("date") and any(section.has(k) for k in ("exponent", "general"))
        digits = section.has("digit") and section.has("date")
        if mixed or digits or (section.has("text") and section.has("digit")):
            raise ExcelError(VALUE)
    return sections


def _choose(sections: tuple[Section, ...], number: float) -> tuple[Section | None, bool]:
    """The section for a number, and whether the number's own minus sign is to be shown."""
    numeric = sections[:3]
    if any(section.condition for section in numeric):
        for i, section in enumerate(numeric):
            if section.condition is None:
                if i == len(numeric) - 1 or (i == 1 and number < 0):
                    return section, number < 0
                continue
            sign, limit = section.condition
            if _COMPARE[sign](number, limit):
                # A section for negative numbers alone shows no sign of its own.
                return section, number < 0 and not (sign in ("<", "<=") and limit <= 0)
        return None, False
    if len(numeric) == 1:
        return numeric[0], number < 0
    if number < 0:
        return numeric[1], False
    if number == 0 and len(numeric) == 3:
        return numeric[2], False
    return numeric[0], False


def format_number(number: float, text: str, date1904: bool = False) -> str:
    """``TEXT(number, text)``; ``#VALUE!`` for a format that Excel refuses and for dates before day 0."""
    sections = read_format(text)
    section, signed = _choose(sections, number)
    if section is None:
        return "#" * 8
    if section.has("date"):
        return format_date(number, [(t.kind, t.text) for t in section.tokens], date1904)
    sign = "-" if signed else ""
    if section.has("general") or (section.has("text") and not section.has("digit")):
        shown = format_general_cell(abs(number))
        return sign + "".join(_plain(token, shown) for token in section.tokens)
    body, is_zero = format_digits(abs(number), [(t.kind, t.text) for t in section.tokens])
    return body if is_zero else sign + body


def _plain(token: Token, shown: str) -> str:
    if token.kind in ("general", "text"):
        return shown
    return "" if token.kind == "fill" else token.text


def format_text(value: str, text: str) -> str:
    """``TEXT(value, text)`` of a text: the section with ``@`` (the fourth, or the last one), else the text itself."""
    sections = read_format(text)
    section = sections[-1]
    if len(sections) < 4 and not section.has("text"):
        return value
    return "".join(_plain(token, value) for token in section.tokens)
