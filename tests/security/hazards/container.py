"""Hostile containers: what is wrong before any cell is read."""

from __future__ import annotations

import struct
import zlib

from tests.reading import packages
from tests.security.hazards.build import GOOD, patched, raw, replaced, without
from tests.security.hazards.outcome import Hazard, Outcome, Read, Refused

MIB = 1 << 20
SHEET = "xl/worksheets/sheet1.xml"
DTD = '<!DOCTYPE w [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]>'  # noqa: E501
AGREES = Read({"agrees": 1})
LOCAL, CENTRAL = b"PK\x03\x04", b"PK\x01\x02"


def _bad_crc() -> bytes:
    data = packages.pack(packages.parts(packages.row(1, '<c r="A1"><v>12345</v></c>')), level=0)
    at = data.index(b"<v>12345") + 3
    return data[:at] + b"9" + data[at + 1 :]


def _encrypted() -> bytes:
    return patched(patched(GOOD, LOCAL, 6, b"\x01\x00"), CENTRAL, 8, b"\x01\x00")


def _method(number: int) -> bytes:
    code = struct.pack("<H", number)
    return patched(patched(GOOD, LOCAL, 8, code), CENTRAL, 10, code)


def _claims(size: int) -> bytes:
    """Every entry claims this inflated size (APPNOTE 4.4.9); the streams are what they were."""
    return patched(patched(GOOD, LOCAL, 22, struct.pack("<I", size)), CENTRAL, 24, struct.pack("<I", size))


def _overlapping() -> bytes:
    """Two hundred names in the directory for one and the same stored stream (D. Fifield, "A better zip bomb", 2019)."""
    body = b" " * (4 * MIB)
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    stream = deflate.compress(body) + deflate.flush()
    local = (
        struct.pack("<4sHHHHHIIIHH", LOCAL, 20, 0, 8, 0, 0, zlib.crc32(body), len(stream), len(body), 1, 0)
        + b"a"
        + stream
    )
    directory = b"".join(
        struct.pack(
            "<4sHHHHHHIIIHHHHHII",
            CENTRAL,
            20,
            20,
            0,
            8,
            0,
            0,
            zlib.crc32(body),
            len(stream),
            len(body),
            4,
            0,
            0,
            0,
            0,
            0,
            0,
        )
        + f"a{i:03}".encode()
        for i in range(200)
    )
    end = struct.pack("<4sHHHHIIH", b"PK\x05\x06", 0, 0, 200, 200, len(directory), len(local), 0)
    return local + directory + end


def _many_entries(count: int) -> bytes:
    return packages.pack({**packages.parts(), **{f"p{i}": b"" for i in range(count)}}, level=0)


def _lying_count() -> bytes:
    """The end record says 65,535 entries (APPNOTE 4.4.22); the directory holds the few that there are."""
    return patched(GOOD, b"PK\x05\x06", 8, struct.pack("<HH", 65535, 65535))


def _prefixed() -> bytes:
    main, office = packages.MAIN, packages.OFFICE
    return packages.pack(
        {
            **packages.parts(),
            "xl/workbook.xml": f'<x:workbook xmlns:x="{main}" xmlns:q="{office}"><x:sheets><x:sheet name="S" q:id="rId1"/></x:sheets></x:workbook>',  # noqa: E501
            SHEET: f'<x:worksheet xmlns:x="{main}"><x:sheetData><x:row r="1"><x:c r="A1"><x:v>1</x:v></x:c>'
            '<x:c r="B1"><x:f>A1+1</x:f><x:v>2</x:v></x:c></x:row></x:sheetData></x:worksheet>',
        }
    )


def _utf16() -> bytes:
    rows = packages.row(1, '<c r="A1"><v>1</v></c><c r="B1"><f>A1+1</f><v>2</v></c>')
    sheet = packages.worksheet(rows).replace('encoding="UTF-8"', 'encoding="UTF-16"')
    return packages.pack({**packages.parts(), SHEET: sheet.encode("utf-16")})


def _strict() -> bytes:
    rows = packages.row(1, '<c r="A1"><v>1</v></c><c r="B1"><f>A1+1</f><v>2</v></c>')
    parts = packages.parts(rows)
    for name, text in parts.items():
        assert isinstance(text, str)
        parts[name] = text.replace(packages.MAIN, packages.STRICT_MAIN).replace(packages.OFFICE, packages.STRICT_OFFICE)
    return packages.pack(parts)


def _macros() -> bytes:
    rows = packages.row(1, '<c r="A1"><v>1</v></c><c r="B1"><f>A1+1</f><v>2</v></c>')
    return packages.pack(
        {**packages.parts(rows), "xl/vbaProject.bin": b'\xcc\x61 Sub Auto_Open() Shell "calc" End Sub'}
    )


def _xlsb() -> bytes:
    links = packages.relationships(("rId1", "officeDocument", "xl/workbook.bin"))
    return packages.pack({"_rels/.rels": links, "xl/workbook.bin": b"\x83\x01\x00"})


def _outside(target: str) -> bytes:
    return replaced("xl/_rels/workbook.xml.rels", packages.relationships(("rId1", "worksheet", target)))


def _entity(path: str) -> bytes:
    rows = packages.row(1, '<c r="A1" t="str"><v>&e;</v></c>')
    sheet = packages.worksheet(rows).replace("<worksheet", f'<!DOCTYPE w [<!ENTITY e SYSTEM "{path}">]><worksheet', 1)
    return replaced(SHEET, sheet)


def _many_attributes() -> bytes:
    attributes = " ".join(f'a{i}="1"' for i in range(200_000))
    return packages.book(f'<row r="1" {attributes}><c r="A1"><v>1</v></c></row>')


def _unsafe() -> bytes:
    rows = packages.row(1, '<c r="A1"><v>1</v></c><c r="B1"><f>A1+1</f><v>2</v></c>')
    return raw([*packages.parts(rows).items(), ("../../evil.xml", "x"), ("/etc/passwd", "x"), ("..\\..\\evil", "x")])


ROWS: list[tuple[str, object, Outcome]] = [
    ("no bytes", lambda: b"", Refused("empty-file")),
    ("plain text", lambda: b"just some words", Refused("not-a-zip")),
    ("CSV named .xlsx", lambda: b"a,b\n1,2\n", Refused("not-a-zip", "CSV")),
    ("HTML named .xlsx", lambda: b"\n<!DOCTYPE html><html><body><table>", Refused("not-a-zip", "HTML")),
    ("XML named .xlsx", lambda: b'<?xml version="1.0"?><Workbook/>', Refused("not-a-zip", "XML")),
    ("4 MiB of zeros", lambda: bytes(4 * MIB), Refused("not-a-zip")),
    ("half of a workbook", lambda: GOOD[: len(GOOD) // 2], Refused("truncated")),
    ("a zip's first four bytes", lambda: LOCAL, Refused("truncated")),
    ("a changed byte (CRC)", _bad_crc, Refused("bad-crc")),
    ("encrypted zip", _encrypted, Refused("encrypted-zip")),
    ("bzip2, which workbooks do not use", lambda: _method(12), Refused("bad-compression")),
    (
        "password-protected workbook (OLE)",
        lambda: packages.ole("EncryptionInfo", "EncryptedPackage"),
        Refused("password-protected"),
    ),
    ("legacy .xls (OLE)", lambda: packages.ole("Workbook"), Refused("legacy-xls")),
    ("another OLE file", lambda: packages.ole("WordDocument"), Refused("ole-container")),
    (".xlsb", _xlsb, Refused("xlsb")),
    (
        ".ods",
        lambda: raw([("mimetype", "application/vnd.oasis.opendocument.spreadsheet"), ("content.xml", "<a/>")]),
        Refused("ods"),
    ),
    (
        ".docx",
        lambda: raw(
            [
                ("_rels/.rels", packages.relationships(("rId1", "officeDocument", "word/document.xml"))),
                ("word/document.xml", "<a/>"),
            ]
        ),
        Refused("no-workbook"),
    ),
    ("zip of something else", lambda: raw([("a.txt", "x")]), Refused("no-workbook")),
    (".xlsm with macros: read, never run", _macros, AGREES),
    ("strict OOXML: read", _strict, AGREES),
    ("a prefix on every element: read", _prefixed, AGREES),
    ("UTF-16 parts: read", _utf16, AGREES),
    ("no workbook part", lambda: without("xl/workbook.xml"), Refused("missing-part", "xl/workbook.xml")),
    ("no sheet part", lambda: without(SHEET), Refused("missing-part", SHEET)),
    ("no sheet in the list", lambda: replaced("xl/workbook.xml", packages.workbook("")), Refused("no-sheets")),
    ("zip bomb, 32 MiB of spaces", lambda: packages.book(after=" " * 32 * MIB), Refused("over-budget", "--max-ratio")),
    (
        "zip bomb in a part that is looked into in passing",
        lambda: replaced("docProps/app.xml", "<a>" + " " * 32 * MIB + "</a>"),
        Read(),
    ),
    (
        "zip of a zip of a zip",
        lambda: raw([("a.zip", raw([("b.zip", raw([("c", " " * 8 * MIB)]))]))]),
        Refused("no-workbook"),
    ),
    ("overlapping entries (one stream under 200 names)", _overlapping, Refused("no-workbook")),
    ("sizes that lie: 4 GiB claimed", lambda: _claims(0xFFFFFFF0), AGREES),
    ("sizes that lie: 1 byte claimed", lambda: _claims(1), Refused("bad-crc")),
    ("a directory that claims 65,535 entries", _lying_count, AGREES),
    ("2,500 entries", lambda: _many_entries(2_500), Refused("over-budget", "--max-parts")),
    ("60,000 entries", lambda: _many_entries(60_000), Refused("over-budget", "--max-parts")),
    (
        "one part of 80 MiB",
        lambda: packages.pack(
            {**packages.parts(), SHEET: packages.worksheet("", after="<!--" + "abcdefgh" * (10 * MIB) + "-->")}, level=0
        ),
        Refused("over-budget", "--max-part"),
    ),
    (
        "two names that differ in case",
        lambda: raw([*packages.parts().items(), ("XL/workbook.xml", "<a/>")]),
        Refused("duplicate-part"),
    ),
    ("one name twice", lambda: raw([*packages.parts().items(), (SHEET, "<a/>")]), Refused("duplicate-part")),
    ("names that leave the package", _unsafe, Read({"agrees": 1}, ("unsafe-part-name",) * 3)),
    ("a sheet at ../../../etc/passwd", lambda: _outside("../../../etc/passwd"), Refused("missing-part", "etc/passwd")),
    ("a sheet at file:///etc/passwd", lambda: _outside("file:///etc/passwd"), Refused("missing-part")),
    ("a sheet at //host/share", lambda: _outside("//127.0.0.1/share/a.xml"), Refused("missing-part")),
    ("billion laughs", lambda: replaced(SHEET, DTD + "<worksheet>&c;</worksheet>"), Refused("dtd")),
    ("an external entity", lambda: _entity("file:///etc/passwd"), Refused("dtd")),
    ("an entity from the network", lambda: _entity("http://127.0.0.1:9/x"), Refused("dtd")),
    ("a DTD in the workbook part", lambda: replaced("xl/workbook.xml", DTD + "<workbook/>"), Refused("dtd")),
    (
        "200 nested elements",
        lambda: packages.book(after="<a>" * 200 + "</a>" * 200),
        Refused("over-budget", "--max-depth"),
    ),
    (
        "a million nested elements",
        lambda: packages.pack({**packages.parts(), SHEET: b"<a>" * 1_000_000}, level=0),
        Refused("over-budget", "--max-depth"),
    ),
    (
        "an attribute of 16 MiB",
        lambda: packages.pack({**packages.parts(), SHEET: f'<worksheet a="{"xyzw1234" * (2 * MIB)}"/>'}, level=0),
        Read(),
    ),
    (
        "a comment of 32 MiB",
        lambda: packages.pack(
            {**packages.parts(), SHEET: packages.worksheet("", before="<!--" + "xyzw" * (8 * MIB) + "-->")}, level=0
        ),
        Read(),
    ),
    (
        "a tag that never ends, 16 MiB",
        lambda: packages.pack({**packages.parts(), SHEET: "<worksheet " + "xyzw" * (4 * MIB)}, level=0),
        Refused("broken-xml"),
    ),
    ("200,000 attributes on one element", _many_attributes, Read()),
    (
        "an unknown entity in a cell",
        lambda: packages.book(packages.row(1, "<c r='A1'><v>&x;</v></c>")),
        Refused("broken-xml"),
    ),
    (
        "a control character in a cell",
        lambda: packages.book(packages.row(1, '<c r="A1"><v>\x01</v></c>')),
        Refused("broken-xml"),
    ),
    (
        "an encoding that nobody knows",
        lambda: replaced("xl/workbook.xml", '<?xml version="1.0" encoding="x-q"?><a/>'),
        Refused("broken-xml"),
    ),
    (
        "2,500 sheets on one part",
        lambda: replaced(
            "xl/workbook.xml", packages.workbook("".join(f'<sheet name="S{i}" r:id="rId1"/>' for i in range(2_500)))
        ),
        Refused("over-budget", "--max-sheets"),
    ),
    (
        "1,500 sheets on one part",
        lambda: replaced(
            "xl/workbook.xml", packages.workbook("".join(f'<sheet name="S{i}" r:id="rId1"/>' for i in range(1_500)))
        ),
        Read(),
    ),
]

HAZARDS = [Hazard("container", name, build, outcome) for name, build, outcome in ROWS]  # type: ignore[arg-type]
