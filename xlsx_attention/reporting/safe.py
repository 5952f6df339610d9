"""Text from a file, made harmless for a terminal: control characters, escapes and direction marks become visible."""

from __future__ import annotations

import unicodedata

_DIRECTION = frozenset("\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u061c")


def visible(text: str, limit: int = 200) -> str:
    """Printable on any terminal: nothing moves the cursor, changes colours or turns the line around."""
    if len(text) <= limit and text.isprintable():
        return text
    letters = []
    for letter in text[: limit + 1]:
        if letter in _DIRECTION or unicodedata.category(letter) in ("Cc", "Cs", "Co", "Cn", "Zl", "Zp"):
            letters.append(f"\\u{ord(letter):04x}" if ord(letter) > 0xFF else f"\\x{ord(letter):02x}")
        else:
            letters.append(letter)
    shown = "".join(letters)
    return shown if len(text) <= limit else shown[:limit] + "…"
