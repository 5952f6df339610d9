"""The relative form of a formula: its text with every reference in R1C1 notation.

All else of the text is kept as stored, so two formulas have one form exactly when one is a copy of the other. A name
that could be taken for a reference in that notation (``R1C1``, ``RC``) is marked ``~R1C1``; a text that is no sequence
of words of the grammar at all, or too long for a formula, has the form ``!`` + text, which no formula begins with.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal, TypeAlias

from xlsx_attention.errors import FormulaSyntaxError
from xlsx_attention.model.address import MAX_COLUMNS, MAX_ROWS, column_index, column_name
from xlsx_attention.model.formula import FormulaForm
from xlsx_attention.parsing.grammar import MAX_LENGTH, parse
from xlsx_attention.parsing.lexer import A1, R1C1

#: The two directions of a sheet.
ROWS: Final = 0
COLUMNS: Final = 1

_LIKE_R1C1: Final = re.compile(r"(?:R[0-9]*)?(?:C[0-9]*)?", re.IGNORECASE)
_A1_PART: Final = re.compile(r"(\$?)([A-Za-z]+|[0-9]+)")
_R1C1_PART: Final = re.compile(r"([RC])(?:\[(-?[0-9]+)\]|([0-9]+))?|([^RC]+)")
#: Forms are few; a folder of a thousand workbooks still must not fill the memory.
_KEPT_FORMS: Final = 1 << 16
_forms: dict[str, FormulaForm] = {}


@dataclass(frozen=True, slots=True)
class Step:
    """A relative part: the row or column that lies ``offset`` from the formula's own cell."""

    axis: Literal[0, 1]
    offset: int

    def text(self, origin: int) -> str | None:
        """As A1 notation writes it; ``None`` outside the grid."""
        index = origin + self.offset
        if self.axis == COLUMNS:
            return column_name(index) if 0 <= index < MAX_COLUMNS else None
        return str(index + 1) if 0 <= index < MAX_ROWS else None


#: Literal text, or one reference as its parts (``$B`` and a step, say).
Piece: TypeAlias = str | tuple[str | Step, ...]


def key_of(text: str, row: int, column: int) -> str:
    """The R1C1 text of a formula that stands in a cell."""
    if len(text) > MAX_LENGTH:
        return "!" + text
    pieces: list[str] = []
    for match in A1.finditer(text):
        kind = match.lastgroup
        piece = match.group()
        if kind in ("cell", "columns", "rows"):
            piece = _to_r1c1(piece, kind, row, column)
        elif kind == "name" or kind == "prefix":
            if _LIKE_R1C1.fullmatch(piece.partition(":")[0]):
                piece = "~" + piece
        elif kind == "bad":
            return "!" + text
        pieces.append(piece)
    return "".join(pieces)


def _to_r1c1(text: str, kind: str, row: int, column: int) -> str:
    parts: list[str] = []
    end = 0
    for match in _A1_PART.finditer(text):
        parts.append(text[end : match.start()])
        end = match.end()
        mark, name = match.groups()
        letter, index, origin = ("C", column_index(name), column) if name.isalpha() else ("R", int(name) - 1, row)
        if mark:
            parts.append(f"{letter}{index + 1}")
        else:
            parts.append(letter if index == origin else f"{letter}[{index - origin}]")
    if kind == "cell":
        parts.reverse()  # the row comes first in this notation
    return "".join(parts)


@lru_cache(maxsize=4096)
def template(r1c1: str) -> tuple[Piece, ...]:
    """A form taken apart into literal text and references, for writing it as seen from any cell."""
    if r1c1.startswith("!"):
        return (r1c1[1:],)
    pieces: list[Piece] = []
    for match in R1C1.finditer(r1c1):
        kind = match.lastgroup
        text = match.group()
        if kind in ("cell", "columns", "rows"):
            pieces.append(_reference_piece(text, kind))
        else:
            pieces.append(text[1:] if kind == "marked" else text)
    return tuple(pieces)


def _reference_piece(text: str, kind: str) -> tuple[str | Step, ...]:
    parts: list[str | Step] = []
    for letter, offset, absolute, other in _R1C1_PART.findall(text):
        if other:
            parts.append(other)
        elif absolute:
            parts.append("$" + (column_name(int(absolute) - 1) if letter == "C" else absolute))
        else:
            parts.append(Step(COLUMNS if letter == "C" else ROWS, int(offset or 0)))
    return tuple(reversed(parts)) if kind == "cell" else tuple(parts)


def relative_form(text: str, row: int, column: int) -> FormulaForm:
    """The form of a formula (without ``=``) in a cell; each distinct form is parsed once. Never raises."""
    key = key_of(text, row, column)
    form = _forms.get(key)
    if form is None:
        try:
            form = FormulaForm(key, parse(text, row, column))
        except FormulaSyntaxError as error:
            form = FormulaForm(key, None, error.message)
        if len(_forms) >= _KEPT_FORMS:
            _forms.clear()
        _forms[key] = form
    return form


def formula_at(form: FormulaForm, row: int, column: int) -> str:
    """The text of the form in a cell, without ``=``; a reference that leaves the grid there is ``#REF!``."""
    return "".join(
        piece if isinstance(piece, str) else _reference_at(piece, row, column) for piece in template(form.r1c1)
    )


def _reference_at(parts: tuple[str | Step, ...], row: int, column: int) -> str:
    texts: list[str] = []
    for part in parts:
        text = part if isinstance(part, str) else part.text(column if part.axis == COLUMNS else row)
        if text is None:
            return "#REF!"
        texts.append(text)
    return "".join(texts)
