"""What a sheet shows step by step: rectangles with a role, and the blocks that no such rectangle holds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from xlsx_attention.model.address import Rect
from xlsx_attention.model.report import VERDICTS, BlockResult
from xlsx_attention.reporting.facts import BAD, SheetFacts


@dataclass(frozen=True, slots=True)
class Area:
    """A computed rectangle. ``block`` is the block that fills most of it: its formula and words speak for the area."""

    sheet: int
    rect: Rect
    role: str
    block: BlockResult
    counts: dict[str, int]

    @property
    def bad(self) -> int:
        """How many of its cells diverge."""
        return sum(self.counts.get(verdict, 0) for verdict in BAD)


def areas(facts: SheetFacts) -> list[Area]:
    """In reading order. A block cut into pieces by a slip is one area where its rectangle has a role."""
    blocks = facts.sheet.blocks
    by_step = {block.step: block for block in blocks}
    found: list[Area] = []
    covered: set[int] = set()
    for rect, role in facts.roles:
        inside = [(size, by_step[step]) for step, size in facts.steps_in(rect).items() if step in by_step]
        if not inside:
            continue
        covered |= {block.step for _, block in inside if rect.covers(block.rect)}
        main = max(inside, key=lambda item: item[0])[1]
        found.append(Area(facts.sheet.index, rect, role, main, _counts(facts, rect)))
    found += [
        Area(facts.sheet.index, block.rect, block.role, block, dict(block.counts))
        for block in blocks
        if block.step not in covered
    ]
    return sorted(found, key=lambda area: (area.rect.top, area.rect.left))


def divergent_first(found: list[Area]) -> list[Area]:
    """Those that diverge, then those with a role, then the rest; each in its order."""
    return sorted(found, key=lambda area: (not area.bad, not area.role))


def _counts(facts: SheetFacts, rect: Rect) -> dict[str, int]:
    sheet = facts.sheet
    inside = sheet.rect.intersection(rect)
    if inside is None:
        return {}
    top, left = inside.top - sheet.rect.top, inside.left - sheet.rect.left
    part = sheet.verdicts[top : top + inside.height, left : left + inside.width]
    tally = np.bincount(part.ravel(), minlength=256)
    return {verdict: int(tally[code]) for code, verdict in enumerate(VERDICTS) if tally[code]}
