"""Which value comes first: for SORT, MATCH and the other look-ups. Texts are compared without case, as Excel's lists
are.

Order of kinds: numbers, texts, logicals, errors (by their number in ERROR.TYPE), empty cells. In texts, blanks and
signs come before digits, digits before letters, an accented letter right after its plain one; hyphens and apostrophes
count only where all else is equal. Source: Microsoft, "Sort data in a range or table", and the order of Unicode's
default collation that Excel follows.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import Final

import numpy as np

from xlsx_attention.functions.registry import Context, Matrix
from xlsx_attention.functions.wildcards import fold
from xlsx_attention.model.values import EMPTY, ERROR, LOGICAL, NUMBER, TEXT, Floats, Scalar, TextPool

_SIGNS: Final = ' _,;:!?."()[]{}@*/\\&#%`^+<=>|~$'
_IGNORED: Final = frozenset("-'")
_RANKS: Final = {NUMBER: 0, TEXT: 1, LOGICAL: 2, EMPTY: 4}

TextKey = tuple[str, str, int, str]
Key = tuple[int, float, TextKey]

_NO_TEXT: Final[TextKey] = ("", "", 0, "")
#: Keys of longer texts are made anew each time: what is remembered must stay small.
_SHORT: Final = 256


def text_key(text: str) -> TextKey:
    """A key that sorts texts; equal keys are texts that differ in case alone."""
    return _short_key(text) if len(text) <= _SHORT else _key(text)


@lru_cache(maxsize=16_384)
def _short_key(text: str) -> TextKey:
    return _key(text)


def _key(text: str) -> TextKey:
    """Plain characters by their place, then accents, then how many characters were passed over, then the text without
    case.
    """
    # Here ß is SS: positions do not matter.
    folded = text.upper()
    plain: list[str] = []
    accents: list[str] = []
    for c in unicodedata.normalize("NFD", folded):
        if unicodedata.combining(c):
            # With its place, so that an accent on an earlier letter weighs more.
            accents.append(f"{0x10FFFF - len(plain):06x}{c}")
        elif c not in _IGNORED:
            plain.append(_place(c))
    return "".join(plain), "".join(accents), sum(c in _IGNORED for c in folded), folded


def _place(c: str) -> str:
    """A character that stands where ``c`` belongs: signs, then digits, then letters."""
    sign = _SIGNS.find(c)
    if sign >= 0:
        return chr(1 + sign)
    if c.isalpha():
        return chr(min(0x20000 + ord(c), 0x10FFFF))
    return chr((0x10000 if c.isdigit() else 0x100) + min(ord(c), 0xFEFF))


def order_of_texts(a: Floats, b: Floats, texts: TextPool) -> Floats:
    """−1, 0, 1 for each pair of texts, given by their indices in the pool: each text is looked at once."""
    indices, places = np.unique(np.concatenate([a, b]), return_inverse=True)
    keys = [text_key(texts[i]) for i in indices.tolist()]
    numbers = {k: float(n) for n, k in enumerate(sorted(set(keys)))}
    ranks = np.array([numbers[k] for k in keys])[places.reshape(-1)]
    return np.asarray(np.sign(ranks[: a.size] - ranks[a.size :]), np.float64)


def rank(kind: int) -> int:
    """Numbers 0, texts 1, logicals 2, errors 3, empty cells 4."""
    return 3 if kind >= ERROR else _RANKS[kind]


def key(value: Scalar) -> Key:
    """A key that sorts values of all kinds in ascending order."""
    if value.kind == TEXT:
        return 1, 0.0, text_key(value.text)
    if value.kind >= ERROR:
        return 3, float(value.kind), _NO_TEXT
    return rank(value.kind), 0.0 if value.kind == EMPTY else value.number, _NO_TEXT


def same(a: Scalar, b: Scalar) -> bool:
    """Equal without conversion: of one kind, texts without case, errors alike."""
    if a.kind != b.kind:
        return False
    if a.kind == TEXT:
        return a.text == b.text or fold(a.text) == fold(b.text)
    return a.number == b.number


def identity(value: Scalar) -> tuple[int, float, str]:
    """A hashable that is equal where :func:`same` is."""
    return value.kind, value.number if value.kind != TEXT else 0.0, fold(value.text) if value.kind == TEXT else ""


def scalars(ctx: Context, matrix: Matrix) -> list[Scalar]:
    """All values in reading order."""
    pairs = zip(matrix.number.ravel().tolist(), matrix.kind.ravel().tolist(), strict=True)
    return [ctx.scalar(number, kind) for number, kind in pairs]
