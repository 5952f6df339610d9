"""What a worker does with one file: verify it (and grade it), and put the result into words that need no second
look at the file.
"""

from __future__ import annotations

import json
import traceback
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from xlsx_attention import reading
from xlsx_attention.batch.feedback_page import feedback_page
from xlsx_attention.batch.file_page import file_page
from xlsx_attention.batch.grading.books import load_key
from xlsx_attention.batch.grading.marks import Grader
from xlsx_attention.batch.grading.rubric import parse_rubric
from xlsx_attention.batch.opening import read_input
from xlsx_attention.batch.outcome import Outcome, Task, path_token, refused
from xlsx_attention.batch.settings import Settings
from xlsx_attention.errors import UnreadableFile
from xlsx_attention.model.report import Report
from xlsx_attention.pipeline import Options, tool_name, verify_grid
from xlsx_attention.reading import Source
from xlsx_attention.reporting.html import render_html
from xlsx_attention.reporting.json_report import file_data


def judge(task: Task, settings: Settings, key: bytes = b"") -> Outcome:
    """The outcome of one content; ``key`` is the content of the workbook to grade against, if any. A fault of this
    package is an outcome too: the batch goes on and names it.

    Raises ``MemoryError`` alone: after it a process is not to be trusted.
    """
    try:
        data = task.data if task.data is not None else read_input(task.address, settings.budgets, task.digest)
        return _judge(Source(path_token(task.digest), data), task.digest, settings, key)
    except UnreadableFile as error:
        return refused(task.digest, error.code, str(error))
    except MemoryError:
        raise
    except Exception as error:
        return refused(task.digest, "fault", _fault(error), "failed")


@lru_cache(maxsize=2)
def grader_of(data: bytes, rubric: str) -> Grader:
    """The key's grader, made once in each process. The key itself is trusted to be the instructor's."""
    return Grader(load_key(data), parse_rubric(rubric))


def _judge(source: Source, digest: str, settings: Settings, key: bytes) -> Outcome:
    grid = reading.read_workbook(source, budgets=settings.budgets)
    options = Options(settings.rtol, settings.sheets, settings.budgets, settings.recognise)
    report = replace(verify_grid(grid, options), seconds=0.0, path=path_token(digest))
    record = file_data(report)
    record["macros"] = grid.has_macros
    if key:
        grade = grader_of(key, settings.rubric).grade(report)
        record["grade"] = grade
        # A submission is in order when it is right against the key: what it is in itself stays in the record.
        record["verification"], record["status"] = record["status"], "agrees" if grade["right"] else "diverges"
        page = feedback_page(report.path, record, settings.language)
    elif report.ok:
        # Nothing to look into: the short page costs a fiftieth of the whole sheet's, and most of a class is in order.
        page = file_page(report, settings.language)
    else:
        page = render_html(Report((report,), tool_name()), settings.language)
    return Outcome(record["status"], json.dumps(record, ensure_ascii=False, allow_nan=False), page)


def _fault(error: Exception) -> str:
    """One line: the exception and the place in this package that raised it. Full paths of the machine stay out."""
    place = ""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if "xlsx_attention" in frame.filename:
            place = f" at {Path(frame.filename).name}:{frame.lineno}"
            break
    text = " ".join(str(error).split())[:300]
    return f"a fault of this tool, not of the file ({type(error).__name__}: {text}{place}); please report it"
