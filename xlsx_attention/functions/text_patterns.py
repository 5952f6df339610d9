"""REGEXTEST, REGEXEXTRACT, REGEXREPLACE. Source: Microsoft's page on each function."""

from __future__ import annotations

import re

import numpy as np

from xlsx_attention.functions.registry import Context, ExcelError, Matrix, function
from xlsx_attention.functions.regular_expressions import Found, Pattern
from xlsx_attention.model.values import NA, TEXT, VALUE


def _compile(pattern: str, case: float) -> Pattern:
    if int(case) not in (0, 1):
        raise ExcelError(VALUE)
    return Pattern.compile(pattern, int(case) == 1)


@function("REGEXTEST", "text:text pattern:text case:number=0", "scalar")
def regextest(ctx: Context, text: str, pattern: str, case: float) -> bool:
    """Whether the pattern is found in the text; ``case`` 1 without case. ``#VALUE!`` for a broken pattern."""
    return _compile(pattern, case).search(text) is not None


def _row(ctx: Context, texts: list[str]) -> Matrix:
    number = np.array([[float(ctx.texts.add(text)) for text in texts]])
    return Matrix(number, np.full(number.shape, TEXT, np.uint8))


def _groups(text: str, pattern: Pattern, found: Found) -> list[str]:
    return [text[slice(*found.groups[i])] if i in found.groups else "" for i in range(1, pattern.count + 1)]


@function("REGEXEXTRACT", "text:text pattern:text mode:number=0 case:number=0", "array")
def regexextract(ctx: Context, text: str, pattern: str, mode: float, case: float) -> str | Matrix:
    """The first match (mode 0), all matches as a row (1), the first match's groups as a row (2); ``#N/A`` for none."""
    compiled = _compile(pattern, case)
    if int(mode) not in (0, 1, 2):
        raise ExcelError(VALUE)
    if int(mode) == 1:
        texts = [text[found.start : found.end] for found in compiled.find_all(text)]
        if not texts:
            raise ExcelError(NA)
        return _row(ctx, texts)
    found = compiled.search(text)
    if found is None:
        raise ExcelError(NA)
    if int(mode) == 2 and compiled.count:
        return _row(ctx, _groups(text, compiled, found))
    return text[found.start : found.end]


_MARK = re.compile(r"\$(\$|&|\d{1,2}|\{\w{1,40}\})")


def _expand(template: str, text: str, pattern: Pattern, found: Found) -> str:
    """``$1``, ``${name}`` and ``$$`` in a replacement; ``#VALUE!`` for a group that there is not."""

    def mark(match: re.Match[str]) -> str:
        name = match[1].strip("{}")
        if name == "$":
            return "$"
        index = 0 if name == "&" else (int(name) if name.isdigit() else pattern.names.get(name, -1))
        if not 0 <= index <= pattern.count:
            raise ExcelError(VALUE)
        if index == 0:
            return text[found.start : found.end]
        return text[slice(*found.groups[index])] if index in found.groups else ""

    return _MARK.sub(mark, template)


@function("REGEXREPLACE", "text:text pattern:text replacement:text occurrence:number=0 case:number=0", "scalar")
def regexreplace(ctx: Context, text: str, pattern: str, replacement: str, occurrence: float, case: float) -> str:
    """Every match replaced (occurrence 0), or the given one, counted from the end where negative."""
    compiled = _compile(pattern, case)
    matches = list(compiled.find_all(text))
    chosen = int(occurrence)
    if chosen:
        place = chosen - 1 if chosen > 0 else len(matches) + chosen
        matches = matches[place : place + 1] if place >= 0 else []
    pieces, at = [], 0
    for found in matches:
        pieces += [text[at : found.start], _expand(replacement, text, compiled, found)]
        at = found.end
    return "".join([*pieces, text[at:]])
