"""A worksheet's part with other formats on some cells and a drawing of notes; all else as it was."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from xlsx_attention.model.address import parse_cell
from xlsx_attention.reporting.annotate.xml_places import edited, elements, with_attribute

_OFFICE: Final = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
#: What follows ``legacyDrawing`` in a worksheet. Source: ECMA-376 part 1, 18.3.1.99 (CT_Worksheet), in this order.
_AFTER: Final = frozenset(
    {
        "legacyDrawingHF",
        "drawingHF",
        "picture",
        "oleObjects",
        "controls",
        "webPublishItems",
        "tableParts",
        "extLst",
        "AlternateContent",
    }
)
_ROW_OR_CELL: Final = re.compile(rb"<(?:[\w.-]+:)?(row|c)(?=[\s/>])(?:[^>\"']|\"[^\"]*\"|'[^']*')*>")
_ATTRIBUTE: Final = re.compile(rb"\s(r|s)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")


def restyled(xml: bytes, wanted: dict[tuple[int, int], str], style: Callable[[int, str], int | None]) -> bytes:
    """The part with ``style(old, verdict)`` on the cells of ``wanted`` (place → verdict)."""
    data = next(iter(elements(xml, lambda name, depth: depth == 1 and name == "sheetData")), None)
    if data is None:
        return xml
    edits: list[tuple[int, int, bytes]] = []
    row, column = -1, -1
    for match in _ROW_OR_CELL.finditer(xml, data.inner, data.close):
        attributes = {m[1]: m[2] if m[2] is not None else m[3] for m in _ATTRIBUTE.finditer(match[0])}
        place = attributes.get(b"r")
        if match[1] == b"row":
            # Without a number a row follows the one before, and a cell its left neighbour.
            row, column = (int(place) - 1 if place else row + 1), -1
            continue
        column += 1
        if place:
            row, column = parse_cell(place.decode())
        verdict = wanted.get((row, column))
        if verdict is not None:
            number = style(int(attributes.get(b"s", b"0")), verdict)
            if number is not None:
                edits.append((*match.span(), with_attribute(match[0], "s", str(number))))
    return edited(xml, edits)


def with_notes_drawing(xml: bytes, relation: str) -> bytes:
    """The part with ``<legacyDrawing>`` in its place among the worksheet's children."""
    root = elements(xml, lambda name, depth: depth == 0)[0]
    children = elements(xml, lambda name, depth: depth == 1)
    place = next((child.start for child in children if child.name in _AFTER), root.close)
    tag = f'<{root.prefix}legacyDrawing xmlns:xa="{_OFFICE}" xa:id="{relation}"/>'.encode()
    return edited(xml, [(place, place, tag)])


def notes_drawing(xml: bytes) -> str | None:
    """The relationship id of the sheet's drawing of notes, if it has one."""
    for child in elements(xml, lambda name, depth: depth == 1 and name == "legacyDrawing"):
        for name, value in child.attributes.items():
            if name.rpartition(":")[2] == "id":
                return value
    return None
