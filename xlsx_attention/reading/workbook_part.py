"""The workbook part: its sheets, names and settings."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from xlsx_attention.model.grid import CalcSettings
from xlsx_attention.reading.package import Package
from xlsx_attention.reading.strings import unescape
from xlsx_attention.reading.styles import integer
from xlsx_attention.reading.xml_events import Attributes, Handlers


@dataclass(frozen=True, slots=True)
class SheetEntry:
    name: str
    relationship: str
    hidden: bool


@dataclass(frozen=True, slots=True)
class NameEntry:
    """``position`` counts all sheets of the workbook, charts included; ``None`` for a name of the whole workbook."""

    name: str
    formula: str
    position: int | None


@dataclass(slots=True)
class WorkbookPart:
    sheets: list[SheetEntry] = field(default_factory=list)
    names: list[NameEntry] = field(default_factory=list)
    external: list[str] = field(default_factory=list)
    calc: CalcSettings = field(default_factory=CalcSettings)
    version: Attributes = field(default_factory=dict)
    namespaces: set[str] = field(default_factory=set)


def truth(text: str | None, default: bool) -> bool:
    """``xsd:boolean``."""
    return default if text is None else text.strip() in ("1", "true", "on")


def finite(text: str | None, default: float) -> float:
    """A finite decimal number, else ``default``."""
    try:
        number = float(text) if text is not None and text.isascii() and "_" not in text else default
    except ValueError:
        return default
    return number if math.isfinite(number) else default


def read_workbook_part(package: Package, part: str) -> WorkbookPart:
    """Raises :class:`UnreadableFile` for broken XML; an odd setting takes the format's default."""
    found = WorkbookPart()
    date1904 = False
    calc: Attributes = {}
    name: Attributes = {}

    def properties(attributes: Attributes) -> None:
        nonlocal date1904
        date1904 = truth(attributes.get("date1904"), False)

    def sheet(attributes: Attributes) -> None:
        hidden = attributes.get("state", "visible") != "visible"
        found.sheets.append(SheetEntry(unescape(attributes.get("name", "")), attributes.get("r:id", ""), hidden))

    def begin_name(attributes: Attributes) -> None:
        nonlocal name
        name = attributes

    def end_name(text: str) -> None:
        local = name.get("localSheetId")
        position = None if local is None else integer(local)
        found.names.append(
            NameEntry(unescape(name.get("name", "")), unescape(text).strip().removeprefix("="), position)
        )

    handlers = Handlers(
        start={
            "workbookPr": properties,
            "fileVersion": found.version.update,
            "sheet": sheet,
            "externalReference": lambda attributes: found.external.append(attributes.get("r:id", "")),
            "calcPr": calc.update,
            "definedName": begin_name,
        },
        end={"definedName": end_name},
    )
    package.parse(part, handlers)
    found.namespaces = handlers.namespaces
    found.calc = _calc(calc, date1904)
    return found


def _calc(attributes: Attributes, date1904: bool) -> CalcSettings:
    default = CalcSettings()
    mode = attributes.get("calcMode")
    return CalcSettings(
        mode="manual" if mode == "manual" else "autoNoTable" if mode == "autoNoTable" else "auto",
        iterate=truth(attributes.get("iterate"), default.iterate),
        iterate_count=integer(attributes.get("iterateCount"), default.iterate_count),
        iterate_delta=finite(attributes.get("iterateDelta"), default.iterate_delta),
        full_precision=truth(attributes.get("fullPrecision"), default.full_precision),
        date1904=date1904,
    )
