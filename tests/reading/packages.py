"""Workbook packages made by hand, part by part, so that a test can have any oddity in exactly one place."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
RELS = "http://schemas.openxmlformats.org/package/2006/relationships"
STRICT_MAIN = "http://purl.oclc.org/ooxml/spreadsheetml/main"
STRICT_OFFICE = "http://purl.oclc.org/ooxml/officeDocument/relationships"
DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'


def relationships(*entries: tuple[str, str, str], office: str = OFFICE) -> str:
    """Each entry is ``(id, kind, target)``."""
    links = "".join(f'<Relationship Id="{i}" Type="{office}/{kind}" Target="{target}"/>' for i, kind, target in entries)
    return f'{DECLARATION}<Relationships xmlns="{RELS}">{links}</Relationships>'


def worksheet(rows: str, before: str = "", after: str = "") -> str:
    return (
        f'{DECLARATION}<worksheet xmlns="{MAIN}" xmlns:r="{OFFICE}">{before}'
        f"<sheetData>{rows}</sheetData>{after}</worksheet>"
    )


def workbook(sheets: str, after: str = "", before: str = "") -> str:
    return (
        f'{DECLARATION}<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}">{before}<sheets>{sheets}</sheets>{after}</workbook>'
    )


def parts(
    rows: str = "",
    *,
    before: str = "",
    after: str = "",
    strings: str | None = None,
    styles: str | None = None,
    metadata: str | None = None,
    book_before: str = "",
    book_after: str = "",
    extra: Mapping[str, str | bytes] | None = None,
    links: tuple[tuple[str, str, str], ...] = (),
) -> dict[str, str | bytes]:
    """The parts of a workbook with one sheet ``S``; ``rows`` stand inside ``sheetData``."""
    book_links = [("rId1", "worksheet", "worksheets/sheet1.xml"), *links]
    found: dict[str, str | bytes] = {
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
        "_rels/.rels": relationships(("rId1", "officeDocument", "xl/workbook.xml")),
        "xl/workbook.xml": workbook('<sheet name="S" sheetId="1" r:id="rId1"/>', book_after, book_before),
        "xl/worksheets/sheet1.xml": worksheet(rows, before, after),
    }
    for name, kind, text in (
        ("sharedStrings", "sharedStrings", strings),
        ("styles", "styles", styles),
        ("metadata", "sheetMetadata", metadata),
    ):
        if text is not None:
            found[f"xl/{name}.xml"] = f'{DECLARATION}<{_ROOTS[name]} xmlns="{MAIN}">{text}</{_ROOTS[name]}>'
            book_links.append((f"rId_{name}", kind, f"{name}.xml"))
    found["xl/_rels/workbook.xml.rels"] = relationships(*book_links)
    found.update(extra or {})
    return found


_ROOTS = {"sharedStrings": "sst", "styles": "styleSheet", "metadata": "metadata"}


def pack(entries: Mapping[str, str | bytes] | list[tuple[str, str | bytes]], *, level: int = 6) -> bytes:
    """The parts as a zip archive; a list may name a part twice."""
    buffer = io.BytesIO()
    pairs = list(entries.items()) if isinstance(entries, Mapping) else entries
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=level) as package:
        for name, content in pairs:
            package.writestr(name, content)
    return buffer.getvalue()


def book(rows: str = "", **more: object) -> bytes:
    """A whole file with one sheet ``S``; keywords as for :func:`parts`."""
    return pack(parts(rows, **more))  # type: ignore[arg-type]


def row(number: int, cells: str) -> str:
    return f'<row r="{number}">{cells}</row>'


def ole(*streams: str) -> bytes:
    """The head of an OLE container with directory entries of these names (MS-CFB 2.2 and 2.6)."""
    directory = b"".join((name + "\0").encode("utf-16-le").ljust(128, b"\0") for name in ("Root Entry", *streams))
    return b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".ljust(512, b"\0") + directory.ljust(1024, b"\0")
