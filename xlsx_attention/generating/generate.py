"""From a spec to files."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from xlsx_attention.generating.drawing import Progress
from xlsx_attention.generating.workbooks import lessons, workbook_bytes
from xlsx_attention.model.example import ExampleSpec
from xlsx_attention.writing import atomic_write

PathLike = str | os.PathLike[str]


def generate(
    spec: ExampleSpec, path: PathLike, *, protect: Iterable[PathLike] = (), progress: Progress | None = None
) -> tuple[Path, ...]:
    """Write the workbook that ``spec`` asks for to ``path``; the files written, in order.

    ``protect``: the call's input files, never overwritten. ``progress(done, total)`` is told of cells written.
    Raises :class:`~xlsx_attention.errors.UsageError` for a spec that cannot be met, before anything is written.
    """
    data = workbook_bytes(spec, lessons(spec), progress)
    atomic_write(path, data, protect=protect)
    return (Path(path),)
