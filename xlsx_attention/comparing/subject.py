"""One head under suspicion: its numbers, where its blocks lie, and what stands around them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from xlsx_attention.comparing.given import Given, Maybe
from xlsx_attention.comparing.masks import FILLERS
from xlsx_attention.comparing.matrices import Sheets
from xlsx_attention.model.formula import Located, Reference, Single, Spill
from xlsx_attention.model.plan import Step
from xlsx_attention.model.report import Finding, Text
from xlsx_attention.model.role import Attention, AttentionMap, Head
from xlsx_attention.model.values import Floats


@dataclass(frozen=True, slots=True)
class Subject:
    """``suffix`` is the head's number where there are several, as in ``scores 2``."""

    sheets: Sheets
    map: AttentionMap
    attention: Attention
    head: Head
    given: Given
    suffix: str

    @property
    def last_roles(self) -> tuple[str, ...]:
        """Steps that nothing of the attention is computed from: what is rounded there is rounded for display."""
        return ("projected",) if "projected" in self.attention.shared else ("output", "projected")

    def where(self, role: str) -> str:
        place = self.given.matrices.places[role]
        return ",".join(rect.a1 for rect in place.rects[:6])

    def finding(self, role: str, cause: str, message: Text, mended: Maybe) -> Finding:
        place = self.given.matrices.places[role]
        return Finding(place.sheet, place.rect, cause, message, role + self.suffix, self._laid(role, mended))

    def finding_at(self, step: Step, of: str, role: str, cause: str, message: Text, mended: Maybe) -> Finding:
        """About a block that copies the role ``of`` in place of computing ``role``."""
        laid = self._laid(of, mended)
        rect = step.block.cells
        if laid is not None and laid.shape != rect.shape:
            laid = laid.T if laid.T.shape == rect.shape else None
        return Finding(step.block.sheet, rect, cause, message, role + self.suffix, laid)

    def _laid(self, role: str, mended: Maybe) -> Floats | None:
        matrices = self.given.matrices
        cells = matrices.cells[role]
        if mended is None or np.isnan(mended).any() or mended.size != sum(map(len, cells)):
            return None
        shown = np.where(np.isneginf(mended), self._filler, mended)
        return matrices.laid(role, shown.reshape(len(cells), len(cells[0])))

    @property
    def _filler(self) -> float:
        """What the sheet writes where it hides a score; −1e9 where it hides none."""
        masked = self.given["masked"]
        lowest = -np.inf if masked is None or not masked.size else float(np.nanmin(masked))
        return lowest if lowest < FILLERS and np.isfinite(lowest) else -1e9

    def copied(self, role: str) -> Step | None:
        """A block that shows a role's whole block as it is, where a step belongs."""
        place = self.given.matrices.places.get(role)
        if place is None or place.parts:
            return None
        for step in self.sheets.plan.steps:
            shown = step.tree.operand if isinstance(step.tree, (Spill, Single)) else step.tree
            if not isinstance(shown, Located) or not _is_plain(shown.reference, step):
                continue
            whole = any(read.sheet == place.sheet and read.rect == place.rect for read in step.reads)
            if whole and step.block.cells.shape == place.rect.shape:
                return step
        return None

    def shown_otherwise(self, differs: Callable[[Head], bool]) -> bool:
        """Whether the same queries and keys are weighted once more in the workbook, in another way."""
        mine = self._pair(self.head)
        return any(
            other is not self.head and self._pair(other) == mine and differs(other)
            for group in self.map.attentions
            for other in group.heads
        )

    @staticmethod
    def _pair(head: Head) -> tuple[object, ...]:
        return tuple((p.sheet, p.rect, p.parts) if (p := head.roles.get(role)) is not None else None for role in "QK")


def _is_plain(reference: Reference, step: Step) -> bool:
    """Each cell shows one cell, or the block is one array that shows a range."""
    return step.block.spill is not None or (reference.top == reference.bottom and reference.left == reference.right)
