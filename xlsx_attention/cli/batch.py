"""``xlsx-attention batch``"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from xlsx_attention.cli.console import complain
from xlsx_attention.cli.limits import chosen, limit_options

if TYPE_CHECKING:
    from xlsx_attention.batch.run import BatchResult, Runner

_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", re.IGNORECASE)
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
#: Lines on stderr for what was left out; the report has all of them.
SKIPPED = 50


def _size(ctx: click.Context, param: click.Parameter, value: str) -> int:
    """``2G``, ``512M`` or bytes; 0 is no limit."""
    match = _SIZE.fullmatch(value.strip())
    if match is None:
        raise click.BadParameter(f"{value!r} is no size; write it like 2G or 512M", ctx, param)
    return int(float(match[1]) * _UNITS[match[2].upper()])


@click.command("batch", short_help="Verify or grade many workbooks.")
@click.argument("paths", nargs=-1, metavar="PATH...")
@click.option(
    "-o", "--output", "folder", required=True, type=click.Path(file_okay=False), help="Folder for the reports."
)
@click.option("--from", "lists", multiple=True, type=click.Path(dir_okay=False), help="File with one path a line.")
@click.option("--jobs", type=click.IntRange(1), help="Workers; by default one a core.")
@click.option(
    "--timeout", type=click.FloatRange(0), default=20, show_default=True, help="Seconds for a file; 0: no limit."
)
@click.option("--memory", callback=_size, default="2G", show_default=True, help="Memory for a file; 0: no limit.")
@click.option("--key", type=click.Path(exists=True, dir_okay=False), help="Grade against this workbook.")
@click.option(
    "--rubric", type=click.Path(exists=True, dir_okay=False), help="Points and tolerances (TOML); needs --key."
)
@click.option("--failed-first", is_flag=True, help="Judge anew, and first, what failed the last time.")
@click.option(
    "--max-fail", type=click.IntRange(1), metavar="N", help="Stop at N files that diverge or cannot be judged."
)
@click.option("--dask", metavar="ADDRESS", help="Run on a Dask cluster (tcp://host:8786); needs the extra dask.")
@click.option("--rtol", type=click.FloatRange(0, 1), help="Relative tolerance; by default it follows from each file.")
@click.option("--sheet", "sheets", multiple=True, metavar="NAME", help="Only this sheet (may be repeated).")
@click.option("--lang", type=click.Choice(["en", "zh"]), default="en", show_default=True)
@limit_options(untrusted=True)
@click.option("--quiet", "-q", is_flag=True, help="Only the exit code and errors.")
def command(
    paths: tuple[str, ...],
    folder: str,
    lists: tuple[str, ...],
    jobs: int | None,
    timeout: float,
    memory: int,
    key: str | None,
    rubric: str | None,
    failed_first: bool,
    max_fail: int | None,
    dask: str | None,
    rtol: float | None,
    sheets: tuple[str, ...],
    lang: str,
    quiet: bool,
    **given: Any,
) -> None:
    """Judge every workbook under each PATH (files, folders, patterns, fsspec addresses) and write reports into a
    folder.

    A killed batch goes on where it stopped when it is run again. Exit codes: 0 all agree, 1 something diverges, 2 the
    call is wrong, 4 some files could not be judged, 130 interrupted.
    """
    from xlsx_attention.batch.inputs import read_list
    from xlsx_attention.batch.run import run_batch
    from xlsx_attention.batch.settings import make_settings
    from xlsx_attention.batch.supervisor import LocalWorkers

    inputs = [*paths, *(line for path in lists for line in read_list(path))]
    if not inputs:
        raise click.UsageError("name a file, a folder, a pattern, or a list with --from")
    if rubric and not key:
        raise click.UsageError("--rubric needs --key")
    settings = make_settings(
        rtol=rtol, sheets=sheets or None, timeout=timeout, memory=memory, language=lang, key=key, rubric=rubric
    )
    settings = replace(settings, budgets=chosen(given, untrusted=True))
    runner = _cluster(dask) if dask else LocalWorkers(jobs)
    with _progress(quiet) as progress:
        result = run_batch(
            inputs, folder, settings, runner=runner, failed_first=failed_first, max_fail=max_fail, progress=progress
        )
    if not quiet:
        _summary(result)
    if result.interrupted:
        complain("interrupted: the reports hold what was done; run the same command again to go on")
        sys.exit(130)
    sys.exit(result.exit_code)


def _cluster(address: str) -> Runner:
    from xlsx_attention.batch.executors import DaskWorkers

    return DaskWorkers(address)


@contextmanager
def _progress(quiet: bool) -> Iterator[Callable[[int, int, str], None] | None]:
    """A bar with rate and time left, on a terminal only."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[bad]}"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("files", total=None, rate="", bad="")
        bad = 0

        def show(done: int, total: int, status: str) -> None:
            nonlocal bad
            bad += status not in ("", "agrees")
            speed = bar.tasks[0].speed
            rate = f"{speed:.1f}/s" if speed else ""
            bar.update(task, completed=done, total=total, rate=rate, bad=f"{bad} not in order" if bad else "")

        yield show


def _summary(result: BatchResult) -> None:
    from xlsx_attention.batch.rows import totals
    from xlsx_attention.reporting.safe import visible

    for item in result.skipped[:SKIPPED]:
        complain(f"skipped {visible(item.name)}: {item.reason}")
    if len(result.skipped) > SKIPPED:
        complain(f"skipped {len(result.skipped) - SKIPPED} more; the report lists all")
    unjudged = [row for row in result.rows if row.status in ("unreadable", "failed")]
    for row in unjudged[:SKIPPED]:
        complain(f"{visible(row.name)}: {row.reason}")
    if len(unjudged) > SKIPPED:
        complain(f"{len(unjudged) - SKIPPED} more could not be judged; the report lists all")
    sums = totals(result.rows)
    states = ", ".join(
        f"{sums[state]} {state}" for state in ("agrees", "diverges", "unreadable", "failed", "not-run") if sums[state]
    )
    accused = sums["origins"] + sums["overridden"]
    click.echo(f"{sums['files']} files: {states}; {accused} cells accused, {sums['findings']} findings")
    click.echo(str(Path(result.folder) / "index.html"))
