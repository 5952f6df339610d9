"""One row a file, and what all files share: the small things that stay in memory while the outcomes lie in the
journal.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from xlsx_attention.batch.inputs import InputFile
from xlsx_attention.batch.outcome import STATES, UNJUDGED

#: Verdicts that accuse a cell.
ACCUSED = ("origin", "overridden")
#: Accused cells of one file that take part in the search for common slips.
COUNTED = 500
#: Groups of common slips that reports show.
SHOWN = 100


@dataclass(frozen=True, slots=True)
class Row:
    """One file in the tables. ``reason`` says why it could not be judged; ``points``/``out_of`` are set where it was
    graded.

    ``page`` is its page, relative to the report's folder; ``same_as`` the first file with the same content.
    """

    name: str
    status: str
    digest: str
    reason: str = ""
    code: str = ""
    computed: int = 0
    agrees: int = 0
    origins: int = 0
    overridden: int = 0
    inherited: int = 0
    not_judged: int = 0
    findings: int = 0
    points: float | None = None
    out_of: float | None = None
    application: str = ""
    macros: bool = False
    page: str = ""
    same_as: str = ""

    @property
    def score(self) -> float | None:
        """Between 0 and 1: the share of points where it was graded, else of computed cells that agree; ``None``:
        not judged.
        """
        if self.status in UNJUDGED:
            return None
        if self.points is not None and self.out_of is not None:
            return self.points / self.out_of if self.out_of else 1.0
        return self.agrees / self.computed if self.computed else 1.0


#: The name of a page, by which it is told from what else lies in its folder.
PAGE = re.compile(r".+-[0-9a-f]{10}\.(html|tmp)")


def page_name(name: str) -> str:
    """``pages/alice-homework-1f3a5c7e9b.html``: stable, whatever other files are in the batch."""
    stem = re.sub(r"[^0-9A-Za-z]+", "-", name.rsplit(".", 1)[0]).strip("-").lower()[-60:].strip("-")
    return f"pages/{stem or 'file'}-{hashlib.sha256(name.encode()).hexdigest()[:10]}.html"


def row_of(file: InputFile, record: dict[str, Any], same_as: str = "") -> Row:
    """The row of a file from its record."""
    error = record.get("error") or {}
    counts: dict[str, int] = record.get("counts", {})
    grade = record.get("grade") or {}
    accused = sum(counts.get(verdict, 0) for verdict in (*ACCUSED, "inherited", "agrees"))
    return Row(
        name=file.name,
        status=record["status"],
        digest=file.digest,
        reason=error.get("message", ""),
        code=error.get("code", ""),
        computed=counts.get("computed", 0),
        agrees=counts.get("agrees", 0),
        origins=counts.get("origin", 0),
        overridden=counts.get("overridden", 0),
        inherited=counts.get("inherited", 0),
        not_judged=counts.get("computed", 0) - accused,
        findings=len(record.get("findings", ())),
        points=grade.get("points"),
        out_of=grade.get("out_of"),
        application=record.get("provenance", {}).get("application", ""),
        macros=bool(record.get("macros")) or file.macros,
        page=page_name(file.name),
        same_as=same_as,
    )


@dataclass(frozen=True, slots=True)
class Slip:
    """Cells that are accused for one cause in the same files. ``files`` are positions in the list of rows."""

    cause: str
    sheet: str
    cells: tuple[str, ...]
    files: tuple[int, ...]


@dataclass(slots=True)
class Slips:
    """Gathers accused cells and findings file by file, and tells which slips are common."""

    _where: dict[tuple[str, str, str], list[int]] = field(default_factory=dict)
    causes: Counter[str] = field(default_factory=Counter)

    def add(self, position: int, record: dict[str, Any]) -> None:
        places = [
            (str(cell["cause"] or "unexplained"), str(cell["sheet"]), str(cell["cell"]))
            for cell in record.get("cells", ())
            if cell["verdict"] in ACCUSED
        ][:COUNTED]
        places += [
            (str(finding["cause"]), str(finding["sheet"]), str(finding["cells"]))
            for finding in record.get("findings", ())
        ][:COUNTED]
        for step in (record.get("grade") or {}).get("steps", ()):
            places += [(f"graded: {reason['why']}", step["sheet"], reason["cell"]) for reason in step["reasons"]][
                :COUNTED
            ]
        for place in dict.fromkeys(places):
            self._where.setdefault(place, []).append(position)
        self.causes.update({place[0] for place in places})

    def common(self, limit: int = SHOWN) -> list[Slip]:
        """Most files first; cells with one cause in the very same files are one slip."""
        groups: dict[tuple[str, str, tuple[int, ...]], list[str]] = {}
        for (cause, sheet, cell), files in self._where.items():
            groups.setdefault((cause, sheet, tuple(files)), []).append(cell)
        slips = [Slip(cause, sheet, tuple(cells), files) for (cause, sheet, files), cells in groups.items()]
        slips.sort(
            key=lambda slip: (-len(slip.files), -len(slip.cells), slip.cause, slip.sheet, slip.cells, slip.files)
        )
        return slips[:limit]


def totals(rows: Iterable[Row]) -> dict[str, int]:
    """Files by state, and cells over all files; every file is in exactly one state."""
    sums = {"files": 0, **dict.fromkeys(STATES, 0)}
    cells = dict.fromkeys(
        ("computed", "cells_agree", "origins", "overridden", "inherited", "not_judged", "findings"), 0
    )
    for row in rows:
        sums["files"] += 1
        sums[row.status] += 1
        cells["computed"] += row.computed
        cells["cells_agree"] += row.agrees
        cells["origins"] += row.origins
        cells["overridden"] += row.overridden
        cells["inherited"] += row.inherited
        cells["not_judged"] += row.not_judged
        cells["findings"] += row.findings
    return {**sums, **cells}
