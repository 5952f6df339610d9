"""What judging blocks by their role gave."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from xlsx_attention.comparing.verdicts import Cell
from xlsx_attention.model.report import Finding
from xlsx_attention.model.values import NUMBER, Scalar


@dataclass(frozen=True, slots=True)
class OfSteps:
    """What judging blocks by their role gave: findings, and for single cells their causes and origins.

    ``by_role`` asks which mistake of a recognised step gives a number in a cell.
    """

    findings: tuple[Finding, ...] = ()
    causes: Mapping[Cell, str] = field(default_factory=dict)
    origins: Mapping[Cell, tuple[Cell, ...]] = field(default_factory=dict)
    by_role: Callable[[Cell, float], str | None] | None = None

    def cause(self, cell: Cell, value: Scalar) -> str | None:
        return None if self.by_role is None or value.kind != NUMBER else self.by_role(cell, value.number)
