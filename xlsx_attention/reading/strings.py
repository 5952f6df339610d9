"""Texts as the format stores them: ``_xHHHH_`` escapes, rich text runs, phonetic hints, white space."""

from __future__ import annotations

import re
from collections.abc import Callable

from xlsx_attention.reading.package import Package
from xlsx_attention.reading.xml_events import Attributes, Handlers

_ESCAPE = re.compile("_x([0-9A-Fa-f]{4})_")
_BLANKS = " \t\n\r"


def unescape(text: str) -> str:
    """Decode ``_x000D_`` and its like (ECMA-376 part 1, 22.9.2.19); escaped surrogate pairs are joined."""
    if "_x" not in text:
        return text
    decoded = _ESCAPE.sub(lambda match: chr(int(match[1], 16)), text)
    if any("\ud800" <= character <= "\udfff" for character in decoded):
        decoded = decoded.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return decoded


class RichText:
    """Gathers the text of one ``si`` or ``is`` element from its parts.

    Runs are joined; what stands in ``rPh`` (how to pronounce it) is no part of the text. White space at the ends of a
    ``t`` counts only with ``xml:space="preserve"``, as in Excel.
    """

    __slots__ = ("_parts", "_phonetic", "_preserve")

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        self._parts: list[str] = []
        self._phonetic = 0
        self._preserve = False

    def start_t(self, attributes: Attributes) -> None:
        self._preserve = attributes.get("xml:space") == "preserve"

    def end_t(self, text: str) -> None:
        if not self._phonetic:
            self._parts.append(text if self._preserve else text.strip(_BLANKS))

    def start_phonetic(self, _attributes: Attributes) -> None:
        self._phonetic += 1

    def end_phonetic(self, _text: str) -> None:
        self._phonetic -= 1

    @property
    def text(self) -> str:
        return unescape("".join(self._parts))


def read_shared_strings(package: Package, part: str, add: Callable[[str], int]) -> list[int]:
    """The table of shared strings, each put through ``add`` (a text pool): index in the table → index in the pool."""
    rich = RichText()
    table: list[int] = []

    def begin(_attributes: Attributes) -> None:
        rich.begin()

    def finish(_text: str) -> None:
        table.append(add(rich.text))

    package.parse(
        part,
        Handlers(
            start={"si": begin, "t": rich.start_t, "rPh": rich.start_phonetic},
            end={"si": finish, "t": rich.end_t, "rPh": rich.end_phonetic},
        ),
    )
    return table
