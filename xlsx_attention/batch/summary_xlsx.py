"""``summary.xlsx``: a table with one row a file, and a sheet with every divergence."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xlsx_attention.batch.rows import ACCUSED
from xlsx_attention.batch.summary_csv import COLUMNS, Value
from xlsx_attention.model.address import Rect
from xlsx_attention.writing import AttentionSheet, open_workbook

if TYPE_CHECKING:
    from xlsx_attention.batch.reports import Overview

#: Rows of the sheet of divergences; report.json holds all of them.
LIMIT = 200_000
#: Lines that junit.xml gives for one file.
LINES = 50

HEADER = (
    "file",
    "sheet",
    "cell",
    "verdict",
    "cause",
    "role",
    "stored",
    "from its precedents",
    "from the inputs",
    "formula",
    "formula of its block",
    "origins",
)
_WIDTHS = {
    "file": 40,
    "reason": 50,
    "sha256": 20,
    "formula": 40,
    "formula of its block": 40,
    "same content as": 30,
    "sheet": 20,
}


@dataclass(slots=True)
class Divergences:
    """Every cell that is accused or spoilt, and every finding, in the order of the files; origins before what they
    spoil.
    """

    rows: list[tuple[Value, ...]] = field(default_factory=list)
    accused: dict[str, list[str]] = field(default_factory=dict)
    left_out: int = 0

    def add(self, record: dict[str, Any]) -> None:
        path = record["path"]
        cells = [cell for cell in record.get("cells", ()) if cell["verdict"] in (*ACCUSED, "inherited")]
        cells.sort(key=lambda cell: cell["verdict"] == "inherited")
        found: list[tuple[Value, ...]] = [
            (
                path,
                cell["sheet"],
                cell["cell"],
                cell["verdict"],
                cell["cause"],
                cell["role"],
                cell["cached"],
                cell["from_precedents"],
                cell["from_inputs"],
                cell["formula"],
                cell["expected_formula"],
                " ".join(cell["origins"]),
            )
            for cell in cells
        ]
        found += [
            (
                path,
                item["sheet"],
                item["cells"],
                "finding",
                item["cause"],
                item["role"],
                None,
                None,
                None,
                item["message"],
                None,
                "",
            )
            for item in record.get("findings", ())
        ]
        lines = [
            f"{row[1]}!{row[2]}: {row[3]} ({row[4]}), stored {row[6]}, expected {row[8]}"
            for row in found
            if row[3] in ACCUSED
        ]
        lines += [f"{row[1]}!{row[2]}: {row[9]}" for row in found if row[3] == "finding"]
        lines += [
            f"{step['sheet']}!{reason['cell']}: {reason['text']}"
            for step in (record.get("grade") or {}).get("steps", ())
            for reason in step["reasons"]
        ]
        if lines:
            more = [f"and {len(lines) - LINES} more"] if len(lines) > LINES else []
            self.accused[path] = lines[:LINES] + more
        room = max(0, LIMIT - len(self.rows))
        self.rows += found[:room]
        self.left_out += len(found) - len(found[:room])


def write(path: Path, overview: Overview, divergences: Divergences) -> None:
    with open_workbook(path, properties={"title": "Batch report", "author": overview.tool}) as book:
        sheet = book.add_worksheet("files")
        rows: list[tuple[Value, ...]] = [tuple(value(row) for value in COLUMNS.values()) for row in overview.rows]
        percent = book.add_format({"num_format": "0.00%"})
        _table(sheet, "Files", tuple(COLUMNS), rows, {"score": percent})
        sheet = book.add_worksheet("divergences")
        last = _table(sheet, "Divergences", HEADER, divergences.rows, {})
        if divergences.left_out:
            sheet.write_text(last + 1, 0, f"and {divergences.left_out} more rows, which report.json holds")
        totals = book.add_worksheet("totals")
        _table(totals, "Totals", ("what", "number"), list(overview.totals.items()), {})


def _table(
    sheet: AttentionSheet, name: str, header: tuple[str, ...], rows: list[tuple[Value, ...]], formats: dict[str, Any]
) -> int:
    """A real table (list object) at A1; gives its last row. An empty table keeps one empty row, as Excel wants it."""
    for position, column in enumerate(header):
        sheet.write_text(0, position, column)
        sheet.set_column(position, position, _WIDTHS.get(column, max(9, len(column) + 3)))
    for number, row in enumerate(rows, 1):
        for position, value in enumerate(row):
            style = formats.get(header[position])
            if isinstance(value, bool):
                sheet.write_boolean(number, position, value, style)
            elif isinstance(value, str):
                sheet.write_text(number, position, value, style)
            elif value is not None:
                sheet.write_number17(number, position, float(value), style)
    last = max(1, len(rows))
    rect = Rect(0, 0, last + 1, len(header))
    columns = [{"header": column, **({"format": formats[column]} if column in formats else {})} for column in header]
    sheet.add_table(rect.a1, {"name": name, "columns": columns, "style": "Table Style Light 9"})
    sheet.freeze_panes(1, 1)
    return last
