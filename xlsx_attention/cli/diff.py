"""``xlsx-attention diff``"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from xlsx_attention.batch.difference import Change, Difference

_TITLES = {
    "input": "inputs changed",
    "formula": "formulas changed",
    "value": "values follow",
    "unexplained": "values changed without a cause in the two workbooks",
}


@click.command("diff", short_help="What changed between two workbooks.")
@click.argument("old", type=click.Path())
@click.argument("new", type=click.Path())
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option("--rtol", type=click.FloatRange(0, 1), help="Relative tolerance; by default it follows from the files.")
@click.option("--all", "whole", is_flag=True, help="List every change, however many there are.")
@click.option("--quiet", "-q", is_flag=True, help="Only the exit code and errors.")
def command(old: str, new: str, form: str, rtol: float | None, whole: bool, quiet: bool) -> None:
    """Which inputs, formulas and values changed from OLD to NEW, and which value changes follow from which.

    Exit codes: 0 nothing changed, 1 something did, 2 a file could not be read or the call is wrong.
    """
    from xlsx_attention.batch.difference import compare_files

    difference = compare_files(old, new, rtol)
    if not quiet:
        if form == "json":
            click.echo(json.dumps(difference.to_data(), ensure_ascii=False, indent=1, allow_nan=False))
        else:
            click.echo("\n".join(_lines(difference, sys.maxsize if whole else 20)))
    sys.exit(0 if difference.same else 1)


def _lines(difference: Difference, limit: int) -> Iterator[str]:
    from xlsx_attention.reporting.safe import visible

    if difference.same:
        yield "no change"
        return
    for title, sheets in (("added", difference.added), ("removed", difference.removed)):
        for sheet in sheets:
            yield f"sheet {title}: {visible(sheet)}"
    for kind, title in _TITLES.items():
        found = [change for change in difference.changes if change.kind == kind]
        if not found:
            continue
        yield f"{len(found)} {title}:"
        for change in found[:limit]:
            yield f"  {visible(_line(change), 600)}"
        if len(found) > limit:
            yield f"  and {len(found) - limit} more; --all lists them"


def _line(change: Change) -> str:
    parts = [f"{change.sheet}!{change.cell}: {_shown(change.old)} → {_shown(change.new)}"]
    if change.old_formula != change.new_formula:
        parts.append(f"{change.old_formula or 'no formula'} → {change.new_formula or 'no formula'}")
    if change.sources:
        parts.append(f"from {', '.join(change.sources)}")
    if change.followed_by:
        parts.append(f"{change.followed_by} values follow")
    return "; ".join(parts)


def _shown(value: object) -> str:
    if value is None:
        return "empty"
    if isinstance(value, bool):
        return str(value).upper()
    # The shortest digits that give the number back: 0.69, not 0.68999999999999995.
    return repr(value).removesuffix(".0")
