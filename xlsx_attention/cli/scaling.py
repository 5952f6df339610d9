"""``xlsx-attention scaling``"""

from __future__ import annotations

import sys

import click

from xlsx_attention.errors import UsageError


def _dims(text: str) -> tuple[int, ...]:
    try:
        dims = tuple(int(word) for word in text.replace(",", " ").split())
    except ValueError:
        dims = ()
    if not dims or min(dims) < 1:
        raise UsageError("dims", f"--dims takes whole numbers above 0, such as 8,64,256, not {text!r}")
    return dims


@click.command(
    "scaling",
    short_help="The experiment behind the division by √d.",
    context_settings={"ignore_unknown_options": False},
)
@click.option(
    "--dims", multiple=True, metavar="D...", help="Widths, together (8,64,256) or one by one.  [default: 8,64,256]"
)
@click.option("--tokens", type=click.IntRange(2, 1000), default=5, show_default=True)
@click.option("--repeats", type=click.IntRange(2, 1_000_000), default=2000, show_default=True)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
@click.option(
    "-o", "--output", type=click.Path(), metavar="OUT.xlsx", help="Also a workbook with the table and a chart."
)
@click.argument("more", nargs=-1, metavar="")
def command(
    dims: tuple[str, ...], tokens: int, repeats: int, seed: int, output: str | None, more: tuple[str, ...]
) -> None:
    """Random Q and K: how the dot product grows with d, and how sharp softmax gets without and with ÷√d."""
    from xlsx_attention.attention import format_table, scaling_experiment

    if more and not dims:
        raise UsageError("dims", f"do not know what {' '.join(more)!r} is; widths go with --dims 8 64 256")
    widths = _dims(" ".join((*dims, *more))) if dims else (8, 64, 256)
    rows = scaling_experiment(dims=widths, tokens=tokens, repeats=repeats, seed=seed)
    sys.stdout.write(format_table(rows) + "\n")
    if output:
        from xlsx_attention.attention.scaling_workbook import scaling_workbook

        scaling_workbook(rows, output)
        sys.stdout.write(f"-> {output}\n")
