"""A class's submissions made from one real workbook: honest copies, copies with one known slip, hostile and broken
files.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

SHEET = "xl/worksheets/sheet1.xml"
_CELL = '<c r="{cell}"(?P<attributes>[^>]*)>(?P<content>.*?)</c>'


@dataclass(frozen=True)
class Slip:
    """One changed cell and what must be said of it."""

    kind: str
    cell: str
    verdicts: tuple[str, ...]


def _stale(attributes: str, formula: str, value: float) -> str:
    return f"<c{attributes}>{formula}<v>{value * 1.01 + 0.001!r}</v></c>"


def _typed(attributes: str, formula: str, value: float) -> str:
    return f"<c{attributes}><v>{value * 1.01 + 0.001!r}</v></c>"


def _pasted(attributes: str, formula: str, value: float) -> str:
    return f"<c{attributes}><v>{value!r}</v></c>"


def _text(attributes: str, formula: str, value: float) -> str:
    return f'<c{attributes} t="inlineStr"><is><t>{value!r}</t></is></c>'


#: Kind of slip → how the cell is rewritten, and the verdicts that fit it (DESIGN: a wrong number is an origin, the
#: right number typed over its formula is overridden).
SLIPS: dict[str, tuple[Callable[[str, str, float], str], tuple[str, ...]]] = {
    "stale": (_stale, ("origin",)),
    "typed": (_typed, ("origin",)),
    "pasted": (_pasted, ("overridden",)),
    "text": (_text, ("origin",)),
}


@dataclass(frozen=True)
class Original:
    """A workbook taken apart, so that a copy with one changed cell costs little."""

    parts: tuple[tuple[str, bytes], ...]

    @classmethod
    def read(cls, path: Path) -> Original:
        with zipfile.ZipFile(path) as package:
            return cls(tuple((item.filename, package.read(item)) for item in package.infolist()))

    @property
    def sheet(self) -> str:
        return dict(self.parts)[SHEET].decode()

    def copy(self, student: int, sheet: str | None = None) -> bytes:
        """The workbook with the student's number in its comment, so that no two copies are the same file."""
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as package:
            for name, data in self.parts:
                changed = sheet.encode() if sheet is not None and name == SHEET else data
                package.writestr(zipfile.ZipInfo(name, (2024, 1, 1, 0, 0, 0)), changed, zipfile.ZIP_DEFLATED)
            package.comment = f"student {student}".encode()
        return stream.getvalue()

    def with_slip(self, student: int, kind: str, cell: str) -> tuple[bytes, Slip]:
        rewrite, verdicts = SLIPS[kind]
        match = re.search(_CELL.format(cell=cell), self.sheet)
        assert match is not None, f"{cell} is not on the sheet"
        formula, _, value = match["content"].partition("<v>")
        assert "ref=" not in formula, f"{cell} is the master of a shared formula"
        number = float(value.removesuffix("</v>"))
        text = rewrite(f' r="{cell}"{match["attributes"]}', formula, number)
        return self.copy(student, self.sheet[: match.start()] + text + self.sheet[match.end() :]), Slip(
            kind, cell, verdicts
        )


def slip_places(sheet: str) -> Iterator[tuple[str, str]]:
    """Kinds of slips and formula cells that hold no shared formula's master, spread over the sheet; no cell twice
    in a kind.
    """
    cells = re.findall(r'<c r="([A-Z]+\d+)"[^>]*><f(?![^>]*ref=)[^>]*?(?:/>|>[^<]*</f>)<v>', sheet)
    kinds = list(SLIPS)
    for number in range(len(cells)):
        yield kinds[number % len(kinds)], cells[number * 37 % len(cells)]


def hostile_files() -> Iterator[tuple[str, bytes]]:
    """Files that are no workbooks, are broken, or mean harm; none of them may stop a batch. Endless, each one
    different.
    """
    number = 0
    while True:
        yield from (
            (f"empty-{number}", b""),
            (f"page-{number}", b"<html><body>Sign in %d</body></html>" % number),
            (f"legacy-{number}", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * (512 + number)),
            (f"torn-{number}", b"PK\x03\x04" + b"\x14\0" * (50 + number)),
            (f"bomb-{number}", _package(b"\0" * (32 << 20), number)),
            (f"entities-{number}", _package(_ENTITIES, number)),
            (f"no-sheet-{number}", _package(b"<worksheet", number)),
        )
        number += 1


_ENTITIES = (
    b'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">'
    b'<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]>'
    b"<worksheet><sheetData><row><c><v>&c;</v></c></row></sheetData></worksheet>"
)


def _package(sheet: bytes, number: int) -> bytes:
    """A package with one sheet, in the form that Office Open XML (ECMA-376) asks for, with anything as the sheet."""
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    kinds = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types">'
        f'<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{kinds}.sheet.main+xml"/>'
        f'<Override PartName="/{SHEET}" ContentType="{kinds}.worksheet+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{package}/relationships">'
        f'<Relationship Id="r1" Type="{office}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}/relationships">'
        f'<Relationship Id="r1" Type="{office}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{office}"><sheets>'
        '<sheet name="s" sheetId="1" r:id="r1"/></sheets></workbook>',
    }
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as book:
        for name, text in parts.items():
            book.writestr(name, text)
        book.writestr(SHEET, sheet)
        book.comment = b"hostile %d" % number
    return stream.getvalue()


@dataclass(frozen=True)
class ClassSet:
    """Where the files are, and what must be found: file name → slip, and the names that cannot be judged."""

    folder: Path
    files: int
    slips: dict[str, Slip]
    broken: frozenset[str]


def make_class(original: Path, folder: Path, good: int, slips: int, broken: int) -> ClassSet:
    """``good`` honest copies, ``slips`` with one changed cell each, ``broken`` hostile or damaged files, in one
    folder.
    """
    folder.mkdir(parents=True, exist_ok=True)
    book = Original.read(original)
    expected: dict[str, Slip] = {}
    for student in range(good):
        (folder / f"student-{student:04d}.xlsx").write_bytes(book.copy(student))
    for student, (kind, cell) in zip(range(slips), slip_places(book.sheet), strict=False):
        data, slip = book.with_slip(student, kind, cell)
        name = f"slip-{student:04d}.xlsx"
        (folder / name).write_bytes(data)
        expected[name] = slip
    names = []
    for _, (name, data) in zip(range(broken), hostile_files(), strict=False):
        (folder / f"{name}.xlsx").write_bytes(data)
        names.append(f"{name}.xlsx")
    return ClassSet(folder, good + slips + broken, expected, frozenset(names))
