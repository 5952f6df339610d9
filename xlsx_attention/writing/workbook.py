"""XlsxWriter with what a sheet of numbers needs beyond it.

XlsxWriter writes plain numbers with 16 digits, which loses the last bit of many, and rewrites every formula by regular
expressions before it stores it. Here numbers are written so that they read back as the same double, formulas are taken
as files store them (``_xlfn.`` and ``_xlpm.`` prefixes in place, no ``=``), array formulas and spills carry a value for
each member, and text is text whatever it begins with.
"""

from __future__ import annotations

import datetime
import io
import math
import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
import xlsxwriter
from xlsxwriter.format import Format
from xlsxwriter.worksheet import Worksheet

from xlsx_attention.errors import UsageError
from xlsx_attention.model.address import MAX_COLUMNS, MAX_ROWS, Rect, cell_name
from xlsx_attention.writing.atomic import atomic_write, refuse_overwriting
from xlsx_attention.writing.cells import (
    CellError,
    Value,
    cached_xml,
    clean_text,
    escape,
    escape_formula,
    number_text,
    printable,
)

#: The most characters (UTF-16 units) that a cell holds.
TEXT_LIMIT = 32_767
#: The time that files are stamped with, so that one call gives one file.
CREATED = datetime.datetime(2024, 1, 1)

# XlsxWriter tells the kinds of cells apart by the names of these tuples' classes, and asks each for its `format`.


class _Stored(NamedTuple):
    """A cell of which all but address and style is ready: what stands between ``<c …>`` and ``</c>``."""

    attributes: str
    content: str
    format: Format | None


class _Plain(NamedTuple):
    number: float
    format: Format | None


class _Formula(NamedTuple):
    """A formula with a number for its result, the common case, which is put together when it is written."""

    formula: str
    value: float
    format: Format | None


class AttentionSheet(Worksheet):  # type: ignore[misc]  # XlsxWriter's types are not followed
    """A worksheet of XlsxWriter with stored-form formulas and exact numbers."""

    def write_text(self, row: int, column: int, text: str, format: Format | None = None) -> None:
        """``text`` as text: no formula, link or number comes of it. It is cut with "…" at the length a cell holds."""
        text = clean_text(text)
        units = len(text.encode("utf-16-le")) // 2
        if units > TEXT_LIMIT:
            text = text.encode("utf-16-le")[: 2 * (TEXT_LIMIT - 1)].decode("utf-16-le", "ignore") + "…"
        if text.startswith("<r>") or "\ufffe" in text or "\uffff" in text:
            # The table of shared texts would take the first for markup, and write the others as they are.
            inline = f'<is><t xml:space="preserve">{escape(text)}</t></is>'
            self._put(row, column, _Stored(' t="inlineStr"', inline, format))
        elif text == "":
            self.write_blank(row, column, None, format)
        else:
            self._check_inside(row, column)
            self.write_string(row, column, text, format)

    def write_number17(self, row: int, column: int, number: float, format: Format | None = None) -> None:
        """A number that reads back as the same double; ``ValueError`` for NaN and infinities."""
        if not np.isfinite(number):
            raise ValueError(f"{cell_name(row, column)}: {number} is no number that a cell can hold")
        self._put(row, column, _Plain(float(number), format))

    def write_error(self, row: int, column: int, code: str, format: Format | None = None) -> None:
        """An Excel error (``#DIV/0!``) as a constant, with no formula behind it."""
        kind, result = cached_xml(CellError(code))
        self._put(row, column, _Stored(kind, result, format))

    def write_formula_cached(
        self, row: int, column: int, formula: str, format: Format | None = None, value: Value = None
    ) -> None:
        """A formula as files store it (``MMULT($A1:$D1,F$1:F$4)``, a leading ``=`` is dropped), with its result."""
        formula = formula[1:] if formula.startswith("=") else formula
        if type(value) is float and math.isfinite(value):
            self._put(row, column, _Formula(formula, value, format))
        else:
            kind, result = cached_xml(value)
            self._put(row, column, _Stored(kind, f"<f>{escape_formula(formula)}</f>{result}", format))

    def write_array_cached(
        self,
        rect: Rect,
        formula: str,
        format: Format | None = None,
        values: Sequence[Sequence[Value]] | np.ndarray | None = None,
        *,
        dynamic: bool = False,
    ) -> None:
        """An array formula over ``rect`` with its results, by rows; ``dynamic``: it spills from the first cell.

        ``values`` has the shape of ``rect``; ``None`` leaves all members without a stored result.
        """
        formula = formula[1:] if formula.startswith("=") else formula
        rows = rect.bottom - rect.top
        columns = rect.right - rect.left
        table = [[None] * columns] * rows if values is None else [list(row) for row in values]
        if len(table) != rows or any(len(row) != columns for row in table):
            raise ValueError(f"the results of an array of {rows}×{columns} cells have another shape")
        first, last = cell_name(rect.top, rect.left), cell_name(rect.bottom - 1, rect.right - 1)
        where = first if first == last else f"{first}:{last}"
        for i, line in enumerate(table):
            for j, value in enumerate(line):
                kind, result = cached_xml(value)
                if i == j == 0:
                    result = f'<f t="array" ref="{where}">{escape_formula(formula)}</f>{result}'
                    kind += ' cm="1"' if dynamic else ""
                self._put(rect.top + i, rect.left + j, _Stored(kind, result, format))
        if dynamic:
            self.has_dynamic_arrays = True

    def write_numbers(self, row: int, column: int, numbers: np.ndarray, format: Format | None = None) -> None:
        """A matrix of constants from (row, column) on."""
        for i, line in enumerate(np.atleast_2d(numbers).tolist()):
            for j, number in enumerate(line):
                self.write_number17(row + i, column + j, number, format)

    def write_block_cached(
        self,
        row: int,
        column: int,
        formula: Callable[[int, int], str],
        values: np.ndarray,
        format: Format | None = None,
    ) -> None:
        """One formula a cell from (row, column) on; ``formula(i, j)`` gives what results in ``values[i, j]``."""
        values = np.atleast_2d(values)
        if not np.isfinite(values).all():
            raise ValueError(f"{cell_name(row, column)}: the block holds a result that no cell can hold")
        for corner in ((row, column), (row + values.shape[0] - 1, column + values.shape[1] - 1)):
            self._check_inside(*corner)
        for i, line in enumerate(values.tolist()):
            cells = self.table[row + i]
            for j, value in enumerate(line):
                cells[column + j] = _Formula(formula(i, j), value, format)

    def _check_inside(self, row: int, column: int) -> None:
        if self._check_dimensions(row, column):
            raise UsageError(
                "sheet-too-small",
                f"row {row + 1}, column {column + 1} lies outside a sheet of {MAX_ROWS:,} × {MAX_COLUMNS:,}",
                where=str(self.name),
            )

    def _put(self, row: int, column: int, cell: _Stored | _Plain | _Formula) -> None:
        self._check_inside(row, column)
        self.table[row][column] = cell

    # The seams of XlsxWriter, called while the sheet's XML is written.

    #: Told of each row written: how many are done, and of how many.
    on_row: Callable[[int, int], None] | None = None

    def _write_row(self, row: int, *rest: Any, **options: Any) -> None:
        if self.on_row is not None:
            self.on_row(row - self.dim_rowmin + 1, self.dim_rowmax - self.dim_rowmin + 1)
        super()._write_row(row, *rest, **options)

    def _write_cell(self, row: int, col: int, cell: Any) -> None:
        kind = type(cell)
        if kind is _Formula:
            start = f"<f>{escape_formula(cell.formula)}</f>"
            self.fh.write(f'<c r="{cell_name(row, col)}"{_style(cell)}>{start}<v>{number_text(cell.value)}</v></c>')
        elif kind is _Plain:
            self.fh.write(f'<c r="{cell_name(row, col)}"{_style(cell)}><v>{number_text(cell.number)}</v></c>')
        elif kind is _Stored:
            self.fh.write(f'<c r="{cell_name(row, col)}"{_style(cell)}{cell.attributes}>{cell.content}</c>')
        else:
            super()._write_cell(row, col, cell)

    def _calculate_spans(self) -> None:
        """Nothing: the columns that a row spans may be left unsaid, and to find out takes a pass over all cells."""

    def _xml_number_element(self, number: float, attributes: Iterable[tuple[str, object]] = ()) -> None:
        joined = "".join(f' {key}="{value}"' for key, value in attributes)
        self.fh.write(f"<c{joined}><v>{number_text(number)}</v></c>")


def _style(cell: _Stored | _Plain | _Formula) -> str:
    return "" if cell.format is None else f' s="{cell.format._get_xf_index()}"'


class AttentionWorkbook(xlsxwriter.Workbook):  # type: ignore[misc]  # XlsxWriter's types are not followed
    """A workbook whose sheets are :class:`AttentionSheet`; it is written when it is closed, whole or not at all.

    A context manager: leaving it by an exception writes nothing.
    """

    def __init__(
        self,
        target: str | os.PathLike[str] | IO[bytes],
        *,
        protect: Iterable[str | os.PathLike[str]] = (),
        properties: dict[str, Any] | None = None,
        **options: Any,
    ) -> None:
        self._target = target
        self._protect = tuple(protect)
        if isinstance(target, str | os.PathLike):
            refuse_overwriting(target, self._protect)
        self._buffer = io.BytesIO()
        # In memory, for a full temporary folder is told of by an exception of XlsxWriter's own, and in four lines.
        plain = {"in_memory": True, "strings_to_numbers": False, "strings_to_formulas": False, "strings_to_urls": False}
        super().__init__(self._buffer, {**plain, **options})
        self.worksheet_class = AttentionSheet
        said = {"created": CREATED, **(properties or {})}
        self.set_properties({k: printable(v) if isinstance(v, str) else v for k, v in said.items()})

    def close(self) -> None:
        """Put the file in its place; a second call does nothing."""
        if self.fileclosed:
            return
        super().close()
        data = self._buffer.getvalue()
        if isinstance(self._target, str | os.PathLike):
            atomic_write(Path(self._target), data, protect=self._protect)
        else:
            self._target.write(data)

    def __exit__(self, kind: Any, value: Any, traceback: Any) -> None:
        if kind is None:
            self.close()
        else:
            self.fileclosed = True  # nothing is written, and nobody is warned that it was not


def open_workbook(target: str | os.PathLike[str] | IO[bytes], **options: Any) -> AttentionWorkbook:
    """A new workbook, to be used as a context manager; the same calls give the same bytes.

    ``target``: a path, written atomically, or a binary stream. ``protect``: paths (the inputs) that ``target`` must not
    be; ``properties``: title, subject, author, comments … as XlsxWriter's ``set_properties`` takes them; everything
    else is an option of ``xlsxwriter.Workbook``.
    """
    return AttentionWorkbook(target, **options)
