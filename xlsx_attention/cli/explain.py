"""``xlsx-attention explain``"""

from __future__ import annotations

import sys
from typing import Any

import click

from xlsx_attention.cli.limits import chosen, limit_options
from xlsx_attention.errors import UnreadableFile, UsageError


@click.command("explain", short_help="The sheet as NumPy steps, or one cell's derivation.")
@click.argument("file", metavar="FILE")
@click.argument("cell", required=False, metavar="[CELL]")
@click.option(
    "--sheet", metavar="NAME", help="The sheet of CELL (default: the first that has formulas), or the only one shown."
)
@click.option(
    "--format", "form", type=click.Choice(["text", "python"]), default="text", show_default=True,
    help="python: a script for a bare interpreter with NumPy, with the inputs as literals.",
)  # fmt: skip
@limit_options(untrusted=False)
def command(file: str, cell: str | None, sheet: str | None, form: str, untrusted: bool, **given: Any) -> None:
    """Show FILE as a short NumPy program, one line a step; or derive one CELL (U10, or Sheet!U10) with its numbers."""
    from dataclasses import replace

    from xlsx_attention import parsing, pipeline
    from xlsx_attention.recognising import explain_program, program_text
    from xlsx_attention.reporting.derivation import Derivation
    from xlsx_attention.reporting.safe import visible

    report = pipeline.verify_file(
        file, pipeline.Options(budgets=chosen(given, untrusted=untrusted), words=cell is not None)
    )
    if report.error is not None:
        raise UnreadableFile(report.error.code, report.error.message, where=file)
    assert report.grid is not None
    assert report.plan is not None
    grid = report.grid
    if cell is not None:
        index, row, column = _place(report, cell, sheet)
        derivation = Derivation(report, lambda form_, r, c: parsing.formula_at(form_, r, c))  # type: ignore[arg-type]
        sys.stdout.write("\n".join(derivation.lines(index, row, column)) + "\n")
        return
    lines = explain_program(grid, report.plan, report.attention)
    # Names of sheets stand in the comments.
    lines = [replace(line, comment=visible(line.comment, 400)) for line in lines]
    if sheet is not None:
        index = _index(report, sheet)
        if form == "text":
            lines = [line for line in lines if line.sheet == index]
    if form == "python":
        sys.stdout.write(program_text(lines))
        return
    # Sheet by sheet; an input's numbers stand in the sheet itself, its name and shape are enough here.
    lines = sorted(lines, key=lambda line: line.sheet)
    bodies = [_short(f"{line.name} = {line.expression}") for line in lines]
    width = min(60, max(map(len, bodies), default=0))
    shown = -1
    for line, body in zip(lines, bodies, strict=True):
        if line.sheet != shown and len(grid.sheets) > 1:
            shown = line.sheet
            sys.stdout.write(f"# {visible(grid.sheets[shown].name, 31)}\n")
        sys.stdout.write(f"{visible(body):{width}}   # {line.comment}\n")


def _short(body: str) -> str:
    return body if len(body) <= 60 else f"{body[:59]}…"


def _index(report: object, name: str) -> int:
    from xlsx_attention.model.report import FileReport

    assert isinstance(report, FileReport)
    assert report.grid is not None
    index = report.grid.sheet_index(name)
    if index is None:
        have = ", ".join(repr(s.name) for s in report.grid.sheets[:20])
        raise UsageError("no-such-sheet", f"there is no sheet {name!r}; there are {have}", where=report.path)
    return index


def _place(report: object, cell: str, sheet: str | None) -> tuple[int, int, int]:
    from xlsx_attention.model.address import parse_cell
    from xlsx_attention.model.report import FileReport

    assert isinstance(report, FileReport)
    name, mark, address = cell.rpartition("!")
    wanted = name.strip("'") if mark else sheet
    try:
        row, column = parse_cell(address)
    except ValueError as error:
        raise UsageError("no-such-cell", f"{cell!r} is not a cell; write it as U10 or Sheet!U10") from error
    if wanted is not None:
        return _index(report, wanted), row, column
    first = next((s.index for s in report.sheets if sum(s.counts.values())), 0)
    return first, row, column
