"""A page for one student: the points, and for each step that lost some the cells and the reasons."""

from __future__ import annotations

from typing import Any

from xlsx_attention.batch.grading.reasons import remarks, sentence
from xlsx_attention.batch.pages import render
from xlsx_attention.batch.words import Speech
from xlsx_attention.pipeline import tool_name


def feedback_page(name: str, record: dict[str, Any], language: str) -> str:
    """The page of a record that was graded, in ``en`` or ``zh``."""
    grade = record["grade"]
    return render(
        "feedback.html",
        style="page.css",
        language=language,
        say=Speech(language),
        name=name,
        status=record["status"],
        reason=f"{grade['points']:g} / {grade['out_of']:g}",
        grade=grade,
        reasons=[
            [(reason["cell"], sentence(reason, language)) for reason in step["reasons"]] for step in grade["steps"]
        ],
        remarks=list(remarks(grade, language)),
        tool=tool_name(),
    )
