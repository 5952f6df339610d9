"""What the texts beside a rectangle call it, in English or Chinese."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from xlsx_attention.model.values import TEXT
from xlsx_attention.recognising.cells import Cells
from xlsx_attention.recognising.places import Matrix, bounds
from xlsx_attention.recognising.terms import unpack

#: A label begins with one of these; longer names come first where one begins another.
NAMES: Final[tuple[tuple[str, str], ...]] = (
    ("W_q", r"w_?\s?q\b|查询权重"),
    ("W_k", r"w_?\s?k\b|键权重"),
    ("W_v", r"w_?\s?v\b|值权重"),
    ("W_o", r"w_?\s?o\b|输出权重"),
    ("Q", r"q(?![a-z0-9])|quer(y|ies)\b|查询"),
    ("K", r"k(?![a-z0-9])|keys?\b|键"),
    ("V", r"v(?![a-z0-9])|values?\b|值"),
    ("X", r"x(?![a-z0-9])|inputs?\b|embeddings?\b|输入|词嵌入"),
    ("scores", r"scores?\b|打分|分数"),
    ("weights", r"(attention )?weights?\b|注意力权重|权重"),
    ("output", r"outputs?\b|输出"),
)
_PATTERNS: Final = tuple((name, re.compile(rf"\s*(?:{pattern})", re.IGNORECASE)) for name, pattern in NAMES)
#: A title stands at most this many rows above a table (formula lines, a row of headings and arrows may lie between) …
ABOVE: Final = 4
#: … or this many columns before it.
BEFORE: Final = 2


def name_in(text: str) -> str | None:
    """The role that a label's beginning names: ``"W_q  查询权重  8×8" → "W_q"``, ``"Kᵀ" → "K"``."""
    for name, pattern in _PATTERNS:
        if pattern.match(text):
            return name
    return None


_MASK: Final = re.compile(r"mask|掩码|遮罩|padding|causal", re.IGNORECASE)


def is_mask_label(text: str) -> bool:
    return _MASK.search(text) is not None


def label_of(matrix: Matrix, cells: Cells) -> str | None:
    """The name that the nearest label above (first) or before a matrix gives it; ``None`` where there is none."""
    return next((name for text in texts_near(matrix, cells) if (name := name_in(text)) is not None), None)


def texts_near(matrix: Matrix, cells: Cells) -> Iterator[str]:
    """Texts above a matrix, the nearest row first, then those before it."""
    ids = [cell for line in matrix for cell in line]
    if not ids:
        return
    sheet = unpack(ids[0])[0]
    if sheet >= cells.inside.first:
        return
    rect = bounds(cell for cell in ids if unpack(cell)[0] == sheet)
    for row in range(rect.top - 1, max(-1, rect.top - 1 - ABOVE), -1):
        for column in range(max(0, rect.left - BEFORE), min(rect.right, rect.left + 3)):
            yield from _at(cells, sheet, row, column)
    for column in range(rect.left - 1, max(-1, rect.left - 1 - BEFORE), -1):
        yield from _at(cells, sheet, rect.top, column)


def _at(cells: Cells, sheet: int, row: int, column: int) -> Iterator[str]:
    number, kind = cells.grid.sheets[sheet].cached.get(row, column)
    if kind == TEXT:
        yield cells.grid.texts[number]
