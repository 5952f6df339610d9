"""Small builders that the hazards share. Places count from 0, as ``(row, column)``."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Mapping
from xml.sax.saxutils import escape

from tests.reading import packages
from xlsx_attention.model.address import cell_name

Cell = tuple[int, int, str]
GOOD = packages.book(packages.row(1, '<c r="A1"><v>1</v></c><c r="B1"><f>A1+1</f><v>2</v></c>'))


def number(row: int, column: int, value: object) -> Cell:
    """A constant; ``value`` is written as it stands."""
    return row, column, f'<c r="{cell_name(row, column)}"><v>{value}</v></c>'


def typed(row: int, column: int, kind: str, value: str) -> Cell:
    """A constant with a type."""
    return row, column, f'<c r="{cell_name(row, column)}" t="{kind}"><v>{escape(value)}</v></c>'


def formula(row: int, column: int, text: str, value: object | None = 0) -> Cell:
    """A formula with its cached value, or with none."""
    stored = "" if value is None else f"<v>{value}</v>"
    return row, column, f'<c r="{cell_name(row, column)}"><f>{escape(text)}</f>{stored}</c>'


def rows(cells: Iterable[Cell]) -> str:
    """The rows of ``sheetData``."""
    lines: dict[int, list[tuple[int, str]]] = {}
    for row, column, xml in cells:
        lines.setdefault(row, []).append((column, xml))
    return "".join(packages.row(row + 1, "".join(xml for _, xml in sorted(lines[row]))) for row in sorted(lines))


def book(*cells: Cell, names: Mapping[str, str] | None = None, **more: object) -> bytes:
    """A workbook with one sheet ``S`` of these cells, and defined names."""
    if names:
        listed = "".join(f'<definedName name="{name}">{escape(text)}</definedName>' for name, text in names.items())
        more["book_after"] = f"<definedNames>{listed}</definedNames>"
    return packages.book(rows(cells), **more)


def one(text: str, value: object | None = 0, *cells: Cell, **more: object) -> bytes:
    """``A1`` = 1, ``B1`` the formula, ``C1`` = A1+1 to see that the sheet goes on."""
    return book(number(0, 0, 1), formula(0, 1, text, value), formula(0, 2, "A1+1", 2), *cells, **more)


def replaced(name: str, content: str | bytes) -> bytes:
    """A good file with one part replaced or added."""
    return packages.pack({**packages.parts(packages.row(1, '<c r="A1"><v>1</v></c>')), name: content})


def without(name: str) -> bytes:
    """A good file without one part."""
    return packages.pack({key: value for key, value in packages.parts().items() if key != name})


def raw(entries: list[tuple[str, str | bytes]], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip archive of these entries, whatever their names."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, content in entries:
            archive.writestr(zipfile.ZipInfo(name), content, compress_type=method)
    return buffer.getvalue()


def patched(data: bytes, signature: bytes, offset: int, value: bytes) -> bytes:
    """``value`` written at ``offset`` behind every ``signature``."""
    changed = bytearray(data)
    at = changed.find(signature)
    while at >= 0:
        changed[at + offset : at + offset + len(value)] = value
        at = changed.find(signature, at + 1)
    return bytes(changed)
