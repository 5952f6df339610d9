"""What the tool says of a file. Every renderer reads this object, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from xlsx_attention.model.address import Rect, cell_name
from xlsx_attention.model.grid import Notice, Provenance, WorkbookGrid
from xlsx_attention.model.plan import Plan
from xlsx_attention.model.role import AttentionMap, Place
from xlsx_attention.model.values import NUMBER, Floats, Plane, Scalar

if TYPE_CHECKING:
    import pandas as pd

#: Verdicts in the order in which they are counted and shown; a sheet's verdict plane holds their positions, 255 = no
#: computed cell.
VERDICTS = (
    "agrees",
    "origin",
    "inherited",
    "overridden",
    "no-cached-value",
    "volatile",
    "external",
    "circular",
    "not-computed",
)
NOT_COMPUTED_CELL = 255

Status = Literal["agrees", "diverges", "unreadable"]


@dataclass(frozen=True, slots=True)
class Text:
    """A sentence in the two languages of the course."""

    en: str
    zh: str

    def __getitem__(self, language: str) -> str:
        return self.zh if language == "zh" else self.en


@dataclass(frozen=True, slots=True)
class CellResult:
    """A computed cell that does not simply agree.

    ``role`` is what it is in attention with its indices (``scores[0,2]``), or ``""``. ``formula`` is the cell's own,
    ``expected``
    its block's where that differs, both with ``=``. ``numpy`` is the step as NumPy. ``origins`` name the cells where
    the difference begins (for ``inherited``), as ``Sheet!A1`` or ``A1`` on the same sheet.
    """

    sheet: int
    row: int
    column: int
    verdict: str
    cause: str
    role: str
    cached: Scalar
    from_precedents: Scalar
    from_inputs: Scalar
    formula: str
    expected: str
    numpy: str
    origins: tuple[str, ...] = ()

    @property
    def cell(self) -> str:
        return cell_name(self.row, self.column)


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault of method that no single value shows. ``mended`` holds what the values would be (shape of ``rect``)."""

    sheet: int
    rect: Rect
    cause: str
    message: Text
    role: str = ""
    mended: npt.NDArray[np.float64] | None = None


@dataclass(frozen=True, slots=True)
class BlockResult:
    """A block as a step: where, what it computes in words of Excel, NumPy and mathematics, and how its cells fared."""

    step: int
    sheet: int
    rect: Rect
    role: str
    formula: str
    r1c1: str
    numpy: str
    math: str
    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class SheetResult:
    """One sheet, cell by cell.

    ``verdicts`` (uint8 over ``rect``, 255 where nothing is computed) index :data:`VERDICTS`; ``far`` holds those
    outside. ``from_precedents`` and ``from_inputs`` are planes of the recomputed values.
    """

    index: int
    name: str
    rect: Rect
    verdicts: npt.NDArray[np.uint8]
    from_precedents: Plane
    from_inputs: Plane
    counts: Mapping[str, int]
    blocks: tuple[BlockResult, ...] = ()
    far: Mapping[tuple[int, int], int] = field(default_factory=dict)

    def verdict(self, row: int, column: int) -> str | None:
        if self.rect.contains(row, column):
            code = int(self.verdicts[row - self.rect.top, column - self.rect.left])
        else:
            code = self.far.get((row, column), NOT_COMPUTED_CELL)
        return None if code == NOT_COMPUTED_CELL else VERDICTS[code]


@dataclass(frozen=True, slots=True)
class PublishedFigure:
    """A printed figure held against the recomputation at its printed precision."""

    step: str
    row: int
    column: int
    printed: float
    decimals: int
    recomputed: float
    cell: str
    agrees: bool


@dataclass(frozen=True, slots=True)
class FileError:
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class FileReport:
    """Everything about one file.

    ``bit_equal`` counts computed cells whose recomputed number has the same bits as the stored one, ``max_ulp`` is
    the largest distance among those that agree, in units in the last place. ``grid``, ``plan`` and ``attention`` are
    what was read and understood; they are ``None`` where the file could not be read.
    """

    path: str
    status: Status
    error: FileError | None = None
    provenance: Provenance = field(default_factory=Provenance)
    calc_mode: str = "auto"
    rtol: float = 1e-12
    counts: Mapping[str, int] = field(default_factory=dict)
    bit_equal: int = 0
    max_ulp: float = 0.0
    not_computed: Mapping[str, int] = field(default_factory=dict)
    sheets: tuple[SheetResult, ...] = ()
    cells: tuple[CellResult, ...] = ()
    findings: tuple[Finding, ...] = ()
    published: tuple[PublishedFigure, ...] = ()
    notices: tuple[Notice, ...] = ()
    attention: AttentionMap = field(default_factory=AttentionMap)
    seconds: float = 0.0
    grid: WorkbookGrid | None = None
    plan: Plan | None = None

    @property
    def ok(self) -> bool:
        """Exit code 0: every computed cell agrees (or cannot be held to more) and there is no finding."""
        return self.status == "agrees"

    @property
    def computed(self) -> int:
        return sum(self.counts.values())

    def values(self, place: Place) -> Floats:
        """The recomputed numbers of a role, from the inputs, as they lie on the sheet.

        Shape of ``place.rect``, which lies across where ``place.transposed``; NaN for what is no number (a text, an
        error, an empty cell) and for cells between those of a scattered role. ``ValueError`` where the sheet is none
        of those that were verified.
        """
        sheet = next((sheet for sheet in self.sheets if sheet.index == place.sheet), None)
        if sheet is None:
            raise ValueError(f"sheet {place.sheet} is not among the verified sheets of {self.path}")
        laid = np.full(place.rect.shape, np.nan)
        for rect in place.rects:
            number, kind = sheet.from_inputs.read(rect)
            rows = slice(rect.top - place.rect.top, rect.bottom - place.rect.top)
            columns = slice(rect.left - place.rect.left, rect.right - place.rect.left)
            laid[rows, columns] = np.where(kind == NUMBER, number, np.nan)
        return laid

    def to_frame(self) -> pd.DataFrame:
        """One row for each computed cell; columns sheet, cell, verdict, role, cached, from_precedents, from_inputs,
        formula.
        """
        import pandas as pd

        return pd.DataFrame(self.rows(), columns=list(FRAME_COLUMNS))

    def rows(self) -> list[dict[str, Any]]:
        """The rows of :meth:`to_frame` as plain dictionaries."""
        special = {(c.sheet, c.row, c.column): c for c in self.cells}
        roles = self._roles_by_row()
        rows: list[dict[str, Any]] = []
        for sheet in self.sheets:
            places = [
                (sheet.rect.top + int(i), sheet.rect.left + int(j))
                for i, j in np.argwhere(sheet.verdicts != NOT_COMPUTED_CELL)
            ]
            for row, column in places + sorted(sheet.far):
                assert self.grid is not None
                result = special.get((sheet.index, row, column))
                rows.append(
                    {
                        "sheet": sheet.name,
                        "cell": cell_name(row, column),
                        "verdict": sheet.verdict(row, column),
                        "cause": result.cause if result else "",
                        "role": result.role if result else _role_in(roles, sheet.index, row, column),
                        "cached": self.grid.value(sheet.index, row, column).python,
                        "from_precedents": self.grid.scalar(*sheet.from_precedents.get(row, column)).python,
                        "from_inputs": self.grid.scalar(*sheet.from_inputs.get(row, column)).python,
                        "origins": " ".join(result.origins) if result else "",
                    }
                )
        return rows

    def role_of(self, sheet: int, row: int, column: int) -> str:
        """``scores[0,2]`` for a cell of a recognised step, else ``""``."""
        return _role_in(self._roles_by_row(), sheet, row, column)

    def _roles_by_row(self) -> dict[tuple[int, int], list[tuple[Rect, str]]]:
        """(sheet, row) → rectangles with a role that cross it: a sheet may hold a thousand of them."""
        found: dict[tuple[int, int], list[tuple[Rect, str]]] = {}
        for (sheet, rect), role in self.attention.labels().items():
            for row in range(rect.top, rect.bottom):
                found.setdefault((sheet, row), []).append((rect, role))
        return found

    def _repr_html_(self) -> str:
        """What a notebook shows: counts, the first accused cells, findings. Every text of the file is escaped."""
        from html import escape

        caption = f"<caption>{escape(self.path)}: {self.status}</caption>"
        if self.error is not None:
            return f"<table>{caption}<tr><td>{escape(self.error.message)}</td></tr></table>"
        counts = "".join(
            f"<tr><td>{escape(name)}</td><td>{count}</td></tr>" for name, count in self.counts.items() if count
        )
        names = {sheet.index: sheet.name for sheet in self.sheets}
        accused = [cell for cell in self.cells if cell.verdict in ("origin", "overridden")]
        lines = [
            f"{names[c.sheet]}!{c.cell}: {c.cause or c.verdict}, stored {c.cached.python}, "
            f"recomputed {c.from_precedents.python}"
            for c in accused[:NOTEBOOK_LINES]
        ]
        if len(accused) > NOTEBOOK_LINES:
            lines.append(f"and {len(accused) - NOTEBOOK_LINES} more")
        lines += [f"{names[f.sheet]}!{f.rect.a1}: {f.message.en}" for f in self.findings[:NOTEBOOK_LINES]]
        rest = "".join(f"<li>{escape(line)}</li>" for line in lines)
        return f"<table>{caption}{counts}</table>" + (f"<ul>{rest}</ul>" if rest else "")


def _role_in(roles: dict[tuple[int, int], list[tuple[Rect, str]]], sheet: int, row: int, column: int) -> str:
    for rect, role in roles.get((sheet, row), ()):
        if rect.left <= column < rect.right:
            return f"{role}[{row - rect.top},{column - rect.left}]"
    return ""


#: Accused cells, and findings, that a notebook lists.
NOTEBOOK_LINES = 10

FRAME_COLUMNS = (
    "sheet",
    "cell",
    "verdict",
    "cause",
    "role",
    "cached",
    "from_precedents",
    "from_inputs",
    "origins",
)


@dataclass(frozen=True, slots=True)
class Report:
    """The files of one call, in the order given."""

    files: tuple[FileReport, ...]
    tool: str = ""
    notes: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        return all(file.ok for file in self.files)

    @property
    def exit_code(self) -> int:
        """0 all agree, 1 something diverges, 2 a file could not be read."""
        states = {file.status for file in self.files}
        return 2 if "unreadable" in states else 1 if "diverges" in states else 0
