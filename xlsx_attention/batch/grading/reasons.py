"""Reasons in words, in both languages of the course."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from xlsx_attention.model.report import Text

#: How a wrong value came about → the code of the reason.
WHY = {
    "typed": "wrong number typed",
    "formula": "value is not what its formula gives",
    "other formula": "wrong formula",
    "moved formula": "wrong value",
    "input": "changed input",
}

_WORDS = {
    "wrong number typed": Text("wrong number typed", "填入的数值不对"),
    "value is not what its formula gives": Text("value is not what its formula gives", "数值与公式结果不符"),
    "wrong formula": Text("wrong formula", "公式不对"),
    "wrong value": Text("wrong value", "数值不对"),
    "changed input": Text("changed input", "改动了已知数"),
    "sheet missing": Text("its sheet is missing", "缺少该工作表"),
    "missing": Text("is empty; the key has {}", "为空；答案为 {}"),
    "from": Text(" from {}", "，公式 {}"),
    "is": Text(": is {}", "：现为 {}"),
    "own": Text(", from your own numbers it would be {}", "，按你自己的数值应为 {}"),
    "key": Text(", in the key it is {}", "，答案为 {}"),
    "formulas": Text("; your formula {}, the key's {}", "；你的公式 {}，答案的公式 {}"),
    "empty": Text("empty", "空"),
    "no-sheet": Text("The sheet {} of the key is missing.", "缺少答案中的工作表 {}。"),
    "moved": Text("{} was found at {} by {} ({}).", "{} 在 {} 处找到，依据 {}（{}）。"),
    "inputs": Text("{} inputs differ from the key's: {}.", "{} 个已知数与答案不同：{}。"),
    "input": Text("{} ({}, in the key {})", "{}（{}，答案为 {}）"),
    "typed": Text(
        "{} cells hold typed values where the key has formulas; they were judged by their values.",
        "{} 个单元格本应为公式，却填入了数值；已按数值评分。",
    ),
    "other": Text(
        "{} cells hold formulas unlike the key's; they were judged by their values.",
        "{} 个单元格的公式与答案不同；已按数值评分。",
    ),
    "left": Text("{} was not graded: {}.", "{} 未评分：{}。"),
}


def _say(key: str, language: str, *values: object) -> str:
    return _WORDS[key][language].format(*values)


def sentence(reason: Mapping[str, Any], language: str) -> str:
    """Why a cell lost its share of the points."""
    why = reason["why"]
    if why == "sheet missing":
        return _say(why, language)
    if why == "missing":
        text = _say("missing", language, shown(reason["key"], language))
        return text + (_say("from", language, reason["key_formula"]) if reason["key_formula"] else "")
    text = _say(why, language) + _say("is", language, shown(reason["value"], language))
    if reason["expected"] is not None:
        text += _say("own", language, shown(reason["expected"], language))
    if reason["key"] != reason["expected"]:
        text += _say("key", language, shown(reason["key"], language))
    if why == "wrong formula":
        text += _say("formulas", language, reason["formula"], reason["key_formula"])
    return text


def remarks(grade: Mapping[str, Any], language: str) -> Iterator[str]:
    """What a grader should know beside the points: what was looked for elsewhere, changed, typed, or left out."""
    for name in grade["missing_sheets"]:
        yield _say("no-sheet", language, name)
    for move in grade["moved"]:
        yield _say("moved", language, move["key"], move["found"], move["how"], move["detail"])
    if grade["changed_inputs"]:
        cells = [
            _say(
                "input",
                language,
                f"{item['sheet']}!{item['cell']}",
                shown(item["value"], language),
                shown(item["key"], language),
            )
            for item in grade["inputs"]
        ]
        more = "…" if grade["changed_inputs"] > len(cells) else ""
        yield _say("inputs", language, grade["changed_inputs"], ", ".join(cells) + more)
    for key, count in (("typed", "typed"), ("other", "other_formula")):
        number = sum(step[count] for step in grade["steps"])
        if number:
            yield _say(key, language, number)
    for where, why in grade["not_graded"].items():
        yield _say("left", language, where, why)


def shown(value: object, language: str) -> str:
    """A value as a person reads it; a text in quotes, so that "5" is told from 5."""
    if value is None:
        return _say("empty", language)
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int | float):
        return f"{value:.10g}"
    text = str(value)
    return text if text.startswith("#") else f'"{text}"'
