"""Printed figures against the recomputation, at the precision at which they were printed."""

from __future__ import annotations

from collections.abc import Iterator

from xlsx_attention.model.address import Rect, cell_name, parse_cell
from xlsx_attention.model.published import Published
from xlsx_attention.model.report import FileReport, PublishedFigure
from xlsx_attention.model.values import NUMBER, TEXT


def hold_against(published: Published, report: FileReport) -> tuple[PublishedFigure, ...]:
    """Each printed figure with the recomputed value; a step that the workbook does not show agrees with nothing."""
    places = {step: place for step, place in _places(published, report)}
    figures = []
    for item in published.figures:
        for column, printed in zip(item.columns, item.values, strict=True):
            place = places.get(item.step)
            value, cell = float("nan"), ""
            if place is not None:
                sheet, rect, across = place
                i, j = (column, item.row) if across else (item.row, column)
                row, at = rect.top + i, rect.left + j
                if rect.contains(row, at):
                    value, cell = _value(report, sheet, row, at), cell_name(row, at)
            agrees = abs(value - printed) <= 0.5 * 10.0**-item.decimals * (1 + 1e-9)
            figures.append(
                PublishedFigure(item.step, item.row, column, printed, item.decimals, value, cell, bool(agrees))
            )
    return tuple(figures)


def _value(report: FileReport, sheet: int, row: int, column: int) -> float:
    assert report.grid is not None
    if report.sheets[sheet].verdict(row, column) is None:
        number, kind = report.grid.sheets[sheet].cached.get(row, column)
    else:
        number, kind = report.sheets[sheet].from_inputs.get(row, column)
    return number if kind == NUMBER else float("nan")


def _places(published: Published, report: FileReport) -> Iterator[tuple[str, tuple[int, Rect, bool]]]:
    """Where each step lies: by its recognised role, else by a label in the corner of a rectangle of the printed shape.

    Yields (step, (sheet, rectangle, tokens lie in columns)).
    """
    roles: dict[str, tuple[int, Rect, bool]] = {}
    for attention in report.attention.attentions[:1]:
        across = attention.orientation == "columns"
        for role, place in [*attention.shared.items(), *(attention.heads[0].roles.items() if attention.heads else ())]:
            roles.setdefault(role, (place.sheet, place.rect, across != place.transposed))
    labelled = _by_label(published, report)
    for item in published.figures:
        found = roles.get(item.step) or labelled.get(item.step)
        if found is not None:
            yield item.step, found


def _by_label(published: Published, report: FileReport) -> dict[str, tuple[int, Rect, bool]]:
    grid = report.grid
    assert grid is not None
    found: dict[str, tuple[int, Rect, bool]] = {}
    for sheet in grid.sheets:
        rect = sheet.cached.rect
        for row, column in rect.cells():
            number, kind = sheet.cached.get(row, column)
            if kind != TEXT:
                continue
            word = grid.texts[number].split(" ")[0].strip(":：=")
            shape = published.shapes.get(word)
            if shape is None or word in found:
                continue
            # The numbers begin up to two cells below and right of the label (a row of tokens, a column of them).
            for down in (0, 1, 2):
                for right in (0, 1, 2):
                    target = Rect(row + down, column + right, row + down + shape[0], column + right + shape[1])
                    if (down or right) and (sheet.cached.read(target)[1] == NUMBER).all():
                        found.setdefault(word, (sheet.index, target, False))
    return found


__all__ = ["hold_against", "parse_cell"]
