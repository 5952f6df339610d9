"""Layer norms that disagree with each other, or with what the sheet says, about which deviation they divide by."""

from __future__ import annotations

import re
from collections.abc import Iterator

from xlsx_attention.comparing.matrices import Sheets
from xlsx_attention.comparing.rounding import calls
from xlsx_attention.comparing.sentences import DEVIATIONS, say
from xlsx_attention.model.plan import Step
from xlsx_attention.model.report import Finding
from xlsx_attention.model.role import AttentionMap
from xlsx_attention.model.values import TEXT

KINDS = {
    "STDEV.S": "sample",
    "STDEV": "sample",
    "VAR.S": "sample",
    "VAR": "sample",
    "STDEV.P": "population",
    "STDEVP": "population",
    "VAR.P": "population",
    "VARP": "population",
}
_SAID = {
    "population": re.compile(r"population|总体|biased|ddof\s*=\s*0", re.IGNORECASE),
    "sample": re.compile(r"(?<!down)(?<!re)sample|样本|unbiased|ddof\s*=\s*1", re.IGNORECASE),
}


def deviations(sheets: Sheets, attention: AttentionMap) -> Iterator[Finding]:
    """Only beside an attention, where a deviation is that of a layer norm; elsewhere each has its own good reasons."""
    for sheet in sorted({group.sheet for group in attention.attentions}):
        uses = [(step, name) for step in sheets.plan.steps if step.block.sheet == sheet for name in _deviations(step)]
        kinds = {KINDS[name] for _, name in uses}
        for step, name in uses:
            own = KINDS[name]
            other = "population" if own == "sample" else "sample"
            said = _said(sheets, step)
            if said is not None and said != own:
                key = "deviation-said"
            elif own == "sample" and len(kinds) == 2 and said is None:
                key = "deviation"
            else:
                continue
            message = say(
                key, cells=step.block.cells.a1, own=DEVIATIONS[own], other=DEVIATIONS[other], function=name
            )
            yield Finding(sheet, step.block.cells, "population-or-sample", message, "layer norm")


def _deviations(step: Step) -> list[str]:
    return sorted({name for name in calls(step.tree) if name in KINDS})


def _said(sheets: Sheets, step: Step) -> str | None:
    """What the label beside a block says: to its left on its first row, or above its first column."""
    rect = step.block.cells
    plane = sheets.grid.sheets[step.block.sheet].cached
    for down, right in [(0, -1), (-1, 0), (-1, -1), (0, -2), (-2, 0)]:
        row, column = rect.top + down, rect.left + right
        if row < 0 or column < 0:
            continue
        number, kind = plane.get(row, column)
        if kind == TEXT:
            text = sheets.grid.texts[number]
            named = [kind_said for kind_said, pattern in _SAID.items() if pattern.search(text)]
            if len(named) == 1:
                return named[0]
    return None
