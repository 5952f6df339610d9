"""The √d experiment as a workbook: a table with live theory, and two charts with their error bars."""

from __future__ import annotations

import datetime
import io
import os
from collections.abc import Sequence
from typing import Any

from xlsx_attention.attention.errors import AttentionError
from xlsx_attention.attention.scaling import ScalingRow
from xlsx_attention.writing import atomic_write

SHEET = "scaling"
HEADER_ROW = 3  # counted from 0: the table begins on the sheet's row 4

# Each column of the table: heading, field of ScalingRow, number format. √d is the one that Excel computes itself.
_COLUMNS = (
    ("d", "d", "0"),
    ("std of q·k", "std_measured", "0.000"),
    ("± std", "std_error", "0.000"),
    ("√d", "std_theory", "0.000"),
    ("largest weight, q·k", "max_weight_unscaled", "0.000"),
    ("± largest, q·k", "unscaled_error", "0.000"),
    ("largest weight, q·k÷√d", "max_weight_scaled", "0.000"),
    ("± largest, q·k÷√d", "scaled_error", "0.000"),
)
_AT = {field: column for column, (_, field, _) in enumerate(_COLUMNS)}

# Each chart: title, place, axis title, and its series as (values, error bars or None).
_CHARTS = (
    ("Deviation of q·k against √d", "A{}", "standard deviation", (("std_measured", "std_error"), ("std_theory", None))),
    (
        "Mean largest weight of a row",
        "E{}",
        "largest softmax weight",
        (("max_weight_unscaled", "unscaled_error"), ("max_weight_scaled", "scaled_error")),
    ),
)


def scaling_workbook(rows: Sequence[ScalingRow], path: str | os.PathLike[str]) -> None:
    """Writes ``rows`` to ``path`` (.xlsx), replacing what is there: one sheet, one table, two line charts over d.

    The same rows give the same bytes. Raises :class:`AttentionError` without rows, and
    :class:`~xlsx_attention.errors.UsageError` where the path cannot be written; what is there then stays.
    """
    import xlsxwriter

    if not rows:
        raise AttentionError("there are no rows to write; run scaling_experiment first")
    stream = io.BytesIO()
    book = xlsxwriter.Workbook(stream, {"in_memory": True})
    # A fixed date keeps the bytes equal from run to run.
    book.set_properties({"title": "The √d experiment", "created": datetime.datetime(2000, 1, 1)})
    sheet = book.add_worksheet(SHEET)
    sheet.set_column(0, len(_COLUMNS) - 1, 22)
    sheet.set_landscape()
    sheet.fit_to_pages(1, 0)  # printed one page wide
    sheet.write(0, 0, "Why attention divides by √d", book.add_format({"bold": True, "font_size": 14}))
    sheet.write(1, 0, "Q and K are standard normal; ± is one standard error over independent draws.")
    _write_table(book, sheet, rows)
    for title, place, axis, series in _CHARTS:
        chart = _chart(book, title, axis, series, len(rows))
        sheet.insert_chart(place.format(HEADER_ROW + len(rows) + 4), chart, {"x_scale": 1.25, "y_scale": 1.1})
    book.close()
    atomic_write(path, stream.getvalue())


def _write_table(book: Any, sheet: Any, rows: Sequence[ScalingRow]) -> None:
    formats = [book.add_format({"num_format": pattern}) for _, _, pattern in _COLUMNS]
    columns = [{"header": heading, "format": fmt} for (heading, _, _), fmt in zip(_COLUMNS, formats, strict=True)]
    columns[_AT["std_theory"]]["formula"] = "=SQRT([@d])"
    sheet.add_table(
        HEADER_ROW, 0, HEADER_ROW + len(rows), len(_COLUMNS) - 1,
        {"name": "scaling_rows", "columns": columns, "style": "Table Style Light 9", "autofilter": False},
    )  # fmt: skip
    for r, row in enumerate(rows, HEADER_ROW + 1):
        for (_, field, _), column, fmt in zip(_COLUMNS, range(len(_COLUMNS)), formats, strict=True):
            value = getattr(row, field)
            if field == "std_theory":
                sheet.write_formula(r, column, "=SQRT(scaling_rows[[#This Row],[d]])", fmt, value)
            else:
                sheet.write_number(r, column, value, fmt)


def _chart(book: Any, title: str, axis: str, series: Sequence[tuple[str, str | None]], count: int) -> Any:
    def column(field: str) -> list[str | int]:
        return [SHEET, HEADER_ROW + 1, _AT[field], HEADER_ROW + count, _AT[field]]

    chart = book.add_chart({"type": "line"})
    for values, error in series:
        drawn: dict[str, Any] = {
            "name": [SHEET, HEADER_ROW, _AT[values]],
            "categories": column("d"),
            "values": column(values),
            "marker": {"type": "circle"},
        }
        if error is not None:
            bars = _reference(_AT[error], count)
            drawn["y_error_bars"] = {"type": "custom", "plus_values": bars, "minus_values": bars}
        chart.add_series(drawn)
    chart.set_title({"name": title, "name_font": {"size": 12}})
    chart.set_x_axis({"name": "width d"})
    chart.set_y_axis({"name": axis, "min": 0})
    chart.set_legend({"position": "bottom"})
    return chart


def _reference(column: int, count: int) -> str:
    letter = chr(ord("A") + column)
    return f"={SHEET}!${letter}${HEADER_ROW + 2}:${letter}${HEADER_ROW + count + 1}"
