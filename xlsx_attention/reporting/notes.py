"""What a note on a cell says, and how much room it takes."""

from __future__ import annotations

import unicodedata
from typing import Final

from xlsx_attention.model.report import CellResult
from xlsx_attention.reporting.facts import SheetFacts, difference, show
from xlsx_attention.reporting.palette import VERDICT_SHADES
from xlsx_attention.reporting.safe import visible
from xlsx_attention.reporting.words import cause_words, say, verdict_words

AUTHOR: Final = "xlsx_attention"
#: Width in pixels, and how many letters of 9 points a line of it holds, Chinese ones counted twice.
NOTE_WIDTH: Final = 380
_LINE: Final = 54
_LINE_HEIGHT: Final = 16
_FORMULA_SHOWN: Final = 700


def note_text(facts: SheetFacts, row: int, column: int, language: str) -> str:
    """All that is known of a computed cell, a fact a line."""
    result = facts.special.get((row, column))
    verdict = facts.sheet.verdict(row, column) or ""
    role = result.role if result is not None and result.role else facts.role(row, column)
    formula = result.formula if result is not None and result.formula else facts.formula(row, column)
    cached = facts.cached(row, column)
    by_precedents = result.from_precedents if result is not None else facts.from_precedents(row, column)
    by_inputs = result.from_inputs if result is not None else facts.from_inputs(row, column)
    lines = [f"{VERDICT_SHADES[verdict].sign} {verdict_words(verdict, language)}" + (f" · {role}" if role else "")]
    lines += _origin_lines(result, language)
    if formula:
        lines.append(visible(formula, _FORMULA_SHOWN))
    numpy = result.numpy if result is not None and result.numpy else _step_numpy(facts, row, column)
    if numpy:
        lines.append(f"NumPy: {visible(numpy, _FORMULA_SHOWN)}")
    for key, value in (("instructor", cached), ("from-precedents", by_precedents), ("from-inputs", by_inputs)):
        lines.append(f"{say(key, language)}: {visible(show(value)) or '–'}")
    off = difference(cached, by_inputs)
    if off:
        lines.append(f"{say('difference', language)}: {off:.3g}")
    return "\n".join(lines)


def _origin_lines(result: CellResult | None, language: str) -> list[str]:
    if result is None:
        return []
    lines = []
    if result.cause:
        lines.append(f"{say('cause', language)}: {cause_words(result.cause, language)}")
    if result.expected:
        lines.append(f"{say('expected-formula', language)}: {visible(result.expected, _FORMULA_SHOWN)}")
    if result.origins:
        lines.append(f"{say('begins-at', language)}: {visible(' '.join(result.origins[:6]))}")
    return lines


def _step_numpy(facts: SheetFacts, row: int, column: int) -> str:
    step = facts.step(row, column)
    return facts.numpy_of(step.index) if step is not None else ""


def note_height(text: str) -> int:
    """In pixels."""
    lines = sum(max(1, -(-_width(line) // _LINE)) for line in text.split("\n"))
    return lines * _LINE_HEIGHT + 10


def _width(text: str) -> int:
    if text.isascii():
        return len(text)
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)
