"""Names of sheets that every spreadsheet program accepts.

Rules: at most 31 UTF-16 units, none of ``[ ] : * ? / \\``, no control characters, no apostrophe at either end, not
``History``, unique without regard to case. Source: Microsoft's page "Rename a worksheet".
"""

from __future__ import annotations

import re
import unicodedata

LIMIT = 31
_FORBIDDEN = re.compile(r"[\[\]:*?/\\]")


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _cut(text: str, limit: int) -> str:
    return text.encode("utf-16-le")[: 2 * limit].decode("utf-16-le", "ignore")


class SheetNames:
    """Hands out names, each once."""

    def __init__(self) -> None:
        self._taken: set[str] = {"history"}

    def take(self, wanted: str) -> str:
        """``wanted`` where it may be had, else the nearest name that may."""
        text = "".join("�" if unicodedata.category(c) in ("Cs", "Cc", "Cn") else c for c in wanted)
        text = _FORBIDDEN.sub("_", text).strip("'").strip() or "Sheet"
        name, number = _cut(text, LIMIT).rstrip("'"), 1
        while _key(name) in self._taken:
            number += 1
            suffix = f" ({number})"
            name = _cut(text, LIMIT - _units(suffix)) + suffix
        self._taken.add(_key(name))
        return name


def _key(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()
