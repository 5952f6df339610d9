"""Notes as files have them: the words in a part of comments, the boxes in a VML drawing."""

from __future__ import annotations

import re
from typing import Final

from xlsx_attention.model.address import MAX_COLUMNS, MAX_ROWS, cell_name
from xlsx_attention.reporting.annotate.xml_places import Element, edited, elements, utf8
from xlsx_attention.reporting.notes import AUTHOR, note_height
from xlsx_attention.writing.cells import escape

_MAIN: Final = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_HEAD: Final = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_NAMESPACES: Final = {
    "v": "urn:schemas-microsoft-com:vml",
    "o": "urn:schemas-microsoft-com:office:office",
    "x": "urn:schemas-microsoft-com:office:excel",
}
_SHAPE_ID: Final = re.compile(rb"_x0000_s(\d+)")
_BOX_TYPE: Final = (
    '<v:shapetype id="_x0000_t202" coordsize="21600,21600" o:spt="202" path="m,l,21600r21600,l21600,xe">'
    '<v:stroke joinstyle="miter"/><v:path gradientshapeok="t" o:connecttype="rect"/></v:shapetype>'
)
#: A row is about 20 pixels high, a column 64 wide; a note spans so many of them.
_ROW_PIXELS: Final = 20
_SPAN: Final = 6

Notes = dict[tuple[int, int], str]


def noted_cells(comments: bytes) -> set[str]:
    """The cells that have a note already."""
    found = elements(utf8(comments), lambda name, depth: name == "comment")
    return {element.attributes.get("ref", "").replace("$", "") for element in found}


def new_comments(notes: Notes) -> bytes:
    """A part of comments."""
    rows = b"".join(_comment("", place, text, 0) for place, text in sorted(notes.items()))
    start = f'{_HEAD}<comments xmlns="{_MAIN}"><authors><author>{AUTHOR}</author></authors><commentList>'
    return start.encode() + rows + b"</commentList></comments>"


def more_comments(xml: bytes, notes: Notes) -> bytes:
    """An old part of comments, its own kept, with more; our author is the last of its authors."""
    xml = utf8(xml)
    found = elements(xml, lambda name, depth: name in ("comments", "authors", "author", "commentList"))
    authors = [element for element in found if element.name == "author"]
    by_name = {element.name: element for element in found}
    root, listed = by_name["comments"], by_name.get("commentList")
    prefix = root.prefix
    author = f"<{prefix}author>{AUTHOR}</{prefix}author>".encode()
    rows = b"".join(_comment(prefix, place, text, len(authors)) for place, text in sorted(notes.items()))
    edits: list[tuple[int, int, bytes]] = []
    _put_in(edits, xml, by_name.get("authors"), author)
    _put_in(edits, xml, listed, rows)
    return edited(xml, edits)


def _put_in(edits: list[tuple[int, int, bytes]], xml: bytes, parent: Element | None, rows: bytes) -> None:
    """At the end of a list; an empty element is opened for it."""
    assert parent is not None  # the format asks for both lists (ECMA-376 part 1, 18.7.6)
    if parent.is_empty:
        tag = xml[parent.start : parent.end - 2] + b">"
        edits.append((parent.start, parent.end, tag + rows + f"</{parent.prefix}{parent.name}>".encode()))
    else:
        edits.append((parent.close, parent.close, rows))


def _comment(prefix: str, place: tuple[int, int], text: str, author: int) -> bytes:
    p = prefix
    return (
        f'<{p}comment ref="{cell_name(*place)}" authorId="{author}"><{p}text><{p}r><{p}rPr><{p}sz val="9"/></{p}rPr>'
        f'<{p}t xml:space="preserve">{escape(text)}</{p}t></{p}r></{p}text></{p}comment>'
    ).encode()


def new_drawing(notes: Notes, sheet: int) -> bytes:
    """A VML drawing of boxes; ``sheet`` (from 1) keeps the ids of sheets apart."""
    names = "".join(f' xmlns:{prefix}="{name}"' for prefix, name in _NAMESPACES.items())
    head = f'<xml{names}><o:shapelayout v:ext="edit"><o:idmap v:ext="edit" data="{sheet}"/></o:shapelayout>{_BOX_TYPE}'
    return head.encode() + _boxes(notes, sheet * 1024 + 1) + b"</xml>"


def more_drawing(vml: bytes, notes: Notes) -> bytes:
    """An old drawing with more boxes at its end. VML is not always well-formed XML, so it is not parsed."""
    taken = [int(match) for match in _SHAPE_ID.findall(vml)]
    boxes = _boxes(notes, max(taken, default=1024) + 1)
    if b'id="_x0000_t202"' not in vml:
        boxes = _BOX_TYPE.encode() + boxes
    # A drawing may have other prefixes for these namespaces than Excel's own.
    missing = b"".join(
        f' xmlns:{prefix}="{name}"'.encode()
        for prefix, name in _NAMESPACES.items()
        if f'xmlns:{prefix}="{name}"'.encode() not in vml
    )
    boxes = boxes.replace(b"<v:shape ", b"<v:shape" + missing + b" ")
    boxes = boxes.replace(b"<v:shapetype ", b"<v:shapetype" + missing + b" ")
    end = vml.rfind(b"</xml>")
    return vml[:end] + boxes + vml[end:]


def _boxes(notes: Notes, first: int) -> bytes:
    boxes = []
    for number, ((row, column), text) in enumerate(sorted(notes.items()), first):
        rows = -(-note_height(text) // _ROW_PIXELS)
        left = min(column + 1, MAX_COLUMNS - _SPAN - 1)
        top = min(max(row - 1, 0), MAX_ROWS - rows - 1)
        boxes.append(
            f'<v:shape id="_x0000_s{number}" type="#_x0000_t202" style="position:absolute;visibility:hidden" '
            'fillcolor="#ffffe1" o:insetmode="auto"><v:fill color2="#ffffe1"/>'
            '<v:shadow on="t" color="black" obscured="t"/><v:path o:connecttype="none"/>'
            '<v:textbox style="mso-direction-alt:auto"><div style="text-align:left"/></v:textbox>'
            f'<x:ClientData ObjectType="Note"><x:MoveWithCells/><x:SizeWithCells/>'
            f"<x:Anchor>{left}, 12, {top}, 4, {left + _SPAN}, 12, {top + rows}, 4</x:Anchor>"
            f"<x:AutoFill>False</x:AutoFill><x:Row>{row}</x:Row><x:Column>{column}</x:Column></x:ClientData></v:shape>"
        )
    return "".join(boxes).encode()
