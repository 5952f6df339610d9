"""What the pipeline is asked, and what it understands of a file."""

from __future__ import annotations

from dataclasses import dataclass, field

from xlsx_attention.comparing.verdicts import Cell, Recomputed
from xlsx_attention.model.budget import Budgets
from xlsx_attention.model.grid import WorkbookGrid
from xlsx_attention.model.plan import Plan
from xlsx_attention.model.role import AttentionMap


@dataclass(frozen=True, slots=True)
class Options:
    """How a file is verified.

    ``rtol`` ``None`` follows from the file's digits; ``sheets`` ``None`` means all. ``words`` puts each step into
    words of NumPy and mathematics as well, which takes longer than finding it right.
    """

    rtol: float | None = None
    sheets: tuple[str, ...] | None = None
    budgets: Budgets = field(default_factory=Budgets)
    recognise: bool = True
    words: bool = False


DEFAULTS = Options()


@dataclass(frozen=True, slots=True)
class Understood:
    """A file read, parsed and compiled, and recomputed both ways."""

    grid: WorkbookGrid
    plan: Plan
    values: Recomputed
    attention: AttentionMap
    special: dict[int, str]
    circular: set[Cell]
