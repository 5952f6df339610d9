"""``xlsx-attention compare``"""

from __future__ import annotations

import sys
from typing import Any

import click

from xlsx_attention.cli.limits import chosen, limit_options
from xlsx_attention.errors import UnreadableFile


@click.command("compare", short_help="Write a comparison workbook.")
@click.argument("file", metavar="FILE")
@click.option("-o", "--output", required=True, type=click.Path(), metavar="OUT.xlsx", help="The comparison workbook.")
@click.option(
    "--annotate", type=click.Path(), metavar="OUT.xlsx", help="Also a copy of FILE, its diverging cells marked."
)
@click.option(
    "--published", type=click.Path(), help="Also hold the figures that a text prints (JSON) against the workbook."
)
@click.option("--rtol", type=click.FloatRange(0, 1), help="Relative tolerance; by default it follows from the file.")
@click.option("--sheet", "sheets", multiple=True, metavar="NAME", help="Only this sheet (may be repeated).")
@click.option("--lang", type=click.Choice(["en", "zh"]), default="en", show_default=True)
@limit_options(untrusted=False)
@click.option("--quiet", "-q", is_flag=True, help="Only the exit code and errors.")
def command(
    file: str,
    output: str,
    annotate: str | None,
    published: str | None,
    rtol: float | None,
    sheets: tuple[str, ...],
    lang: str,
    quiet: bool,
    untrusted: bool,
    **given: Any,
) -> None:
    """Write the values of FILE and NumPy's side by side, annotated with the formulas, as live formulas too."""
    from xlsx_attention import pipeline
    from xlsx_attention.model.published import Published
    from xlsx_attention.model.report import Report
    from xlsx_attention.reading import load
    from xlsx_attention.reporting.annotate import annotate as annotated
    from xlsx_attention.reporting.comparison import comparison_workbook
    from xlsx_attention.writing import atomic_write, refuse_overwriting

    # Before any work: a target that cannot be is said at once.
    for target in filter(None, (output, annotate)):
        refuse_overwriting(target, [file])
    if annotate is not None:
        refuse_overwriting(annotate, [output])
    figures = Published.load(published) if published else None
    budgets = chosen(given, untrusted=untrusted)
    options = pipeline.Options(rtol=rtol, sheets=sheets or None, budgets=budgets, words=True)
    # Read once: the copy that is annotated is the content that was verified, whatever happens to the file meanwhile.
    source = load(file, budgets)
    report = pipeline.verify_file(source, options, figures)
    if report.error is not None:
        raise UnreadableFile(report.error.code, report.error.message, where=file)
    comparison_workbook(report, output, lang)
    if annotate is not None:
        atomic_write(annotate, annotated(report, source.data, lang), protect=[file])
    if not quiet:
        from xlsx_attention.reporting.terminal import Terminal

        lines = Terminal(False, lang).file(report)
        click.echo("\n".join([lines[0], lines[-1], *(f"-> {path}" for path in filter(None, (output, annotate)))]))
    sys.exit(Report((report,)).exit_code)
