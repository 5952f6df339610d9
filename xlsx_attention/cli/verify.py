"""``xlsx-attention verify``"""

from __future__ import annotations

import sys
from typing import Any

import click

from xlsx_attention.cli.console import complain, wants_color
from xlsx_attention.cli.limits import chosen, limit_options
from xlsx_attention.reporting.formats import FORMATS
from xlsx_attention.reporting.safe import visible


@click.command("verify", short_help="Verify workbooks.")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--format", "form", type=click.Choice(list(FORMATS)), default="text", show_default=True)
@click.option(
    "--published", type=click.Path(), help="Also hold the figures that a text prints (JSON) against the workbook."
)
@click.option("--rtol", type=click.FloatRange(0, 1), help="Relative tolerance; by default it follows from the file.")
@click.option("--sheet", "sheets", multiple=True, metavar="NAME", help="Only this sheet (may be repeated).")
@click.option("--lang", type=click.Choice(["en", "zh"]), default="en", show_default=True)
@limit_options(untrusted=False)
@click.option("--quiet", "-q", is_flag=True, help="Only the exit code and errors.")
@click.option("--no-color", is_flag=True, help="No colours (NO_COLOR is honoured too).")
def command(
    files: tuple[str, ...],
    form: str,
    published: str | None,
    rtol: float | None,
    sheets: tuple[str, ...],
    lang: str,
    quiet: bool,
    no_color: bool,
    untrusted: bool,
    **given: Any,
) -> None:
    """Recompute every computed cell of each FILE and name the cells where a difference begins."""
    from xlsx_attention import pipeline
    from xlsx_attention.model.published import Published
    from xlsx_attention.model.report import Report

    figures = Published.load(published) if published else None
    options = pipeline.Options(
        rtol=rtol,
        sheets=sheets or None,
        budgets=chosen(given, untrusted=untrusted),
        words=form in ("json", "html"),
    )
    reports = []
    for path in files:
        report = pipeline.verify_file(path, options, figures)
        if report.error is not None:
            complain(f"{visible(path)}: {visible(report.error.message, 1000)}")
        reports.append(report)
    whole = Report(tuple(reports), tool=pipeline.tool_name())
    if not quiet:
        text = FORMATS[form].render(whole, lang, wants_color(no_color))
        if text:
            sys.stdout.write(text + "\n")
    sys.exit(whole.exit_code)
