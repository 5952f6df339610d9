"""The instructor's own file with its diverging cells marked: everything else stays as it is, byte for byte."""

from __future__ import annotations

from typing import Final

from xlsx_attention.errors import UsageError
from xlsx_attention.model.address import cell_name
from xlsx_attention.model.report import FileReport, SheetResult
from xlsx_attention.reporting.annotate.notes_part import (
    Notes,
    more_comments,
    more_drawing,
    new_comments,
    new_drawing,
    noted_cells,
)
from xlsx_attention.reporting.annotate.package import Package
from xlsx_attention.reporting.annotate.sheet_part import notes_drawing, restyled, with_notes_drawing
from xlsx_attention.reporting.annotate.styles_part import Styles
from xlsx_attention.reporting.annotate.xml_places import utf8
from xlsx_attention.reporting.facts import ACCUSED, BAD, SheetFacts
from xlsx_attention.reporting.notes import note_text

__all__ = ["annotate"]

_OFFICE: Final = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_COMMENTS_TYPE: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml.comments+xml"
_VML_TYPE: Final = "application/vnd.openxmlformats-officedocument.vmlDrawing"
#: Notes on a sheet; every diverging cell has its fill.
_NOTES: Final = 2_000


def annotate(report: FileReport, original: bytes, language: str = "en") -> bytes:
    """``original`` (the bytes of the file that the report is on) with a fill and a note on each diverging cell.

    Parts that change: the sheets with such cells, the styles, and for notes the comments and their drawing, the sheet's
    relationships and the list of content types. A cell that has a note already keeps it. Where nothing diverges the
    bytes come back as they are. Raises :class:`~xlsx_attention.errors.UsageError` for a report on a file that could
    not be read.
    """
    if report.grid is None:
        raise UsageError("nothing-to-annotate", "the file could not be read", where=report.path)
    package = Package(original)
    styles = _styles(package)
    touched = False
    for sheet in report.sheets:
        touched = _annotate_sheet(package, styles, report, sheet, language) or touched
    if not touched:
        return original
    if styles is not None and styles[1].changed:
        package.write(styles[0], styles[1].part())
    return package.packed()


def _styles(package: Package) -> tuple[str, Styles] | None:
    workbook = next(
        (part for kind, part in package.relations("").values() if kind == "officeDocument"), "xl/workbook.xml"
    )
    for kind, part in package.relations(workbook).values():
        if kind == "styles" and package.has(part):
            return part, Styles(package.read(part))
    return None


def _annotate_sheet(
    package: Package, styles: tuple[str, Styles] | None, report: FileReport, sheet: SheetResult, language: str
) -> bool:
    assert report.grid is not None
    facts = SheetFacts(report, sheet)
    part = facts.source.part
    wanted = {at: cell.verdict for at, cell in facts.special.items() if cell.verdict in BAD}
    if not wanted:
        return False
    xml = utf8(package.read(part))
    if styles is not None:
        xml = restyled(xml, wanted, styles[1].filled)
    chosen = sorted(wanted, key=lambda at: (wanted[at] not in ACCUSED, at))[:_NOTES]
    notes = {at: note_text(facts, *at, language) for at in chosen}
    package.write(part, _noted(package, part, xml, notes, sheet.index + 1))
    return True


def _noted(package: Package, part: str, xml: bytes, notes: Notes, number: int) -> bytes:
    """The sheet's part after its notes were written into their own parts."""
    relations = package.relations(part)
    comments = next((target for kind, target in relations.values() if kind == "comments"), None)
    drawing_id = notes_drawing(xml)
    drawing = relations[drawing_id][1] if drawing_id in relations else None
    if comments is not None:
        old = package.read(comments)
        taken = noted_cells(old)
        notes = {at: text for at, text in notes.items() if cell_name(*at) not in taken}
        if not notes:
            return xml
        package.write(comments, more_comments(old, notes))
    else:
        comments = package.free_name("xl/comments{}.xml")
        package.write(comments, new_comments(notes))
        package.declare(comments, "", _COMMENTS_TYPE)
        package.relate(part, f"{_OFFICE}/comments", comments)
    if drawing is not None:
        package.write(drawing, more_drawing(package.read(drawing), notes))
        return xml
    drawing = package.free_name("xl/drawings/vmlDrawing{}.vml")
    package.write(drawing, new_drawing(notes, number))
    package.declare(None, "vml", _VML_TYPE)
    return with_notes_drawing(xml, package.relate(part, f"{_OFFICE}/vmlDrawing", drawing))
