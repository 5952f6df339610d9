"""Tables (list objects) and the metadata that tells a dynamic array from a Ctrl-Shift-Enter one."""

from __future__ import annotations

from xlsx_attention.model.address import Rect
from xlsx_attention.model.grid import Table
from xlsx_attention.reading.package import Package
from xlsx_attention.reading.strings import unescape
from xlsx_attention.reading.styles import integer
from xlsx_attention.reading.workbook_part import truth
from xlsx_attention.reading.xml_events import Attributes, Handlers


def read_table(package: Package, part: str, sheet: int) -> Table:
    """Raises ``ValueError`` for a range that is none. ``displayName`` is the name that formulas use."""
    top: Attributes = {}
    columns: list[str] = []
    package.parse(
        part,
        Handlers(
            start={
                "table": top.update,
                "tableColumn": lambda attributes: columns.append(unescape(attributes.get("name", ""))),
            }
        ),
    )
    return Table(
        name=unescape(top.get("displayName") or top.get("name", "")),
        sheet=sheet,
        rect=Rect.parse(top.get("ref", "")),
        columns=tuple(columns),
        header_rows=integer(top.get("headerRowCount"), 1),
        totals_rows=integer(top.get("totalsRowCount"), 0),
    )


class DynamicArrays:
    """Which values of a cell's ``cm`` attribute mean "dynamic array" (MS-XLSX 2.2.4.7 and ECMA-376 part 1, 18.9)."""

    def __init__(self, flags: list[bool] | None = None) -> None:
        self._flags = flags

    def __contains__(self, metadata: object) -> bool:
        if not isinstance(metadata, int) or metadata <= 0:
            return False
        if self._flags is None:  # no metadata part: nothing else than dynamic arrays sets `cm` on an array formula
            return True
        return metadata <= len(self._flags) and self._flags[metadata - 1]


def read_metadata(package: Package, part: str) -> DynamicArrays:
    """Follow ``cm`` → ``cellMetadata`` → ``metadataTypes`` and ``futureMetadata`` → ``dynamicArrayProperties``."""
    types: list[str] = []
    future: list[bool] = []
    cells: list[tuple[int, int]] = []
    section = ""
    in_dynamic = False

    def enter(name: str, attributes: Attributes) -> None:
        nonlocal section, in_dynamic
        section = name
        in_dynamic = name == "futureMetadata" and attributes.get("name") == "XLDAPR"

    def leave(_text: str) -> None:
        enter("", {})

    def block(_attributes: Attributes) -> None:
        if in_dynamic:
            future.append(False)
        elif section == "cellMetadata":
            cells.append((0, 0))

    def properties(attributes: Attributes) -> None:
        if in_dynamic and future:
            future[-1] = truth(attributes.get("fDynamic"), False)

    def record(attributes: Attributes) -> None:
        if section == "cellMetadata" and cells:
            entry = integer(attributes.get("t")), integer(attributes.get("v"))
            # A block may hold several records, one a type; the one that speaks of arrays counts.
            if cells[-1] == (0, 0) or _type(types, entry[0]) == "XLDAPR":
                cells[-1] = entry

    package.parse(
        part,
        Handlers(
            start={
                "metadataType": lambda attributes: types.append(attributes.get("name", "")),
                "futureMetadata": lambda attributes: enter("futureMetadata", attributes),
                "cellMetadata": lambda attributes: enter("cellMetadata", attributes),
                "bk": block,
                "dynamicArrayProperties": properties,
                "rc": record,
            },
            end={"futureMetadata": leave, "cellMetadata": leave},
        ),
    )
    return DynamicArrays([_type(types, t) == "XLDAPR" and 0 <= v < len(future) and future[v] for t, v in cells])


def _type(types: list[str], number: int) -> str:
    return types[number - 1] if 0 < number <= len(types) else ""
