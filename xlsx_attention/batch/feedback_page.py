"""A page for one student: the points, and for each step that lost some the cells and the reasons."""

from __future__ import annotations

from typing import Any

from xlsx_attention.batch.pages import number, render
from xlsx_attention.batch.words import Speech
from xlsx_attention.pipeline import tool_name


def feedback_page(name: str, record: dict[str, Any], language: str) -> str:
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
        remarks=list(_remarks(grade)),
        tool=tool_name(),
    )


def _remarks(grade: dict[str, Any]) -> list[str]:
    """What a grader should know beside the points."""
    remarks = [f"The sheet {name!r} of the key is missing." for name in grade["missing_sheets"]]
    remarks += [
        f"{move['key']} was found at {move['found']} by {move['how']} ({move['detail']})." for move in grade["moved"]
    ]
    if grade["changed_inputs"]:
        cells = ", ".join(
            f"{item['sheet']}!{item['cell']} ({number(item['value']) or 'empty'}, in the key {number(item['key'])})"
            for item in grade["inputs"]
        )
        left = grade["changed_inputs"] - len(grade["inputs"])
        more = f" and {left} more" if left else ""
        remarks.append(f"{grade['changed_inputs']} inputs differ from the key's: {cells}{more}.")
    typed = sum(step["typed"] for step in grade["steps"])
    if typed:
        remarks.append(f"{typed} cells hold typed values where the key has formulas; they were judged by their values.")
    other = sum(step["other_formula"] for step in grade["steps"])
    if other:
        remarks.append(f"{other} cells hold formulas unlike the key's; they were judged by their values.")
    remarks += [f"{where} was not graded: {why}." for where, why in grade["not_graded"].items()]
    return remarks
