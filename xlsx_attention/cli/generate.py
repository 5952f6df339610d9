"""``xlsx-attention generate``"""

from __future__ import annotations

import sys
from typing import Any

import click

from xlsx_attention.cli.progress import bar
from xlsx_attention.model.example import BLANKS, LANGUAGES, LAYOUTS, LESSONS, MASKS, STYLES


@click.command("generate", short_help="Write a new worked example.")
@click.argument("sentence", required=False, metavar="[SENTENCE]")
@click.option("-o", "--output", required=True, type=click.Path(), metavar="OUT.xlsx", help="The lesson to write.")
@click.option("--length", type=int, metavar="S", help="Tokens in all; what the sentence lacks is padded with <PAD>.")
@click.option("--d-model", type=int, metavar="D", help="Features of a token (8).")
@click.option("--d-k", type=int, help="Width of one head's queries and keys (D / heads).")
@click.option("--d-v", type=int, help="Width of one head's values (D / heads).")
@click.option("--heads", type=int, help="Heads (1).")
@click.option("--w-o", is_flag=True, default=None, help="Project the joined heads by a W_o.")
@click.option("--bias", is_flag=True, default=None, help="Add a bias to each projection.")
@click.option(
    "--mask", type=click.Choice(MASKS), help="Hide padding columns, what comes later, both, or nothing (pad)."
)
@click.option("--seed", type=int, help="Other numbers for another seed (0).")
@click.option("--decimals", type=int, help="Decimals of the drawn numbers (2).")
@click.option("--layout", type=click.Choice(LAYOUTS), help="Tokens in rows (X·W) or in columns (W·X).")
@click.option(
    "--style", type=click.Choice(STYLES), help="A formula a cell, MMULT arrays, spills with #, or SOFTMAX as a LAMBDA."
)
@click.option("--lang", type=click.Choice(LANGUAGES), help="Language of the labels (zh).")
@click.option(
    "--embedding", is_flag=True, default=None, help="Start a lesson earlier: ids, table, positions, X = E + PE."
)
@click.option("--lesson", "lessons", multiple=True, type=click.Choice(LESSONS), help="A sheet each (may be repeated).")
@click.option("--target", help="The sentence that asks, in the lesson cross.")
@click.option("--from", "spec_file", type=click.Path(), metavar="SPEC.toml", help="Take the options from a file.")
@click.option("--tensors", "tensor_file", type=click.Path(), metavar="FILE", help="X and weights: .npz, .json or .csv.")
@click.option("--exercise", is_flag=True, default=None, help="A student's copy with blanks, and the key beside it.")
@click.option("--blank", "blanks", multiple=True, type=click.Choice(BLANKS), help="Steps left blank (default: all).")
@click.option("--mistakes", type=int, metavar="N", help="Plant N mistakes, and write the answers beside.")
@click.option("--kinds", multiple=True, metavar="CAUSE", help="Only mistakes of these causes (may be repeated).")
@click.option("--versions", type=int, metavar="N", help="N files with other numbers each.")
@click.option("--name", help="Name of the first sheet.")
@click.option("--title", help="Heading of the lesson.")
@click.option("--quiet", "-q", is_flag=True, help="Say nothing.")
def command(
    sentence: str | None, output: str, spec_file: str | None, tensor_file: str | None, quiet: bool, **given: Any
) -> None:
    """Write a lesson on SENTENCE (its words are the tokens) with live formulas, the same steps as the course.

    \b xlsx-attention generate "我 爱 AI" --length 5 --seed 7 -o lesson.xlsx
    """
    from xlsx_attention.generating import generate, spec_from

    fields = {**given, "tokens": sentence, "target": given["target"] or None}
    spec = spec_from(fields, spec_file=spec_file, tensor_file=tensor_file)
    protect = [path for path in (spec_file, tensor_file) if path]
    with bar("cells", quiet) as progress:
        written = generate(spec, output, protect=protect, progress=progress)
    if not quiet:
        for path in written:
            sys.stdout.write(f"{path}\n")
