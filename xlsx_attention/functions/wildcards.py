"""``*``, ``?`` and ``~`` as MATCH, XLOOKUP, SEARCH and COUNTIF read them, matched without regular expressions.

A pattern is cut at its ``*`` into pieces of fixed length; each piece is looked for once, from left to right. The work
is at most pattern × text comparisons, whatever the pattern. Source: Microsoft, "Using wildcard characters in searches".
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

#: Stands for any one character inside a piece.
_ANY: Final = None

Piece = tuple[str | None, ...]


def fold(text: str) -> str:
    """Without case, character by character, so that positions stay (``ß`` is not ``SS`` here)."""
    upper = text.upper()
    if len(upper) == len(text):
        return upper
    return "".join(c.upper() if len(c.upper()) == 1 else c for c in text)


def has_wildcards(pattern: str) -> bool:
    return "*" in pattern or "?" in pattern or "~" in pattern


@lru_cache(maxsize=512)
def pieces(pattern: str) -> tuple[Piece, ...]:
    """The pattern cut at ``*``. ``~`` takes the next character as it is; at the end it is nothing (corpus, SEARCH)."""
    result: list[Piece] = []
    piece: list[str | None] = []
    folded, i = fold(pattern), 0
    while i < len(folded):
        c = folded[i]
        if c == "~":
            i += 1
            piece += folded[i : i + 1]
        elif c == "*":
            result.append(tuple(piece))
            piece = []
        else:
            piece.append(_ANY if c == "?" else c)
        i += 1
    result.append(tuple(piece))
    return tuple(result)


def _at(piece: Piece, text: str, position: int) -> bool:
    if position < 0 or position + len(piece) > len(text):
        return False
    return all(p is _ANY or p == text[position + k] for k, p in enumerate(piece))


def _find(piece: Piece, text: str, start: int) -> int:
    if _ANY not in piece:
        return text.find("".join(p for p in piece if p is not None), start)
    return next((i for i in range(start, len(text) - len(piece) + 1) if _at(piece, text, i)), -1)


def matches(pattern: str, text: str) -> bool:
    """Whether the whole text is of the pattern's form, without case."""
    parts, folded = pieces(pattern), fold(text)
    first, last = parts[0], parts[-1]
    if len(parts) == 1:
        return len(first) == len(folded) and _at(first, folded, 0)
    if not _at(first, folded, 0):
        return False
    position = len(first)
    for piece in parts[1:-1]:
        found = _find(piece, folded, position)
        if found < 0:
            return False
        position = found + len(piece)
    return len(folded) - len(last) >= position and _at(last, folded, len(folded) - len(last))


def search(pattern: str, text: str, start: int = 0) -> int:
    """Where the pattern first begins in the text at or after ``start`` (from 0), −1 where it does not: SEARCH."""
    parts, folded = pieces(pattern), fold(text)
    # The leftmost place of the first piece is the best one: every later piece then has the most text left.
    begin = start if not parts[0] else _find(parts[0], folded, start)
    position = begin + len(parts[0])
    if begin < 0 or begin > len(folded):
        return -1
    for piece in parts[1:]:
        found = _find(piece, folded, position)
        if found < 0:
            return -1
        position = found + len(piece)
    return begin
